//! What streamlines are followed through and between, read and brought to one space.

use super::following::Following;
use super::met::{self, Beginnings};
use super::seeds::everywhere;
use super::tracking::{SampledTracking, Source};
use crate::job::Job;
use crate::mask_space;
use crate::matrix_elements::ElementList;
use crate::tracked_matrix::{MatrixPlan, MatrixRequest};
use arcuate_compute::Device;
use arcuate_core::{Grid, Mask, Result};
use arcuate_io::read_mask;
use arcuate_track::{Constraints, Mapping, OrientationTable, SampleOptions, SampleTracker, Seeds};
use std::path::Path;
use std::sync::Arc;

/// Everything that was given, read.
pub(super) struct Ground {
    pub(super) table: OrientationTable,
    pub(super) options: SampleOptions,
    pub(super) constraints: Constraints,
    pub(super) seeds: Seeds,
    /// The mask that was given for seeds.
    pub(super) seed_mask: Option<Mask>,
    /// Seeds that are listed.
    pub(super) elements: Option<ElementList>,
    /// Where streamlines begin without a mask.
    pub(super) everywhere: Mask,
    /// The fraction that fibres need there.
    pub(super) fraction: f64,
    /// Whether masks lie in the space of the orientations.
    pub(super) is_one_space: bool,
    to_masks: Option<Arc<Mapping>>,
}

impl SampledTracking {
    /// Reads the orientations by `read`, and what lies among them.
    pub(super) fn ground(
        &self,
        source: &Source<'_>,
        read: impl FnOnce() -> Result<OrientationTable>,
        job: &Job,
    ) -> Result<Ground> {
        let table = job.step("read the orientations", read)?;
        let options = self.options(Some(table.grid()), job)?;
        options.check_on(table.grid(), table.fibres())?;
        let seed_mask = self.seeds.mask.as_deref().map(read_mask).transpose()?;
        let elements = self.seeds.elements(seed_mask.as_ref())?;
        let elsewhere = self.elsewhere(elements.as_ref());
        let transforms = self.space.transforms_of(&elsewhere, table.grid(), source.image())?;
        let [to_masks, to_field] = mask_space::ways(transforms.as_ref());
        let constraints = self.constraints.resolve(to_masks.as_ref())?;
        let listed = met::network_seeds(self.matrix.as_ref())?;
        let preset = self.rules.preset;
        let fraction = match &listed {
            None if source.has_fractions => self.seeds.fraction(preset),
            _ => 0.0,
        };
        let everywhere = everywhere(fraction, &table)?;
        let mask = seed_mask.as_ref();
        let seeds = if self.seeds.interface {
            self.seeds.at_interface(constraints.anatomy.as_ref(), to_field, preset)?
        } else {
            self.seeds.resolve(listed, elements.as_ref(), mask, to_field, &everywhere, preset)?
        };
        let is_one_space = transforms.is_none();
        Ok(Ground {
            table,
            options,
            constraints,
            seeds,
            seed_mask,
            elements,
            everywhere,
            fraction,
            is_one_space,
            to_masks,
        })
    }
}

impl Ground {
    /// Everything ready to count a matrix into files in `folder`.
    pub(super) fn plan(
        &self,
        tracking: &SampledTracking,
        request: &MatrixRequest,
        folder: &Path,
    ) -> Result<MatrixPlan> {
        let beginnings = Beginnings {
            given: &tracking.seeds,
            seeds: &self.seeds,
            elements: self.elements.clone(),
            mask: self.seed_mask.as_ref(),
            everywhere: &self.everywhere,
        };
        met::plan(request, beginnings, self.to_masks.as_ref(), self.options.step_mm, folder)
    }

    /// Streamlines, about to be followed on a device: visits are counted, if they are, on the lattice of the seeds' mask, or that of the
    /// orientations.
    pub(super) fn following(
        &self,
        counts_visits: bool,
        lengths: bool,
        device: &Device,
        job: &Job,
    ) -> Result<Following<'_>> {
        let map: (Grid, Option<Arc<Mapping>>) = match &self.seed_mask {
            Some(mask) => (*mask.grid(), self.to_masks.clone()),
            None => (*self.table.grid(), None),
        };
        Ok(Following {
            tracker: SampleTracker::new(&self.table, device)?,
            seeds: &self.seeds,
            constraints: &self.constraints,
            options: &self.options,
            map: counts_visits.then_some(map),
            lengths,
            control: job.control(),
        })
    }
}
