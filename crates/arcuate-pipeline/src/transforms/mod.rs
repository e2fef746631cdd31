//! Transforms between the space of the masks and the space of the diffusion images. There is a reader for the
//! files of each registration program. All readers return [`Mapping`]s in RAS mm.
//!
//! The name of a transform states its effect on images. The transform from the masks to the diffusion images
//! resamples an image in the space of the masks onto the diffusion images (`flirt -applyxfm -init`,
//! `applywarp -w`, `antsApplyTransforms -t`). The direction in which a transform maps points depends on the
//! program. FLIRT matrices map points in the same direction as images. FNIRT fields and all ITK transforms
//! map points in the opposite direction.

mod file;
mod fnirt_coefficients;
mod fsl;
mod itk;
mod itk_field;
mod itk_matrix;
mod rotate_displacements;

use arcuate_core::{Error, Grid, Result, statistics};
use arcuate_io::{describe_image, is_image_name};
use arcuate_track::Mapping;
use fsl::Millimetres;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use file::TransformFile;
pub use fsl::{MillimetresOf, fsl_millimetres_of};

/// Mappings between two spaces.
#[derive(Debug, Clone)]
pub struct Transforms {
    /// Mapping of points from the space of the masks to the space of the orientations, both in RAS mm.
    pub to_field: Arc<Mapping>,
    /// Mapping of points from the space of the orientations to the space of the masks, both in RAS mm.
    pub from_field: Arc<Mapping>,
}

/// Transform files between the space of the masks and the space of the diffusion images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransformFiles {
    /// A FLIRT matrix from the masks to the diffusion images. The transform back is its inverse, which is
    /// computed.
    Flirt(PathBuf),
    /// Two FNIRT fields, as displacements or as spline coefficients.
    Fnirt {
        /// Field with which images of the masks are resampled onto the diffusion images. It is on the voxel
        /// grid of the diffusion images.
        masks_to_dwi: PathBuf,
        /// Field with which diffusion images are resampled onto images of the masks. It is on the voxel grid
        /// of the masks.
        dwi_to_masks: PathBuf,
    },
    /// ITK and ANTs transforms, in the order of `antsApplyTransforms`.
    Itk {
        /// Transforms with which images of the masks are resampled onto the diffusion images.
        masks_to_dwi: Vec<TransformFile>,
        /// Transforms with which diffusion images are resampled onto images of the masks. The list is empty
        /// if `masks_to_dwi` contains only matrices, because these are inverted.
        dwi_to_masks: Vec<TransformFile>,
    },
}

impl TransformFiles {
    /// Determines from the names and the contents of the files which program wrote the transforms.
    ///
    /// Returns an error if a displacement field is given without a field for the inverse, or if a matrix is
    /// given together with its inverse. Also returns an error if the files cannot be combined.
    pub fn of(masks_to_dwi: &[TransformFile], dwi_to_masks: &[TransformFile]) -> Result<Self> {
        let of_itk: Result<Vec<bool>> =
            masks_to_dwi.iter().chain(dwi_to_masks).map(|file| itk::is_itk(&file.path)).collect();
        let of_itk = of_itk?;
        if of_itk.iter().all(|is_itk| !is_itk) {
            return Self::of_fsl(masks_to_dwi, dwi_to_masks);
        }
        if of_itk.contains(&false) {
            let problem = "transforms of FSL do not go together with those of ITK and ANTs";
            return Err(Error::usage("‘masks_to_dwi’", problem, "give those of one program"));
        }
        let there = itk::has_field(masks_to_dwi)?;
        let back = itk::has_field(dwi_to_masks)?;
        require_inverse(there, (!dwi_to_masks.is_empty()).then_some(back))?;
        Ok(Self::Itk { masks_to_dwi: masks_to_dwi.to_vec(), dwi_to_masks: dwi_to_masks.to_vec() })
    }

    fn of_fsl(masks_to_dwi: &[TransformFile], dwi_to_masks: &[TransformFile]) -> Result<Self> {
        let one = |files: &[TransformFile], parameter: &str| match files {
            [file] if !file.inverted => Ok(file.path.clone()),
            [file] => {
                let problem = "its inverse is meant, and only matrices of ITK and ANTs are inverted here";
                Err(Error::usage(
                    file.path.display(),
                    problem,
                    "first invert the transform with convert_xfm -inverse or invwarp",
                ))
            }
            _ => {
                let problem = format!(
                    "this is a list of {} files, but only transforms of ITK and ANTs can be a list",
                    files.len()
                );
                let advice = "join them before: convert_xfm -concat, convertwarp";
                Err(Error::usage(parameter, problem, advice))
            }
        };
        let there = one(masks_to_dwi, "‘masks_to_dwi’")?;
        let back = (!dwi_to_masks.is_empty()).then(|| one(dwi_to_masks, "‘dwi_to_masks’")).transpose()?;
        require_inverse(is_image_name(&there), back.as_deref().map(is_image_name))?;
        Ok(match back {
            None => Self::Flirt(there),
            Some(back) => Self::Fnirt { masks_to_dwi: there, dwi_to_masks: back },
        })
    }

