//! Marks of voxels that geodesic rays check: outside the mask, low anisotropy, and targets.

use super::constants;
use super::options::GeodesicOptions;
use arcuate_core::{DiffusionTensor, Error, Grid, Mask, Result, Volume, narrow};
use rayon::prelude::*;

/// Bits of the mark of a voxel. The first two bits mean that the voxel is outside the mask and that its
/// anisotropy is too low. The remaining bits are the number of the target that contains the voxel, 0 for
/// none.
pub(super) const OUTSIDE: u16 = constants::OUTSIDE_MASK as u16;
pub(super) const LOW_ANISOTROPY: u16 = constants::LOW_ANISOTROPY as u16;
pub(super) const TARGET: u16 = constants::TARGET_NUMBER as u16;

/// Target regions of geodesic rays, on the grid of the tensor image.
#[derive(Debug, Clone)]
pub struct Targets {
    names: Vec<String>,
    /// Number of the target that contains each voxel, counted from 1; 0 for none.
    numbers: Vec<u16>,
    grid: Grid,
}

impl Targets {
    /// Creates targets from their names and masks.
    ///
    /// Returns an error if there is no target, if two targets share a voxel or a name, or if a mask is empty.
    /// Also returns an error if a mask is on another grid than the first mask.
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
                    let problem = format!("this target shares voxels with the target {}", names[other]);
                    return Err(Error::invalid(&name, problem, "give masks of targets that do not overlap"));
                }
                numbers[voxel] = narrow::<u16>(names.len()) + 1;
            }
            names.push(name);
        }
        Ok(Self { names, numbers, grid })
    }

    /// Returns the names of the targets, in the order of their numbers.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the common grid of the targets.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the index, counted from 0, of the target that contains a voxel.
    pub(super) fn of_voxel(&self, voxel: usize) -> Option<usize> {
        usize::from(self.numbers[voxel]).checked_sub(1)
    }
}

/// Returns the marks of all voxels. Returns `None` if there is no mask, no anisotropy limit and no target.
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
            // The fractional anisotropy is 0 if an element of the tensor is NaN.
            DiffusionTensor(elements).fractional_anisotropy() < cutoff
        });
        let target = targets.map_or(0, |targets| targets.numbers[voxel]);
        target | if outside { OUTSIDE } else { 0 } | if low { LOW_ANISOTROPY } else { 0 }
    };
    Some((0..tensor.grid().len()).into_par_iter().map(mark).collect())
}
