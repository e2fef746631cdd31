//! Simulates a block of tissue with bundles, and a tractogram with true and false streamlines. They are the
//! ground truth for methods that weight streamlines by the signal.

mod layouts;
mod measure;
mod options;
mod paths;

pub use options::{Connection, FibreLayout, FibrePhantomOptions, FibreTissue};

use arcuate_core::{GradientTable, Mask, Result, Tractogram, Volume};

/// Simulated data, their ground truth, and a tractogram to evaluate. All images have the grid of `dwi`.
#[derive(Debug, Clone)]
pub struct FibrePhantom {
    /// The simulated diffusion data, with one channel per row of `gradients`. The signal without weighting is
    /// 1,000.
    pub dwi: Volume<f32>,
    /// The gradient table of the data.
    pub gradients: GradientTable,
    /// Standard deviation σ of the noise in each of the two receiver channels (real and imaginary). 0 without
    /// noise.
    pub noise_level: f64,
    /// A mask of the whole block of tissue.
    pub mask: Mask,
    /// Signal fractions of each voxel in three channels: inside axons, around axons, and elsewhere. Their sum
    /// is 1.
    pub fractions: Volume<f32>,
    /// The mean directions of up to three bundles in a voxel, in scanner axes, with three channels each. The
    /// length of a vector is the intra-axonal fraction of the bundle. Vectors are sorted by length and padded
    /// with zeros.
    pub peaks: Volume<f32>,
    /// True and false streamlines, with one group per connection.
    pub tractogram: Tractogram,
    /// The connections of the tractogram in the order of the streamlines, true connections first.
    pub connections: Vec<Connection>,
}

impl FibrePhantom {
    /// Names of the channels of [`fractions`](Self::fractions).
    pub const FRACTIONS: [&'static str; 3] = ["intra-axonal", "extra-axonal", "isotropic"];

    /// Returns, for each streamline, whether fibres run along it.
    pub fn is_true(&self) -> Vec<bool> {
        let mut all = vec![false; self.tractogram.len()];
        for connection in self.connections.iter().filter(|connection| connection.is_true) {
            all[connection.streamlines.clone()].fill(true);
        }
        all
    }
}

/// Simulates diffusion data of a layout's bundles for the gradient table `gradients`, and a tractogram with
/// true and false streamlines.
///
/// The signal of a voxel is the mean over its cells. A cell has the tissue at its centre, by analytical
/// formulas. The fibres of each bundle are a stick and a zeppelin with water between them, and all tissue
/// outside bundles is a ball. The axons of a bundle neither begin nor end within the bundle. Their volume
/// fraction is therefore inversely proportional to the bundle's cross-section. The simulation does not use
/// streamlines. Noise is Rician. The same options give the same phantom for any number of threads.
///
/// Returns an error if the SNR is invalid, or if a voxel has no cells or more than 64 along an edge. Also
/// returns an error if a true bundle would have no streamline.
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
