//! Runs the tracking of all seeds: tracks blocks of seeds in parallel, and passes the streamlines on in the
//! order of their seeds.

use crate::summary::{Outcome, TrackSummary};
use arcuate_core::{
    Columns, Control, Error, Point, Result, SeedOf, StreamlineBatch, StreamlineSink, threads,
};
use rayon::prelude::*;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};

/// Results of consecutive attempts (an attempt is a seed, or one of several starting directions of a seed).
/// There is one outcome per attempt. The accepted streamlines are in the order of the attempts, with their
/// points if points were requested.
///
/// The first point of a streamline is the far end of its first half. The points then run through the seed to
/// the far end of the second half.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    /// Number of the first attempt of the batch.
    pub(crate) first: u64,
    pub(crate) outcomes: Vec<Outcome>,
    pub(crate) offsets: Vec<u64>,
    pub(crate) positions: Vec<Point>,
    /// Targets passed by each accepted streamline, as a bit set. [`Follow::target_bits`] returns the number
    /// of 64-bit words per streamline.
    pub(crate) targets: Vec<u64>,
    /// Additional data of each streamline point.
    pub(crate) per_point: Columns,
    /// Additional data of each streamline.
    pub(crate) per_streamline: Columns,
}

/// Tracks ranges of attempts. An attempt is a seed, or one of several starting directions of a seed.
pub(crate) trait Follow: Sync {
    /// Tracks a range of attempts and returns their results in order. `points` is true if the points of the
    /// streamlines are needed. The division of a run into ranges must not change the results.
    fn follow(&self, attempts: Range<u64>, points: bool) -> Result<Vec<Batch>>;

    /// Returns the maximum number of attempts per call of [`follow`](Self::follow). The outcomes and points
    /// of two such ranges are in memory at the same time.
    fn maximum(&self) -> u64;

    /// Returns the bit of each target in [`Batch::targets`], and the number of 64-bit words per streamline.
    /// The list of bits is empty if batches contain no targets.
    fn target_bits(&self) -> (&[usize], usize) {
        (&[], 0)
    }

    /// This method is called after each batch, with the numbers of the accepted attempts in the batch that
    /// count for the run. All attempts with numbers below `end` have been processed.
    fn accepted(&self, _tries: &[u64], _end: u64) -> Result<()> {
        Ok(())
    }
}

/// Number of attempts that a thread tracks at a time (a chunk). The number affects only the speed. Tensor
/// tracking follows several streamlines in the lanes of SIMD registers. With large chunks, lanes are seldom
/// idle at the end of a chunk.
pub(crate) const CHUNK: u64 = 512;

/// Splits a range of attempts into chunks of `size` attempts for parallel processing.
pub(crate) fn chunks(attempts: Range<u64>, size: u64) -> impl IndexedParallelIterator<Item = Range<u64>> {
    let count = (attempts.end - attempts.start).div_ceil(size) as usize;
    (0..count).into_par_iter().map(move |n| {
        let begin = attempts.start + n as u64 * size;
        begin..attempts.end.min(begin + size)
    })
}

/// A tracking run that passes streamlines on in the order of their attempts.
pub(crate) struct Run<'a> {
    /// Range of attempts to track.
    pub(crate) attempts: Range<u64>,
    /// Number of attempts of the whole run. `attempts` can be a part of this run.
    pub(crate) all: u64,
    /// Number of attempts per seed.
    pub(crate) attempts_per_seed: u64,
    /// Number of accepted streamlines at which the run stops.
    pub(crate) select: Option<u64>,
    /// Receives progress and warnings, and can cancel the run. If `select` is set, progress is the number of
    /// accepted streamlines. If not, progress is the number of attempts.
    pub(crate) control: &'a Control,
    /// Advice in the warning that a run has too few accepted streamlines: what would give more streamlines.
    pub(crate) advice: &'static str,
    /// Counts the accepted streamlines of each seed that pass each target, if requested.
    pub(crate) hits: Option<&'a TargetHits<'a>>,
}

