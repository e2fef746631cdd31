//! Convergence diagnostics of Markov chains: the agreement between chains (R̂), and effective numbers of
//! samples. The diagnostics use the ranks of samples (Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021,
//! doi:10.1214/20-BA1221). Therefore, they also work for values that span many orders of magnitude.
//!
//! Each chain is split into halves, and the ranks of all samples become normal scores. R̂ compares the
//! variances between and within these halves. It is computed for the values, and for the distances of the
//! values from their median. The distances detect chains that differ only in spread. The larger R̂ is the
//! result. The effective number of samples in the bulk of the distribution uses the normal scores. The
//! effective number in the tails uses the indicators of values below the 5th and the 95th percentile.
//! `oracles/convergence_arviz.py` compares R̂ and both effective numbers with ArviZ.

use arcuate_core::narrow;
use arcuate_core::statistics::quantile_of_sorted;
use arcuate_numbers::special::normal_quantile;

/// Convergence diagnostics of one scalar quantity, from its samples in all chains.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Convergence {
    /// R̂ compares the variances between and within the halves of all chains. It is near 1 if the halves
    /// agree.
    pub(crate) hat: f64,
    /// Effective number of samples in the bulk of the distribution.
    pub(crate) bulk: f64,
    /// Effective number of samples in the tails of the distribution: below the 5th and above the 95th
    /// percentile.
    pub(crate) tail: f64,
}

impl Convergence {
    /// Returns the worse value of each diagnostic: the larger R̂, and the smaller effective numbers of
    /// samples.
    pub(crate) fn worse(self, other: Self) -> Self {
        Self {
            hat: self.hat.max(other.hat),
            bulk: self.bulk.min(other.bulk),
            tail: self.tail.min(other.tail),
        }
    }
}

/// Minimum number of samples in half a chain, below which no diagnostics are computed.
pub(crate) const MIN_DRAWS: usize = 4;
/// Percentiles (as fractions) at which the tails of the distribution begin.
const TAILS: [f64; 2] = [0.05, 0.95];

/// Precomputed tables for the diagnostics. All scalar quantities with the same number and length of chains
/// share them.
#[derive(Debug, Clone)]
pub(crate) struct Diagnostics {
    length: usize,
    half: usize,
    /// The normal score of each rank. The index in this list is twice the rank, because equal samples can
    /// have half-integer ranks.
    scores: Vec<f64>,
}

/// Memory for the computation of the diagnostics, which is reused from one scalar quantity to the next.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    halves: Vec<f64>,
    scored: Vec<f64>,
    sorted: Vec<f64>,
    order: Vec<u32>,
}

impl Diagnostics {
    /// Prepares diagnostics for this number of chains and this number of samples per chain. Returns `None` if
    /// half a chain has too few samples.
    pub(crate) fn new(chains: usize, length: usize) -> Option<Self> {
        let half = length / 2;
        if half < MIN_DRAWS || chains == 0 {
            return None;
        }
        let count = 2 * half * chains;
        // The normal scores are computed with Blom's formula, for ranks that start at 1.
        let score = |twice: usize| normal_quantile((0.5 * twice as f64 - 0.375) / (count as f64 + 0.25));
        let scores = (0..=2 * count).map(|twice| if twice < 2 { f64::NAN } else { score(twice) }).collect();
        Some(Self { length, half, scores })
    }

