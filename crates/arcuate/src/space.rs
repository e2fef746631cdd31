//! Whether files speak of the same space, and images of the same voxels in another order brought into one.

use arcuate_core::{Error, Grid, Mask, Result, Volume};
use arcuate_io::{describe_image, read_tractogram_grid, read_volume};
use std::path::Path;

/// The mask in the voxel order of `grid`, which belongs to `whose`: `.mif` and NIfTI files of one scan often differ in
/// it. Fails where the two do not hold the same voxels.
pub(crate) fn mask_on(mask: Mask, grid: &Grid, path: &Path, whose: &str) -> Result<Mask> {
    if let Some(reordered) = mask.reordered(grid) {
        return Ok(reordered);
    }
    grid.require_match(mask.grid(), path.display(), whose)?;
    Ok(mask)
}

/// The voxels of an image, from its header alone.
pub(crate) fn image_grid(path: &Path) -> Result<Grid> {
    Ok(describe_image(path)?.grid)
}

/// A 3-D map in the voxel order of `grid`, like [`mask_on`].
pub(crate) fn map_on(path: &Path, grid: &Grid, whose: &str) -> Result<Volume<f32>> {
    let map = read_volume(path)?;
    if map.channels() != 1 {
        let problem = format!("it has {} volumes, not one", map.channels());
        return Err(Error::invalid(path.display(), problem, "give a 3-D map"));
    }
    if let Some(order) = grid.order_in(map.grid()) {
        let values = order.into_iter().map(|voxel| map.values()[voxel]).collect();
        return Volume::new(*grid, 1, values);
    }
    grid.require_match(map.grid(), path.display(), whose)?;
    Ok(map)
}

/// Warns where the header of a tractogram names another image than `grid`, which belongs to `whose`.
///
/// This is no error: points are RAS mm, and streamlines of a scan may well be kept in the space of its anatomical image.
pub(crate) fn warn_of_another_image(tractogram: &Path, grid: &Grid, whose: &str) -> Result<()> {
    if let Some(named) = read_tractogram_grid(tractogram)?
        && grid.order_in(&named).is_none()
        && let Err(difference) = grid.require_match(&named, tractogram.display(), whose)
    {
        tracing::warn!(
            "{}: the image its header names is another ({}); its points are taken as RAS mm all the same",
            tractogram.display(),
            difference.problem()
        );
    }
    Ok(())
}

/// Warns where more than half of the points of a tractogram lie outside the voxels that count.
pub(crate) fn warn_of_points_outside(outside: u64, points: usize) {
    let share = outside as f64 / points.max(1) as f64;
    if share > 0.5 {
        tracing::warn!(
            "{:.0} % of the points of the streamlines lie outside the voxels that count; check that tractogram and \
             series belong together",
            100.0 * share
        );
    }
}
