//! Options of the simulated block of tissue, and the parameters of its tissues.

use std::ops::Range;

/// The arrangement of true and false bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FibreLayout {
    /// Five bundles in 48 × 48 × 32 mm with 2 mm voxels: two crossing, two kissing, and one arch above all.
    /// False bundles connect ends of different bundles. They turn off where true bundles cross or touch, or
    /// pass through tissue without fibres.
    Planted,
    /// A flat phantom with crossing and kissing bundles, a fork and narrow turns, in three layers of 3 mm
    /// voxels. It has the configurations of the FiberCup, but not its dimensions (Poupon et al. 2008,
    /// doi:10.1002/mrm.21737; Fillard et al. 2011, doi:10.1016/j.neuroimage.2011.01.032). False connections
    /// are those that tracking typically creates there.
    FiberCup,
}

/// Options of a fibre phantom.
#[derive(Debug, Clone, PartialEq)]
pub struct FibrePhantomOptions {
    /// Signal-to-noise ratio: the signal without weighting divided by the standard deviation of the noise.
    /// `None` for no noise.
    pub snr: Option<f64>,
    /// Seed of all random numbers of the phantom.
    pub seed: u64,
    /// Number of streamlines per true bundle.
    pub streamlines_per_bundle: usize,
    /// Number of streamlines per false bundle.
    pub streamlines_per_false_bundle: usize,
    /// Number of false streamlines outside all bundles, on random paths.
    pub strays: usize,
    /// Number of cells along an edge of a voxel. The signal is evaluated at the centre of each cell.
    pub cells: usize,
}

impl Default for FibrePhantomOptions {
    /// Returns the default options: SNR 30, 80 streamlines per true bundle, 30 per false bundle, 60 strays,
    /// and 4³ cells per voxel.
    fn default() -> Self {
        Self {
            snr: Some(30.0),
            seed: 1,
            streamlines_per_bundle: 80,
            streamlines_per_false_bundle: 30,
            strays: 60,
            cells: 4,
        }
    }
}

/// The streamlines of one true or false bundle, or the strays.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// The name of the connection. Its group in the tractogram has the same name.
    pub name: String,
    /// True if fibres run along the streamlines.
    pub is_true: bool,
    /// Total cross-section in mm² of the axons along the streamlines. 0 for false connections.
    pub axons: f64,
    /// The numbers of the connection's streamlines in the tractogram.
    pub streamlines: Range<usize>,
}

/// The tissue parameters of the fibre phantom. All compartments have the same S₀.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FibreTissue {
    /// Diffusivity d∥ along fibres, inside and outside the axons, in mm²/s.
    pub parallel: f64,
    /// Diffusivity d⊥ perpendicular to fibres, outside the axons, in mm²/s.
    pub perpendicular: f64,
    /// Diffusivity of the tissue outside all bundles, in mm²/s.
    pub surroundings: f64,
    /// Diffusivity of the free water between the fibres of a bundle, in mm²/s.
    pub water: f64,
    /// Fraction of free water in the extra-axonal space of a bundle.
    pub water_share: f64,
}

impl FibreTissue {
    /// The tissue parameters of every layout.
    pub const STANDARD: Self = Self {
        parallel: 1.7e-3,
        perpendicular: 0.51e-3,
        surroundings: 1.7e-3,
        water: 3.0e-3,
        water_share: 0.15,
    };
}