/// Number of accepted streamlines of each seed that pass each target.
pub(crate) struct TargetHits<'a> {
    seed_of: &'a (dyn Fn(u64) -> usize + Sync),
    targets: usize,
    counts: Mutex<Vec<u32>>,
}

impl<'a> TargetHits<'a> {
    /// Creates counts of 0 for all pairs of seeds and targets. `seed_of` returns the seed of an attempt.
    /// Returns an error if there are 2³² pairs or more.
    pub(crate) fn new(
        seeds: usize,
        targets: usize,
        seed_of: &'a (dyn Fn(u64) -> usize + Sync),
    ) -> Result<Self> {
        let cells = seeds.checked_mul(targets).filter(|&cells| cells < 1 << 32).ok_or_else(|| {
            let problem = format!(
                "the table with one count per seed and target cannot have {seeds} seeds times {targets} \
                 targets"
            );
            Error::usage("targets", problem, "give fewer seeds or targets")
        })?;
        Ok(Self { seed_of, targets, counts: Mutex::new(vec![0; cells]) })
    }

    fn add(&self, number: u64, targets: impl Iterator<Item = usize>) {
        let mut counts = self.counts.lock().unwrap_or_else(PoisonError::into_inner);
        let first = (self.seed_of)(number) * self.targets;
        targets.for_each(|target| counts[first + target] += 1);
    }

    /// Returns, for each target, the numbers of streamlines of all seeds.
    pub(crate) fn finish(self) -> Vec<Vec<u32>> {
        let counts = self.counts.into_inner().unwrap_or_else(PoisonError::into_inner);
        let of_target = |target| counts.iter().skip(target).step_by(self.targets).copied().collect();
        (0..self.targets).map(of_target).collect()
    }
}

impl Run<'_> {
    /// Tracks attempts until `select` streamlines are accepted or no attempt is left. When the last required
    /// streamline is accepted, later attempts may already have been tracked. Their results are discarded.
    pub(crate) fn in_order(
        &self,
        follower: &dyn Follow,
        sink: Option<&mut dyn StreamlineSink>,
    ) -> Result<TrackSummary> {
        let points = sink.is_some();
        let targets = vec![0; follower.target_bits().0.len()];
        let summary = TrackSummary { targets, ..TrackSummary::default() };
        let mut emission = Emission { run: self, follower, sink, summary, next: self.attempts.start };
        double_buffered(&mut emission, self.control, &|attempts| follower.follow(attempts, points))?;
        let summary = emission.summary;
        if let Some(requested) = self.select.filter(|&requested| summary.streamlines < requested) {
            let (seeds, streamlines, advice) = (summary.seeds, summary.streamlines, self.advice);
            self.control.warn(&format!(
                "all {seeds} seeds gave {streamlines} of {requested} streamlines; {advice} would give more"
            ));
        }
        Ok(summary)
    }
}

/// Passes batches on in the order of their attempts, and counts the outcomes of the attempts.
struct Emission<'a, 's> {
    run: &'a Run<'a>,
    follower: &'a dyn Follow,
    sink: Option<&'s mut dyn StreamlineSink>,
    summary: TrackSummary,
    next: u64,
}

