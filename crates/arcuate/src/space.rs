//! Whether files speak of the same space, and images of the same voxels in another order brought into one.

use arcuate_core::{Grid, Labels, Mask, Result};
use arcuate_io::{describe_image, read_tractogram_grid};
use std::path::Path;

/// The voxels of an image, from its header alone.
pub(crate) fn image_grid(path: &Path) -> Result<Grid> {
    let image = describe_image(path)?;
    let shape = std::array::from_fn(|axis| image.dimensions.get(axis).copied().unwrap_or(1));
    Grid::new(shape, image.affine).map_err(|e| e.about(path.display()))
}

/// The mask in the voxel order of `grid`, which belongs to `whose`: `.mif` and NIfTI files of one scan often differ in
/// it. Fails where the two do not hold the same voxels.
pub(crate) fn mask_on(mask: Mask, grid: &Grid, path: &Path, whose: &str) -> Result<Mask> {
    if let Some(reordered) = mask.reordered(grid) {
        return Ok(reordered);
    }
    grid.require_match(mask.grid(), path.display(), whose)?;
    Ok(mask)
}

/// The labels in the voxel order of `grid`, like [`mask_on`].
pub(crate) fn labels_on(labels: Labels, grid: &Grid, path: &Path, whose: &str) -> Result<Labels> {
    if let Some(reordered) = labels.reordered(grid) {
        return Ok(reordered);
    }
    grid.require_match(labels.grid(), path.display(), whose)?;
    Ok(labels)
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
