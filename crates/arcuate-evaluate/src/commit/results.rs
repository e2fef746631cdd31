use super::{Axes, Layout, Segments};
use arcuate_core::Volume;

/// What explains the signal, and how well.
#[derive(Debug, Clone)]
pub struct Commit {
    /// One weight per streamline of the tractogram, ≥ 0: the sum of its amounts over the intra-axonal responses, in
    /// signal per mm of streamline; 0 where it has no segment or the signal does not support it.
    pub weights: Vec<f64>,
    /// The amounts of all compartments, for the responses as they were given; ordered as [`Layout`] says.
    pub amounts: Vec<f64>,
    /// The intra-axonal signal at b = 0 of each voxel: Σ ℓ x over its segments. NaN, as in the other maps, in voxels
    /// that do not belong to the problem.
    pub intra: Volume<f32>,
    /// The extra-axonal signal at b = 0: Σ x over the voxel's axes.
    pub extra: Volume<f32>,
    /// The isotropic signal at b = 0: Σ x.
    pub isotropic: Volume<f32>,
    /// Root mean square of y − A x over samples, in the unit of the data.
    pub rmse: Volume<f32>,
    /// √(Σ (y − A x)² / Σ y²) over samples; 0 where both are 0, and NaN where y alone is: a map may be 0 somewhere.
    pub nrmse: Volume<f32>,
}

impl Commit {
    /// The lengths of streamline f are those of `segments` times `norms[f]`. `errors` gives for each voxel of the
    /// problem the mean squares of y − A x and of y.
    pub(super) fn new(
        layout: &Layout,
        segments: &Segments,
        norms: &[f64],
        axes: &Axes,
        amounts: Vec<f64>,
        errors: impl Fn(usize) -> (f64, f64),
    ) -> Self {
        let of_streamlines = &amounts[layout.intra_unknowns()];
        let weights: Vec<f64> = if layout.intra == 0 {
            vec![0.0; layout.streamlines]
        } else {
            of_streamlines.chunks_exact(layout.intra).map(|amounts| amounts.iter().sum()).collect()
        };
        let of_axes = &amounts[layout.extra_unknowns()];
        let of_voxels = &amounts[layout.isotropic_unknowns()];
        let map = |value: &dyn Fn(usize) -> f64| {
            let mut map = Volume::filled(*segments.grid(), 1, f32::NAN);
            for (n, &voxel) in segments.voxels().iter().enumerate() {
                map.values_mut()[voxel as usize] = value(n) as f32;
            }
            map
        };
        let intra = map(&|n| {
            let pieces = segments.of_voxel(n).iter();
            let signal = |f: usize| norms[f] * weights[f];
            pieces.map(|segment| segment.length() * signal(segment.streamline as usize)).sum()
        });
        let extra = map(&|n| {
            let here = axes.voxel_starts[n] * layout.extra..axes.voxel_starts[n + 1] * layout.extra;
            of_axes[here].iter().sum()
        });
        let isotropic = map(&|n| of_voxels[n * layout.isotropic..(n + 1) * layout.isotropic].iter().sum());
        let rmse = map(&|n| errors(n).0.sqrt());
        let nrmse = map(&|n| {
            let (error, signal) = errors(n);
            match (error > 0.0, signal > 0.0) {
                (false, _) => 0.0,
                // Beyond single precision a signal is as good as none.
                (true, true) => {
                    Some((error / signal).sqrt()).filter(|r| *r <= f64::from(f32::MAX)).unwrap_or(f64::NAN)
                }
                (true, false) => f64::NAN,
            }
        });
        Self { weights, amounts, intra, extra, isotropic, rmse, nrmse }
    }

    /// The streamlines with a weight above 0, ascending.
    pub fn supported(&self) -> Vec<usize> {
        (0..self.weights.len()).filter(|&n| self.weights[n] > 0.0).collect()
    }

    /// Intra-axonal, extra-axonal and isotropic fractions of each voxel: the maps over their sum; 0 where that is 0.
    pub fn fractions(&self) -> [Volume<f32>; 3] {
        [&self.intra, &self.extra, &self.isotropic].map(|part| {
            let mut fractions = part.clone();
            for (voxel, value) in fractions.values_mut().iter_mut().enumerate() {
                let maps = [&self.intra, &self.extra, &self.isotropic];
                let total: f32 = maps.iter().map(|map| map.values()[voxel]).sum();
                // In voxels of no problem the sum is NaN, and so remains the fraction.
                *value = if total == 0.0 { 0.0 } else { *value / total };
            }
            fractions
        })
    }
}
