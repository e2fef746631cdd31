//! How much chains say: effective sample sizes, and whether chains agree.

/// Effective number of samples of chains of equal length, and split R̂ (Gelman et al., “Bayesian data analysis”, 3rd edition,
/// 11.4 and 11.5): each chain is cut into halves, whose means are compared. `chains` are values chain after chain, each of
/// `length`. 0 and 1 where nothing moves.
pub(crate) fn convergence(chains: &[f64], length: usize, room: &mut Vec<f64>) -> [f64; 2] {
    let half = length / 2;
    if half < 2 {
        return [chains.len() as f64, 1.0];
    }
    let halves =
        || chains.chunks_exact(length).flat_map(move |chain| [&chain[..half], &chain[length - half..]]);
    let count = halves().count() as f64;
    let size = half as f64;
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let overall = halves().map(mean).sum::<f64>() / count;
    let between = halves().map(|values| (mean(values) - overall).powi(2)).sum::<f64>() * size / (count - 1.0);
    let variance = |values: &[f64]| {
        let mean = mean(values);
        values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (size - 1.0)
    };
    let within = halves().map(variance).sum::<f64>() / count;
    let pooled = (size - 1.0) / size * within + between / size;
    if pooled.is_nan() || pooled <= 0.0 {
        return [0.0, 1.0];
    }
    // Autocorrelations of all halves together.
    room.clear();
    room.resize(half, 0.0);
    for values in halves() {
        let mean = mean(values);
        for (lag, sum) in room.iter_mut().enumerate() {
            let products = values[lag..].iter().zip(values).map(|(a, b)| (a - mean) * (b - mean));
            *sum += products.sum::<f64>() / size;
        }
    }
    let correlation = |lag: usize| 1.0 - (within - room[lag] / count * size / (size - 1.0)) / pooled;
    // Geyer's initial positive sequence, made monotone.
    let mut time = -1.0;
    let mut last = f64::INFINITY;
    for pair in 0..half / 2 {
        let sum = correlation(2 * pair) + correlation(2 * pair + 1);
        if sum <= 0.0 {
            break;
        }
        last = sum.min(last);
        time += 2.0 * last;
    }
    let all = count * size;
    [(all / time.max(1.0 / all.log10())).min(all), (pooled / within).sqrt()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::{Purpose, Random};

    fn chains(correlation: f64, shift: f64) -> Vec<f64> {
        let mut values = Vec::new();
        for chain in 0..4 {
            let mut random = Random::new(5, Purpose::Resampling, chain);
            let mut x = random.normal();
            for _ in 0..1000 {
                x = correlation * x + (1.0 - correlation * correlation).sqrt() * random.normal();
                values.push(x + shift * chain as f64);
            }
        }
        values
    }

    #[test]
    fn correlated_samples_count_for_fewer() {
        let mut room = Vec::new();
        // Of an autoregression, (1 − ρ) / (1 + ρ) of the samples.
        for correlation in [0.0, 0.5, 0.9] {
            let [effective, hat] = convergence(&chains(correlation, 0.0), 1000, &mut room);
            let expected = 4000.0 * (1.0 - correlation) / (1.0 + correlation);
            assert!((effective / expected - 1.0).abs() < 0.25, "{correlation}: {effective} for {expected}");
            assert!((hat - 1.0).abs() < 0.03, "{correlation}: {hat}");
        }
    }

    #[test]
    fn chains_that_differ_are_seen() {
        let mut room = Vec::new();
        let [effective, hat] = convergence(&chains(0.0, 1.0), 1000, &mut room);
        assert!(hat > 1.3 && effective < 100.0, "{effective} {hat}");
        assert_eq!(convergence(&[2.0; 40], 20, &mut room), [0.0, 1.0]);
    }
}
