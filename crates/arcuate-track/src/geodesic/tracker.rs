//! Tracking of geodesic rays that accepts every ray, or only the strongest connections to targets.

use super::marks::Targets;
use super::{Connections, Geodesics};
use crate::constraints::Constraints;
use crate::outputs::{Delivery, SampleOutputs, SampleTracks, Tracker, deliver_all};
use crate::ray_figures::{RayFigures, Selection};
use crate::seeds::Seeds;
use crate::summary::TrackSummary;
use arcuate_core::{Control, Error, Result};
use std::sync::PoisonError;

/// Follows geodesic rays through one metric field: all rays, or the strongest connections to targets.
#[derive(Debug)]
pub struct GeodesicTracker<'a> {
    geodesics: Geodesics<'a>,
    connections: Option<(&'a Targets, Selection)>,
}

impl<'a> GeodesicTracker<'a> {
    /// Creates a tracker that accepts every ray within its limits or, if `connections` is set, only
    /// connections to targets. The constraints of a run replace those of the options.
    pub fn new(geodesics: Geodesics<'a>, connections: Option<(&'a Targets, Selection)>) -> Self {
        Self { geodesics, connections }
    }
}

impl Tracker for GeodesicTracker<'_> {
    fn count(&self, seeds: &Seeds) -> Result<u64> {
        let directions = self.geodesics.options.directions.count() as u64;
        Ok(self.geodesics.starts(seeds)?.seeds() * directions)
    }

    fn track(
        &self,
        seeds: &Seeds,
        constraints: &Constraints,
        outputs: SampleOutputs<'_>,
        control: &Control,
    ) -> Result<SampleTracks> {
        let Some((targets, selection)) = &self.connections else {
            return self.geodesics.follow_all(seeds, constraints, outputs, control);
        };
        if outputs.part.is_some() {
            let problem = "connections are ranked among all rays (paths from a seed in one direction) of a \
                           run, so the run cannot be divided";
            return Err(Error::usage("part", problem, "follow all of them"));
        }
        let found = self.geodesics.connect_among(seeds, constraints, targets, selection, control)?;
        let Connections { tractogram, summary, drift, targets } = found;
        Ok(SampleTracks {
            map: deliver_all(&tractogram, outputs)?,
            summary,
            target_hits: Vec::new(),
            device_name: self.geodesics.device_name(),
            rays: Some(RayFigures { drift, targets }),
        })
    }
}

impl Geodesics<'_> {
    /// Follows every geodesic ray and computes the requested outputs.
    pub(super) fn follow_all(
        &self,
        seeds: &Seeds,
        constraints: &Constraints,
        outputs: SampleOutputs<'_>,
        control: &Control,
    ) -> Result<SampleTracks> {
        self.warn_of_lengths(control);
        let starts = self.starts(seeds)?;
        let regions = self.region_grids(constraints)?;
        let goals = self.goals(None);
        let directions = self.options.directions.count() as u64;
        self.with_follower(&goals, |follower| {
            let rays = self.rays(&starts, follower, regions.as_ref(), false);
            let delivery = Delivery {
                follower: &rays,
                all: starts.seeds() * directions,
                attempts_per_seed: directions,
                select: self.options.select,
                advice: "more seeds, more rays of each or a shorter minimum length",
                seeds: starts.plan().seeds(),
                seed_of: &|number| starts.seed_of(number),
                device_name: String::new(),
                control,
            };
            let tracks = delivery.deliver(outputs)?;
            let drift = *rays.drift.lock().unwrap_or_else(PoisonError::into_inner);
            let rays = Some(RayFigures { drift, targets: Vec::new() });
            // The description of the device is made after tracking, because the CPU replaces GPUs that fail.
            Ok(SampleTracks { device_name: self.device_name(), rays, ..tracks })
        })
    }
}

impl TrackSummary {
    /// Checks whether at least one ray started.
    ///
    /// # Errors
    /// Returns an error if every seed is outside the image, outside the mask, or in too low anisotropy.
    #[doc(hidden)]
    pub fn require_rays(&self) -> Result<()> {
        if self.seeds == self.rejected.seed_outside {
            let problem = "no seed is inside the image and the mask and has a sufficient FA";
            return Err(Error::invalid("seed mask", problem, "check seeds, ‘mask’ and ‘fa_cutoff’"));
        }
        Ok(())
    }
}
