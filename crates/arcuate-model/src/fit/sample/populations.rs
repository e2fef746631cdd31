//! Populations that could change places, in the same order in all chains of a voxel and in all of a chain.

use super::moments::dyadic;
use super::options::PopulationOrder;
use std::ops::Range;

/// Where the numbers of populations are in a sample.
pub(super) struct Populations<'a> {
    /// Of each population its parameters, the part of the signal first.
    pub(super) groups: &'a [Vec<Range<usize>>],
    /// Numbers of a sample.
    pub(super) numbers: usize,
}

/// A population in some samples of a chain: the mean part of the signal, and this times the mean of n nᵀ of each of its orientations.
struct Mean {
    part: f64,
    directed: Vec<[f64; 6]>,
}

impl Mean {
    /// How much two populations differ. Where there is hardly any of one its orientation hardly counts.
    fn distance(&self, other: &Self) -> f64 {
        let of_tensors = |(a, b): (&[f64; 6], &[f64; 6])| {
            (0..6).map(|n| if n < 3 { 1.0 } else { 2.0 } * (a[n] - b[n]).powi(2)).sum::<f64>()
        };
        let directed: f64 = self.directed.iter().zip(&other.directed).map(of_tensors).sum();
        (self.part - other.part).powi(2) + directed
    }
}

impl Populations<'_> {
    /// In which order each chain of a voxel, of `length` samples, has its populations. Chains may have found the same populations
    /// in other orders: those of each that are most alike become one, or else means over chains would be of different things.
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
        // The order of what the first chain has: by its own parts, or by those of all chains.
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

    /// Puts the populations of a voxel's samples into these orders, one for each chain of `length` samples.
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

    /// Puts the populations of samples into an order: in the place of the n-th goes that of number `order[n]`.
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

/// Which of `found` is which of `wanted`: the two that are most alike are one, then those of the rest, and so on.
fn matching(wanted: &[Mean], found: &[Mean]) -> Vec<usize> {
    let count = wanted.len();
    let mut pairs: Vec<(f64, usize, usize)> = (0..count * count)
        .map(|n| (wanted[n / count].distance(&found[n % count]), n / count, n % count))
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

    /// Samples of two populations: part, direction, part, direction.
    fn chain(rows: [[f32; 2]; 3], axes: [[f32; 3]; 2]) -> Vec<f32> {
        let row = |parts: [f32; 2]| {
            (0..2).flat_map(move |n| std::iter::once(parts[n]).chain(axes[n])).collect::<Vec<f32>>()
        };
        rows.into_iter().flat_map(row).collect()
    }

    #[test]
    fn chains_that_found_populations_in_other_orders_are_brought_into_one() {
        let (x, y) = ([1.0, 0.0, 0.0], [0.0, 1.0, 0.0]);
        let groups = vec![vec![0..1, 1..4], vec![4..5, 5..8]];
        let populations = Populations { groups: &groups, numbers: 8 };
        // In the second chain that along y comes first, and is the larger.
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
        let begun = samples.clone();
        assert_eq!(sort(&mut samples, PopulationOrder::Means), [[1, 0], [0, 1]]);
        // Along y there is more in all of them.
        for (n, row) in samples.chunks_exact(8).enumerate() {
            assert_eq!((&row[1..4], &row[5..8]), (&y[..], &x[..]), "{n}");
        }
        assert_eq!((samples[0], samples[4]), (0.3, 0.31));
        // In the first sample of the first chain there is more along x, and what comes later does not count.
        let mut samples = begun;
        assert_eq!(sort(&mut samples, PopulationOrder::First), [[0, 1], [1, 0]]);
        for (n, row) in samples.chunks_exact(8).enumerate() {
            assert_eq!((&row[1..4], &row[5..8]), (&x[..], &y[..]), "{n}");
        }
        // One chain is sorted alone.
        let mut one = chain([[0.1, 0.3]; 3], [x, y]);
        sort(&mut one, PopulationOrder::Means);
        assert_eq!(one, chain([[0.3, 0.1]; 3], [y, x]));
    }

    #[test]
    fn where_one_is_hardly_there_its_direction_does_not_count() {
        let mean = |part: f64, n: usize| {
            let mut tensor = [0.0; 6];
            tensor[n] = part;
            Mean { part, directed: vec![tensor] }
        };
        // A large one along x and next to nothing along y; the same along x and next to nothing along x.
        assert_eq!(matching(&[mean(0.5, 0), mean(1e-4, 1)], &[mean(2e-4, 0), mean(0.5, 0)]), [1, 0]);
    }
}
