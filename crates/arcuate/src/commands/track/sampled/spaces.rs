//! Masks in another space than the diffusion images: how points get there and back, by FSL's transforms.
//!
//! FSL's millimetres are voxel sizes times voxel numbers, x counted from the other side where the voxel axes are right-handed;
//! its fields of displacement are in those of the image that they lead to, on a lattice in those of the one they come from.

use super::args::SeedArgs;
use super::masks::Masks;
use arcuate_core::{Affine, Error, Grid, Result, Volume};
use arcuate_io::{describe_image, is_image_name, read_mask, read_numbers, read_volume};
use arcuate_track::Mapping;
use clap::Args;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How masks lie to the diffusion images.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Masks in another space")]
pub(super) struct SpaceArgs {
    /// Transform from the space of the masks (and seeds) to that of the diffusion images: a FLIRT matrix, or a FNIRT field on
    /// the lattice of the diffusion images. Without it all are one space, in the scanner's millimetres
    #[arg(long, value_name = "FILE")]
    masks_to_dwi: Option<PathBuf>,
    /// The way back, a FNIRT field on the lattice of the masks: needed with a field, found by itself for a matrix
    #[arg(long, value_name = "FILE", requires = "masks_to_dwi")]
    dwi_to_masks: Option<PathBuf>,
}

impl SpaceArgs {
    pub(super) fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.masks_to_dwi.iter().chain(&self.dwi_to_masks)
    }

    /// Whether masks are in another space than the orientations.
    pub(super) fn are_other(&self) -> bool {
        self.masks_to_dwi.is_some()
    }

    pub(super) fn check(&self) -> Result<()> {
        let Some(there) = &self.masks_to_dwi else { return Ok(()) };
        match (&self.dwi_to_masks, is_image_name(there)) {
            (None, true) => Err(Error::usage(
                "--masks-to-dwi",
                "a field says nothing of the way back",
                "give the inverse field too, as --dwi-to-masks",
            )),
            (Some(_), false) => Err(Error::usage(
                "--dwi-to-masks",
                "the way back is that of the matrix --masks-to-dwi",
                "leave it out",
            )),
            (Some(back), true) if !is_image_name(back) => Err(Error::usage(
                "--dwi-to-masks",
                "it is a matrix where --masks-to-dwi is a field",
                "give two fields or one matrix",
            )),
            _ => Ok(()),
        }
    }

    /// Reads the seeds' mask and the transforms to orientations on the lattice `field`, of which `source` is an image.
    pub(super) fn read(
        &self,
        seeds: &SeedArgs,
        regions: &[&PathBuf],
        field: &Grid,
        source: Option<&Path>,
    ) -> Result<Masks> {
        let mut masks = Masks {
            seeds: seeds.seed_mask.as_deref().map(read_mask).transpose()?,
            to_field: None,
            from_field: None,
        };
        let Some(there) = &self.masks_to_dwi else {
            let mut files = seeds.seed_mask.iter().chain(regions.iter().copied());
            files.try_for_each(|mask| in_the_same_space(mask, field, source))?;
            return Ok(masks);
        };
        // FSL's millimetres are of an image: the seeds', or that of the first region.
        let image = seeds.seed_mask.as_ref().or_else(|| regions.first().copied()).ok_or_else(|| {
            let problem = "there is no mask that would be in another space";
            Error::usage("--masks-to-dwi", problem, "give --seed-mask or a region, or leave it out")
        })?;
        let masks_mm = fsl_millimetres_of(image)?;
        let field_mm = match source {
            Some(source) => fsl_millimetres_of(source)?,
            None => fsl_millimetres(field, field.voxel_sizes())?,
        };
        let (to_field, from_field) = if let Some(back) = &self.dwi_to_masks {
            (displaced(back, &masks_mm, &field_mm)?, displaced(there, &field_mm, &masks_mm)?)
        } else {
            let matrix = read_matrix(there)?;
            let to_field = field_mm.inverse()?.after(&matrix.after(&masks_mm));
            let back = to_field.inverse().map_err(|_| {
                let problem = "it is a matrix that cannot be undone";
                Error::invalid(there.display(), problem, "give one of a FLIRT registration")
            })?;
            (Mapping::affine(to_field), Mapping::affine(back))
        };
        masks.to_field = Some(Arc::new(to_field));
        masks.from_field = Some(Arc::new(from_field));
        Ok(masks)
    }
}

/// Fails where the header of a mask says that it lies in the space of a standard brain, and that of the orientations does not
/// say the same. Masks on their lattice lie where they do, whatever the header says.
fn in_the_same_space(mask: &Path, field: &Grid, source: Option<&Path>) -> Result<()> {
    let described = describe_image(mask)?;
    let Some(space) = described.standard_space else { return Ok(()) };
    let Some(source) = source else { return Ok(()) };
    if field.matches(&described.grid) || describe_image(source)?.standard_space == Some(space) {
        return Ok(());
    }
    let problem = format!("its header says {space} coordinates, that of {} does not", source.display());
    let advice = "say how to get there (--masks-to-dwi), or give it the right code (sform_code)";
    Err(Error::invalid(mask.display(), problem, advice))
}

/// RAS mm of an image in a file to its FSL millimetres.
fn fsl_millimetres_of(path: &Path) -> Result<Affine> {
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
