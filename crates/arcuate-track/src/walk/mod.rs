//! Tracking of streamlines through any direction field, on the CPU.

mod anatomical;
mod chunks;
mod options;
mod reach;
mod starting_points;
mod streamline;
mod trail;

pub(crate) use chunks::InOrder;
pub(crate) use options::Limits;
pub use options::{WalkOptions, WalkRule};
pub(crate) use starting_points::StartingPoints;
pub(crate) use streamline::Walk;
pub(crate) use trail::{Trail, Visit};

use crate::constraints::{Constraints, RegionGrids};
use crate::direction_field::DirectionField;
use crate::driver::{Follow, Run};
use crate::options::warn_of_lengths;
use crate::outputs::{Delivery, SampleOutputs, SampleTracks};
use crate::seeds::Seeds;
use crate::space::DisplacementCache;
use crate::summary::TrackSummary;
use arcuate_core::{Control, Result, StreamlineSink};

/// Tracks streamlines through a direction field, in both directions from each seed.
///
/// The streamlines go to `sink` in batches, in the order of their seeds, in RAS mm. The points of a
/// streamline run from the far end of its first half through the seed to the far end of its second half. A
/// half that is rejected is removed.
///
/// The result depends only on the field, the seeds, the constraints and the options. It is bit-identical for
/// any number of threads. `control` receives the progress. If [`WalkOptions::select`] is set, the progress is
/// the number of accepted streamlines. If not, it is the number of seeds. After cancellation, `sink` gets no
/// more streamlines.
///
/// # Errors
/// Returns an error if options are invalid, if a region is empty, or if no streamline can meet the constraints.
/// Also returns an error if no seed is in the field, if the sink fails, or if `control` cancels the run.
pub fn track<F: DirectionField>(
    field: &F,
    seeds: &Seeds,
    constraints: &Constraints,
    options: &WalkOptions,
    sink: &mut dyn StreamlineSink,
    control: &Control,
) -> Result<TrackSummary> {
    with_walk(field, seeds, constraints, options, control, |walk| {
        in_order(walk, &InOrder { walk, control }, options, sink, control)
    })
}

/// Checks all inputs of a run, prepares tracking, and calls `follow`.
pub(crate) fn with_walk<F: DirectionField, R>(
    field: &F,
    seeds: &Seeds,
    constraints: &Constraints,
    options: &WalkOptions,
    control: &Control,
    follow: impl FnOnce(&Walk<'_, F>) -> Result<R>,
) -> Result<R> {
    options.check_on(field.grid())?;
    let WalkOptions { step_mm, min_length_mm, max_length_mm, .. } = *options;
    warn_of_lengths(Some(step_mm), min_length_mm, max_length_mm, field.grid(), control);
    let displacements = DisplacementCache::default();
    let starting_points = StartingPoints::new(seeds, field.grid(), &displacements)?;
    let region_grids = RegionGrids::new(field.grid(), options.step_mm, constraints, None, &displacements)?;
    let walk = Walk::new(field, &starting_points, &region_grids, options)?;
    walk.check_seeds()?;
    walk.check_regions(constraints)?;
    follow(&walk)
}

/// Tracks streamlines with `follower` in the order of their seeds and returns the requested outputs.
pub(crate) fn deliver<F: DirectionField>(
    walk: &Walk<'_, F>,
    follower: &dyn Follow,
    device_name: &str,
    select: Option<u64>,
    outputs: SampleOutputs<'_>,
    control: &Control,
) -> Result<SampleTracks> {
    let delivery = Delivery {
        follower,
        all: walk.starting_points.count,
        attempts_per_seed: 1,
        select,
        advice: ADVICE,
        seeds: walk.starting_points.centres.len(),
        seed_of: &|number| walk.seed_of(number),
        device_name: device_name.to_owned(),
        control,
    };
    delivery.deliver(outputs)
}

/// Advice in the warning that a run has too few accepted streamlines.
const ADVICE: &str = "more seeds or fewer conditions";

/// Tracks streamlines with `follower` and passes them on in the order of their seeds.
pub(crate) fn in_order<F>(
    walk: &Walk<'_, F>,
    follower: &dyn Follow,
    options: &WalkOptions,
    sink: &mut dyn StreamlineSink,
    control: &Control,
) -> Result<TrackSummary> {
    let (attempts, advice) = (walk.starting_points.count, ADVICE);
    let run = Run {
        attempts: 0..attempts,
        all: attempts,
        attempts_per_seed: 1,
        select: options.select,
        control,
        advice,
        hits: None,
    };
    run.in_order(follower, Some(sink))
}
