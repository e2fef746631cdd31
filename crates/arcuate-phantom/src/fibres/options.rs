//! Options of the fibre phantom, and its tissue parameters.

use std::ops::Range;

/// The arrangement of true and false bundles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FibreLayout {
    /// Five bundles in 48 × 48 × 32 mm with 2 mm voxels: two crossing, two kissing, and one arch above all. False
    /// bundles connect ends of different bundles: they turn off where bundles cross or touch, or pass through tissue
    /// without fibres.
    Planted,
    /// A flat phantom with the configurations, but not the dimensions, of the FiberCup (Poupon et al. 2008,
    /// doi:10.1002/mrm.21737; Fillard et al. 2011, doi:10.1016/j.neuroimage.2011.01.032): crossing and kissing bundles,
    /// a fork and narrow turns, in three layers of 3 mm voxels. False connections are those that tracking typically
    /// creates there.
    FiberCup,
}

/// Options of a fibre phantom.
#[derive(Debug, Clone, PartialEq)]
pub struct FibrePhantomOptions {
    /// Signal without weighting divided by the standard deviation of the noise; `None` for no noise.
    pub snr: Option<f64>,
    /// Seed of the random numbers.
    pub seed: u64,
    /// Number of streamlines per true bundle.
    pub streamlines_per_bundle: usize,
    /// Number of streamlines per false bundle.
    pub streamlines_per_false_bundle: usize,
    /// Number of false streamlines outside all bundles, on random paths.
    pub strays: usize,
    /// Number of cells along an edge of a voxel, at which the signal is evaluated.
    pub cells: usize,
}

impl Default for FibrePhantomOptions {
    /// SNR 30, 80 streamlines per bundle, 30 per false bundle, 60 strays, 4³ cells per voxel.
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

/// The streamlines of a true or false bundle, or the strays.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// The name, which is also that of its group in the tractogram.
    pub name: String,
    /// Whether fibres run along the streamlines.
    pub is_true: bool,
    /// Cross-section of the axons of these fibres in mm²; 0 for false connections.
    pub axons: f64,
    /// The streamline numbers.
    pub streamlines: Range<usize>,
}

/// The tissue parameters. All compartments have the same S₀.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FibreTissue {
    /// d∥ along fibres inside and outside the axons, in mm²/s.
    pub parallel: f64,
    /// d⊥ perpendicular to fibres outside the axons.
    pub perpendicular: f64,
    /// Diffusivity outside all bundles.
    pub surroundings: f64,
    /// Diffusivity of the free water between the fibres of a bundle.
    pub water: f64,
    /// Fraction of free water in the extra-axonal space of a bundle.
    pub water_share: f64,
}

impl FibreTissue {
    /// The tissue of every layout.
    pub const STANDARD: Self = Self {
        parallel: 1.7e-3,
        perpendicular: 0.51e-3,
        surroundings: 1.7e-3,
        water: 3.0e-3,
        water_share: 0.15,
    };
}
