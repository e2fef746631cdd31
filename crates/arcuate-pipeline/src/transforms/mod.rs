//! Masks in another space than the diffusion images: how points get there and back. The transforms of a registration program are
//! read here, each kind by a reader of its own, into [`Mapping`]s of RAS mm.
//!
//! A transform is named by what it does with images, for every program: the one from the masks to the diffusion images is that with
//! which the program brings an image of the masks onto these (`flirt -applyxfm -init`, `applywarp -w`, `antsApplyTransforms -t`).
//! Whether it leads points there or back is the program's affair: FLIRT's matrices lead points as they do images, FNIRT's fields and all
//! transforms of ITK the other way round.

mod file;
mod fnirt_coefficients;
mod fsl;
mod itk;
mod itk_field;
mod itk_matrix;
mod turn;

use arcuate_core::{Error, Grid, Result, statistics};
use arcuate_io::{describe_image, is_image_name};
use arcuate_track::Mapping;
use fsl::Millimetres;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use file::TransformFile;
pub use fsl::{MillimetresOf, fsl_millimetres_of};

/// The ways between two spaces.
#[derive(Debug, Clone)]
pub struct Transforms {
    /// From the masks to the orientations, both in RAS mm.
    pub to_field: Arc<Mapping>,
    /// From the orientations to the masks.
    pub from_field: Arc<Mapping>,
}

/// The files of the ways between the space of masks and that of diffusion images.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransformFiles {
    /// A FLIRT matrix from the masks to the diffusion images; the way back follows.
    Flirt(PathBuf),
    /// FNIRT's fields, as displacements or as coefficients of splines.
    Fnirt {
        /// From the masks to the diffusion images, on the lattice of these.
        masks_to_dwi: PathBuf,
        /// The way back, on the lattice of the masks.
        dwi_to_masks: PathBuf,
    },
    /// Transforms of ITK and ANTs, in the order of `antsApplyTransforms`.
    Itk {
        /// Those that bring images of the masks onto the diffusion images.
        masks_to_dwi: Vec<TransformFile>,
        /// Those that bring diffusion images onto the masks; none where the others are matrices, which are undone.
        dwi_to_masks: Vec<TransformFile>,
    },
}

impl TransformFiles {
    /// What kind of transforms files are, which their names and beginnings say.
    ///
    /// Fails where a field has no way back, and a matrix one, and where files are none that go one after the other.
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
        require_way_back(there, (!dwi_to_masks.is_empty()).then_some(back))?;
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
                    "invert it before: convert_xfm -inverse, invwarp",
                ))
            }
            _ => {
                let problem =
                    format!("it is {} files, and only transforms of ITK and ANTs are a list", files.len());
                let advice = "join them before: convert_xfm -concat, convertwarp";
                Err(Error::usage(parameter, problem, advice))
            }
        };
        let there = one(masks_to_dwi, "‘masks_to_dwi’")?;
        let back = (!dwi_to_masks.is_empty()).then(|| one(dwi_to_masks, "‘dwi_to_masks’")).transpose()?;
        require_way_back(is_image_name(&there), back.as_deref().map(is_image_name))?;
        Ok(match back {
            None => Self::Flirt(there),
            Some(back) => Self::Fnirt { masks_to_dwi: there, dwi_to_masks: back },
        })
    }

    /// Reads them. FSL's transforms are of the millimetres of `masks`, or of another image on their lattice; where surfaces alone lie
    /// there, there are none. `field` is the lattice of the orientations, of which `source` is an image.
    ///
    /// Fails where a file is no such transform, where a matrix cannot be undone, where ITK's ways there and back are none of each other,
    /// and where a matrix or coefficients are of millimetres that nothing says.
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
                fsl::both_ways(file, &Millimetres::of(masks)?, &field_mm()?)?
            }
            Self::Fnirt { masks_to_dwi, dwi_to_masks } => {
                // A field lies in the millimetres of its own image; where coefficients do, nothing says.
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

/// Fails where a field has no way back, or a matrix as that, and where a matrix has a way back of its own: whether the way there has a
/// field, and the way back, where one is given.
fn require_way_back(there: bool, back: Option<bool>) -> Result<()> {
    let (parameter, problem, advice) = match (there, back) {
        (true, Some(true)) | (false, None) => return Ok(()),
        (true, None) => (
            "‘masks_to_dwi’",
            "a field says nothing of the way back",
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

/// How far from where it began a point may end that goes there and back, in mm: inverses of fields are some 0.1 mm off within a brain,
/// one and the same transform taken twice some 50 mm.
const ASTRAY_MM: f64 = 10.0;

/// Fails where ways there and back are none of each other: where both are the same, or of other images. What decides is the median of
/// points in the middle of the lattice, where brains are.
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
    if median <= ASTRAY_MM {
        return Ok(());
    }
    let problem = format!(
        "it does not undo ‘masks_to_dwi’: there and back, points end {median:.0} mm from where they began"
    );
    let advice = "give what brings diffusion images onto the masks here, and what brings masks onto them as ‘masks_to_dwi’";
    Err(Error::usage("‘dwi_to_masks’", problem, advice))
}

/// Fails where the header of a mask says that it lies in the space of a standard brain, and that of the orientations does not
/// say the same. Masks on their lattice lie where they do, whatever the header says.
pub fn in_the_same_space(mask: &Path, field: &Grid, source: Option<&Path>) -> Result<()> {
    let described = describe_image(mask)?;
    let Some(space) = described.standard_space else { return Ok(()) };
    let Some(source) = source else { return Ok(()) };
    if field.matches(&described.grid) || describe_image(source)?.standard_space == Some(space) {
        return Ok(());
    }
    let problem = format!("its header says {space} coordinates, that of {} does not", source.display());
    let advice = "say how to get there (‘masks_to_dwi’), or give it the right code (sform_code)";
    Err(Error::invalid(mask.display(), problem, advice))
}

#[cfg(test)]
mod tests;
