//! Sorts interchangeable fibre populations, so that all chains of a voxel and all samples of a chain have the
//! same order of populations.

use super::moments::dyadic;
use super::options::PopulationOrder;
use std::ops::Range;

/// The positions of interchangeable fibre populations among the values of a sample.
pub(super) struct Populations<'a> {
    /// For each fibre population, the index ranges of its parameter values, with the signal fraction first.
    pub(super) groups: &'a [Vec<Range<usize>>],
    /// Number of parameter values in each sample of a chain.
    pub(super) numbers: usize,
}

/// Mean of a fibre population over the samples of a chain: the mean signal fraction, and a matrix per
/// orientation n. The matrix is the mean of n nᵀ, multiplied by the mean fraction.
struct Mean {
    part: f64,
    directed: Vec<[f64; 6]>,
}

impl Mean {
    /// Returns the distance between two means of fibre populations. If the signal fraction is small, the
    /// orientation has little influence.
    fn distance(&self, other: &Self) -> f64 {
        let of_tensors = |(a, b): (&[f64; 6], &[f64; 6])| {
            (0..6).map(|n| if n < 3 { 1.0 } else { 2.0 } * (a[n] - b[n]).powi(2)).sum::<f64>()
        };
        let directed: f64 = self.directed.iter().zip(&other.directed).map(of_tensors).sum();
        (self.part - other.part).powi(2) + directed
    }
}

impl Populations<'_> {
    /// Returns the order of fibre populations in each chain of a voxel. A chain has `length` samples. Chains
    /// may have found the same populations in different orders (label switching). The most similar
    /// populations of different chains are matched, because means over chains would otherwise mix different
    /// populations.
    pub(super) fn orders(&self, of_voxel: &[f32], length: usize, by: PopulationOrder) -> Vec<Vec<usize>> {
        let chain = (length * self.numbers).max(1);
        let looked_at = match by {
            PopulationOrder::First => self.numbers,
            PopulationOrder::Means => chain,
        };
        let of_chains: Vec<Vec<Mean>> =
            of_voxel.chunks_exact(chain).map(|of_chain| self.means(&of_chain[..looked_at])).collect();
        let Some(first) = of_chains.first() else { return Vec::new() };
        let alike: Vec<Vec<usize>> = of_chains.iter().map(|means| matching(first, means)).collect();
        // The fibre populations of the first chain are ordered by signal fraction. Depending on the option,
        // this is the fraction in the first sample of the first chain, or the mean fraction over all chains.
        let part = |population: usize| -> f64 {
            let of = |(means, alike): (&Vec<Mean>, &Vec<usize>)| means[alike[population]].part;
            match by {
                PopulationOrder::First => first[population].part,
                PopulationOrder::Means => of_chains.iter().zip(&alike).map(of).sum(),
            }
        };
        let mut order: Vec<usize> = (0..first.len()).collect();
        order.sort_by(|&a, &b| part(b).total_cmp(&part(a)));
        alike.iter().map(|alike| order.iter().map(|&population| alike[population]).collect()).collect()
    }

    /// Rearranges the fibre populations in the samples of a voxel. `orders` has one order of populations per
    /// chain, and a chain has `length` samples.
    pub(super) fn arrange<'o>(
        &self,
        of_voxel: &mut [f32],
        length: usize,
        orders: impl Iterator<Item = &'o [usize]>,
    ) {
        let chain = (length * self.numbers).max(1);
        for (of_chain, order) in of_voxel.chunks_exact_mut(chain).zip(orders) {
            self.reorder(of_chain, order);
        }
    }

    fn means(&self, of_chain: &[f32]) -> Vec<Mean> {
        let of_group = |group: &Vec<Range<usize>>| {
            let values = of_chain.iter().skip(group[0].start).step_by(self.numbers);
            let part =
                values.map(|v| f64::from(*v)).sum::<f64>() / (of_chain.len() / self.numbers).max(1) as f64;
            let orientations = group.iter().filter(|range| range.len() == 3);
            let directed = orientations
                .map(|range| dyadic(of_chain, range.start, self.numbers).map(|element| part * element));
            Mean { part, directed: directed.collect() }
        };
        self.groups.iter().map(of_group).collect()
    }

    /// Rearranges the fibre populations in each sample. The population with the index `order[n]` moves to
    /// position n.
    fn reorder(&self, samples: &mut [f32], order: &[usize]) {
        if order.is_sorted() {
            return;
        }
        let mut before = vec![0.0; self.numbers];
        for sample in samples.chunks_exact_mut(self.numbers) {
            before.copy_from_slice(sample);
            for (to, from) in order.iter().enumerate() {
                for (to, from) in self.groups[to].iter().zip(&self.groups[*from]) {
                    sample[to.clone()].copy_from_slice(&before[from.clone()]);
                }
            }
        }
    }
}

