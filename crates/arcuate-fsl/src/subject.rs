//! Inputs of FSL's programs: a diffusion series, its gradient table and a mask. The user may give image names
//! without file name endings.

use super::xfibres_options::Inputs;
use arcuate_core::{Error, GradientTable, Grid, Mask, Result, Volume};
use arcuate_io::{GradientReading, describe_image, fsl_gradients, read_numbers, read_volume};
use arcuate_model::fit::in_scanner_axes;
use arcuate_pipeline::find_files::find_image;
use arcuate_pipeline::gradient_deviations;
use arcuate_pipeline::space::image_grid;
use std::path::{Path, PathBuf};

/// Returns the path of an image, or an error if it does not exist.
pub(super) fn require_image(name: &Path) -> Result<PathBuf> {
    find_image(name)?.ok_or_else(|| {
        Error::invalid(
            name.display(),
            "there is no such image",
            "give the name of an image, with or \
            without .nii.gz",
        )
    })
}

/// A diffusion series with its gradient table and its mask.
pub(super) struct Subject {
    pub(super) dwi: Volume<f32>,
    pub(super) gradients: GradientTable,
    pub(super) mask: Mask,
    /// Gradient deviations: nine values of a 3 × 3 matrix in each voxel, in scanner axes.
    pub(super) deviations: Option<Volume<f32>>,
}

impl Subject {
    pub(super) fn read(inputs: &Inputs) -> Result<Self> {
        let dwi = read_volume(&inputs.data)?;
        if dwi.channels() == 1 {
            let problem = "it is a 3-D image, not a diffusion series";
            return Err(Error::invalid(inputs.data.display(), problem, "give the 4-D series"));
        }
        let mask = mask_of(&inputs.mask, dwi.grid())?;
        // FSL has no threshold for b = 0. Therefore, at least the measurements with the lowest b-value count
        // as b = 0 here.
        let minimum = read_numbers(&inputs.bvals)?.into_iter().fold(f64::INFINITY, f64::min);
        let threshold =
            if minimum.is_finite() { minimum.max(GradientTable::DEFAULT_B0_THRESHOLD) } else { 0.0 };
        let (affine, count) = (dwi.grid().affine(), Some(dwi.channels()));
        let stored = fsl_gradients::read(&inputs.bvals, &inputs.bvecs, affine, count)?;
        let reading = GradientReading::with_threshold(threshold);
        // FSL's programs have no option for the unit of b-values, so the error recommends another command.
        stored.check(&reading).map_err(|error| {
            error.advise(format!(
                "FSL reads s/mm² and unit vectors: write them so, arcuate convert {} NEW.bval --reference {}, with \
                 --b-unit or --bvec-lengths",
                inputs.bvals.display(),
                inputs.data.display()
            ))
        })?;
        let gradients = stored.table(&reading).map_err(|error| {
            // The usual advice is to raise the threshold for b = 0. FSL's programs have no such option, so
            // the advice is replaced.
            let lacks_direction = error.problem().ends_with("no direction");
            if lacks_direction { error.advise("give its direction, or b = 0") } else { error }
        })?;
        let deviations = if let Some(path) = &inputs.deviations {
            // FSL's gradient deviations refer to the axes of the gradient directions, whether the image is
            // stored right-handed or left-handed.
            Some(in_scanner_axes(&read_on_data_grid(path, dwi.grid(), 9, "image of deviations")?))
        } else {
            gradient_deviations::warn_unused(&inputs.data, None);
            None
        };
        Ok(Self { dwi, gradients, mask, deviations })
    }
}

/// Reads a mask on the grid of the diffusion series `data`. Only the header of the series is read.
pub(super) fn mask_on_data(mask: &Path, data: &Path) -> Result<Mask> {
    mask_of(mask, &image_grid(data)?)
}

/// Reads an image on the grid of the diffusion series. As in FSL, only the numbers of voxels must agree, not
/// the positions in the headers. If one image is right-handed and the other left-handed, the voxels are
/// reordered.
fn read_on_data_grid(path: &Path, grid: &Grid, channels: usize, what: &str) -> Result<Volume<f32>> {
    read_on_grid(path, grid, channels, what, "the data")
}

/// Reads an image on the grid of another image, like [`read_on_data_grid`]. Messages call this other image
/// `of`.
pub(super) fn read_on_grid(
    path: &Path,
    grid: &Grid,
    channels: usize,
    what: &str,
    of: &str,
) -> Result<Volume<f32>> {
    // The header of the image is checked before its values are read.
    let found = describe_image(path)?.channels();
    let refuse = |problem: String, advice: &str| Err(Error::invalid(path.display(), problem, advice));
    if found != channels {
        let problem = format!("it has {found} volumes, and a {what} has {channels}");
        return refuse(problem, "give the right image");
    }
    let (shape, expected) = (image_grid(path)?.shape(), grid.shape());
    if shape != expected {
        let size = |s: [usize; 3]| format!("{} × {} × {}", s[0], s[1], s[2]);
        let problem =
            format!("the image size {} differs from the size {} of {of}", size(shape), size(expected));
        let is_series = of == "the data";
        let advice = if is_series { "computed from this series" } else { "that was resampled to its grid" };
        return refuse(problem, &format!("give a {what} {advice}"));
    }
    let volume = read_volume(path)?;
    let is_turned = (volume.grid().affine().determinant() > 0.0) != (grid.affine().determinant() > 0.0);
    if !is_turned && !volume.grid().matches(grid) {
        tracing::warn!(
            "{}: the header puts this image at another place than {of}; the headers are ignored, and voxels with \
             the same indices are compared",
            path.display()
        );
    }
    let mut placed = Volume::filled(*grid, channels, 0.0);
    for index in 0..grid.len() {
        let [i, j, k] = grid.coordinates(index);
        let i = if is_turned { expected[0] - 1 - i } else { i };
        placed.voxel_mut(index).copy_from_slice(volume.voxel(grid.index([i, j, k])));
    }
    Ok(placed)
}

/// Reads a mask on the grid of the diffusion series.
pub(super) fn mask_of(path: &Path, grid: &Grid) -> Result<Mask> {
    let mask = Mask::from_volume(&read_on_data_grid(path, grid, 1, "mask")?);
    if mask.count() == 0 {
        let problem = "no voxel is inside";
        return Err(Error::invalid(
            path.display(),
            problem,
            "give a mask that has voxels with values above 0.5",
        ));
    }
    Ok(mask)
}
