//! What to make, and what it is made of.

use std::ops::Range;

/// Which bundles there are, and which false ones beside them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FibreLayout {
    /// Five bundles in 48 × 48 × 32 mm, in voxels of 2 mm: two that cross, two that kiss, one that arches over all.
    /// False ones join ends of different bundles, by turning off where bundles cross or touch, or through tissue
    /// without fibres.
    Planted,
    /// A flat phantom like the FiberCup's (Poupon et al. 2008, doi:10.1002/mrm.21737; Fillard et al. 2011,
    /// doi:10.1016/j.neuroimage.2011.01.032), with its situations though not its measures, in 3 mm voxels, three
    /// layers: crossings, kissings, a fork, narrow turns. False connections are those that tracking makes there.
    FiberCup,
}

/// What to make of a layout.
#[derive(Debug, Clone, PartialEq)]
pub struct FibrePhantomOptions {
    /// Signal without weighting over the standard deviation of the noise; nothing means no noise.
    pub snr: Option<f64>,
    /// Start of all random numbers.
    pub seed: u64,
    /// Streamlines in each true bundle.
    pub streamlines_per_bundle: usize,
    /// Streamlines in each false one.
    pub streamlines_per_false_bundle: usize,
    /// False streamlines that belong to no bundle, on courses of their own.
    pub strays: usize,
    /// Cells along an edge of a voxel, in which the signal is looked up.
    pub cells: usize,
}

impl Default for FibrePhantomOptions {
    /// SNR 30, 80 streamlines in a bundle, 30 in a false one, 60 strays, 4³ cells in a voxel.
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

/// The streamlines of a bundle, of a false one, or the strays.
#[derive(Debug, Clone, PartialEq)]
pub struct Connection {
    /// Its name, also that of its group in the tractogram.
    pub name: String,
    /// Whether fibres run along them.
    pub is_true: bool,
    /// Cross-section of these fibres' axons in mm²; 0 in false ones.
    pub axons: f64,
    /// Their numbers.
    pub streamlines: Range<usize>,
}

/// What the tissue is made of. All signals are of one S₀.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FibreTissue {
    /// d∥ along fibres inside and outside the axons, in mm²/s.
    pub parallel: f64,
    /// d⊥ across fibres outside the axons.
    pub perpendicular: f64,
    /// Diffusivity where no bundle is.
    pub surroundings: f64,
    /// Diffusivity of the free water between the fibres of a bundle.
    pub water: f64,
    /// Share of what is outside the axons of a bundle that is free water.
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
