//! ITK displacement fields, as warp images and in transform files. A field u maps a point x to x + u(x), in
//! LPS mm. The voxel grid of u is in the space of x.

use super::fsl::is_fnirt;
use super::itk_matrix::flipped;
use arcuate_core::{Affine, Error, Grid, Result, Volume};
use arcuate_io::{ItkTransform, describe_image, read_volume};
use std::path::Path;

/// ITK's name of the transform.
pub(super) const KIND: &str = "DisplacementFieldTransform";

/// NIfTI intent code of vectors.
const VECTORS: i64 = 1007;

/// Checks whether an image is an ITK warp (displacement field). Its header states that the values are
/// vectors, and the vectors are along the fifth dimension of the image.
///
/// Returns an error if only one of these two conditions is true, because the displacements could be from
/// another program.
pub(super) fn is_warp(path: &Path) -> Result<bool> {
    let described = describe_image(path)?;
    let in_fifth = matches!(described.dimensions[..], [_, _, _, 1, 3]);
    let advice = "give the warp file as ANTs wrote it, or a FNIRT field";
    match (in_fifth, described.intent == VECTORS) {
        (true, true) => Ok(true),
        (false, true) => {
            let problem =
                "its header says vectors, but it has not the five dimensions of ITK's warps (x, y, z, 1, 3)";
            Err(Error::invalid(path.display(), problem, advice))
        }
        (true, false) if !is_fnirt(described.intent) => {
            let problem = "it has the five dimensions of ITK's warps, but its header does not say vectors (intent 1007)";
            Err(Error::invalid(path.display(), problem, advice))
        }
        (_, false) => Ok(false),
    }
}

/// Reads the displacements of an ITK warp image, converted to RAS mm.
pub(super) fn read_warp(path: &Path) -> Result<Volume<f32>> {
    let mut field = read_volume(path)?;
    if !field.grid().is_placed() {
        let problem = "its header does not state the position of its voxels";
        return Err(Error::invalid(path.display(), problem, "give the warp file as ANTs wrote it"));
    }
    turn_to_ras(path, field.values_mut())?;
    Ok(field)
}

/// Returns the displacements of a field in an ITK transform file, converted to RAS mm.
///
/// Returns an error if the number of displacements differs from the number of voxels of the grid.
pub(super) fn field_of(path: &Path, transform: ItkTransform) -> Result<Volume<f32>> {
    let ItkTransform { kind, parameters, fixed } = transform;
    let wrong = |problem: String| Error::invalid(path.display(), problem, "write the transform again");
    // The fixed parameters are the grid size, the position of the first voxel, the voxel sizes, and the
    // matrix of the axes row by row.
    let Ok([nx, ny, nz, ox, oy, oz, sx, sy, sz, rows @ ..]) = <[f64; 18]>::try_from(fixed) else {
        return Err(wrong(format!("its {kind} does not have a three-dimensional grid")));
    };
    let sizes = [nx, ny, nz];
    if nx * ny * nz * 3.0 != parameters.len() as f64 || sizes.iter().any(|n| n.fract() != 0.0 || *n < 1.0) {
        let count = parameters.len();
        return Err(wrong(format!("its {kind} of {nx} × {ny} × {nz} voxels has {count} displacements")));
    }
    let axis = |r: usize| [rows[3 * r] * sx, rows[3 * r + 1] * sy, rows[3 * r + 2] * sz, [ox, oy, oz][r]];
    let lattice = Affine::from_rows([axis(0), axis(1), axis(2)]);
    let grid = lattice.and_then(|lattice| Grid::new(sizes.map(|n| n as usize), flipped().after(&lattice)));
    let grid = grid.map_err(|e| e.about(format_args!("{} (lattice)", path.display())))?;
    let mut values: Vec<f32> = parameters.into_iter().map(|value| value as f32).collect();
    turn_to_ras(path, &mut values)?;
    Volume::new(grid, 3, values)
}

fn turn_to_ras(path: &Path, displacements: &mut [f32]) -> Result<()> {
    if displacements.iter().any(|value| !value.is_finite()) {
        let problem = "the field has values that are not numbers";
        return Err(Error::invalid(path.display(), problem, "repair the field"));
    }
    for displacement in displacements.chunks_exact_mut(3) {
        displacement[0] = -displacement[0];
        displacement[1] = -displacement[1];
    }
    Ok(())
}