impl Emission<'_, '_> {
    fn hand_over(&mut self, batch: &Batch) -> Result<()> {
        let Run { select, attempts_per_seed, .. } = *self.run;
        let before = self.summary.streamlines;
        let (mut accepted, mut seeds) = (Vec::new(), Vec::new());
        for (number, outcome) in (batch.first..).zip(&batch.outcomes) {
            self.summary.add(outcome);
            if outcome.is_accepted() {
                accepted.push(number);
                seeds.push(SeedOf { number: number / attempts_per_seed, point: outcome.seed_point() });
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
        self.follower.accepted(&accepted, self.run.attempts.start + self.summary.seeds)
    }
}

impl RangeConsumer for Emission<'_, '_> {
    type Block = Vec<Batch>;

    /// Returns the next range of attempts. If `select` is set, the size of the range is the number of missing
    /// streamlines divided by the acceptance rate so far, plus a margin.
    fn next(&mut self, under_way: u64) -> Range<u64> {
        let mut size = self.follower.maximum();
        if let Some(requested) = self.run.select {
            let rate = (self.summary.streamlines as f64 + 1.0) / (self.summary.seeds as f64 + 1.0);
            let missing = (requested - self.summary.streamlines) as f64 - under_way as f64 * rate;
            size = size.min((1.05 * missing.max(0.0) / rate) as u64 + CHUNK);
        }
        let begin = self.next;
        self.next += size.min(self.run.attempts.end - begin);
        begin..self.next
    }

    fn take(&mut self, _: Range<u64>, block: Vec<Batch>) -> Result<bool> {
        let Run { all, select, control, .. } = *self.run;
        for batch in block {
            control.check()?;
            self.hand_over(&batch)?;
            match select {
                Some(requested) => control.progress(self.summary.streamlines, requested)?,
                None => control.progress(self.run.attempts.start + self.summary.seeds, all)?,
            }
            if Some(self.summary.streamlines) == select {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Consumer of the results of ranges of attempts, in the order of the ranges.
pub(crate) trait RangeConsumer {
    type Block: Send;

    /// Returns the next range of attempts to track. The range is empty if no attempt is left. `under_way` is
    /// the number of attempts that are being tracked.
    fn next(&mut self, under_way: u64) -> Range<u64>;

    /// Consumes the results of a range of attempts. Returns true if no further range is needed.
    fn take(&mut self, attempts: Range<u64>, block: Self::Block) -> Result<bool>;
}

/// Tracks one range of attempts after the other. The next range is tracked while the consumer processes the
/// results of the previous range. No range is started after the run has been cancelled.
pub(crate) fn double_buffered<T: RangeConsumer>(
    taker: &mut T,
    control: &Control,
    follow: &(dyn Fn(Range<u64>) -> Result<T::Block> + Sync),
) -> Result<()> {
    let follow = |attempts| {
        control.check()?;
        follow(attempts)
    };
    let mut attempts = taker.next(0);
    let mut ready = if attempts.is_empty() { None } else { Some(follow(attempts.clone())?) };
    while let Some(block) = ready.take() {
        let next = taker.next(attempts.end - attempts.start);
        let follow_next = || if next.is_empty() { Ok(None) } else { follow(next.clone()).map(Some) };
        let (taken, following) = run_both(follow_next, || taker.take(attempts, block));
        if taken? {
            break;
        }
        ready = following?;
        attempts = next;
    }
    Ok(())
}

/// Runs `other` in another thread and `here` in this thread, and returns both results.
fn run_both<A: Send, B>(other: impl Fn() -> A + Sync, here: impl FnOnce() -> B) -> (B, A) {
    // If the caller runs in a rayon thread pool, this pool runs `other`.
    if rayon::current_thread_index().is_some() {
        let mut there = None;
        let done = rayon::in_place_scope(|scope| {
            scope.spawn(|_| there = Some(other()));
            here()
        });
        return (done, there.unwrap_or_else(other));
    }
    // `other` runs in a separate thread, not in the pool, because it may wait for GPUs. A waiting pool thread
    // would block the copies from those GPUs, which need the pool.
    let listener = tracing::dispatcher::get_default(Clone::clone);
    let in_thread = || tracing::dispatcher::with_default(&listener, &other);
    std::thread::scope(|scope| {
        let thread = threads::start_in(std::thread::Builder::new(), scope, in_thread);
        let done = here();
        let there = match thread {
            Ok(thread) => thread.join().unwrap_or_else(|panic| resume_unwind(panic)),
            // If no thread can be started, `other` runs after `here`.
            Err(_) => other(),
        };
        (done, there)
    })
}
