//! Presets: numbers of other programs under one name.

use arcuate_track::SampleOptions;

/// Numbers of another program in place of the defaults.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preset {
    /// The numbers of FSL's probtrackx2.
    Probtrackx,
}

/// Streamlines of each seed in probtrackx2.
const PER_SEED: u32 = 5000;

impl Preset {
    /// All of them.
    pub const ALL: [Self; 1] = [Self::Probtrackx];

    /// The name, as the user types it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Probtrackx => "probtrackx",
        }
    }

    /// How streamlines continue, where they end, and which are kept.
    pub fn options(self) -> SampleOptions {
        match self {
            Self::Probtrackx => SampleOptions::probtrackx2(),
        }
    }

    /// Streamlines of each seed.
    pub fn per_seed(self) -> u32 {
        match self {
            Self::Probtrackx => PER_SEED,
        }
    }
}