    /// Reads the transforms. `masks` defines the FSL millimetres (voxel indices times voxel sizes) of the
    /// masks. It is `None` if there are only surfaces. `field` is the voxel grid of the orientations, and
    /// `source` is an image on this grid.
    ///
    /// Returns an error if a file is not a valid transform, if a matrix is not invertible, or if two ITK
    /// transforms are not inverses of each other. Also returns an error if a FLIRT matrix or FNIRT
    /// coefficients are given and no image defines the FSL millimetres of the masks.
    pub fn read(
        &self,
        masks: Option<MillimetresOf<'_>>,
        field: &Grid,
        source: Option<&Path>,
    ) -> Result<Transforms> {
        let field_mm = || Millimetres::of(source.map_or(MillimetresOf::Lattice(field), MillimetresOf::Image));
        let [to_field, from_field] = match self {
            Self::Flirt(file) => {
                let Some(masks) = masks else {
                    let problem =
                        "a matrix leads from the millimetres of an image, and only surfaces are given";
                    let advice = "give an image of their space as ‘seed_mask’ or as a region, or two fields";
                    return Err(Error::usage("‘masks_to_dwi’", problem, advice));
                };
                fsl::both_mappings(file, &Millimetres::of(masks)?, &field_mm()?)?
            }
            Self::Fnirt { masks_to_dwi, dwi_to_masks } => {
                // If there is no image of the masks, a FNIRT displacement field defines the FSL millimetres.
                // FNIRT coefficients do not define them.
                let masks_mm = match masks {
                    Some(masks) => Millimetres::of(masks)?,
                    None if fsl::is_coefficients(dwi_to_masks)? => {
                        let problem =
                            "coefficients lead from the millimetres of an image, and only surfaces are given";
                        let advice = "give an image of their space as ‘seed_mask’ or as a region";
                        return Err(Error::usage("‘dwi_to_masks’", problem, advice));
                    }
                    None => Millimetres::of(MillimetresOf::Image(dwi_to_masks))?,
                };
                let field_mm = field_mm()?;
                [
                    fsl::displaced(dwi_to_masks, &masks_mm, &field_mm)?,
                    fsl::displaced(masks_to_dwi, &field_mm, &masks_mm)?,
                ]
            }
            Self::Itk { masks_to_dwi, dwi_to_masks } => {
                let from_field = itk::read(masks_to_dwi)?;
                let to_field = match masks_to_dwi.first() {
                    Some(first) if dwi_to_masks.is_empty() => {
                        Mapping::affine(itk::inverse(&first.path, &from_field.affine)?)
                    }
                    _ => itk::read(dwi_to_masks)?,
                };
                require_inverses(&to_field, &from_field, field)?;
                [to_field, from_field]
            }
        };
        Ok(Transforms { to_field: Arc::new(to_field), from_field: Arc::new(from_field) })
    }
}

/// Checks that the user gave two displacement fields or a single matrix. `there` is true if the transform
/// from the masks to the diffusion images is a field. `back` is true if the transform in the other direction
/// is a field, and `None` if it is not given.
fn require_inverse(there: bool, back: Option<bool>) -> Result<()> {
    let (parameter, problem, advice) = match (there, back) {
        (true, Some(true)) | (false, None) => return Ok(()),
        (true, None) => (
            "‘masks_to_dwi’",
            "a field does not define its inverse",
            "give the inverse field too, as ‘dwi_to_masks’",
        ),
        (true, Some(false)) => (
            "‘dwi_to_masks’",
            "it is a matrix where ‘masks_to_dwi’ is a field",
            "give two fields or one matrix",
        ),
        (false, Some(_)) => {
            ("‘dwi_to_masks’", "the way back is that of the matrix ‘masks_to_dwi’", "leave it out")
        }
    };
    Err(Error::usage(parameter, problem, advice))
}

/// Maximum distance, in mm, between a point and its position after both mappings, one after the other. If the
/// mappings are inverses of each other, the distance is about 0.1 mm within a brain. If both are the same
/// transform, it is about 50 mm.
const MAX_INVERSE_ERROR_MM: f64 = 10.0;

/// Returns an error if the two mappings are not inverses of each other, for example because both are the same
/// transform. Both mappings are applied, one after the other, to points in the middle of the grid, where the
/// brain is. The median distance from their first positions is tested.
fn require_inverses(to_field: &Mapping, from_field: &Mapping, field: &Grid) -> Result<()> {
    let places = [0.3, 0.5, 0.7];
    let mut distances: Vec<f64> = (0..27)
        .map(|n| {
            let along = [places[n % 3], places[n / 3 % 3], places[n / 9]];
            let voxel = std::array::from_fn(|axis| along[axis] * (field.shape()[axis] - 1) as f64);
            let point = field.affine().apply(voxel);
            let again = to_field.apply(from_field.apply(point));
            (0..3).map(|axis| (again[axis] - point[axis]).powi(2)).sum::<f64>().sqrt()
        })
        .collect();
    let median = statistics::median(&mut distances).unwrap_or(f64::INFINITY);
    if median <= MAX_INVERSE_ERROR_MM {
        return Ok(());
    }
    let problem = format!(
        "this transform is not the inverse of ‘masks_to_dwi’: after both transforms, points are {median:.0} \
         mm from their start"
    );
    let advice = "give what brings diffusion images onto the masks here, and what brings masks onto them as ‘masks_to_dwi’";
    Err(Error::usage("‘dwi_to_masks’", problem, advice))
}

/// Returns an error if the image header of a mask states a standard space, and the header of the orientations
/// does not state the same space. A mask on the voxel grid of the orientations is always accepted.
pub fn in_the_same_space(mask: &Path, field: &Grid, source: Option<&Path>) -> Result<()> {
    let described = describe_image(mask)?;
    let Some(space) = described.standard_space else { return Ok(()) };
    let Some(source) = source else { return Ok(()) };
    if field.matches(&described.grid) || describe_image(source)?.standard_space == Some(space) {
        return Ok(());
    }
    let problem =
        format!("the header states {space} coordinates, but the header of {} does not", source.display());
    let advice = "give the transform (‘masks_to_dwi’), or correct its sform_code";
    Err(Error::invalid(mask.display(), problem, advice))
}

#[cfg(test)]
mod tests;
