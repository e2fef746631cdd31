//! Requested outputs and results of a tracking run, for all kinds of tracking.

use crate::constraints::Constraints;
use crate::driver::{Follow, Run, TargetHits};
use crate::ray_figures::RayFigures;
use crate::samples::counts::{Counters, VisitMap};
use crate::seeds::Seeds;
use crate::space::Mapping;
use crate::summary::TrackSummary;
use crate::visits::PointVisits;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_core::{Control, Error, Grid, Result, StreamlineBatch, StreamlineSink, StreamlineSource};
use std::ops::Range;
use std::sync::Arc;

/// Outputs of a run in addition to its summary.
#[derive(Default)]
pub struct SampleOutputs<'a> {
    /// Grid on which the visits of streamlines are counted, and the mapping from the space of the tracked
    /// image to the space of this grid.
    pub map: Option<(Grid, Option<Arc<Mapping>>)>,
    /// True to also sum the path lengths from the seed to each voxel.
    pub lengths: bool,
    /// Sink for the accepted streamlines, in the order of their numbers.
    pub sink: Option<&'a mut dyn StreamlineSink>,
    /// Sink for the accepted streamlines, in any order. Streamlines that a GPU tracks are delivered in GPU
    /// memory. If [`sink`](Self::sink) or `select` is set, streamlines are delivered in order and in host
    /// memory.
    pub device_sink: Option<&'a mut dyn DeviceStreamlineSink>,
    /// Range of streamline numbers to track. Each streamline is bit-identical to the same streamline of the
    /// whole run. The sum of the results of all ranges ([`SampleTracks::add`]) equals the result of the whole
    /// run.
    pub part: Option<Range<u64>>,
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleTracks {
    /// Counts of accepted, rejected and terminated streamlines.
    pub summary: TrackSummary,
    /// Visit map, if it was requested.
    pub map: Option<VisitMap>,
    /// Number of accepted streamlines of each seed that pass a target, for each target. Seeds are in the
    /// order of [`Seeds`].
    pub target_hits: Vec<Vec<u32>>,
    /// Name of the device that tracked the streamlines.
    pub device_name: String,
    /// Figures of geodesic rays; `None` for other kinds of tracking.
    pub rays: Option<RayFigures>,
}

/// Tracks streamlines through one field with one set of options.
pub trait Tracker {
    /// Returns the number of streamlines of a run from these seeds. Streamlines are numbered from 0.
    ///
    /// # Errors
    /// Returns an error if the seeds are invalid.
    fn count(&self, seeds: &Seeds) -> Result<u64>;

    /// Tracks streamlines from the seeds and returns the requested outputs.
    ///
    /// # Errors
    /// Returns an error if options, seeds or constraints are invalid, if a sink fails, or if `control`
    /// cancels the run.
    fn track(
        &self,
        seeds: &Seeds,
        constraints: &Constraints,
        outputs: SampleOutputs<'_>,
        control: &Control,
    ) -> Result<SampleTracks>;
}

/// Returns the range of streamline numbers to track: `part`, or all streamlines if `part` is `None`.
///
/// # Errors
/// Returns an error if the part is not within `all`. Also returns an error for a part if `select` is set,
/// because the number of accepted streamlines is only known for the whole run.
pub(crate) fn streamlines_of(part: Option<Range<u64>>, all: u64, select: Option<u64>) -> Result<Range<u64>> {
    let attempts = part.unwrap_or(0..all);
    if attempts.start > attempts.end || attempts.end > all || (select.is_some() && attempts != (0..all)) {
        let problem = format!(
            "the streamlines {} to {} cannot be tracked as a part of {all} streamlines",
            attempts.start, attempts.end
        );
        return Err(Error::usage(
            "part",
            problem,
            "give either a part within these streamlines, or a number of accepted streamlines, but not both",
        ));
    }
    Ok(attempts)
}

/// A run that delivers streamlines with their points, in the order of their seeds. The visits of voxels and
/// the passed targets are counted from these points.
pub(crate) struct Delivery<'a> {
    pub(crate) follower: &'a dyn Follow,
    /// Number of streamlines of the whole run.
    pub(crate) all: u64,
    /// Number of streamlines per seed.
    pub(crate) attempts_per_seed: u64,
    pub(crate) select: Option<u64>,
    pub(crate) advice: &'static str,
    /// Number of seeds.
    pub(crate) seeds: usize,
    /// Function that returns the seed of a streamline, given by its number.
    pub(crate) seed_of: &'a (dyn Fn(u64) -> usize + Sync),
    /// Name of the device that tracks the streamlines.
    pub(crate) device_name: String,
    pub(crate) control: &'a Control,
}

impl Delivery<'_> {
    /// Tracks the streamlines and returns the requested outputs.
    pub(crate) fn deliver(self, outputs: SampleOutputs<'_>) -> Result<SampleTracks> {
        let SampleOutputs { map, lengths, sink, device_sink, part } = outputs;
        let Self { follower, all, attempts_per_seed, select, advice, seeds, seed_of, device_name, control } =
            self;
        let attempts = streamlines_of(part, all, select)?;
        let targets = follower.target_bits().0.len();
        if map.is_some() || targets > 0 {
            Counters::check(select.unwrap_or(all))?;
        }
        let hits = if targets > 0 { Some(TargetHits::new(seeds, targets, seed_of)?) } else { None };
        let mut visits = match map {
            Some((grid, mapping)) => Some(PointVisits::new(&grid, mapping, lengths)?),
            None => None,
        };
        let has_sinks = sink.is_some() || device_sink.is_some() || visits.is_some();
        let mut sinks = Sinks { sink, device_sink, visits: visits.as_mut() };
        let run = Run { attempts, all, attempts_per_seed, select, control, advice, hits: hits.as_ref() };
        let summary = run.in_order(follower, has_sinks.then_some(&mut sinks as &mut dyn StreamlineSink))?;
        let map = visits.map(PointVisits::finish);
        Ok(SampleTracks {
            summary,
            map,
            target_hits: hits.map_or_else(Vec::new, TargetHits::finish),
            device_name,
            rays: None,
        })
    }
}

/// Delivers the streamlines of a finished run, which begin at their seeds. Returns the map of the voxels that
/// they visit.
pub(crate) fn deliver_all(
    streamlines: &dyn StreamlineSource,
    outputs: SampleOutputs<'_>,
) -> Result<Option<VisitMap>> {
    let SampleOutputs { map, lengths, sink, device_sink, .. } = outputs;
    let mut visits = match map {
        Some((grid, mapping)) => Some(PointVisits::new(&grid, mapping, lengths)?),
        None => None,
    };
    streamlines.stream(&mut Sinks { sink, device_sink, visits: visits.as_mut() })?;
    Ok(visits.map(PointVisits::finish))
}

/// Consumers of the same streamlines.
struct Sinks<'a, 'b> {
    sink: Option<&'a mut dyn StreamlineSink>,
    device_sink: Option<&'a mut dyn DeviceStreamlineSink>,
    visits: Option<&'b mut PointVisits>,
}

impl StreamlineSink for Sinks<'_, '_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if let Some(visits) = &mut self.visits {
            visits.take(batch)?;
        }
        if let Some(sink) = &mut self.sink {
            sink.take(batch)?;
        }
        self.device_sink.as_mut().map_or(Ok(()), |sink| sink.take(batch))
    }
}
