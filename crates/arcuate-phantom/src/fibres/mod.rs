//! A simulated block of tissue with bundles, and a tractogram with true and false streamlines. Serves as ground truth
//! for methods that weight streamlines by the signal.

mod layouts;
mod measure;
mod options;
mod paths;

pub use options::{Connection, FibreLayout, FibrePhantomOptions, FibreTissue};

use arcuate_core::{GradientTable, Mask, Result, Tractogram, Volume};

/// Simulated data, their ground truth, and a tractogram to evaluate. All images have the grid of `dwi`.
#[derive(Debug, Clone)]
pub struct FibrePhantom {
    /// One channel per row of `gradients`; 1,000 without weighting.
    pub dwi: Volume<f32>,
    /// The given gradient table.
    pub gradients: GradientTable,
    /// Standard deviation σ of the noise in each of the two receiver channels; 0 without noise.
    pub noise_level: f64,
    /// The whole block.
    pub mask: Mask,
    /// Three channels: the fractions of a voxel's signal from inside axons, from around them, and from elsewhere. Their
    /// sum is 1.
    pub fractions: Volume<f32>,
    /// Up to three vectors with three channels each, in scanner axes: the mean directions of the bundles in a voxel.
    /// Their length is the intra-axonal fraction of the bundle; they are sorted by length and padded with zeros.
    pub peaks: Volume<f32>,
    /// True and false streamlines, with one group per connection.
    pub tractogram: Tractogram,
    /// The parts of the tractogram in order, true ones first.
    pub connections: Vec<Connection>,
}

impl FibrePhantom {
    /// Channels of [`fractions`](Self::fractions).
    pub const FRACTIONS: [&'static str; 3] = ["intra-axonal", "extra-axonal", "isotropic"];

    /// Returns whether fibres run along each streamline.
    pub fn is_true(&self) -> Vec<bool> {
        let mut all = vec![false; self.tractogram.len()];
        for connection in self.connections.iter().filter(|connection| connection.is_true) {
            all[connection.streamlines.clone()].fill(true);
        }
        all
    }
}

/// Simulates data of a layout's bundles with `gradients`, and a tractogram with true and false streamlines.
///
/// The signal of a voxel is the mean over its cells. A cell has the tissue at its centre, by analytical formulas: a
/// stick and a zeppelin along the fibres of each bundle, water between them, and a ball outside all bundles. The axons
/// of a bundle neither begin nor end within it, so that their volume fraction is inversely proportional to the bundle's
/// cross-section. The simulation does not use streamlines. Noise is Rician. The same options give the same phantom for
/// any number of threads.
///
/// Returns an error if the SNR is invalid, if there are no cells or more than 64 along an edge, or if a true bundle has
/// no streamline.
pub fn fibre_phantom(
    layout: FibreLayout,
    gradients: &GradientTable,
    options: &FibrePhantomOptions,
) -> Result<FibrePhantom> {
    let scene = layouts::scene(layout)?;
    let measurement = measure::measure(&scene, gradients, options)?;
    let (tractogram, connections) = paths::streamlines(&scene, options)?;
    Ok(FibrePhantom {
        dwi: measurement.dwi,
        gradients: gradients.clone(),
        noise_level: measurement.noise_level,
        mask: Mask::full(scene.grid),
        fractions: measurement.fractions,
        peaks: measurement.peaks,
        tractogram,
        connections,
    })
}
