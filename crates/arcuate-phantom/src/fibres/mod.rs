//! Simulates a block of tissue with bundles, and a tractogram with true and false streamlines. They are the
//! ground truth for tests of methods that compute streamline weights from the signal.

mod layouts;
mod measure;
mod options;
mod paths;

pub use options::{Connection, FibreLayout, FibrePhantomOptions, FibreTissue};

use arcuate_core::{GradientTable, Mask, Result, Tractogram, Volume};

/// Simulated data, their ground truth, and a tractogram that a method is tested on. All images have the grid
/// of `dwi`.
#[derive(Debug, Clone)]
pub struct FibrePhantom {
    /// The simulated diffusion data. There is one channel per measurement of `gradients`. The signal without
    /// diffusion weighting is 1,000.
    pub dwi: Volume<f32>,
    /// The gradient table of the data.
    pub gradients: GradientTable,
    /// Standard deviation σ of the noise in each of the two receiver channels (real and imaginary). It is 0
    /// if there is no noise.
    pub noise_level: f64,
    /// A mask of the whole block of tissue.
    pub mask: Mask,
    /// Signal fractions of each voxel in three channels: inside axons, around axons, and outside bundles.
    /// Their sum is 1.
    pub fractions: Volume<f32>,
    /// The mean directions of up to three bundles in each voxel, with three channels per bundle (a vector in
    /// scanner axes). The length of the vector is the intra-axonal fraction of the bundle in the voxel. The
    /// vectors are sorted by length, longest first. If there are fewer than three bundles, the remaining
    /// channels are 0.
    pub peaks: Volume<f32>,
    /// A tractogram with true and false streamlines. Each true or false connection is one group of
    /// streamlines.
    pub tractogram: Tractogram,
    /// The connections of the tractogram, in the order of their streamlines. True connections come first.
    pub connections: Vec<Connection>,
}

impl FibrePhantom {
    /// Returns, for each streamline, true if fibres run along it.
    pub fn is_true(&self) -> Vec<bool> {
        let mut all = vec![false; self.tractogram.len()];
        for connection in self.connections.iter().filter(|connection| connection.is_true) {
            all[connection.streamlines.clone()].fill(true);
        }
        all
    }
}

/// Simulates diffusion data of a block of tissue for the gradient table `gradients`. Also creates a
/// tractogram with true and false streamlines.
///
/// The signal of a voxel is the mean over its cells. The tissue of a cell is that at its centre, which is
/// given by analytical formulas. The tissue of a bundle consists of sticks (axons), a zeppelin between the
/// axons, and free water. All tissue outside bundles is a ball. The axons of a bundle neither begin nor end
/// inside the bundle. Their volume fraction is therefore inversely proportional to the bundle's
/// cross-section. The simulation does not use streamlines. Noise is Rician. The same options give the same
/// phantom for any number of threads.
///
/// Returns an error if the SNR is invalid, or if an edge of a voxel has no cells or more than 64 cells. Also
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
