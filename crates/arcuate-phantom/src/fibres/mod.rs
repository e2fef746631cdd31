//! Bundles in a block of tissue, measured, with a tractogram that has streamlines where there is no bundle: the truth
//! that a method which weighs streamlines by the signal should find.

mod layouts;
mod measure;
mod options;
mod paths;

pub use options::{Connection, FibreLayout, FibrePhantomOptions, FibreTissue};

use arcuate_core::{GradientTable, Mask, Result, Tractogram, Volume};

/// A measurement, its truth, and a tractogram to be judged by it. All images have the grid of `dwi`.
#[derive(Debug, Clone)]
pub struct FibrePhantom {
    /// One channel per row of `gradients`; 1,000 without weighting.
    pub dwi: Volume<f32>,
    /// The gradient table that was asked for.
    pub gradients: GradientTable,
    /// Standard deviation σ of the noise in each of the two channels of the receiver; 0 without noise.
    pub noise_level: f64,
    /// The whole block.
    pub mask: Mask,
    /// Three channels: the fractions of a voxel's signal from inside axons, from around them, and from elsewhere. They
    /// add up to 1.
    pub fractions: Volume<f32>,
    /// Up to three vectors of three channels each, scanner axes: the mean directions of the bundles in a voxel, each as
    /// long as the intra-axonal fraction of its bundle, longest first, zeros after the last.
    pub peaks: Volume<f32>,
    /// True and false streamlines, a group for each connection.
    pub tractogram: Tractogram,
    /// The parts of the tractogram, in its order, true ones first.
    pub connections: Vec<Connection>,
}

impl FibrePhantom {
    /// Channels of [`fractions`](Self::fractions).
    pub const FRACTIONS: [&'static str; 3] = ["intra-axonal", "extra-axonal", "isotropic"];

    /// For each streamline whether fibres run along it.
    pub fn is_true(&self) -> Vec<bool> {
        let mut all = vec![false; self.tractogram.len()];
        for connection in self.connections.iter().filter(|connection| connection.is_true) {
            all[connection.streamlines.clone()].fill(true);
        }
        all
    }
}

/// Measures the bundles of a layout with `gradients`, and mixes streamlines along them with false ones.
///
/// The signal of a voxel is the mean over the cells in it. A cell has what the formulas of the bundles say about its
/// centre: a stick and a zeppelin along the fibres of each bundle there, water between them, and a ball where no
/// bundle is. The axons of a bundle neither begin nor end within it, so that their share of the volume is inverse to
/// the bundle's cross-section. Nothing is taken from streamlines. Noise is Rician. The same options give the same
/// phantom at any number of threads.
///
/// Fails on an SNR that is no ratio, on no cell or more than 64 along an edge, and on no streamline in a true bundle.
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
