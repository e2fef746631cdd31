use super::{Axes, Layout, Segments};
use arcuate_core::Volume;

/// The amounts of all compartments of a COMMIT problem, and the errors of the fit.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Commit {
    /// Weights of the streamlines: one number ≥ 0 per streamline of the tractogram. It is the sum of the
    /// streamline's amounts over the intra-axonal responses, in signal per mm of streamline. The weight is 0
    /// if the streamline has no segment or the signal does not support it.
    pub weights: Vec<f64>,
    /// The amounts of all compartments in the order of [`Layout`]. They refer to the original responses,
    /// before normalisation.
    pub amounts: Vec<f64>,
    /// The intra-axonal signal at b = 0 of each voxel. It is the sum of ℓ x over the segments in the voxel,
    /// with the length ℓ of a segment and the amount x of its streamline. In voxels outside the problem, all
    /// maps are NaN.
    pub intra: Volume<f32>,
    /// The extra-axonal signal at b = 0 of each voxel. It is the sum of the amounts x over the axes in the
    /// voxel.
    pub extra: Volume<f32>,
    /// The isotropic signal at b = 0 of each voxel. It is the sum of the amounts x over the isotropic
    /// responses.
    pub isotropic: Volume<f32>,
    /// Root mean square of the residual y − A x over the samples of each voxel, in the unit of the data.
    pub rmse: Volume<f32>,
    /// Relative error of each voxel: √(Σ (y − A x)² / Σ y²), with sums over the voxel's samples. If both sums
    /// are 0, the error is 0. If only the second sum is 0, the error is NaN. The second case can occur for a
    /// map (one value per voxel).
    pub nrmse: Volume<f32>,
}

impl Commit {
    /// Creates results from the solution of a COMMIT problem. The lengths of streamline f are those of
    /// `segments` times `norms[f]`. `errors` returns the mean squares of y − A x and of y for each voxel of
    /// the problem.
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
                // If the relative error exceeds the range of single precision, the data y of the voxel are
                // treated as 0.
                (true, true) => {
                    Some((error / signal).sqrt()).filter(|r| *r <= f64::from(f32::MAX)).unwrap_or(f64::NAN)
                }
                (true, false) => f64::NAN,
            }
        });
        Self { weights, amounts, intra, extra, isotropic, rmse, nrmse }
    }

    /// Returns the numbers of the streamlines with a positive weight, ascending.
    pub fn supported(&self) -> Vec<usize> {
        (0..self.weights.len()).filter(|&n| self.weights[n] > 0.0).collect()
    }

    /// Returns three maps: the intra-axonal, extra-axonal and isotropic fraction of each voxel. A fraction is
    /// the signal of the compartment divided by the sum of the three signals. If this sum is 0, the fraction
    /// is 0.
    pub fn fractions(&self) -> [Volume<f32>; 3] {
        [&self.intra, &self.extra, &self.isotropic].map(|part| {
            let mut fractions = part.clone();
            for (voxel, value) in fractions.values_mut().iter_mut().enumerate() {
                let maps = [&self.intra, &self.extra, &self.isotropic];
                let total: f32 = maps.iter().map(|map| map.values()[voxel]).sum();
                // In voxels outside the problem, the sum of the three signals is NaN, and the fractions are
                // NaN, too.
                *value = if total == 0.0 { 0.0 } else { *value / total };
            }
            fractions
        })
    }
}
