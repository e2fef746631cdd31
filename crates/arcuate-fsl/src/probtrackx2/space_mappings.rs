//! Mappings between two spaces: the space of the seeds and regions, and the space of the orientation samples.

use super::options::Request;
use super::rois::Reference;
use arcuate_core::{Affine, Error, Grid, Mapping, Result};
use arcuate_io::{describe_image, is_image_name};
use arcuate_pipeline::find_files::find_image;
use arcuate_pipeline::transforms::{
    MillimetresOf, TransformFile, TransformFiles, Transforms, fsl_millimetres_of,
};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The mapping from the space of the seeds to the space of the orientation samples, and the mapping back.
/// Both are `None` if the two spaces are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct SpaceMappings {
    pub(super) to_samples: Option<Arc<Mapping>>,
    pub(super) to_seeds: Option<Arc<Mapping>>,
}

/// Paths of the transform files.
pub(super) struct TransformNames {
    there: PathBuf,
    back: Option<PathBuf>,
}

impl TransformNames {
    /// Finds the transform files. Returns `None` if the user gave no transform. If the transform is a matrix,
    /// the option for the inverse is ignored.
    pub(super) fn find(request: &Request) -> Result<Option<Self>> {
        let found = |option: &str, name: &Path| -> Result<PathBuf> {
            if let Some(image) = find_image(name)? {
                return Ok(image);
            }
            if name.is_file() {
                return Ok(name.to_owned());
            }
            let advice = format!("give a FLIRT matrix or a FNIRT field as --{option}");
            Err(Error::no_file(name, advice))
        };
        let Some(there) = &request.transform else { return Ok(None) };
        let there = found("xfm", there)?;
        if !is_image_name(&there) {
            return Ok(Some(Self { there, back: None }));
        }
        let Some(back) = &request.inverse else {
            let problem = "a field does not define its inverse";
            return Err(Error::usage(
                "--xfm",
                problem,
                "also give the inverse of the deformation field as --invxfm",
            ));
        };
        Ok(Some(Self { back: Some(found("invxfm", back)?), there }))
    }

    pub(super) fn paths(&self) -> Vec<PathBuf> {
        std::iter::once(&self.there).chain(&self.back).cloned().collect()
    }
}

impl SpaceMappings {
    /// Reads the mappings. If there are no transforms, FSL's rule applies: the first voxels and the axes of
    /// the reference image and of the orientation samples coincide. `mask` is the mask of the orientation
    /// samples, on the grid `field`.
    ///
    /// Returns an error if there is no transform and the headers of the two images state different positions.
    pub(super) fn read(
        names: Option<&TransformNames>,
        reference: &Reference,
        mask: &Path,
        field: &Grid,
    ) -> Result<Self> {
        if let Some(TransformNames { there, back }) = names {
            let named = |path: &PathBuf| TransformFile { path: path.clone(), inverted: false };
            let back: Vec<TransformFile> = back.iter().map(named).collect();
            let files = TransformFiles::of(&[named(there)], &back)?;
            let Transforms { to_field, from_field } =
                files.read(Some(MillimetresOf::Image(&reference.path)), field, Some(mask))?;
            return Ok(Self { to_samples: Some(to_field), to_seeds: Some(from_field) });
        }
        if reference.grid.matches(field) {
            return Ok(Self::default());
        }
        let seeds_mm = fsl_millimetres_of(&reference.path)?;
        let there = fsl_millimetres_of(mask)?.inverse()?.after(&seeds_mm);
        let apart = Self::max_corner_distance(&there, &reference.grid);
        let sizes = |grid: &Grid| grid.voxel_sizes().iter().map(|size| size * size).sum::<f64>().sqrt();
        let (path, of) = (reference.path.display(), mask.display());
        if has_same_grid(&reference.path, mask)? {
            tracing::warn!(
                "{path}: the header puts this image at another place than {of}; the headers are ignored, and voxels \
                 with the same indices are compared"
            );
        } else if apart > sizes(&reference.grid).max(sizes(field)) {
            let problem = format!("the header puts this image up to {apart:.0} mm away from {of}");
            let advice = "give the transform with --xfm, or resample it into the space of the samples";
            return Err(Error::invalid(path, problem, advice));
        }
        let back = there.inverse()?;
        let mapping = |affine| Some(Arc::new(Mapping::affine(affine)));
        Ok(Self { to_samples: mapping(there), to_seeds: mapping(back) })
    }

    /// Returns the maximum distance by which the affine mapping `map` moves a corner of the grid, in mm.
    fn max_corner_distance(map: &Affine, grid: &Grid) -> f64 {
        let [nx, ny, nz] = grid.shape().map(|n| n as f64 - 1.0);
        let corner = |n: usize| {
            let at = |axis: usize, maximum: f64| if n >> axis & 1 == 1 { maximum } else { 0.0 };
            grid.affine().apply([at(0, nx), at(1, ny), at(2, nz)])
        };
        let moved = |n: usize| {
            let (from, to) = (corner(n), map.apply(corner(n)));
            (0..3).map(|axis| (from[axis] - to[axis]).powi(2)).sum::<f64>().sqrt()
        };
        (0..8).map(moved).fold(0.0, f64::max)
    }
}

/// True if two images have the same number of voxels and the same voxel sizes.
fn has_same_grid(one: &Path, other: &Path) -> Result<bool> {
    let (one, other) = (describe_image(one)?, describe_image(other)?);
    let is_near =
        |n: usize| (one.stored_sizes[n] - other.stored_sizes[n]).abs() < 1e-3 * one.stored_sizes[n].abs();
    Ok(one.grid.shape() == other.grid.shape() && (0..3).all(is_near))
}

/// Returns the grid of an image in the mm coordinates of the reference image. As in FSL, the first voxel and
/// the axes of both images coincide.
pub(super) fn in_space_of(path: &Path, reference: &Reference) -> Result<Grid> {
    let grid = describe_image(path)?.grid;
    let to_reference = fsl_millimetres_of(&reference.path)?.inverse()?.after(&fsl_millimetres_of(path)?);
    Grid::new(grid.shape(), to_reference.after(grid.affine()))
}