    /// Returns the convergence diagnostics of one scalar quantity. `chains` has its samples, chain by chain.
    /// Returns `None` if all samples are equal.
    pub(crate) fn of(&self, chains: &[f64], workspace: &mut Workspace) -> Option<Convergence> {
        let Workspace { halves, scored, sorted, order } = workspace;
        let first = *chains.first()?;
        if chains.iter().all(|value| *value == first) {
            return None;
        }
        halves.clear();
        for chain in chains.chunks_exact(self.length) {
            halves.extend_from_slice(&chain[..self.half]);
            halves.extend_from_slice(&chain[self.length - self.half..]);
        }
        self.score(halves, order, scored);
        let (hat, bulk) = (self.hat(scored), self.effective(scored));
        sorted.clear();
        sorted.extend_from_slice(chains);
        sorted.sort_unstable_by(f64::total_cmp);
        let mut tail = f64::INFINITY;
        for share in TAILS {
            let limit = quantile_of_sorted(sorted, share)?;
            scored.clear();
            scored.extend(halves.iter().map(|value| f64::from(u8::from(*value <= limit))));
            tail = tail.min(self.effective(scored));
        }
        sorted.clear();
        sorted.extend_from_slice(halves);
        sorted.sort_unstable_by(f64::total_cmp);
        let median = quantile_of_sorted(sorted, 0.5)?;
        for value in halves.iter_mut() {
            *value = (*value - median).abs();
        }
        self.score(halves, order, scored);
        // If all values have the same distance from the median, the distances have no spread to compare.
        let of_spread = self.hat(scored);
        let hat = if of_spread.is_nan() { hat } else { hat.max(of_spread) };
        if hat.is_nan() {
            return None;
        }
        Some(Convergence { hat, bulk, tail })
    }

    /// Computes the normal scores of the ranks of values. Equal values get the score of their mean rank.
    fn score(&self, values: &[f64], order: &mut Vec<u32>, scored: &mut Vec<f64>) {
        order.clear();
        order.extend(0..narrow::<u32>(values.len()));
        order.sort_unstable_by(|&a, &b| values[a as usize].total_cmp(&values[b as usize]));
        scored.clear();
        scored.resize(values.len(), 0.0);
        let mut from = 0;
        while from < order.len() {
            let value = values[order[from] as usize];
            let mut to = from + 1;
            while to < order.len() && values[order[to] as usize] == value {
                to += 1;
            }
            // The equal values at the sorted positions `from` to `to` − 1 have the ranks `from` + 1 to `to`.
            let score = self.scores[from + 1 + to];
            order[from..to].iter().for_each(|&n| scored[n as usize] = score);
            from = to;
        }
    }

    /// Returns R̂ of these values: √(total variance / variance within halves of chains).
    fn hat(&self, values: &[f64]) -> f64 {
        let size = self.half as f64;
        let halves = || values.chunks_exact(self.half);
        let within = mean(halves().map(variance));
        let between = size * variance_of(halves().map(|half| mean(half.iter().copied())));
        ((between / within + size - 1.0) / size).sqrt()
    }

    /// Returns the effective number of samples in the halves of all chains, by appendix A of Vehtari et al.
    /// (2021). Autocorrelations of all halves are summed in pairs of lags, while the sum of a pair is above 0
    /// (Geyer's initial positive sequence). The pair sums are made monotone.
    fn effective(&self, values: &[f64]) -> f64 {
        let size = self.half;
        let count = values.len() as f64;
        let [low, high] = values
            .iter()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)]);
        if high - low < 1e-15 {
            return count;
        }
        let means: Vec<f64> = values.chunks_exact(size).map(|half| mean(half.iter().copied())).collect();
        let covariance = |lag: usize| {
            let of_half = |(half, mean): (&[f64], &f64)| {
                let products = half[lag..].iter().zip(half).map(|(a, b)| (a - mean) * (b - mean));
                products.sum::<f64>() / size as f64
            };
            mean(values.chunks_exact(size).zip(&means).map(of_half))
        };
        let draws = size as f64;
        let within = covariance(0) * draws / (draws - 1.0);
        let mut pooled = within * (draws - 1.0) / draws;
        if means.len() > 1 {
            pooled += variance_of(means.iter().copied());
        }
        let correlation = |lag: usize| 1.0 - (within - covariance(lag)) / pooled;
        let mut correlations = vec![0.0; size];
        let (mut even, mut odd) = (1.0, correlation(1));
        (correlations[0], correlations[1]) = (even, odd);
        let mut lag = 1;
        while lag + 3 < size && even + odd > 0.0 {
            (even, odd) = (correlation(lag + 1), correlation(lag + 2));
            if even + odd >= 0.0 {
                (correlations[lag + 1], correlations[lag + 2]) = (even, odd);
            }
            lag += 2;
        }
        // The sum of autocorrelations ends at the lag `end`. One more lag is added, because the effective
        // number of samples can exceed the number of samples if the values of a chain alternate.
        let end = lag as isize - 2;
        let behind = (end + 1) as usize;
        if even > 0.0 {
            correlations[behind] = even;
        }
        let mut lag = 1;
        while lag as isize <= end - 2 {
            let before = correlations[lag - 1] + correlations[lag];
            if correlations[lag + 1] + correlations[lag + 2] > before {
                correlations[lag + 1] = before / 2.0;
                correlations[lag + 2] = before / 2.0;
            }
            lag += 2;
        }
        let time = -1.0 + 2.0 * correlations[..behind].iter().sum::<f64>() + correlations[behind];
        count / time.max(1.0 / count.log10())
    }
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}

