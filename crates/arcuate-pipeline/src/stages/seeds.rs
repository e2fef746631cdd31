//! Seeds from files.

use super::tracking::read_points;
use crate::job::Job;
use arcuate_core::{Error, Mask, Result, Volume};
use arcuate_io::{read_mask, read_volume};
use arcuate_track::{Anatomy, Jitter, Mapping, SEEDS_PER_STREAMLINE, Seeds};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Default number of accepted streamlines, if neither the seeds nor the user limit them.
pub const DEFAULT_SELECT: u64 = 50_000;

/// Source of the seeds.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum SeedSource {
    /// Every voxel, inside the mask if there is one, that meets the seed criteria. For tensors, FA must be high enough
    /// and at most 1, because a larger FA means that noise has made an eigenvalue negative. For FODs, the amplitude
    /// must be high enough.
    #[default]
    WhiteMatter,
    /// Voxels of a mask.
    Mask(PathBuf),
    /// Random seeds in proportion to an image.
    Weights(PathBuf),
    /// The interface between grey and white matter of the 5TT image.
    Interface,
    /// Points in a text file, x y z in RAS mm, one per line. There are no other seeds.
    Points(PathBuf),
}

/// Number of seeds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SeedNumber {
    /// Random seeds until enough streamlines are accepted.
    #[default]
    AsNeeded,
    /// A fixed number of random seeds.
    Random(u64),
    /// A grid with a fixed number of seeds along each axis of every voxel.
    Grid(usize),
}

/// Seeds that have been read.
#[derive(Debug, Clone, PartialEq)]
pub enum Beginnings {
    /// Every voxel that meets the seed criteria of the source, such as a minimum FA.
    Everywhere,
    /// Voxels of a mask.
    Mask(Mask),
    /// Random seeds in proportion to an image.
    Weights(Volume<f32>),
    /// The interface between grey and white matter of the 5TT image.
    Interface,
    /// Points, in RAS mm. There are no other seeds.
    Points(Vec<[f64; 3]>),
}

/// Returns the number of accepted streamlines at which tracking stops: the requested number, or [`DEFAULT_SELECT`] if
/// nothing else limits the run.
fn select(at_points: bool, number: SeedNumber, asked: Option<u64>) -> Option<u64> {
    let is_endless = number == SeedNumber::AsNeeded && !at_points;
    asked.or(is_endless.then_some(DEFAULT_SELECT))
}

impl Beginnings {
    /// Returns the number of accepted streamlines at which tracking stops: the requested number, or [`DEFAULT_SELECT`]
    /// if nothing else limits the run.
    pub fn select(&self, number: SeedNumber, asked: Option<u64>) -> Option<u64> {
        select(matches!(self, Self::Points(_)), number, asked)
    }

    /// Returns the seeds. `mapping` maps the space of the seeds to the space of the source. `everywhere` returns the
    /// default seed voxels. `select` is the number of accepted streamlines at which tracking stops.
    ///
    /// # Errors
    /// Returns an error if there are no tissues for seeds on their interface, and the errors of `everywhere`.
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

/// Returns seeds on the interface between grey and white matter.
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
    /// Returns the file of the seeds, if they come from a file.
    pub(super) fn file(&self) -> Option<&Path> {
        match self {
            Self::WhiteMatter | Self::Interface => None,
            Self::Mask(path) | Self::Weights(path) | Self::Points(path) => Some(path),
        }
    }

    /// Returns the image of the seeds, if they come from an image.
    pub(super) fn image(&self) -> Option<&Path> {
        if matches!(self, Self::Points(_)) { None } else { self.file() }
    }

    /// Returns an error if these seeds cannot have this number.
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

    /// Reads the seeds.
    pub(super) fn read(&self) -> Result<Beginnings> {
        Ok(match self {
            Self::WhiteMatter => Beginnings::Everywhere,
            Self::Interface => Beginnings::Interface,
            Self::Mask(path) => Beginnings::Mask(read_mask(path)?),
            Self::Weights(path) => Beginnings::Weights(read_volume(path)?),
            Self::Points(path) => Beginnings::Points(read_points(path)?),
        })
    }

    /// Registers the file of the seeds, so that errors of the library can name it.
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
