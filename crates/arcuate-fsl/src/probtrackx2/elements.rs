//! What streamlines are counted by, and what came of it.

use super::rois::{Reference, Roi, whole_voxels};
use super::tables::Table;
use super::ways::in_space_of;
use crate::subject::on_lattice;
use arcuate_core::{Error, Grid, Result};
use arcuate_io::read_volume;
use std::path::Path;

/// What streamlines are counted by.
pub(super) struct Elements {
    pub(super) targets: Vec<Roi>,
    pub(super) alternative: Vec<Roi>,
    pub(super) target2: Option<Voxels>,
    pub(super) rows3: Vec<Roi>,
    pub(super) columns3: Vec<Roi>,
    pub(super) target4: Option<Voxels>,
    pub(super) columns4: Vec<Roi>,
}

/// Voxels of an image that need not lie on the lattice of the seeds.
pub(super) struct Voxels {
    /// That of the file.
    pub(super) stored: Grid,
    /// The same voxels in mm of the seeds, or of the samples.
    pub(super) grid: Grid,
    pub(super) numbers: Vec<usize>,
}

impl Voxels {
    /// Of an image that has corner and axes with the seeds' in common.
    pub(super) fn of_seeds(path: &Path, reference: &Reference) -> Result<Self> {
        let volume = read_volume(path)?;
        if volume.channels() != 1 {
            let problem = format!("it has {} volumes, and a target has 1", volume.channels());
            return Err(Error::invalid(path.display(), problem, "give a 3-D image"));
        }
        let numbers = whole_voxels(volume.grid(), volume.values());
        Self { stored: *volume.grid(), grid: in_space_of(path, reference)?, numbers }.checked(path)
    }

    /// Of an image on the lattice of the samples.
    pub(super) fn of_samples(path: &Path, grid: &Grid) -> Result<Self> {
        let volume = on_lattice(path, grid, 1, "target", "the samples")?;
        Self { stored: *grid, grid: *grid, numbers: whole_voxels(grid, volume.values()) }.checked(path)
    }

    fn checked(self, path: &Path) -> Result<Self> {
        if self.numbers.is_empty() {
            let problem = "no voxel is inside";
            return Err(Error::invalid(
                path.display(),
                problem,
                "give whole numbers other than 0 for those that count",
            ));
        }
        Ok(self)
    }
}

/// What was counted.
pub(super) struct Tables {
    pub(super) targets: Option<Table>,
    pub(super) network: Option<Table>,
    pub(super) alternative: Option<Table>,
}
