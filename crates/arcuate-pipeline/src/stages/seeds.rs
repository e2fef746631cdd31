//! Where streamlines begin, in files.

use crate::caller::Caller;
use arcuate_core::{Error, Result};
use std::path::{Path, PathBuf};

/// Where streamlines begin.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum SeedSource {
    /// In every voxel, of the mask where there is one, whose FA is at least what seeds need and at most 1, above which noise has
    /// made an eigenvalue negative.
    #[default]
    WhiteMatter,
    /// In the voxels of a mask.
    Mask(PathBuf),
    /// In proportion to an image.
    Weights(PathBuf),
    /// At points, x y z in RAS mm, a line each of a text file; there are no others.
    Points(PathBuf),
}

/// How many seeds there are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SeedNumber {
    /// As many random ones as it takes.
    #[default]
    AsNeeded,
    /// So many random ones.
    Random(u64),
    /// A lattice of so many along each axis of every voxel.
    Grid(usize),
}

impl SeedSource {
    /// The file, where they are in one.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::WhiteMatter => None,
            Self::Mask(path) | Self::Weights(path) | Self::Points(path) => Some(path),
        }
    }

    /// The image, where they are in one.
    pub(super) fn image(&self) -> Option<&Path> {
        if matches!(self, Self::Points(_)) { None } else { self.file() }
    }

    /// Fails where there cannot be so many.
    pub(super) fn check(&self, number: SeedNumber) -> Result<()> {
        let problem = match (self, number) {
            (_, SeedNumber::AsNeeded) => return Ok(()),
            (Self::Points(_), _) => "points are as many as they are",
            (Self::Weights(_), SeedNumber::Grid(_)) => "weights draw seeds at random",
            _ => return Ok(()),
        };
        Err(Error::usage("‘seed_number’", problem, "leave it as it is, or choose other seeds"))
    }

    /// Tells the caller which file they came from.
    pub(super) fn tell_source(&self, caller: &dyn Caller) {
        let data = match self {
            Self::WhiteMatter => return,
            Self::Mask(_) => "seed mask",
            Self::Weights(_) => "seed image",
            Self::Points(_) => "seed points",
        };
        if let Some(file) = self.file() {
            caller.came_from(data, &file.display());
        }
    }
}
