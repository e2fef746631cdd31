//! What streamlines are followed through and between, read and brought to one space.

use super::asked::Tracking;
use super::field::{Field, Source};
use super::following::Following;
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

/// Everything that was given, read.
pub(super) struct Ground {
    pub(super) field: Box<dyn Field>,
    pub(super) constraints: Constraints,
    pub(super) seeds: Seeds,
    /// The mask that was given for seeds.
    pub(super) seed_mask: Option<Mask>,
    /// Seeds that are listed.
    pub(super) elements: Option<ElementList>,
    /// Where streamlines begin without a mask.
    pub(super) everywhere: Mask,
    /// Whether masks lie in the space of the source.
    pub(super) is_one_space: bool,
    /// From the space of the source to that of masks.
    pub(super) to_masks: Option<Arc<Mapping>>,
}

impl Ground {
    /// Reads what lies among the voxels of `field`.
    pub(super) fn new(field: Box<dyn Field>, tracking: &Tracking, source: &Source<'_>) -> Result<Self> {
        let given = &tracking.seeds;
        let seed_mask = given.mask.as_deref().map(read_mask).transpose()?;
        let elements = given.elements(seed_mask.as_ref())?;
        let elsewhere = tracking.elsewhere(elements.as_ref());
        let transforms = tracking.space.transforms_of(&elsewhere, field.grid(), source.image())?;
        let [to_masks, to_field] = mask_space::ways(transforms.as_ref());
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

    /// The voxels of the seeds.
    pub(super) fn seed_voxels(&self) -> &Mask {
        self.seed_mask.as_ref().unwrap_or(&self.everywhere)
    }

    /// Streamlines, about to be followed on a device. Visits, if they are counted, are on the grid of the mask of the seeds, or of the
    /// source.
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
