//! ITK and ANTs transforms. A list of them is combined into one [`Mapping`].
//!
//! The transform with which ITK resamples an image of A onto B maps points of B to points of A. A list of
//! transforms has the order of `antsApplyTransforms`: the first transform is applied to a point of B first.

use super::file::TransformFile;
use super::itk_field::{self, field_of, is_warp, read_warp};
use super::itk_matrix::matrix_of;
use super::rotate_displacements::turn;
use arcuate_core::{Affine, Error, Grid, Result, Volume};
use arcuate_io::{is_image_name, is_itk_transform, itk_transform_kinds, read_itk_transforms};
use arcuate_track::Mapping;
use std::path::{Path, PathBuf};

/// Checks whether a file is an ITK transform, by the content of the file and not by its name.
pub(super) fn is_itk(path: &Path) -> Result<bool> {
    if is_image_name(path) { is_warp(path) } else { is_itk_transform(path) }
}

/// Checks whether a list of ITK transforms contains a displacement field.
///
/// Returns an error if the list contains several displacement fields, or if the inverse of a field is
/// requested.
pub(super) fn has_field(files: &[TransformFile]) -> Result<bool> {
    let mut found = false;
    for TransformFile { path, inverted } in files {
        let fields = if is_image_name(path) {
            1
        } else {
            itk_transform_kinds(path)?.iter().filter(|kind| *kind == itk_field::KIND).count()
        };
        if fields > 0 && *inverted {
            let problem = "it is a field, which cannot be inverted here";
            return Err(Error::usage(
                path.display(),
                problem,
                "give ANTs' own inverse (1InverseWarp.nii.gz)",
            ));
        }
        if fields > 1 || (found && fields == 1) {
            return Err(second_field(path));
        }
        found |= fields == 1;
    }
    Ok(found)
}

fn second_field(path: &Path) -> Error {
    let problem = "it is a second field on the same way, and two fields are none without being resampled";
    let advice = "join them before: antsApplyTransforms -d 3 -r IMAGE -t FILE -t FILE -o [FIELD,1]";
    Error::usage(path.display(), problem, advice)
}

/// Reads a list of transforms and combines them. The first transform of the list is applied to a point first.
pub(super) fn read(files: &[TransformFile]) -> Result<Mapping> {
    let mut step = DisplacementStep { before: Affine::identity(), field: None, after: Affine::identity() };
    for TransformFile { path, inverted } in files {
        if is_image_name(path) {
            step.add_field(path, read_warp(path)?)?;
            continue;
        }
        let mut matrices = Affine::identity();
        for transform in read_itk_transforms(path)? {
            if transform.kind == itk_field::KIND {
                step.add_matrix(&matrices);
                matrices = Affine::identity();
                step.add_field(path, field_of(path, transform)?)?;
            } else {
                matrices = matrix_of(path, &transform)?.after(&matrices);
            }
        }
        // If the inverse of a displacement field is requested, `has_field` has already returned an error.
        step.add_matrix(&if *inverted { inverse(path, &matrices)? } else { matrices });
    }
    step.mapping()
}

/// Inverts an affine transform. `path` is the file of its matrix, for the error message.
pub(super) fn inverse(path: &Path, matrix: &Affine) -> Result<Affine> {
    matrix.inverse().map_err(|_| {
        let problem = "it is a matrix that cannot be undone";
        Error::invalid(path.display(), problem, "give one of a registration")
    })
}

/// The mapping x ↦ after(y + u(y)) with y = before(x): two affine transforms, with a displacement field u
/// between them.
struct DisplacementStep {
    before: Affine,
    /// Displacement field u, and its file.
    field: Option<(PathBuf, Volume<f32>)>,
    after: Affine,
}

impl DisplacementStep {
    fn add_matrix(&mut self, matrix: &Affine) {
        let end = if self.field.is_some() { &mut self.after } else { &mut self.before };
        *end = matrix.after(end);
    }

    fn add_field(&mut self, path: &Path, field: Volume<f32>) -> Result<()> {
        if self.field.replace((path.to_owned(), field)).is_some() {
            return Err(second_field(path));
        }
        // The matrix before the displacement field becomes part of the voxel grid of the field, so it must be
        // invertible.
        inverse(path, &self.before).map(drop)
    }

    /// Returns the mapping. The displacement field is not resampled. The matrix before the field becomes part
    /// of the voxel grid of the field. The matrix after the field is applied to the displacements.
    fn mapping(self) -> Result<Mapping> {
        let Self { before, field, after } = self;
        let displacement = match field {
            None => None,
            Some((path, field)) => {
                let lattice = inverse(&path, &before)?.after(field.grid().affine());
                let grid = Grid::new(field.grid().shape(), lattice)
                    .map_err(|e| e.about(format_args!("{} (lattice)", path.display())))?;
                let mut field = Volume::new(grid, 3, field.into_values())?;
                turn(&mut field, &after);
                Some(field)
            }
        };
        Ok(Mapping { affine: after.after(&before), displacement })
    }
}
