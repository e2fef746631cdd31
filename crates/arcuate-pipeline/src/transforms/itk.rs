//! Transforms of ITK and ANTs, one after the other, as one [`Mapping`].
//!
//! ITK's transforms are made to resample images: the one that brings an image of A onto B leads points of B to A. They are listed as
//! for `antsApplyTransforms`, so that points of B go through the first of the list first.

use super::file::TransformFile;
use super::itk_field::{self, field_of, is_warp, read_warp};
use super::itk_matrix::matrix_of;
use super::turn::turn;
use arcuate_core::{Affine, Error, Grid, Result, Volume};
use arcuate_io::{is_image_name, is_itk_transform, itk_transform_kinds, read_itk_transforms};
use arcuate_track::Mapping;
use std::path::{Path, PathBuf};

/// Whether a file is one of ITK's, which its content says.
pub(super) fn is_itk(path: &Path) -> Result<bool> {
    if is_image_name(path) { is_warp(path) } else { is_itk_transform(path) }
}

/// Whether there is a field among transforms of ITK.
///
/// Fails where there are several, and where the inverse of one is meant.
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

/// Where points go that pass through all transforms, from the first of the list on.
pub(super) fn read(files: &[TransformFile]) -> Result<Mapping> {
    let mut way = Way { before: Affine::identity(), field: None, after: Affine::identity() };
    for TransformFile { path, inverted } in files {
        if is_image_name(path) {
            way.add_field(path, read_warp(path)?)?;
            continue;
        }
        let mut matrices = Affine::identity();
        for transform in read_itk_transforms(path)? {
            if transform.kind == itk_field::KIND {
                way.add_matrix(&matrices);
                matrices = Affine::identity();
                way.add_field(path, field_of(path, transform)?)?;
            } else {
                matrices = matrix_of(path, &transform)?.after(&matrices);
            }
        }
        // Its fields have no inverse, which `has_field` has said.
        way.add_matrix(&if *inverted { inverse(path, &matrices)? } else { matrices });
    }
    way.mapping()
}

/// A matrix undone; `path` is where it comes from.
pub(super) fn inverse(path: &Path, matrix: &Affine) -> Result<Affine> {
    matrix.inverse().map_err(|_| {
        let problem = "it is a matrix that cannot be undone";
        Error::invalid(path.display(), problem, "give one of a registration")
    })
}

/// x ↦ after(y + u(y)) with y = before(x).
struct Way {
    before: Affine,
    /// u, and the file that it is of.
    field: Option<(PathBuf, Volume<f32>)>,
    after: Affine,
}

impl Way {
    fn add_matrix(&mut self, matrix: &Affine) {
        let end = if self.field.is_some() { &mut self.after } else { &mut self.before };
        *end = matrix.after(end);
    }

    fn add_field(&mut self, path: &Path, field: Volume<f32>) -> Result<()> {
        if self.field.replace((path.to_owned(), field)).is_some() {
            return Err(second_field(path));
        }
        // What leads there becomes a part of its lattice, which must have one before.
        inverse(path, &self.before).map(drop)
    }

    /// The matrix before the field is a part of its lattice, the one behind of its displacements: nothing is resampled.
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
