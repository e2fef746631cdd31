//! Streamlines through any field of directions, on the processor.

mod anatomical;
mod beginnings;
mod chunks;
mod options;
mod reach;
mod streamline;
mod trail;

pub(crate) use beginnings::Beginnings;
pub(crate) use chunks::InOrder;
pub(crate) use options::Limits;
pub use options::{WalkOptions, WalkRule};
pub(crate) use streamline::Walk;
pub(crate) use trail::{Trail, Visit};

use crate::constraints::{Constraints, Lattices};
use crate::direction_field::DirectionField;
use crate::driver::{Follow, Run};
use crate::options::warn_of_lengths;
use crate::outputs::{Delivery, SampleOutputs, SampleTracks};
use crate::seeds::Seeds;
use crate::space::Ways;
use crate::summary::TrackSummary;
use arcuate_core::{Control, Result, StreamlineSink};

/// Follows streamlines through a field, each in both directions from its seed, and hands them to `sink` in batches, in the
/// order of their seeds, in RAS mm: from the far end of the first half to the far end of the second; a half that is rejected is
/// left out.
///
/// The result depends on the field, the seeds, the constraints and the options alone, bit for bit, not on the number of
/// threads. `control` is told how much is done and of how much: accepted streamlines with [`WalkOptions::select`], tried
/// seeds without. Once it is cancelled the sink gets nothing more.
///
/// Fails on options that make no sense, on empty regions, on conditions that nothing can meet, on seeds none of which the field
/// holds, where the sink does, and where `control` ends it.
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

/// Gets ready to follow streamlines, after all that may be refused is, and has them followed.
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
    let ways = Ways::default();
    let beginnings = Beginnings::new(seeds, field.grid(), &ways)?;
    let lattices = Lattices::new(field.grid(), options.step_mm, constraints, None, &ways)?;
    let walk = Walk::new(field, &beginnings, &lattices, options)?;
    walk.check_seeds()?;
    walk.check_regions(constraints)?;
    follow(&walk)
}

/// Follows streamlines in the order of their seeds, by whoever does it, and gives what is asked for.
pub(crate) fn deliver<F: DirectionField>(
    walk: &Walk<'_, F>,
    follower: &dyn Follow,
    followed_by: &str,
    select: Option<u64>,
    outputs: SampleOutputs<'_>,
    control: &Control,
) -> Result<SampleTracks> {
    let delivery = Delivery {
        follower,
        all: walk.beginnings.count,
        select,
        advice: ADVICE,
        seeds: walk.beginnings.centres.len(),
        seed_of: &|number| walk.seed_of(number),
        followed_by: followed_by.to_owned(),
        control,
    };
    delivery.deliver(outputs)
}

/// What would give more streamlines.
const ADVICE: &str = "more seeds or fewer conditions";

/// Hands streamlines over in the order of their seeds, as they are followed by whoever does it.
pub(crate) fn in_order<F>(
    walk: &Walk<'_, F>,
    follower: &dyn Follow,
    options: &WalkOptions,
    sink: &mut dyn StreamlineSink,
    control: &Control,
) -> Result<TrackSummary> {
    let (tries, advice) = (walk.beginnings.count, ADVICE);
    let run = Run {
        tries: 0..tries,
        all: tries,
        of_each_seed: 1,
        select: options.select,
        control,
        advice,
        hits: None,
    };
    run.in_order(follower, Some(sink))
}
