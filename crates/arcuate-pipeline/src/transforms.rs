//! Masks in another space than the diffusion images: how points get there and back. The transforms of a registration program are
//! read here, each kind by a reader of its own, into [`Mapping`]s of RAS mm.
//!
//! FSL's millimetres are voxel sizes times voxel numbers, x counted from the other side where the voxel axes are right-handed;
//! its fields of displacement are in those of the image that they lead to, on a lattice in those of the one they come from.

use arcuate_core::{Affine, Error, Grid, Result, Volume};
use arcuate_io::{describe_image, is_image_name, read_numbers, read_volume};
use arcuate_track::Mapping;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// FNIRT's fields of displacements.
    Fnirt {
        /// From the masks to the diffusion images, on the lattice of these.
        masks_to_dwi: PathBuf,
        /// The way back, on the lattice of the masks.
        dwi_to_masks: PathBuf,
    },
}

/// What FSL's millimetres are of.
#[derive(Debug, Clone, Copy)]
pub enum MillimetresOf<'a> {
    /// An image in a file, with the voxel sizes of its header.
    Image(&'a Path),
    /// A lattice, with the sizes that it has.
    Lattice(&'a Grid),
}

impl TransformFiles {
    /// What kind of transform two files are, which their names say: fields are images.
    ///
    /// Fails where a field has no way back, and a matrix one.
    pub fn of(masks_to_dwi: &Path, dwi_to_masks: Option<&Path>) -> Result<Self> {
        match (dwi_to_masks, is_image_name(masks_to_dwi)) {
            (None, false) => Ok(Self::Flirt(masks_to_dwi.to_owned())),
            (None, true) => Err(Error::usage(
                "‘masks_to_dwi’",
                "a field says nothing of the way back",
                "give the inverse field too, as ‘dwi_to_masks’",
            )),
            (Some(_), false) => Err(Error::usage(
                "‘dwi_to_masks’",
                "the way back is that of the matrix ‘masks_to_dwi’",
                "leave it out",
            )),
            (Some(back), true) if !is_image_name(back) => Err(Error::usage(
                "‘dwi_to_masks’",
                "it is a matrix where ‘masks_to_dwi’ is a field",
                "give two fields or one matrix",
            )),
            (Some(back), true) => {
                Ok(Self::Fnirt { masks_to_dwi: masks_to_dwi.to_owned(), dwi_to_masks: back.to_owned() })
            }
        }
    }

    /// Reads them. FSL's transforms are of the millimetres of `masks`, or of another image on their lattice; `field` is the lattice of
    /// the orientations, of which `source` is an image.
    ///
    /// Fails where a file is no such transform, and where a matrix cannot be undone.
    pub fn read(&self, masks: MillimetresOf<'_>, field: &Grid, source: Option<&Path>) -> Result<Transforms> {
        let masks_mm = match masks {
            MillimetresOf::Image(image) => fsl_millimetres_of(image)?,
            MillimetresOf::Lattice(grid) => fsl_millimetres(grid, grid.voxel_sizes())?,
        };
        let field_mm = match source {
            Some(source) => fsl_millimetres_of(source)?,
            None => fsl_millimetres(field, field.voxel_sizes())?,
        };
        let (to_field, from_field) = match self {
            Self::Fnirt { masks_to_dwi, dwi_to_masks } => (
                displaced(dwi_to_masks, &masks_mm, &field_mm)?,
                displaced(masks_to_dwi, &field_mm, &masks_mm)?,
            ),
            Self::Flirt(file) => {
                let matrix = read_matrix(file)?;
                let to_field = field_mm.inverse()?.after(&matrix.after(&masks_mm));
                let back = to_field.inverse().map_err(|_| {
                    let problem = "it is a matrix that cannot be undone";
                    Error::invalid(file.display(), problem, "give one of a FLIRT registration")
                })?;
                (Mapping::affine(to_field), Mapping::affine(back))
            }
        };
        Ok(Transforms { to_field: Arc::new(to_field), from_field: Arc::new(from_field) })
    }
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

/// RAS mm of an image in a file to its FSL millimetres: voxel sizes times voxel numbers, x counted from the right.
pub fn fsl_millimetres_of(path: &Path) -> Result<Affine> {
    let described = describe_image(path)?;
    fsl_millimetres(&described.grid, described.stored_sizes)
}

/// RAS mm of a lattice to its FSL millimetres, which are of the voxel sizes that the header has, whatever the affine says.
fn fsl_millimetres(grid: &Grid, sizes: [f64; 3]) -> Result<Affine> {
    Ok(from_voxels(grid, sizes)?.after(grid.inverse()))
}

/// Voxels to FSL millimetres.
fn from_voxels(grid: &Grid, [x, y, z]: [f64; 3]) -> Result<Affine> {
    let mut rows = [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0]];
    if grid.affine().determinant() > 0.0 {
        rows[0] = [-x, 0.0, 0.0, x * (grid.shape()[0] - 1) as f64];
    }
    Affine::from_rows(rows)
}

fn read_matrix(path: &Path) -> Result<Affine> {
    let numbers = read_numbers(path)?;
    let last = numbers.get(12..).unwrap_or(&[]);
    if numbers.len() != 16 || last != [0.0, 0.0, 0.0, 1.0] {
        let problem = "it is no matrix of 4 × 4 numbers that ends with 0 0 0 1";
        return Err(Error::invalid(
            path.display(),
            problem,
            "give a FLIRT matrix, or an image of displacements",
        ));
    }
    let rows = std::array::from_fn(|row| std::array::from_fn(|column| numbers[4 * row + column]));
    Affine::from_rows(rows).map_err(|e| e.about(path.display()))
}

/// NIfTI's intents of FNIRT: a field of displacements, coefficients of splines and of cosines.
const DISPLACEMENTS: i64 = 2006;
const COEFFICIENTS: [i64; 3] = [2007, 2008, 2009];

/// The map of a field that leads from some FSL millimetres to others. It may lie on any lattice in those it leads from.
fn displaced(path: &Path, from_mm: &Affine, to_mm: &Affine) -> Result<Mapping> {
    let described = describe_image(path)?;
    if COEFFICIENTS.contains(&described.intent) {
        let problem = "it holds coefficients of splines, not displacements";
        let advice = "make it a field: fnirtfileutils --in=FILE --ref=IMAGE --out=FIELD --withaff";
        return Err(Error::invalid(path.display(), problem, advice));
    }
    let stored = read_volume(path)?;
    if stored.channels() != 3 {
        let problem = format!("it has {} volumes, not the three of a field", stored.channels());
        return Err(Error::invalid(path.display(), problem, "give a FNIRT field of displacements"));
    }
    // Where its voxels lie in the RAS mm of the image that it leads from.
    let lattice = from_mm.inverse()?.after(&from_voxels(stored.grid(), described.stored_sizes)?);
    let grid = Grid::new(stored.grid().shape(), lattice)?;
    let mut field = Volume::new(grid, 3, stored.into_values())?;
    if field.values().iter().any(|value| !value.is_finite()) {
        return Err(Error::invalid(
            path.display(),
            "it holds values that are not numbers",
            "repair the field",
        ));
    }
    if described.intent != DISPLACEMENTS {
        make_relative(&mut field, from_mm);
    }
    let back = to_mm.inverse()?;
    for displacement in field.values_mut().chunks_exact_mut(3) {
        let turned = back.apply_vector([0, 1, 2].map(|n| f64::from(displacement[n])));
        for axis in 0..3 {
            displacement[axis] = turned[axis] as f32;
        }
    }
    Ok(Mapping { affine: back.after(from_mm), displacement: Some(field) })
}

/// Fields hold where points go, or how far: FSL takes them for the first where their values vary less once the points' own
/// places are taken away.
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
