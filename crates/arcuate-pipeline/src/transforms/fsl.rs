//! FSL's transforms: FLIRT matrices and FNIRT fields.
//!
//! FSL millimetres are voxel indices times voxel sizes. If the voxel axes are right-handed, the x index
//! counts from the other side of the image. The displacements in a FNIRT field are in the FSL millimetres of
//! the image to which the field maps points. The voxel grid of the field is in the FSL millimetres of the
//! image from which it maps points.

use super::fnirt_coefficients;
use super::rotate_displacements::turn;
use arcuate_core::{Affine, Error, Grid, Result, Volume};
use arcuate_io::{describe_image, read_numbers, read_volume};
use arcuate_track::Mapping;
use std::path::Path;

/// The image or voxel grid that defines FSL millimetres (voxel indices times voxel sizes).
#[derive(Debug, Clone, Copy)]
pub enum MillimetresOf<'a> {
    /// An image file. The voxel sizes are those in the image header.
    Image(&'a Path),
    /// A grid with its own voxel sizes.
    Lattice(&'a Grid),
}

/// FSL millimetres of an image.
#[derive(Debug, Clone, Copy)]
pub(super) struct Millimetres {
    /// Transform from RAS mm to FSL millimetres.
    from_ras: Affine,
    /// True if the voxel axes are right-handed. The x index then counts from the other side of the image.
    right_handed: bool,
}

impl Millimetres {
    /// Returns the FSL millimetres of an image or voxel grid. For an image, the voxel sizes in the header are
    /// used, even if the affine has other voxel sizes.
    pub(super) fn of(of: MillimetresOf<'_>) -> Result<Self> {
        let (grid, sizes) = match of {
            MillimetresOf::Image(path) => {
                let described = describe_image(path)?;
                (described.grid, described.stored_sizes)
            }
            MillimetresOf::Lattice(grid) => (*grid, grid.voxel_sizes()),
        };
        let right_handed = grid.affine().determinant() > 0.0;
        let from_voxels = from_voxels(grid.shape(), sizes, right_handed)?;
        Ok(Self { from_ras: from_voxels.after(grid.inverse()), right_handed })
    }
}

/// Returns the transform from RAS mm to the FSL millimetres of an image file. FSL millimetres are voxel
/// indices times voxel sizes. If the voxel axes are right-handed, x counts from the other side of the image.
pub fn fsl_millimetres_of(path: &Path) -> Result<Affine> {
    Ok(Millimetres::of(MillimetresOf::Image(path))?.from_ras)
}

/// Returns the transform from voxel indices to FSL millimetres.
fn from_voxels(shape: [usize; 3], [x, y, z]: [f64; 3], right_handed: bool) -> Result<Affine> {
    let mut rows = [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0]];
    if right_handed {
        rows[0] = [-x, 0.0, 0.0, x * (shape[0] - 1) as f64];
    }
    Affine::from_rows(rows)
}

/// Reads a FLIRT matrix. Returns two mappings in RAS mm: from the space of `masks` to the space of `field`,
/// and back.
pub(super) fn both_mappings(path: &Path, masks: &Millimetres, field: &Millimetres) -> Result<[Mapping; 2]> {
    let matrix = read_matrix(path)?;
    let there = field.from_ras.inverse()?.after(&matrix.after(&masks.from_ras));
    let back = there.inverse().map_err(|_| {
        let problem = "it is a matrix that cannot be undone";
        Error::invalid(path.display(), problem, "give a matrix of a FLIRT registration")
    })?;
    Ok([there, back].map(Mapping::affine))
}

fn read_matrix(path: &Path) -> Result<Affine> {
    let numbers = read_numbers(path)?;
    let last = numbers.get(12..).unwrap_or(&[]);
    if numbers.len() != 16 || last != [0.0, 0.0, 0.0, 1.0] {
        let problem = "it is not a matrix of 4 × 4 numbers that ends with 0 0 0 1";
        let advice = "give a FLIRT matrix, an image of displacements, or a transform of ITK";
        return Err(Error::invalid(path.display(), problem, advice));
    }
    let rows = std::array::from_fn(|row| std::array::from_fn(|column| numbers[4 * row + column]));
    Affine::from_rows(rows).map_err(|e| e.about(path.display()))
}

