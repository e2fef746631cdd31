//! Reads the target regions of connections.

use crate::regions::RegionFile;
use crate::stages::tracking::{Connections, name_of_region, region_on};
use arcuate_core::{Error, Grid, Mask, Result};
use arcuate_track::{Region, Targets};

/// Reads the target regions, which must be on the voxel grid of the tensor image.
pub(super) fn targets_of(connections: &Connections, grid: &Grid) -> Result<Targets> {
    let mut masks = Vec::new();
    for file in connections.targets.iter().flat_map(RegionFile::each) {
        masks.push((name_of_region(&file), mask_of(&file, grid)?));
    }
    Targets::from_masks(masks)
}

/// Reads a target region as a mask, which must be on the voxel grid of the tensor image.
fn mask_of(file: &RegionFile, grid: &Grid) -> Result<Mask> {
    if file.surface().is_some() {
        let problem = "it is a surface, and connections end in voxels";
        return Err(Error::usage(
            file.path().display(),
            problem,
            "as target, give a mask, or a label of an image",
        ));
    }
    if file.suffix().is_none() {
        return region_on(file.path(), grid);
    }
    let mask = file.read(None)?.iter().find_map(|region| Region::mask(region).cloned());
    let mask =
        mask.ok_or_else(|| Error::invalid(file.path().display(), "it has no voxels", "give a mask"))?;
    grid.require_match(mask.grid(), file.path().display(), "the tensor image")?;
    Ok(mask)
}
