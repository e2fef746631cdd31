//! Transforms between the space of the masks and the space of the diffusion images. Each registration program
//! has its own reader. All readers return [`Mapping`]s in RAS mm.
//!
//! A transform is named by its effect on images. The transform from the masks to the diffusion images
//! resamples an image of the masks onto the diffusion images (`flirt -applyxfm -init`, `applywarp -w`,
//! `antsApplyTransforms -t`). The direction in which points are mapped depends on the program. FLIRT matrices
//! map points in the same direction as images. FNIRT fields and all ITK transforms map points in the opposite
//! direction.

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
    /// Mapping from the masks to the orientations, both in RAS mm.
    pub to_field: Arc<Mapping>,
    /// Mapping from the orientations to the masks, both in RAS mm.
    pub from_field: Arc<Mapping>,
}

/// Transform files between the space of the masks and the space of the diffusion images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransformFiles {
    /// A FLIRT matrix from the masks to the diffusion images. Its inverse is computed.
    Flirt(PathBuf),
    /// FNIRT fields, as displacements or as spline coefficients.
    Fnirt {
        /// Field from the masks to the diffusion images, on the grid of the diffusion images.
        masks_to_dwi: PathBuf,
        /// Field from the diffusion images to the masks, on the grid of the masks.
        dwi_to_masks: PathBuf,
    },
    /// ITK and ANTs transforms, in the order of `antsApplyTransforms`.
    Itk {
        /// Transforms that bring images of the masks onto the diffusion images.
        masks_to_dwi: Vec<TransformFile>,
        /// Transforms that bring diffusion images onto the masks. Empty if `masks_to_dwi` are matrices, which
        /// are inverted.
        dwi_to_masks: Vec<TransformFile>,
    },
}

impl TransformFiles {
    /// Determines the type of the transforms from the names and the contents of the files.
    ///
    /// Returns an error if a field has no inverse field, if a matrix has a separate inverse, or if the files
    /// cannot be composed.
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

    /// Reads the transforms. `masks` defines the FSL millimetres of the masks; it is `None` if there are only
    /// surfaces. `field` is the grid of the orientations, and `source` is an image on that grid.
    ///
    /// Returns an error if a file is not a valid transform, if a matrix is not invertible, or if ITK
    /// transforms are not inverses of each other. Also returns an error if a matrix or coefficients need FSL
    /// millimetres that are unknown.
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
                // A displacement field defines its own FSL millimetres. Coefficients do not.
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

/// Checks that two fields or a single matrix are given. `there` is true if the forward transform is a field.
/// `back` is the same for the backward transform, or `None` if there is none.
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

/// Maximum distance, in mm, between a point and its image after the forward and the backward mapping. For
/// inverse fields it is about 0.1 mm within a brain. If the same transform is given twice, it is about 50 mm.
const MAX_INVERSE_ERROR_MM: f64 = 10.0;

/// Returns an error if the two mappings are not inverses of each other, for example if both are the same
/// transform. The test is the median distance over points in the middle of the grid, where the brain is.
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

/// Returns an error if the header of a mask states a standard space and the header of the orientations does
/// not state the same space. A mask on the grid of the orientations is always accepted.
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
