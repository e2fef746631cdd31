//! Checks that files are in the same space, and converts images whose voxels are stored in another order.

use arcuate_core::{Error, Grid, Mask, Result, Volume};
use arcuate_io::{describe_image, read_tractogram_grid, read_volume};
use std::fmt::Display;
use std::path::Path;

/// Returns the voxel grid of an image. Reads only the header.
pub fn image_grid(path: &Path) -> Result<Grid> {
    Ok(describe_image(path)?.grid)
}

/// Expected number of volumes of an image, and the text of the error if an image has another number.
#[derive(Debug, Clone, Copy)]
pub struct Volumes {
    /// Expected number of volumes.
    pub count: usize,
    /// Second half of the error message that begins with "it has 3 volumes, " (or the number found).
    pub not: &'static str,
    /// Advice in the error message.
    pub advice: &'static str,
}

/// An image that must have the voxels of a given grid. The image header is checked before the values are
/// read, because a compressed file of a megabyte can contain gigabytes of zeros.
pub struct ImageOnGrid<'a> {
    path: &'a Path,
    grid: &'a Grid,
    channels: usize,
    /// For each voxel of the grid, the index of this voxel in the file. `None` if the file has the voxel
    /// order of the grid.
    order: Option<Vec<usize>>,
}

impl<'a> ImageOnGrid<'a> {
    /// Checks that the image at `path` has the expected number of `volumes` and the voxels of `grid`. `whose`
    /// is the name of the image that has this grid, for error messages. The voxels may be stored in another
    /// order, as in `.mif` and NIfTI files of the same scan.
    pub fn check(path: &'a Path, grid: &'a Grid, whose: &str, volumes: Option<Volumes>) -> Result<Self> {
        let described = describe_image(path)?;
        let found = described.channels();
        if let Some(Volumes { count, not, advice }) = volumes
            && found != count
        {
            return Err(Error::invalid(path.display(), format!("it has {found} volumes, {not}"), advice));
        }
        let own = described.grid;
        let order = if grid.matches(&own) { None } else { grid.order_in(&own) };
        if order.is_none() {
            grid.require_match(&own, path.display(), whose)?;
        }
        Ok(Self { path, grid, channels: found, order })
    }

    /// Returns an error if the voxels are stored in another order than those of the grid. This is required
    /// for images whose values are vectors along the image axes.
    pub fn in_its_order(self, whose: &str) -> Result<Self> {
        if self.order.is_none() {
            return Ok(self);
        }
        let problem =
            format!("the voxels of this image are stored in another order than the voxels of {whose}");
        Err(Error::invalid(
            self.path.display(),
            problem,
            format!("resample the image to the grid of {whose}"),
        ))
    }

    /// Reads the values of the image, in the voxel order of the grid.
    pub fn read(self) -> Result<Volume<f32>> {
        let volume = read_volume(self.path)?;
        let Some(order) = self.order else {
            return Volume::new(*self.grid, self.channels, volume.into_values())
                .map_err(|e| e.about(self.path.display()));
        };
        let mut values = Vec::with_capacity(volume.values().len());
        for voxel in order {
            values.extend_from_slice(volume.voxel(voxel));
        }
        Volume::new(*self.grid, self.channels, values).map_err(|e| e.about(self.path.display()))
    }
}

/// Reads the mask at `path` in the voxel order of `grid`. `whose` is the name of the image that has this
/// grid, for error messages.
pub fn mask_on(path: &Path, grid: &Grid, whose: &str) -> Result<Mask> {
    let one = Volumes { count: 1, not: "not one", advice: "give a 3-D mask" };
    Ok(Mask::from_volume(&ImageOnGrid::check(path, grid, whose, Some(one))?.read()?))
}

/// Reads a mask like [`mask_on`], but returns an error if the mask is empty.
pub fn region_on(path: &Path, grid: &Grid, whose: &str) -> Result<Mask> {
    let mask = mask_on(path, grid, whose)?;
    if mask.count() == 0 {
        return Err(Error::invalid(path.display(), "the mask is empty", "give a mask with voxels above 0.5"));
    }
    Ok(mask)
}

/// Reads a 3-D map in the voxel order of `grid`, like [`mask_on`].
pub fn map_on(path: &Path, grid: &Grid, whose: &str) -> Result<Volume<f32>> {
    let one = Volumes { count: 1, not: "not one", advice: "give a 3-D map" };
    ImageOnGrid::check(path, grid, whose, Some(one))?.read()
}

/// Warns if the voxel grid in the header of a tractogram differs from `grid`. `whose` is the name of the
/// image that has `grid`, for the warning.
///
/// A different grid is not an error, because the points of streamlines are in RAS mm. Streamlines of a scan
/// are often stored with the grid of its anatomical image.
pub fn warn_of_another_image(tractogram: &Path, grid: &Grid, whose: &str) -> Result<()> {
    if let Some(named) = read_tractogram_grid(tractogram)?
        && grid.order_in(&named).is_none()
        && let Err(difference) = grid.require_match(&named, tractogram.display(), whose)
    {
        tracing::warn!(
            "{}: the header of the tractogram describes another image ({}); the points are still read as RAS \
             mm",
            tractogram.display(),
            difference.problem()
        );
    }
    Ok(())
}

/// Warns if an image was sampled at streamline points outside its voxel grid. `outside` is their number.
/// `image` is the name of the image in the warning.
pub fn warn_of_samples_outside(outside: u64, points: u64, image: &dyn Display) {
    if outside > 0 {
        tracing::warn!("{outside} of {points} streamline points are outside {image} and get the value 0");
    }
}

/// Warns if more than half of the points of a tractogram are outside the voxels that the work uses. `outside`
/// is their number, and `points` is the number of all points.
pub fn warn_of_points_outside(outside: u64, points: usize) {
    let share = outside as f64 / points.max(1) as f64;
    if share > 0.5 {
        tracing::warn!(
            "{:.0} % of the streamline points are outside the used voxels; check that tractogram and \
             series belong together",
            100.0 * share
        );
    }
}