fn variance(values: &[f64]) -> f64 {
    variance_of(values.iter().copied())
}

fn variance_of(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let middle = mean(values.clone());
    let (sum, count) =
        values.fold((0.0, 0.0), |(sum, count), value| (sum + (value - middle).powi(2), count + 1.0));
    sum / (count - 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::{Purpose, Random};

    /// Returns four chains of an autoregressive process.
    fn chains(correlation: f64, shift: f64, length: usize) -> Vec<f64> {
        let mut values = Vec::new();
        for chain in 0..4 {
            let mut random = Random::new(5, Purpose::Resampling, chain);
            let mut x = random.normal();
            for _ in 0..length {
                x = correlation * x + (1.0 - correlation * correlation).sqrt() * random.normal();
                values.push(x + shift * chain as f64);
            }
        }
        values
    }

    fn of(values: &[f64], chains: usize) -> Option<Convergence> {
        let diagnostics = Diagnostics::new(chains, values.len() / chains).unwrap();
        diagnostics.of(values, &mut Workspace::default())
    }

    #[test]
    fn correlated_samples_count_for_fewer() {
        // For an autoregressive process with the correlation ρ, the expected effective number of samples is
        // (1 − ρ) / (1 + ρ) times the number of samples.
        for correlation in [0.0, 0.5, 0.9] {
            let found = of(&chains(correlation, 0.0, 1000), 4).unwrap();
            let expected = 4000.0 * (1.0 - correlation) / (1.0 + correlation);
            assert!((found.bulk / expected - 1.0).abs() < 0.25, "{correlation}: {found:?} for {expected}");
            assert!((found.hat - 1.0).abs() < 0.03, "{correlation}: {found:?}");
        }
    }

    #[test]
    fn chains_that_differ_are_detected() {
        let found = of(&chains(0.0, 1.0, 1000), 4).unwrap();
        assert!(found.hat > 1.3 && found.bulk < 100.0, "{found:?}");
        // R̂ must also detect chains that differ only in spread (not in the mean).
        let spread: Vec<f64> = chains(0.0, 0.0, 1000)
            .iter()
            .enumerate()
            .map(|(n, x)| if n < 1000 { 4.0 * x } else { *x })
            .collect();
        assert!(of(&spread, 4).unwrap().hat > 1.1);
        // There are no diagnostics if all samples are equal, or if chains have too few samples.
        assert_eq!(of(&[2.0; 40], 2), None);
        assert!(Diagnostics::new(2, 7).is_none() && Diagnostics::new(2, 8).is_some());
    }

    #[test]
    fn diagnostics_do_not_depend_on_the_scale() {
        // The values exp(x) have the same ranks as x, although the variance of exp(x) is almost infinite.
        let values = chains(0.5, 0.3, 400);
        let of_powers = of(&values.iter().map(|x| (20.0 * x).exp()).collect::<Vec<f64>>(), 4).unwrap();
        let of_values = of(&values, 4).unwrap();
        assert_eq!((of_powers.bulk, of_powers.tail), (of_values.bulk, of_values.tail));
    }

    #[test]
    fn diagnostics_agree_with_arviz() {
        include!("convergence_arviz.rs");
    }
}
