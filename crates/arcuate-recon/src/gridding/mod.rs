//! Images by gridding: samples are weighed by what of k-space is theirs, spread over the nearest points of a grid, and
//! transformed. Fast, and only as right as its weights: there for comparison.

mod cells;
mod density;
mod grid;
mod interpolation;
#[cfg(test)]
mod tests;

pub use density::DensityCompensation;
pub use grid::Gridding;
pub use interpolation::Interpolation;

use crate::{Element, Reconstruction, Scan};
use arcuate_core::{Control, Result};
use std::sync::Arc;

/// How samples are gridded.
#[derive(Debug, Clone)]
pub struct GriddingOptions {
    /// How a sample is spread.
    pub interpolation: Interpolation,
    /// Points of the grid for each voxel along an axis, 1 or more.
    pub oversampling: f64,
    /// What samples are weighed with.
    pub density: DensityCompensation,
}

impl Default for GriddingOptions {
    fn default() -> Self {
        Self {
            interpolation: Interpolation::KaiserBessel,
            oversampling: 2.0,
            density: DensityCompensation::PipeMenon,
        }
    }
}

/// As [`crate::grid`].
pub(crate) fn grid<T: Element>(
    scan: &Scan<T>,
    options: &GriddingOptions,
    control: &Control,
) -> Result<Reconstruction<T>> {
    scan.warn_of_scatter(control);
    let samples = Arc::clone(scan.samples());
    let gridding = Gridding::new(scan.shape(), samples, options.interpolation, options.oversampling)?;
    let weights = gridding.weights(&options.density)?;
    let mut images = Vec::with_capacity(scan.channels() * 2 * scan.shape().voxels());
    for data in scan.of_channels() {
        images.extend(match scan.weights() {
            None => gridding.image(data, &weights),
            Some(of_samples) => gridding.image(&of_samples.undone(data), &weights),
        });
    }
    let mut image = crate::reconstruct::combined(scan, images);
    if let Some(maps) = scan.maps() {
        maps.divide_by_squares(&mut image);
    }
    crate::reconstruct::multiply(&mut image, scan.scale());
    let done = Reconstruction { image, ..Reconstruction::default() };
    crate::verdict::judged(done, None, scan.names(), control)
}
