//! Selects, for each voxel, the measurements that deconvolution can use.

use arcuate_core::{Mask, NotComputed, Result, Volume, VoxelCounts, statistics};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// If a signal is below 0 by more than this fraction of the voxel's largest signal, it cannot be noise and is
/// not used.
const TOO_NEGATIVE: f32 = 0.3;
/// A signal is also not used if it is below 0 by more than two limits. The first limit is this fraction of
/// the voxel's largest signal. The second limit is [`DEVIATIONS`] robust standard deviations of the signals
/// in its shell. Anisotropy makes this standard deviation larger than the noise.
const NEGATIVE: f32 = 0.05;
const DEVIATIONS: f64 = 4.0;
/// Factor that converts the median absolute deviation of normally distributed numbers to their standard
/// deviation.
const OF_A_NORMAL: f64 = 1.4826;
/// Minimum fraction of measurements that must be usable in each shell. A voxel with a smaller fraction is not
/// computed.
const ENOUGH_OF_A_SHELL: f64 = 0.5;

/// The voxels of a mask, grouped by the measurements that can be used.
#[derive(Debug)]
pub(crate) struct Screened {
    /// Voxels in which all measurements are usable.
    pub(crate) complete: Mask,
    /// Voxels in which some measurements cannot be used. The key is the list of these measurements in
    /// ascending order. The value is the list of the voxels in which exactly these measurements cannot be
    /// used.
    pub(crate) incomplete: BTreeMap<Vec<usize>, Vec<usize>>,
    /// Number of voxels that cannot be computed, and number of measurements that are not used.
    pub(crate) counts: VoxelCounts,
}

/// The measurements of one voxel that can be used.
enum Found {
    Complete,
    /// The measurements in `unused` cannot be used. `not_finite` is the number of these measurements that are
    /// infinite or NaN.
    Incomplete {
        unused: Vec<usize>,
        not_finite: usize,
    },
    /// The voxel cannot be computed, for this reason.
    Nothing(NotComputed),
}

impl Screened {
    /// Examines the measurements of every voxel of `mask`. `shells` contains the measurements of each fitted
    /// shell.
    pub(crate) fn new(dwi: &Volume<f32>, mask: &Mask, shells: &[Vec<usize>]) -> Result<Self> {
        let voxels = mask.indices();
        let found: Vec<Found> = voxels.par_iter().map(|&voxel| look(dwi.voxel(voxel), shells)).collect();
        let mut complete = vec![false; dwi.grid().len()];
        let (mut incomplete, mut counts) = (BTreeMap::<_, Vec<usize>>::new(), VoxelCounts::of(voxels.len()));
        for (voxel, found) in voxels.into_iter().zip(found) {
            match found {
                Found::Complete => complete[voxel] = true,
                Found::Incomplete { unused, not_finite } => {
                    counts.not_finite += not_finite;
                    counts.negative += unused.len() - not_finite;
                    incomplete.entry(unused).or_default().push(voxel);
                }
                Found::Nothing(reason) => counts.add(reason, 1),
            }
        }
        Ok(Self { complete: Mask::new(*dwi.grid(), complete)?, incomplete, counts })
    }
}

fn look(signals: &[f32], shells: &[Vec<usize>]) -> Found {
    let finite = signals.iter().copied().filter(|signal| signal.is_finite());
    let largest = finite.fold(0.0, f32::max);
    let is_whole = signals.iter().all(|signal| signal.is_finite());
    if is_whole && largest > 0.0 && signals.iter().all(|signal| *signal >= -NEGATIVE * largest) {
        return Found::Complete;
    }
    let (mut unused, mut not_finite, mut too_few, mut has_signal) = (Vec::new(), 0, false, false);
    for shell in shells {
        let before = unused.len();
        let minimum = least_of_shell(signals, shell, largest);
        for &measurement in shell {
            let signal = signals[measurement];
            if !signal.is_finite() || signal < minimum {
                unused.push(measurement);
                not_finite += usize::from(!signal.is_finite());
            } else {
                has_signal |= signal > 0.0;
            }
        }
        let usable = shell.len() - (unused.len() - before);
        too_few |= (usable as f64) < ENOUGH_OF_A_SHELL * shell.len() as f64;
    }
    // If a voxel has no finite measurement, its signal is unknown.
    if not_finite == shells.iter().map(Vec::len).sum::<usize>() {
        return Found::Nothing(NotComputed::NotFinite);
    }
    if !has_signal {
        return Found::Nothing(NotComputed::NoSignal);
    }
    if too_few {
        return Found::Nothing(NotComputed::TooFew);
    }
    if is_whole && unused.is_empty() {
        return Found::Complete;
    }
    unused.sort_unstable();
    Found::Incomplete { unused, not_finite }
}

/// Returns the lowest signal of a shell that noise can explain. Lower signals are not used.
fn least_of_shell(signals: &[f32], shell: &[usize], largest: f32) -> f32 {
    let mut of_shell: Vec<f32> = shell.iter().map(|&m| signals[m]).filter(|s| s.is_finite()).collect();
    let middle = statistics::median(&mut of_shell).unwrap_or(0.0);
    let mut distances: Vec<f64> = of_shell.iter().map(|signal| (f64::from(*signal) - middle).abs()).collect();
    let deviation = OF_A_NORMAL * statistics::median(&mut distances).unwrap_or(0.0);
    let of_noise = (-DEVIATIONS * deviation) as f32;
    of_noise.min(-NEGATIVE * largest).max(-TOO_NEGATIVE * largest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    #[test]
    fn unusable_voxels_have_distinct_reasons() {
        let (nan, infinity) = (f32::NAN, f32::INFINITY);
        let signals = [
            [900.0, 500.0, 300.0, -100.0],
            [900.0, nan, 300.0, 200.0],
            [900.0, infinity, 300.0, 200.0],
            [900.0, 500.0, -300.0, 450.0],
            [0.0; 4],
            [-900.0, -500.0, -300.0, -200.0],
            [nan; 4],
            [nan, 500.0, 300.0, 200.0],
            [900.0, nan, -300.0, 200.0],
        ];
        let grid = Grid::new([signals.len() + 1, 1, 1], Affine::identity()).unwrap();
        let values = signals.iter().flatten().copied().chain([1.0; 4]).collect();
        let dwi = Volume::new(grid, 4, values).unwrap();
        let inside = (0..grid.len()).map(|voxel| voxel < signals.len()).collect();
        let found =
            Screened::new(&dwi, &Mask::new(grid, inside).unwrap(), &[vec![0], vec![1, 2, 3]]).unwrap();
        assert_eq!(found.complete.indices(), [0], "a little below 0 is noise");
        assert_eq!(found.incomplete, BTreeMap::from([(vec![1], vec![1, 2]), (vec![2], vec![3])]));
        assert_eq!((found.counts.not_finite, found.counts.negative), (2, 1));
        let of = |reason| found.counts.with_reason(reason);
        assert_eq!(
            (of(NotComputed::NoSignal), of(NotComputed::NotFinite), of(NotComputed::TooFew)),
            (2, 1, 2)
        );
        assert_eq!(found.counts.voxels, signals.len());
        // Measurements that are not fitted may have any value, including NaN.
        let of_shell = Screened::new(&dwi, &Mask::full(grid), &[vec![1, 2, 3]]).unwrap();
        assert_eq!(of_shell.incomplete[&vec![]], [7]);
    }
}
