//! What FSL's programs read: a series, its gradients and a mask, by names with or without an ending.

use super::xfibres_options::Inputs;
use arcuate_core::{Affine, Error, GradientTable, Grid, Mask, Result, Volume};
use arcuate_io::{describe_image, fsl_gradients, is_image_name, read_numbers, read_volume};
use std::path::{Path, PathBuf};

/// Endings of images, in the order in which they are looked for.
const ENDINGS: [&str; 4] = [".nii.gz", ".nii", ".hdr", ".hdr.gz"];

/// The file of an image whose name is given with or without its ending.
pub(super) fn find_image(name: &Path) -> Option<PathBuf> {
    if is_image_name(name) && name.is_file() {
        return Some(name.to_owned());
    }
    ENDINGS.iter().map(|ending| with_ending(name, ending)).find(|path| path.is_file())
}

/// A name with something behind it.
pub(super) fn with_ending(name: &Path, ending: &str) -> PathBuf {
    let mut name = name.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// An image that must be there.
pub(super) fn require_image(name: &Path) -> Result<PathBuf> {
    find_image(name).ok_or_else(|| {
        Error::invalid(name.display(), "there is no such image", "give its name, with or without .nii.gz")
    })
}

/// A series with its gradients, and where it is to be looked at.
pub(super) struct Subject {
    pub(super) dwi: Volume<f32>,
    pub(super) gradients: GradientTable,
    pub(super) mask: Mask,
}

impl Subject {
    pub(super) fn read(inputs: &Inputs) -> Result<Self> {
        let dwi = read_as_fsl(&inputs.data)?;
        if dwi.channels() == 1 {
            let problem = "it is a 3-D image, not a diffusion series";
            return Err(Error::invalid(inputs.data.display(), problem, "give the 4-D series"));
        }
        let mask = mask_of(&inputs.mask, dwi.grid())?;
        // There is always something that counts as not weighted: FSL knows no threshold.
        let least = read_numbers(&inputs.bvals)?.into_iter().fold(f64::INFINITY, f64::min);
        let threshold = if least.is_finite() { least.max(GradientTable::DEFAULT_B0_THRESHOLD) } else { 0.0 };
        let gradients = fsl_gradients::read(
            &inputs.bvals,
            &inputs.bvecs,
            dwi.grid().affine(),
            Some(dwi.channels()),
            Some(threshold),
        )?;
        Ok(Self { dwi, gradients, mask })
    }
}

/// An image where FSL takes it to be.
pub(super) fn read_as_fsl(path: &Path) -> Result<Volume<f32>> {
    let grid = grid_as_fsl(path)?;
    let volume = read_volume(path)?;
    Volume::new(grid, volume.channels(), volume.into_values())
}

/// Where FSL takes the voxels of an image to be: where the header does not say it, they are stored from right to left.
pub(super) fn grid_as_fsl(path: &Path) -> Result<Grid> {
    let description = describe_image(path)?;
    let grid = description.grid().map_err(|error| error.about(path.display()))?;
    if description.affine_source != "voxel sizes only" {
        return Ok(grid);
    }
    let mut rows = grid.affine().rows();
    rows[0] = rows[0].map(|value| -value);
    Grid::new(grid.shape(), Affine::from_rows(rows)?)
}

/// The voxels of a mask, on the grid of a series that need not be read for it.
pub(super) fn mask_on_data(mask: &Path, data: &Path) -> Result<Mask> {
    mask_of(mask, &grid_as_fsl(data)?)
}

/// The voxels of a mask, on the grid of the series: FSL asks for the same shape, whatever the headers say of places, and brings
/// images of both hands into one order.
pub(super) fn mask_of(path: &Path, grid: &Grid) -> Result<Mask> {
    let volume = read_as_fsl(path)?;
    let refuse = |problem: String, advice: &str| Err(Error::invalid(path.display(), problem, advice));
    if volume.channels() != 1 {
        return refuse(format!("it has {} volumes, not one", volume.channels()), "give a 3-D mask");
    }
    let (shape, wanted) = (volume.grid().shape(), grid.shape());
    if shape != wanted {
        let size = |s: [usize; 3]| format!("{} × {} × {}", s[0], s[1], s[2]);
        let problem = format!("its size {} differs from {} of the data", size(shape), size(wanted));
        return refuse(problem, "give a mask made of this series");
    }
    let is_turned = (volume.grid().affine().determinant() > 0.0) != (grid.affine().determinant() > 0.0);
    if !is_turned && !volume.grid().matches(grid) {
        tracing::warn!(
            "{}: its header places it elsewhere than the data; only its voxels count",
            path.display()
        );
    }
    let found = Mask::from_volume(&volume);
    let inside = (0..grid.len()).map(|index| {
        let [i, j, k] = grid.coordinates(index);
        let i = if is_turned { wanted[0] - 1 - i } else { i };
        found.contains(grid.index([i, j, k]))
    });
    let mask = Mask::new(*grid, inside.collect())?;
    if mask.count() == 0 {
        return refuse("no voxel is inside".to_owned(), "give a mask with values above 0.5");
    }
    Ok(mask)
}
