//! The inputs of a run after they were read: the source of directions, the seeds and the regions, all in one
//! space.

use super::field::{Field, Source};
use super::following::Following;
use super::options::Tracking;
use super::seeds::ReadSeeds;
use crate::job::Job;
use crate::mask_space;
use crate::matrix_elements::ElementList;
use crate::tracked_matrix::MatrixRequest;
use arcuate_compute::Device;
use arcuate_core::{Grid, Mask, Result};
use arcuate_io::read_mask;
use arcuate_track::{Constraints, Mapping, Seeds};
use std::sync::Arc;

/// All inputs of a run, after reading.
pub(super) struct RunInputs {
    pub(super) field: Box<dyn Field>,
    pub(super) constraints: Constraints,
    pub(super) seeds: Seeds,
    /// Seed mask, if the user gave one.
    pub(super) seed_mask: Option<Mask>,
    /// Seeds that are listed one by one: vertices of surfaces (after the voxels of a mask), or elements of a
    /// CIFTI-2 file.
    pub(super) elements: Option<ElementList>,
    /// Voxels in which streamlines start if the user selects no seeds.
    pub(super) everywhere: Mask,
    /// True if the masks are in the space of the source of directions.
    pub(super) is_one_space: bool,
    /// Mapping from the space of the source of directions to the space of the masks. `None` if both spaces
    /// are the same.
    pub(super) to_masks: Option<Arc<Mapping>>,
}

impl RunInputs {
    /// Reads the seeds and regions for tracking through the source of directions `field`.
    pub(super) fn new(field: Box<dyn Field>, tracking: &Tracking, source: &Source<'_>) -> Result<Self> {
        let given = &tracking.seeds;
        let seed_mask = given.mask.as_deref().map(read_mask).transpose()?;
        let elements = given.elements(seed_mask.as_ref())?;
        let elsewhere = tracking.elsewhere(elements.as_ref());
        let transforms = tracking.space.transforms_of(&elsewhere, field.grid(), source.image())?;
        let [to_masks, to_field] = mask_space::mappings(transforms.as_ref());
        let constraints = tracking.constraints.resolve(to_masks.as_ref())?;
        let everywhere = field.seed_voxels(tracking.are_seeds_chosen())?;
        let (mask, preset) = (seed_mask.as_ref(), tracking.preset);
        let seeds = if given.interface {
            given.at_interface(constraints.anatomy.as_ref(), to_field, preset)?
        } else {
            let network = tracking.matrix.as_ref().filter(|_| tracking.is_network());
            let listed = network.map(MatrixRequest::network_seeds).transpose()?.map(|(places, _)| places);
            let from = ReadSeeds {
                listed,
                elements: elements.as_ref(),
                mask,
                mapping: to_field,
                everywhere: &everywhere,
            };
            given.resolve(from, preset, field.repeats_seeds())?
        };
        let is_one_space = transforms.is_none();
        Ok(Self { field, constraints, seeds, seed_mask, elements, everywhere, is_one_space, to_masks })
    }

    /// Returns the voxels of the seeds.
    pub(super) fn seed_voxels(&self) -> &Mask {
        self.seed_mask.as_ref().unwrap_or(&self.everywhere)
    }

    /// Prepares tracking on a device (CPU or GPU). A map of the number of streamlines in each voxel has the
    /// voxel grid of the seed mask. If there is no seed mask, it has the grid of the source of directions.
    pub(super) fn following<'a>(
        &'a self,
        tracking: &Tracking,
        lengths: bool,
        device: &'a Device,
        job: &Job,
    ) -> Result<Following<'a>> {
        let map: (Grid, Option<Arc<Mapping>>) = match &self.seed_mask {
            Some(mask) => (*mask.grid(), self.to_masks.clone()),
            None => (*self.field.grid(), None),
        };
        Ok(Following {
            tracker: self.field.tracker(device)?,
            seeds: &self.seeds,
            constraints: &self.constraints,
            map: tracking.counts_visits().then_some(map),
            lengths,
            control: job.control(),
        })
    }
}
