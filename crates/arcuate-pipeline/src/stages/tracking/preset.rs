//! Presets: default values of other programs.

use arcuate_track::SampleOptions;

/// A preset: the default values of another program, which replace Arcuate's defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Preset {
    /// Values of FSL's probtrackx2.
    Probtrackx,
}

/// Number of streamlines that start at each seed in probtrackx2.
const PER_SEED: u32 = 5000;

impl Preset {
    /// All presets.
    pub const ALL: [Self; 1] = [Self::Probtrackx];

    /// Returns the name of the preset on the command line.
    #[doc(hidden)]
    pub fn word(self) -> &'static str {
        match self {
            Self::Probtrackx => "probtrackx",
        }
    }

    /// Returns the tracking options of the preset.
    #[doc(hidden)]
    pub fn options(self) -> SampleOptions {
        match self {
            Self::Probtrackx => SampleOptions::probtrackx2(),
        }
    }

    /// Returns the number of streamlines that start at each seed.
    #[doc(hidden)]
    pub fn per_seed(self) -> u32 {
        match self {
            Self::Probtrackx => PER_SEED,
        }
    }
}
