//! Sums over voxels for each streamline. They are the same for any number of threads.

use super::super::arrays::HarmonicArrays;
use arcuate_solve::Real;
use rayon::prelude::*;
use std::ops::Range;

/// Number of sums of streamlines per task when the sums of all tasks are added up.
const COLUMNS: usize = 4096;

/// Maximum number of copies of the sums of streamlines in the product Aᵀ y. Each task adds to its own copy.
const COPIES: usize = 64;

/// Computes sums of streamlines. `task` processes some ranges of voxels, with one element of `work` for each
/// range, and returns its sums of all streamlines. The sums of all tasks are added in a fixed order, so they
/// do not depend on the number of threads.
pub(super) fn sums_of_streamlines<T: Real, W: Send>(
    m: &HarmonicArrays<T>,
    work: Vec<W>,
    task: impl Fn(Vec<(Range<usize>, W)>) -> Vec<T> + Send + Sync,
) -> Vec<T> {
    let columns = m.layout.streamlines * m.basis.intra.rank;
    // All copies of the sums together need less than half the memory of the segments.
    let affordable = (m.segments.len() * 2 / columns.max(1)).clamp(1, COPIES);
    let group = m.pieces.len().div_ceil(affordable).max(1);
    let mut groups: Vec<Vec<(Range<usize>, W)>> = Vec::new();
    for (n, item) in m.pieces.iter().cloned().zip(work).enumerate() {
        if n % group == 0 {
            groups.push(Vec::with_capacity(group));
        }
        if let Some(last) = groups.last_mut() {
            last.push(item);
        }
    }
    let copies: Vec<Vec<T>> = groups.into_par_iter().map(task).collect();
    let mut z = vec![T::zero(); columns];
    z.par_chunks_mut(COLUMNS).enumerate().for_each(|(chunk, out)| {
        for copy in &copies {
            for (sum, &part) in out.iter_mut().zip(&copy[chunk * COLUMNS..]) {
                *sum += part;
            }
        }
    });
    z
}
