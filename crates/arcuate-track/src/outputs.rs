//! The requested outputs and the result of a tracking run, for any source.

use crate::constraints::Constraints;
use crate::driver::{Follow, Run, TargetHits};
use crate::samples::counts::{Counters, VisitMap};
use crate::seeds::Seeds;
use crate::space::Mapping;
use crate::summary::TrackSummary;
use crate::visits::PointVisits;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_core::{Control, Error, Grid, Result, StreamlineBatch, StreamlineSink};
use std::ops::Range;
use std::sync::Arc;

/// The outputs of a run in addition to its summary.
#[derive(Default)]
pub struct SampleOutputs<'a> {
    /// The grid on which visits are counted, and the mapping from the space of the orientations to it.
    pub map: Option<(Grid, Option<Arc<Mapping>>)>,
    /// Sums the lengths of the paths in each voxel.
    pub lengths: bool,
    /// Takes the accepted streamlines, in the order of their numbers.
    pub sink: Option<&'a mut dyn StreamlineSink>,
    /// Takes them in any order, and where GPUs follow them, there; with [`sink`](Self::sink) or
    /// `select` in their order and on the host, too.
    pub device_sink: Option<&'a mut dyn DeviceStreamlineSink>,
    /// Tracks only the streamlines with these numbers. Each has the bits that it has in the whole run. The sum of all parts
    /// ([`SampleTracks::add`]) equals the whole run.
    pub part: Option<Range<u64>>,
}

/// The result of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleTracks {
    /// Counts of accepted, rejected and terminated streamlines.
    pub summary: TrackSummary,
    /// The visit map, if it was requested.
    pub map: Option<VisitMap>,
    /// The number of accepted streamlines per seed that pass a target, for each target. Seeds have the order of [`Seeds`].
    pub target_hits: Vec<Vec<u32>>,
    /// The device that tracked them, as text.
    pub followed_by: String,
}

/// Follows streamlines through one field, by one set of options.
pub trait Tracker {
    /// Returns the number of streamlines of a run from these seeds. Streamlines are numbered from 0.
    ///
    /// # Errors
    /// If the seeds are not possible.
    fn count(&self, seeds: &Seeds) -> Result<u64>;

    /// Follows streamlines from the seeds, and gives what `outputs` ask for.
    ///
    /// # Errors
    /// If options, seeds or constraints are not possible, if a sink fails, and if `control` ends the run.
    fn track(
        &self,
        seeds: &Seeds,
        constraints: &Constraints,
        outputs: SampleOutputs<'_>,
        control: &Control,
    ) -> Result<SampleTracks>;
}

/// The streamlines of a part of a run, by their numbers: all of them without a part.
///
/// # Errors
/// If the part is not one of `all`, and if streamlines are counted until `select` are accepted, which is known of the whole alone.
pub(crate) fn streamlines_of(part: Option<Range<u64>>, all: u64, select: Option<u64>) -> Result<Range<u64>> {
    let tries = part.unwrap_or(0..all);
    if tries.start > tries.end || tries.end > all || (select.is_some() && tries != (0..all)) {
        let problem = format!("streamlines {} to {} are no part of {all}", tries.start, tries.end);
        return Err(Error::usage(
            "part",
            problem,
            "give one, and no number of accepted streamlines to stop at",
        ));
    }
    Ok(tries)
}

/// A run whose streamlines come with their points, in the order of their seeds: all that is counted is counted from these.
pub(crate) struct Delivery<'a> {
    pub(crate) follower: &'a dyn Follow,
    /// Streamlines of the whole run.
    pub(crate) all: u64,
    pub(crate) select: Option<u64>,
    pub(crate) advice: &'static str,
    /// The number of seeds, and a function from a streamline's number to its seed.
    pub(crate) seeds: usize,
    pub(crate) seed_of: &'a (dyn Fn(u64) -> usize + Sync),
    /// The device that tracks, as text.
    pub(crate) followed_by: String,
    pub(crate) control: &'a Control,
}

impl Delivery<'_> {
    /// Follows the streamlines, and gives what is asked for.
    pub(crate) fn deliver(self, outputs: SampleOutputs<'_>) -> Result<SampleTracks> {
        let SampleOutputs { map, lengths, sink, device_sink, part } = outputs;
        let Self { follower, all, select, advice, seeds, seed_of, followed_by, control } = self;
        let tries = streamlines_of(part, all, select)?;
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
        let run = Run { tries, all, of_each_seed: 1, select, control, advice, hits: hits.as_ref() };
        let summary = run.in_order(follower, has_sinks.then_some(&mut sinks as &mut dyn StreamlineSink))?;
        let map = visits.map(PointVisits::finish);
        Ok(SampleTracks {
            summary,
            map,
            target_hits: hits.map_or_else(Vec::new, TargetHits::finish),
            followed_by,
        })
    }
}

/// The consumers of the same streamlines.
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
