//! Selects the measurements and voxels of a series that can be used to estimate responses.

use arcuate_core::{GradientTable, Mask, NotComputed, Result, Volume, VoxelCounts};
use std::borrow::Cow;

/// Maximum fraction of voxels in which a measurement may be infinite or NaN. If the fraction is larger, the
/// measurement is not used in any voxel.
const MAX_NOT_FINITE: f64 = 0.5;

/// The measurements and voxels of a series that can be used to estimate responses.
#[derive(Debug, Clone)]
pub struct UsableSeries<'a> {
    /// The series without the measurements that are infinite or NaN in too many voxels.
    pub dwi: Cow<'a, Volume<f32>>,
    /// The gradient table of the measurements that are used.
    pub gradients: Cow<'a, GradientTable>,
    /// The voxels of the mask in which all measurements are finite and at least one is positive.
    pub mask: Mask,
    /// Numbers of the voxels and of the measurements that are not used.
    pub counts: VoxelCounts,
}

/// Removes measurements that are infinite or NaN in too many voxels of `mask`. Then removes voxels in which
/// another measurement is infinite or NaN.
///
/// # Errors
/// Returns an error if no voxel remains.
pub fn usable_series<'a>(
    dwi: &'a Volume<f32>,
    gradients: &'a GradientTable,
    mask: &Mask,
) -> Result<UsableSeries<'a>> {
    crate::voxels::check(gradients.len(), dwi, mask)?;
    let voxels = mask.indices();
    let mut not_finite = vec![0usize; dwi.channels()];
    for &voxel in &voxels {
        let signals = not_finite.iter_mut().zip(dwi.voxel(voxel));
        signals.for_each(|(count, signal)| *count += usize::from(!signal.is_finite()));
    }
    let is_kept = |m: &usize| not_finite[*m] as f64 <= MAX_NOT_FINITE * voxels.len() as f64;
    let kept: Vec<usize> = (0..dwi.channels()).filter(is_kept).collect();
    let mut counts = VoxelCounts::of(voxels.len());
    let mut inside = vec![false; dwi.grid().len()];
    for &voxel in &voxels {
        let signals = dwi.voxel(voxel);
        if !kept.iter().all(|&m| signals[m].is_finite()) || kept.is_empty() {
            counts.add(NotComputed::NotFinite, 1);
        } else if !kept.iter().any(|&m| signals[m] > 0.0) {
            counts.add(NotComputed::NoSignal, 1);
        } else {
            inside[voxel] = true;
            counts.not_finite += signals.iter().filter(|signal| !signal.is_finite()).count();
        }
    }
    counts.require_some()?;
    let mask = Mask::new(*dwi.grid(), inside)?;
    let (dwi, gradients) = if kept.len() == dwi.channels() {
        (Cow::Borrowed(dwi), Cow::Borrowed(gradients))
    } else {
        (Cow::Owned(dwi.channels_at(&kept)), Cow::Owned(gradients.of_measurements(&kept)))
    };
    Ok(UsableSeries { dwi, gradients, mask, counts })
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};

    #[test]
    fn bad_volumes_and_bad_voxels_are_excluded_separately() {
        let grid = Grid::new([8, 1, 1], Affine::identity()).unwrap();
        let gradients = GradientTable::new(
            &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
            vec![0.0, 1000.0, 1000.0],
            50.0,
        )
        .unwrap();
        let mask = Mask::new(grid, (0..8).map(|voxel| voxel != 7).collect()).unwrap();
        let mut dwi = Volume::filled(grid, 3, 100f32);
        assert!(matches!(usable_series(&dwi, &gradients, &mask).unwrap().dwi, Cow::Borrowed(_)));
        (0..8).for_each(|voxel| dwi.voxel_mut(voxel)[1] = f32::NAN);
        dwi.voxel_mut(2)[0] = f32::INFINITY;
        dwi.voxel_mut(3).fill(0.0);
        let found = usable_series(&dwi, &gradients, &mask).unwrap();
        assert_eq!((found.dwi.channels(), found.gradients.len()), (2, 2));
        assert_eq!(found.mask.indices(), [0, 1, 4, 5, 6]);
        assert_eq!((found.counts.computed(), found.counts.not_finite), (5, 5));
        assert_eq!(found.counts.with_reason(NotComputed::NoSignal), 1);
        assert_eq!(found.counts.with_reason(NotComputed::NotFinite), 1);
        let broken = dwi.map(|_| f32::NAN);
        assert!(usable_series(&broken, &gradients, &mask).is_err());
    }
}