/// Matches the fibre populations of `found` to those of `reference`. First matches the most similar pair of
/// populations, then the most similar pair of the remaining populations, and so on.
fn matching(reference: &[Mean], found: &[Mean]) -> Vec<usize> {
    let count = reference.len();
    let mut pairs: Vec<(f64, usize, usize)> = (0..count * count)
        .map(|n| (reference[n / count].distance(&found[n % count]), n / count, n % count))
        .collect();
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (mut order, mut is_taken) = (vec![None; count], vec![false; count]);
    for (_, to, from) in pairs {
        if order[to].is_none() && !is_taken[from] {
            order[to] = Some(from);
            is_taken[from] = true;
        }
    }
    order.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns samples of two fibre populations. Each sample has the order fraction, direction, fraction,
    /// direction.
    fn chain(rows: [[f32; 2]; 3], axes: [[f32; 3]; 2]) -> Vec<f32> {
        let row = |parts: [f32; 2]| {
            (0..2).flat_map(move |n| std::iter::once(parts[n]).chain(axes[n])).collect::<Vec<f32>>()
        };
        rows.into_iter().flat_map(row).collect()
    }

    #[test]
    fn populations_of_different_chains_are_brought_into_one_order() {
        let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let groups = vec![vec![0..1, 1..4], vec![4..5, 5..8]];
        let populations = Populations { groups: &groups, numbers: 8 };
        // In the second chain, the fibre population along y comes first and has the larger signal fraction.
        let mut samples = [
            chain([[0.31, 0.3], [0.33, 0.28], [0.3, 0.3]], [x, y]),
            chain([[0.4; 2], [0.4; 2], [0.51, 0.4]], [y, x]),
        ]
        .concat();
        let sort = |samples: &mut [f32], by| {
            let orders = populations.orders(samples, 3, by);
            populations.arrange(samples, 3, orders.iter().map(Vec::as_slice));
            orders
        };
        let original = samples.clone();
        assert_eq!(sort(&mut samples, PopulationOrder::Means), [[1, 0], [0, 1]]);
        // The fibre population along y has the larger signal fraction in the mean over all chains.
        for (n, row) in samples.chunks_exact(8).enumerate() {
            assert_eq!((&row[1..4], &row[5..8]), (&y[..], &x[..]), "{n}");
        }
        assert_eq!((samples[0], samples[4]), (0.3, 0.31));
        // In the first sample of the first chain, the fibre population along x has the larger signal
        // fraction. Later samples have no influence.
        let mut samples = original;
        assert_eq!(sort(&mut samples, PopulationOrder::First), [[0, 1], [1, 0]]);
        for (n, row) in samples.chunks_exact(8).enumerate() {
            assert_eq!((&row[1..4], &row[5..8]), (&x[..], &y[..]), "{n}");
        }
        // If there is only one chain, its fibre populations are sorted as well.
        let mut one = chain([[0.1, 0.3]; 3], [x, y]);
        sort(&mut one, PopulationOrder::Means);
        assert_eq!(one, chain([[0.3, 0.1]; 3], [y, x]));
    }

    #[test]
    fn directions_of_small_populations_are_ignored() {
        let mean = |part: f64, n: usize| {
            let mut tensor = [0.0; 6];
            tensor[n] = part;
            Mean { part, directed: vec![tensor] }
        };
        // In the first chain, the fibre population along x has a large signal fraction, and the population
        // along y has a small one. In the second chain, the population along x has the small fraction.
        assert_eq!(matching(&[mean(0.5, 0), mean(1e-4, 1)], &[mean(2e-4, 0), mean(0.5, 0)]), [1, 0]);
    }
}
