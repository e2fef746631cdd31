//! The run of every kind of tracking: seeds in blocks, streamlines out in the order of their seeds.

use crate::summary::{Outcome, TrackSummary};
use arcuate_core::{
    Columns, Control, Error, Point, Result, SeedOf, StreamlineBatch, StreamlineSink, threads,
};
use rayon::prelude::*;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

/// What consecutive tries came to: an outcome each, and the accepted streamlines in the same order, as far as their points
/// were wanted.
///
/// A streamline runs from the far end of its first half through the seed to the far end of the second.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Number of the first try.
    pub(crate) first: u64,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) offsets: Vec<u64>,
    pub(crate) positions: Vec<Point>,
    /// Of each accepted streamline the targets that it passes, as bits in so many words as [`Follow::target_bits`] says.
    pub(crate) targets: Vec<u64>,
    /// What is known of points and streamlines beside.
    pub(crate) per_point: Columns,
    pub(crate) per_streamline: Columns,
}

/// What follows a range of tries. A try is a seed, or one of several directions of a seed.
pub(crate) trait Follow: Sync {
    /// Follows tries in their order, with or without their points. The cut into ranges must change nothing.
    fn follow(&self, tries: Range<u64>, points: bool) -> Result<Vec<Batch>>;

    /// How many tries at a time, at most: their outcomes and points lie in memory meanwhile, and those of the range before
    /// them.
    fn most(&self) -> u64;

    /// The bit of each target in the batches' targets, and words of a streamline; none where batches have none.
    fn target_bits(&self) -> (&[usize], usize) {
        (&[], 0)
    }

    /// Told which tries of those below the number `end` were accepted and count; those of a batch each time.
    fn accepted(&self, _tries: &[u64], _end: u64) -> Result<()> {
        Ok(())
    }
}

/// Tries that a thread follows at a time, whose number changes nothing but speed; of tensors, of which several are followed side
/// by side, enough that the lanes which run out of them before the last streamline ends are few.
pub(crate) const CHUNK: u64 = 512;

/// Tries in chunks of so many, which threads take.
pub(crate) fn chunks(tries: Range<u64>, size: u64) -> impl IndexedParallelIterator<Item = Range<u64>> {
    let count = (tries.end - tries.start).div_ceil(size) as usize;
    (0..count).into_par_iter().map(move |n| {
        let begin = tries.start + n as u64 * size;
        begin..tries.end.min(begin + size)
    })
}

/// A run that hands streamlines over in the order of their tries.
pub(crate) struct Run<'a> {
    /// Those that are followed.
    pub(crate) tries: Range<u64>,
    /// How many there are, of which these may be a part.
    pub(crate) all: u64,
    /// Tries of each seed.
    pub(crate) of_each_seed: u64,
    /// Stop at so many accepted streamlines.
    pub(crate) select: Option<u64>,
    /// Told how much is done and of how much: accepted streamlines with `select`, tries without. Hears warnings, and ends the
    /// run.
    pub(crate) control: &'a Control,
    /// What would give more streamlines.
    pub(crate) advice: &'static str,
    /// Where the targets that streamlines of each seed pass are counted, if they are.
    pub(crate) hits: Option<&'a TargetHits<'a>>,
}

/// Of each seed and target, how many accepted streamlines of the seed pass the target.
pub(crate) struct TargetHits<'a> {
    seed_of: &'a (dyn Fn(u64) -> usize + Sync),
    targets: usize,
    counts: Mutex<Vec<u32>>,
}

impl<'a> TargetHits<'a> {
    /// Of so many seeds and targets; `seed_of` tells the seed of a try.
    pub(crate) fn new(
        seeds: usize,
        targets: usize,
        seed_of: &'a (dyn Fn(u64) -> usize + Sync),
    ) -> Result<Self> {
        let cells = seeds.checked_mul(targets).filter(|&cells| cells < 1 << 32).ok_or_else(|| {
            let problem = format!("{seeds} seeds by {targets} targets are too many to count");
            Error::usage("targets", problem, "give fewer seeds or targets")
        })?;
        Ok(Self { seed_of, targets, counts: Mutex::new(vec![0; cells]) })
    }

    fn add(&self, number: u64, targets: impl Iterator<Item = usize>) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let first = (self.seed_of)(number) * self.targets;
        targets.for_each(|target| counts[first + target] += 1);
    }

    /// Of each target the counts of all seeds.
    pub(crate) fn finish(self) -> Vec<Vec<u32>> {
        let counts = self.counts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let of_target = |target| counts.iter().skip(target).step_by(self.targets).copied().collect();
        (0..self.targets).map(of_target).collect()
    }
}

impl Run<'_> {
    /// Follows tries until enough are accepted, or there is none left. What is tried beyond the last one that counts, because
    /// it was under way, is thrown away.
    pub(crate) fn in_order(
        &self,
        follower: &dyn Follow,
        sink: Option<&mut dyn StreamlineSink>,
    ) -> Result<TrackSummary> {
        let points = sink.is_some();
        let targets = vec![0; follower.target_bits().0.len()];
        let summary = TrackSummary { targets, ..TrackSummary::default() };
        let mut emission = Emission { run: self, follower, sink, summary, next: self.tries.start };
        double_buffered(&mut emission, self.control, &|tries| follower.follow(tries, points))?;
        let summary = emission.summary;
        if let Some(wanted) = self.select.filter(|&wanted| summary.streamlines < wanted) {
            let (seeds, streamlines, advice) = (summary.seeds, summary.streamlines, self.advice);
            self.control.warn(&format!(
                "all {seeds} seeds gave {streamlines} of {wanted} streamlines; {advice} would give more"
            ));
        }
        Ok(summary)
    }
}