/// NIfTI intent codes of images that FNIRT writes: displacement fields, and coefficients of splines and
/// cosines.
const DISPLACEMENTS: i64 = 2006;
const COEFFICIENTS: [i64; 3] = [2007, 2008, 2009];

/// Checks whether a NIfTI intent code is one of those that FNIRT writes.
pub(super) fn is_fnirt(intent: i64) -> bool {
    intent == DISPLACEMENTS || COEFFICIENTS.contains(&intent)
}

/// Checks whether a FNIRT image contains coefficients instead of displacements.
pub(super) fn is_coefficients(path: &Path) -> Result<bool> {
    Ok(COEFFICIENTS.contains(&describe_image(path)?.intent))
}

/// Reads a FNIRT file. Returns its mapping of points, from the image of `from` to the image of `to`, both in
/// RAS mm. The displacements may be on any voxel grid in the space of `from`.
pub(super) fn displaced(path: &Path, from: &Millimetres, to: &Millimetres) -> Result<Mapping> {
    let described = describe_image(path)?;
    let back = to.from_ras.inverse()?;
    let place = |shape, sizes, right_handed| -> Result<Grid> {
        // Transform from the voxel indices of the field to RAS mm of the image from which the field maps
        // points.
        let lattice = from.from_ras.inverse()?.after(&from_voxels(shape, sizes, right_handed)?);
        Grid::new(shape, lattice).map_err(|e| e.about(format_args!("{} (lattice)", path.display())))
    };
    if COEFFICIENTS.contains(&described.intent) {
        let coefficients = fnirt_coefficients::read(path)?;
        let grid = place(coefficients.field_shape, coefficients.field_sizes, from.right_handed)?;
        let mut field = fnirt_coefficients::expand(path, &coefficients, &grid)?;
        turn(&mut field, &back);
        let affine = back.after(&coefficients.affine.inverse()?.after(&from.from_ras));
        return Ok(Mapping { affine, displacement: Some(field) });
    }
    let stored = read_volume(path)?;
    if stored.channels() != 3 {
        let problem =
            format!("the image has {} volumes, but a displacement field has three", stored.channels());
        return Err(Error::invalid(path.display(), problem, "give a FNIRT field of displacements"));
    }
    let right_handed = stored.grid().affine().determinant() > 0.0;
    let grid = place(stored.grid().shape(), described.stored_sizes, right_handed)?;
    let mut field = Volume::new(grid, 3, stored.into_values())?;
    if field.values().iter().any(|value| !value.is_finite()) {
        return Err(Error::invalid(
            path.display(),
            "the field has values that are not numbers",
            "repair the field",
        ));
    }
    if described.intent != DISPLACEMENTS {
        make_relative(&mut field, &from.from_ras);
    }
    turn(&mut field, &back);
    Ok(Mapping { affine: back.after(&from.from_ras), displacement: Some(field) })
}

/// Converts a field of absolute positions to displacements. The header of a field does not always state which
/// of the two the field contains. FSL's rule is used: if the values vary less after the voxel positions are
/// subtracted, they are absolute positions.
fn make_relative(field: &mut Volume<f32>, from_mm: &Affine) {
    let grid = *field.grid();
    let place = |voxel: usize| from_mm.apply(grid.centre(voxel));
    let deviation = |value: &dyn Fn(usize, usize) -> f64| -> f64 {
        let axis = |axis| {
            let n = grid.len() as f64;
            let mean = (0..grid.len()).map(|voxel| value(voxel, axis)).sum::<f64>() / n;
            ((0..grid.len()).map(|voxel| (value(voxel, axis) - mean).powi(2)).sum::<f64>() / n).sqrt()
        };
        (0..3).map(axis).sum()
    };
    let stored = |voxel: usize, axis: usize| f64::from(field.voxel(voxel)[axis]);
    let relative = |voxel: usize, axis: usize| stored(voxel, axis) - place(voxel)[axis];
    if deviation(&relative) < deviation(&stored) {
        for voxel in 0..grid.len() {
            let at = place(voxel);
            for axis in 0..3 {
                field.voxel_mut(voxel)[axis] -= at[axis] as f32;
            }
        }
    }
}
