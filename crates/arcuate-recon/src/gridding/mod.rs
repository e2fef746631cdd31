//! Reconstruction by gridding. Each sample is weighted by the volume of k-space that it represents, and
//! interpolated to the nearest points of a Cartesian grid. The Fourier transform of the grid is the image.
//! The method is fast, but only as accurate as its weights. Arcuate has it for comparison with iterative
//! reconstruction.

mod cells;
mod density;
mod grid;
mod imaging;
mod interpolation;
#[cfg(test)]
mod tests;

pub use density::DensityCompensation;
pub use grid::Gridding;
pub use interpolation::Interpolation;

use imaging::Imaging;

use crate::{Element, Reconstruction, Scan};
use arcuate_core::{Control, Result};
use std::sync::Arc;

/// Options of gridding.
#[derive(Debug, Clone)]
pub struct GriddingOptions {
    /// The interpolation between samples and grid points.
    pub interpolation: Interpolation,
    /// Number of grid points per image voxel along each axis (oversampling). At least 1.
    pub oversampling: f64,
    /// The weights of the samples (density compensation).
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

/// Implements [`crate::grid`].
pub(crate) fn grid<T: Element>(
    scan: &Scan<T>,
    options: &GriddingOptions,
    control: &Control,
) -> Result<Reconstruction<T>> {
    scan.warn_of_scatter(control);
    let samples = Arc::clone(scan.samples());
    let gridding = Gridding::new(scan.shape(), samples, options.interpolation, options.oversampling)?;
    let weights = gridding.weights(&options.density)?;
    let numbers = 2 * scan.shape().voxels();
    let mut images = vec![T::zero(); scan.channels() * numbers];
    let mut imaging = Imaging::new(&gridding);
    for (data, image) in scan.of_channels().zip(images.chunks_exact_mut(numbers)) {
        match scan.weights() {
            None => imaging.image(data, &weights, image),
            Some(of_samples) => imaging.image(&of_samples.undone(data), &weights, image),
        }
    }
    let mut image = crate::reconstruct::combined(scan, images);
    if let Some(maps) = scan.maps() {
        maps.divide_by_squares(&mut image);
    }
    crate::reconstruct::multiply(&mut image, scan.scale());
    let done = Reconstruction { image, ..Reconstruction::default() };
    crate::verdict::judged(done, None, scan.names(), control)
}
