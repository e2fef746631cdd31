//! Information criteria, which compare the fits of several models in a voxel.

use super::results::ModelFit;
use super::status::Status;
use arcuate_core::{Grid, Volume, saturating};
use rayon::prelude::*;

/// An information criterion, which combines the misfit of a model with the model's number of unknowns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Criterion {
    /// Akaike's criterion, n ln(RSS / n) + 2 k, for n measurements, the residual sum of squares RSS and k
    /// unknowns (Akaike 1974, doi:10.1109/TAC.1974.1100705).
    Aic,
    /// Akaike's criterion with a correction for few measurements. With n measurements and k unknowns, the
    /// correction is + 2 k (k + 1) / (n − k − 1) (Hurvich and Tsai 1989, doi:10.1093/biomet/76.2.297).
    Aicc,
    /// The Bayesian criterion, n ln(RSS / n) + k ln n, for n measurements, the residual sum of squares RSS
    /// and k unknowns (Schwarz 1978, doi:10.1214/aos/1176344136).
    Bic,
}

impl Criterion {
    /// All information criteria.
    pub const ALL: [Self; 3] = [Self::Aic, Self::Aicc, Self::Bic];

    /// Returns the information criterion for a residual sum of squares over `n` measurements with `k`
    /// unknowns.
    pub fn value(self, sum_of_squares: f64, n: f64, k: f64) -> f64 {
        let misfit = n * (sum_of_squares.max(f64::MIN_POSITIVE) / n).ln();
        misfit
            + match self {
                Self::Aic => 2.0 * k,
                Self::Aicc if n > k + 1.0 => 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0),
                Self::Aicc => f64::INFINITY,
                Self::Bic => k * n.ln(),
            }
    }
}

impl ModelFit {
    /// Returns an information criterion in every fitted voxel (lower is better). The value is 0 in voxels
    /// without a fit.
    pub fn criterion(&self, criterion: Criterion) -> Volume<f32> {
        let mut volume = Volume::filled(*self.status.grid(), 1, 0.0f32);
        volume.values_mut().par_iter_mut().enumerate().for_each(|(voxel, out)| {
            *out = self.criterion_at(voxel, criterion).unwrap_or(0.0) as f32;
        });
        volume
    }

    fn criterion_at(&self, voxel: usize, criterion: Criterion) -> Option<f64> {
        let at = |volume: &Volume<f32>| f64::from(volume.voxel(voxel)[0]);
        let n = at(&self.usable);
        let is_fitted = Status::of(saturating::<u8>(self.status.voxel(voxel)[0])).is_fitted();
        is_fitted.then(|| criterion.value(n * at(&self.residual).powi(2), n, self.unknowns as f64))
    }
}

/// Returns a map with the number of the model that has the lowest criterion in each voxel. The first of the
/// given fits has the number 1, and 0 marks voxels without a fit.
pub fn best_models(fits: &[ModelFit], criterion: Criterion) -> Option<Volume<f32>> {
    let grid = fits.first()?.status.grid();
    Some(winners(grid, fits.len(), |n, voxel| fits[n].criterion_at(voxel, criterion)))
}

/// Returns a map with the number of the image that has the lowest value in each voxel. The first image has
/// the number 1, and 0 marks voxels without a finite value. All images have the same grid.
pub fn lowest(images: &[Volume<f32>]) -> Option<Volume<f32>> {
    let number = |n: usize, voxel: usize| {
        let value = f64::from(images[n].voxel(voxel)[0]);
        (!value.is_nan()).then_some(value)
    };
    Some(winners(images.first()?.grid(), images.len(), number))
}

fn winners(grid: &Grid, count: usize, value: impl Fn(usize, usize) -> Option<f64> + Sync) -> Volume<f32> {
    let mut winners = Volume::filled(*grid, 1, 0.0f32);
    winners.values_mut().par_iter_mut().enumerate().for_each(|(voxel, winner)| {
        let best = (0..count)
            .filter_map(|n| value(n, voxel).map(|value| (n, value)))
            .min_by(|(_, a), (_, b)| a.total_cmp(b));
        *winner = best.map_or(0.0, |(n, _)| (n + 1) as f32);
    });
    winners
}
