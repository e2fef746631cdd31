//! What a run of any source gives: the outputs that are asked for, and what it came to.

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

/// What a run shall give beside its summary.
#[derive(Default)]
pub struct SampleOutputs<'a> {
    /// Where visits are counted: a lattice, and how points of the orientations' space get there.
    pub map: Option<(Grid, Option<Arc<Mapping>>)>,
    /// Whether lengths of ways are summed, too.
    pub lengths: bool,
    /// Takes the accepted streamlines, in the order of their numbers.
    pub sink: Option<&'a mut dyn StreamlineSink>,
    /// Takes them in any order, and where GPUs follow them, there; with [`sink`](Self::sink) or
    /// `select` in their order and on the host, too.
    pub device_sink: Option<&'a mut dyn DeviceStreamlineSink>,
    /// Follow a part of all streamlines, by their numbers: each is what it is in the whole, and what all parts of it come to
    /// ([`SampleTracks::add`]) is what the whole does.
    pub part: Option<Range<u64>>,
}

/// What a run came to.
#[derive(Debug, Clone, PartialEq)]
pub struct SampleTracks {
    /// What became of the streamlines.
    pub summary: TrackSummary,
    /// Where they passed, if that was asked for.
    pub map: Option<VisitMap>,
    /// Of each target: how many accepted streamlines of each seed pass it. Seeds are those of [`Seeds`], in order.
    pub target_hits: Vec<Vec<u32>>,
    /// What followed them, in words.
    pub followed_by: String,
}

/// Follows streamlines through one field, by one set of options.
pub trait Tracker {
    /// How many streamlines a run from these seeds follows: their numbers are those below.
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
    /// How many seeds there are, and which of them a streamline is of.
    pub(crate) seeds: usize,
    pub(crate) seed_of: &'a (dyn Fn(u64) -> usize + Sync),
    /// What followed, in words.
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

/// All that take the same streamlines.
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
