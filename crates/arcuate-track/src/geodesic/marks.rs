//! What a ray may meet in a voxel: the end of the mask or of anisotropy, and targets.

use super::constants;
use super::options::GeodesicOptions;
use arcuate_core::{DiffusionTensor, Error, Grid, Mask, Result, Volume, narrow};
use rayon::prelude::*;

/// A voxel outside the mask; of too low anisotropy; the rest is the number of its target, 0 for none.
pub(super) const OUTSIDE: u16 = constants::OUTSIDE_MASK as u16;
pub(super) const LOW_ANISOTROPY: u16 = constants::LOW_ANISOTROPY as u16;
pub(super) const TARGET: u16 = constants::TARGET_NUMBER as u16;

/// Regions that rays are to reach, on the grid of the tensors.
#[derive(Debug, Clone)]
pub struct Targets {
    names: Vec<String>,
    /// Of each voxel, the number of its target, from 1 on, or 0.
    numbers: Vec<u16>,
    grid: Grid,
}

impl Targets {
    /// Each a name and a mask.
    ///
    /// Fails where there is none, where one is empty or on another grid than the first, and where two share a voxel.
    pub fn from_masks(masks: Vec<(String, Mask)>) -> Result<Self> {
        let Some((_, first)) = masks.first() else {
            return Err(Error::usage("‘target’", "there is none", "give a mask"));
        };
        if masks.len() > usize::from(TARGET) {
            return Err(Error::usage(
                "‘target’",
                format!("{} are too many", masks.len()),
                "give at most 16383",
            ));
        }
        let grid = *first.grid();
        let mut numbers = vec![0u16; grid.len()];
        let mut names: Vec<String> = Vec::new();
        for (name, mask) in masks {
            grid.require_match(mask.grid(), &name, "the first target")?;
            if names.contains(&name) {
                let advice = "give files of different names";
                return Err(Error::invalid(&name, "two targets have this name", advice));
            }
            if mask.count() == 0 {
                return Err(Error::invalid(&name, "no voxel is inside", "give a mask with voxels above 0.5"));
            }
            for voxel in mask.indices() {
                if let Some(other) = usize::from(numbers[voxel]).checked_sub(1) {
                    let problem = format!("it shares voxels with {}", names[other]);
                    return Err(Error::invalid(&name, problem, "give targets that do not overlap"));
                }
                numbers[voxel] = narrow::<u16>(names.len()) + 1;
            }
            names.push(name);
        }
        Ok(Self { names, numbers, grid })
    }

    /// Their names, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The grid that all lie on.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The target of a voxel, from 0 on.
    pub(super) fn of_voxel(&self, voxel: usize) -> Option<usize> {
        usize::from(self.numbers[voxel]).checked_sub(1)
    }
}

/// The marks of all voxels; `None` where no voxel has one.
pub(super) fn marks(
    tensor: &Volume<f32>,
    options: &GeodesicOptions,
    targets: Option<&Targets>,
) -> Option<Vec<u16>> {
    if options.mask.is_none() && options.fa_cutoff.is_none() && targets.is_none() {
        return None;
    }
    let mark = |voxel: usize| {
        let outside = options.mask.as_ref().is_some_and(|mask| !mask.contains(voxel));
        let low = options.fa_cutoff.is_some_and(|cutoff| {
            let tensor = tensor.voxel(voxel);
            let elements = std::array::from_fn(|n| f64::from(tensor[n]));
            // Of what is not a number it is 0.
            DiffusionTensor(elements).fractional_anisotropy() < cutoff
        });
        let target = targets.map_or(0, |targets| targets.numbers[voxel]);
        target | if outside { OUTSIDE } else { 0 } | if low { LOW_ANISOTROPY } else { 0 }
    };
    Some((0..tensor.grid().len()).into_par_iter().map(mark).collect())
}
