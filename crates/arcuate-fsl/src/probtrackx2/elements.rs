//! The voxels, vertices and regions by which probtrackx2 counts streamlines, and the resulting tables.

use super::rois::{Reference, Roi, whole_voxels};
use super::space_mappings::in_space_of;
use super::tables::Table;
use crate::subject::read_on_grid;
use arcuate_core::{Error, Grid, Result};
use arcuate_io::read_volume;
use std::path::Path;

/// Elements by which streamlines are counted.
pub(super) struct Elements {
    pub(super) targets: Vec<Roi>,
    pub(super) alternative: Vec<Roi>,
    pub(super) target2: Option<Voxels>,
    pub(super) rows3: Vec<Roi>,
    pub(super) columns3: Vec<Roi>,
    pub(super) target4: Option<Voxels>,
    pub(super) columns4: Vec<Roi>,
}

/// Voxels of a target image. The grid of the image may differ from the grid of the seeds.
pub(super) struct Voxels {
    /// Grid of the image file.
    pub(super) stored: Grid,
    /// Grid of the image. Its coordinates are mm in the space of the seeds or of the orientation samples.
    pub(super) grid: Grid,
    pub(super) numbers: Vec<usize>,
}

impl Voxels {
    /// Reads the nonzero voxels of an image. The image is in the space of the seeds: as in FSL, its first
    /// voxel and its axes coincide with those of the reference image.
    pub(super) fn of_seeds(path: &Path, reference: &Reference) -> Result<Self> {
        let volume = read_volume(path)?;
        if volume.channels() != 1 {
            let problem = format!(
                "the image has {} volumes, but the image of a target region must have one",
                volume.channels()
            );
            return Err(Error::invalid(path.display(), problem, "give a 3-D image"));
        }
        let numbers = whole_voxels(volume.grid(), volume.values());
        Self { stored: *volume.grid(), grid: in_space_of(path, reference)?, numbers }.checked(path)
    }

    /// Reads the nonzero voxels of an image that has the same grid as the orientation samples.
    pub(super) fn of_samples(path: &Path, grid: &Grid) -> Result<Self> {
        let volume = read_on_grid(path, grid, 1, "target", "the samples")?;
        Self { stored: *grid, grid: *grid, numbers: whole_voxels(grid, volume.values()) }.checked(path)
    }

    fn checked(self, path: &Path) -> Result<Self> {
        if self.numbers.is_empty() {
            let problem = "no voxel is inside";
            return Err(Error::invalid(
                path.display(),
                problem,
                "give an image of whole numbers that are not 0 in the voxels of the region",
            ));
        }
        Ok(self)
    }
}

/// Tables of the counts.
pub(super) struct Tables {
    pub(super) targets: Option<Table>,
    pub(super) network: Option<Table>,
    pub(super) alternative: Option<Table>,
}