/// Hands batches over, in order, and counts.
struct Emission<'a, 's> {
    run: &'a Run<'a>,
    follower: &'a dyn Follow,
    sink: Option<&'s mut dyn StreamlineSink>,
    summary: TrackSummary,
    next: u64,
}

impl Emission<'_, '_> {
    fn hand_over(&mut self, batch: &Batch) -> Result<()> {
        let Run { select, of_each_seed, .. } = *self.run;
        let before = self.summary.streamlines;
        let (mut accepted, mut seeds) = (Vec::new(), Vec::new());
        for (number, outcome) in (batch.first..).zip(&batch.outcomes) {
            self.summary.add(outcome);
            if outcome.is_accepted() {
                accepted.push(number);
                seeds.push(SeedOf { number: number / of_each_seed, point: outcome.seed_point() });
            }
            if Some(self.summary.streamlines) == select {
                break;
            }
        }
        let (bits, words) = self.follower.target_bits();
        for (passed, &number) in batch.targets.chunks_exact(words.max(1)).zip(&accepted) {
            let passes = |bit: &usize| passed[bit / 64] >> (bit % 64) & 1 != 0;
            for (count, bit) in self.summary.targets.iter_mut().zip(bits) {
                *count += u64::from(passes(bit));
            }
            if let Some(hits) = self.run.hits {
                hits.add(number, (0..bits.len()).filter(|&target| passes(&bits[target])));
            }
        }
        if let Some(sink) = &mut self.sink
            && !seeds.is_empty()
        {
            let lines = StreamlineBatch::new(&batch.offsets, &batch.positions)
                .from_number(before)
                .with_per_point(&batch.per_point)
                .with_per_streamline(&batch.per_streamline)
                .part(0..seeds.len())
                .with_seeds(&seeds);
            sink.take(lines)?;
        }
        self.follower.accepted(&accepted, self.run.tries.start + self.summary.seeds)
    }
}

impl Take for Emission<'_, '_> {
    type Block = Vec<Batch>;

    /// As many as are still missing at the rate seen so far, and a few more.
    fn next(&mut self, under_way: u64) -> Range<u64> {
        let mut size = self.follower.most();
        if let Some(wanted) = self.run.select {
            let rate = (self.summary.streamlines as f64 + 1.0) / (self.summary.seeds as f64 + 1.0);
            let missing = (wanted - self.summary.streamlines) as f64 - under_way as f64 * rate;
            size = size.min((1.05 * missing.max(0.0) / rate) as u64 + CHUNK);
        }
        let begin = self.next;
        self.next += size.min(self.run.tries.end - begin);
        begin..self.next
    }

    fn take(&mut self, _: Range<u64>, block: Vec<Batch>) -> Result<bool> {
        let Run { all, select, control, .. } = *self.run;
        for batch in block {
            control.check()?;
            self.hand_over(&batch)?;
            match select {
                Some(wanted) => control.progress(self.summary.streamlines, wanted)?,
                None => control.progress(self.run.tries.start + self.summary.seeds, all)?,
            }
            if Some(self.summary.streamlines) == select {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Who takes what ranges came to, in their order.
pub(crate) trait Take {
    type Block: Send;

    /// The tries to follow next, of which so many are under way; none where all have been followed.
    fn next(&mut self, under_way: u64) -> Range<u64>;

    /// Takes what a range came to; answers whether that is enough.
    fn take(&mut self, tries: Range<u64>, block: Self::Block) -> Result<bool>;
}

/// Follows range after range: the next one while the one before is taken. None is begun once the work shall end.
pub(crate) fn double_buffered<T: Take>(
    taker: &mut T,
    control: &Control,
    follow: &(dyn Fn(Range<u64>) -> Result<T::Block> + Sync),
) -> Result<()> {
    let follow = |tries| {
        control.check()?;
        follow(tries)
    };
    let mut tries = taker.next(0);
    let mut ready = if tries.is_empty() { None } else { Some(follow(tries.clone())?) };
    while let Some(block) = ready.take() {
        let next = taker.next(tries.end - tries.start);
        let follow_next = || if next.is_empty() { Ok(None) } else { follow(next.clone()).map(Some) };
        let (taken, following) = beside(follow_next, || taker.take(tries, block));
        if taken? {
            break;
        }
        ready = following?;
        tries = next;
    }
    Ok(())
}

/// Work in another thread, and beside it in this one.
fn beside<A: Send, B>(other: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (B, A) {
    // Within a pool that somebody made for this, the work is its.
    if rayon::current_thread_index().is_some() {
        let mut there = None;
        let done = rayon::in_place_scope(|scope| {
            scope.spawn(|_| there = Some(other()));
            here()
        });
        return (done, there.unwrap_or_else(other));
    }
    // In a thread of its own, not one of the pool: who waits for GPUs must not keep the pool from the copies they wait for.
    let listener = tracing::dispatcher::get_default(Clone::clone);
    let in_thread = || tracing::dispatcher::with_default(&listener, &other);
    std::thread::scope(|scope| {
        let thread = threads::start_in(std::thread::Builder::new(), scope, in_thread);
        let done = here();
        let there = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // Where a thread cannot be had, the one follows the other.
            Err(_) => other(),
        };
        (done, there)
    })
}
