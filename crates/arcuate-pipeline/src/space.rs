//! Whether files speak of the same space, and images of the same voxels in another order brought into one.

use arcuate_core::{Error, Grid, Mask, Result, Volume};
use arcuate_io::{describe_image, read_tractogram_grid, read_volume};
use std::fmt::Display;
use std::path::Path;

/// The voxels of an image, from its header alone.
pub fn image_grid(path: &Path) -> Result<Grid> {
    Ok(describe_image(path)?.grid)
}

/// How many volumes an image must have, and what to say of one that has another number.
#[derive(Debug, Clone, Copy)]
pub struct Volumes {
    /// How many.
    pub count: usize,
    /// What follows "it has 3 volumes, ".
    pub not: &'static str,
    /// What to do about another number.
    pub advice: &'static str,
}

/// An image whose voxels must be those of a lattice. The header is compared before a value is read: a file of a megabyte
/// can hold gigabytes of zeros.
pub struct OnGrid<'a> {
    path: &'a Path,
    grid: &'a Grid,
    channels: usize,
    /// Where the file has each voxel of the lattice, where that is not its own place.
    order: Option<Vec<usize>>,
}

impl<'a> OnGrid<'a> {
    /// Fails unless the image at `path` has as many `volumes` as it must, and the voxels of `grid`, which
    /// belongs to `whose`; in another order too, in which `.mif` and NIfTI files of one scan often differ.
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

    /// Fails where its voxels have another order than those of the lattice: for values that are along the axes of the image.
    pub fn in_its_order(self, whose: &str) -> Result<Self> {
        if self.order.is_none() {
            return Ok(self);
        }
        let problem = format!("its voxels are stored in another order than those of {whose}");
        Err(Error::invalid(self.path.display(), problem, format!("resample it to the grid of {whose}")))
    }

    /// Its values in the voxel order of the lattice.
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

/// The mask at `path` in the voxel order of `grid`, which belongs to `whose`.
pub fn mask_on(path: &Path, grid: &Grid, whose: &str) -> Result<Mask> {
    let one = Volumes { count: 1, not: "not one", advice: "give a 3-D mask" };
    Ok(Mask::from_volume(&OnGrid::check(path, grid, whose, Some(one))?.read()?))
}

/// A mask like [`mask_on`], with voxels in it.
pub fn region_on(path: &Path, grid: &Grid, whose: &str) -> Result<Mask> {
    let mask = mask_on(path, grid, whose)?;
    if mask.count() == 0 {
        return Err(Error::invalid(path.display(), "the mask is empty", "give one with voxels above 0.5"));
    }
    Ok(mask)
}

/// A 3-D map in the voxel order of `grid`, like [`mask_on`].
pub fn map_on(path: &Path, grid: &Grid, whose: &str) -> Result<Volume<f32>> {
    let one = Volumes { count: 1, not: "not one", advice: "give a 3-D map" };
    OnGrid::check(path, grid, whose, Some(one))?.read()
}

/// Warns where the header of a tractogram names another image than `grid`, which belongs to `whose`.
///
/// This is no error: points are RAS mm, and streamlines of a scan may well be kept in the space of its anatomical image.
pub fn warn_of_another_image(tractogram: &Path, grid: &Grid, whose: &str) -> Result<()> {
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

/// Warns if points at which an image was sampled are outside of it; `image` is what it is called.
pub fn warn_of_samples_outside(outside: u64, points: u64, image: &dyn Display) {
    if outside > 0 {
        tracing::warn!("{outside} of {points} points lie outside {image} and have the value 0");
    }
}

/// Warns where more than half of the points of a tractogram lie outside the voxels that count.
pub fn warn_of_points_outside(outside: u64, points: usize) {
    let share = outside as f64 / points.max(1) as f64;
    if share > 0.5 {
        tracing::warn!(
            "{:.0} % of the points of the streamlines lie outside the voxels that count; check that tractogram and \
             series belong together",
            100.0 * share
        );
    }
}
