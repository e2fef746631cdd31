//! Where streamlines begin, in files.

use super::tracking::read_points;
use crate::job::Job;
use arcuate_core::{Error, Mask, Result, Volume};
use arcuate_io::{read_mask, read_volume};
use arcuate_track::{Anatomy, Jitter, Mapping, SEEDS_PER_STREAMLINE, Seeds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Streamlines where nothing says how far to go.
pub const DEFAULT_SELECT: u64 = 50_000;

/// Where streamlines begin.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum SeedSource {
    /// In every voxel, of the mask where there is one, that has what seeds need: of tensors an FA that is high enough and at most 1,
    /// above which noise has made an eigenvalue negative; of distributions an amplitude.
    #[default]
    WhiteMatter,
    /// In the voxels of a mask.
    Mask(PathBuf),
    /// In proportion to an image.
    Weights(PathBuf),
    /// Where grey and white matter meet, by the tissues that streamlines heed.
    Interface,
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

/// Where streamlines begin, read.
#[derive(Debug, Clone, PartialEq)]
pub enum Beginnings {
    /// In every voxel that has what seeds need.
    Everywhere,
    /// In the voxels of a mask.
    Mask(Mask),
    /// In proportion to an image.
    Weights(Volume<f32>),
    /// Where grey and white matter meet, by the tissues that streamlines heed.
    Interface,
    /// At points, RAS mm; there are no others.
    Points(Vec<[f64; 3]>),
}

/// Where to stop, where so many streamlines are asked for, if any number is: at [`DEFAULT_SELECT`] where nothing else says how far to
/// go.
fn select(at_points: bool, number: SeedNumber, asked: Option<u64>) -> Option<u64> {
    let is_endless = number == SeedNumber::AsNeeded && !at_points;
    asked.or(is_endless.then_some(DEFAULT_SELECT))
}

impl Beginnings {
    /// Where to stop, where so many streamlines are asked for, if any number is: at [`DEFAULT_SELECT`] where nothing else says how far
    /// to go.
    pub fn select(&self, number: SeedNumber, asked: Option<u64>) -> Option<u64> {
        select(matches!(self, Self::Points(_)), number, asked)
    }

    /// The seeds, from whose space `mapping` leads to that of what is followed, or in the voxels that `everywhere` answers. `select` is
    /// where to stop.
    ///
    /// # Errors
    /// Where there are no tissues whose interface seeds would be on, and where `everywhere` fails.
    pub fn seeds(
        self,
        number: SeedNumber,
        select: Option<u64>,
        anatomy: Option<&Anatomy>,
        mapping: Option<Arc<Mapping>>,
        everywhere: impl FnOnce() -> Result<Mask>,
    ) -> Result<Seeds> {
        let count = match number {
            SeedNumber::Random(count) => count,
            SeedNumber::AsNeeded | SeedNumber::Grid(_) => {
                select.unwrap_or(u64::MAX).saturating_mul(SEEDS_PER_STREAMLINE)
            }
        };
        let (mask, mapping) = match self {
            Self::Points(points) => {
                return Ok(Seeds::Points { points, mapping, each: 1, jitter: Jitter::None });
            }
            Self::Weights(image) => return Ok(Seeds::Weighted { image, mapping, count }),
            Self::Interface => return interface_seeds(anatomy, mapping, count),
            Self::Mask(mask) => (mask, mapping),
            Self::Everywhere => (everywhere()?, None),
        };
        Ok(match number {
            SeedNumber::Grid(per_axis) => Seeds::Grid { mask, mapping, per_axis },
            SeedNumber::AsNeeded | SeedNumber::Random(_) => Seeds::Random { mask, mapping, count },
        })
    }
}

/// Seeds on the interface of grey and white matter.
pub(super) fn interface_seeds(
    anatomy: Option<&Anatomy>,
    mapping: Option<Arc<Mapping>>,
    count: u64,
) -> Result<Seeds> {
    let Some(anatomy) = anatomy else {
        let problem = "there are no tissues whose interface it would be";
        return Err(Error::usage("‘seed_interface’", problem, "give ‘five_tissues’, or other seeds"));
    };
    Ok(Seeds::Interface { tissues: Arc::clone(&anatomy.tissues), mapping, count })
}

impl SeedSource {
    /// The file, where they are in one.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::WhiteMatter | Self::Interface => None,
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
            (Self::Interface, SeedNumber::Grid(_)) => "seeds of the interface are drawn at random",
            _ => return Ok(()),
        };
        Err(Error::usage("‘seed_number’", problem, "leave it as it is, or choose other seeds"))
    }

    /// The same, read.
    pub(super) fn read(&self) -> Result<Beginnings> {
        Ok(match self {
            Self::WhiteMatter => Beginnings::Everywhere,
            Self::Interface => Beginnings::Interface,
            Self::Mask(path) => Beginnings::Mask(read_mask(path)?),
            Self::Weights(path) => Beginnings::Weights(read_volume(path)?),
            Self::Points(path) => Beginnings::Points(read_points(path)?),
        })
    }

    /// Tells the caller which file they came from.
    pub(super) fn tell_source(&self, job: &Job) {
        let data = match self {
            Self::WhiteMatter | Self::Interface => return,
            Self::Mask(_) => "seed mask",
            Self::Weights(_) => "seed image",
            Self::Points(_) => "seed points",
        };
        if let Some(file) = self.file() {
            job.came_from(data, &file.display());
        }
    }
}
