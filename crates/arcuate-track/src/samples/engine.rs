//! Who follows the streamlines: the processor or GPUs, and what is done where a GPU fails.

use super::counts::{Counted, Counters};
use super::cuda::{OnGpus, Placed};
use super::field::Followers;
use super::purpose::Purpose;
use crate::driver::{Batch, Follow};
use crate::gpus::retreat;
use crate::summary::TrackSummary;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_core::{Control, Result};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Follows streamlines, on GPUs as long as these do it.
pub(super) struct Engine<'a> {
    field: &'a Followers<'a>,
    counters: Option<&'a Counters>,
    control: &'a Control,
    state: Mutex<State<'a>>,
    /// Streamlines of a call: enough that all who work are busy.
    pub(super) chunk: u64,
    /// Who follows, in words.
    pub(super) followed_by: String,
    /// Number of the first streamline.
    first: u64,
}

/// What threads that follow share.
struct State<'a> {
    /// As long as they do it.
    gpus: Option<OnGpus<'a>>,
    /// The accepted ones of the streamlines below this number have been counted.
    counted: u64,
}

/// Streamlines of a call.
const CHUNK: u64 = 1 << 16;
const CHUNK_OF_GPU: u64 = 1 << 26;
/// Streamlines of a chunk that are handed over in their order.
const MOST_IN_ORDER: u64 = 1 << 18;

impl<'a> Engine<'a> {
    /// On the GPUs in which the orientations are, if any.
    pub(super) fn new(
        field: &'a Followers<'a>,
        placed: Option<&'a [Placed]>,
        purpose: &Purpose<'a>,
        control: &'a Control,
    ) -> Result<Self> {
        // Tissues, and seeds that are drawn by weights, are the processor's.
        let walk = &field.walk;
        let on_processor = walk.lattices.anatomy.is_some() || walk.beginnings.of_the_processor();
        let placed = placed.filter(|_| !on_processor);
        let gpus = match placed.map(|placed| OnGpus::new(field, placed, purpose, control)) {
            Some(Err(error)) => {
                retreat(error, control)?;
                None
            }
            made => made.transpose()?,
        };
        let followed_by = gpus.as_ref().map_or_else(|| "the processor".to_owned(), OnGpus::describe);
        let chunk = gpus.as_ref().map_or(CHUNK, |gpus| CHUNK_OF_GPU * gpus.len() as u64);
        Ok(Self {
            field,
            counters: purpose.counters,
            control,
            state: Mutex::new(State { gpus, counted: purpose.first }),
            chunk,
            followed_by,
            first: purpose.first,
        })
    }

    /// Follows streamlines, the next ones, and counts those that are accepted.
    pub(super) fn count(&self, numbers: Range<u64>) -> Result<TrackSummary> {
        self.on_device(
            |gpus| gpus.count(numbers.clone()),
            || self.field.walk.count(numbers.clone(), self.counters, self.control),
            Some(numbers.end),
        )
    }

    /// Follows these of `of` streamlines and gives the accepted ones to a sink, in GPUs; nothing where there are none, or where one
    /// fails: all is forgotten then.
    pub(super) fn give(
        &self,
        numbers: Range<u64>,
        of: u64,
        sink: &mut dyn DeviceStreamlineSink,
    ) -> Result<Option<TrackSummary>> {
        let mut state = self.lock();
        let Some(working) = &state.gpus else { return Ok(None) };
        let mut all = || {
            let (mut summary, mut begin) = (TrackSummary::default(), numbers.start);
            let chunk = working.begin(sink)?.map_or(self.chunk, |most| most.min(self.chunk));
            while begin < numbers.end {
                let end = numbers.end.min(begin.saturating_add(chunk));
                summary.merge(&working.give(begin..end, sink)?);
                sink.done_below(end)?;
                begin = end;
                self.control.progress(begin, of)?;
            }
            sink.collect()?;
            Ok(summary)
        };
        match all() {
            Ok(summary) => {
                state.counted = numbers.end;
                Ok(Some(summary))
            }
            Err(error) => {
                retreat(error, self.control)?;
                state.gpus = None;
                sink.forget();
                Ok(None)
            }
        }
    }

    /// What was counted, where GPUs have counted. They keep what the next call may use.
    pub(super) fn finish(self) -> Result<Option<Counted>> {
        let counted = match self.counters {
            Some(_) => self.on_device(OnGpus::collect, || Ok(None), None)?,
            None => None,
        };
        if let Some(gpus) = self.lock().gpus.take() {
            gpus.leave();
        }
        Ok(counted)
    }

    /// Work on GPUs, or where they fail at it, on the processor. What they have counted is then lost with them, so that it is
    /// counted again. `counts` says that the work counts all that are accepted below this number.
    fn on_device<R>(
        &self,
        on_gpus: impl FnOnce(&OnGpus<'a>) -> Result<R>,
        on_processor: impl FnOnce() -> Result<R>,
        counts: Option<u64>,
    ) -> Result<R> {
        let mut state = self.lock();
        let mut lost = self.first;
        if let Some(gpus) = &state.gpus {
            match on_gpus(gpus) {
                Err(error) => retreat(error, self.control)?,
                done => {
                    state.counted = counts.unwrap_or(state.counted);
                    return done;
                }
            }
            state.gpus = None;
            lost = state.counted;
        }
        state.counted = counts.unwrap_or(state.counted);
        // Threads that wait here may be those that the work below needs.
        drop(state);
        if self.counters.is_some() {
            self.field.walk.count(self.first..lost, self.counters, self.control)?;
        }
        on_processor()
    }

    fn lock(&self) -> MutexGuard<'_, State<'a>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Follow for Engine<'_> {
    fn follow(&self, numbers: Range<u64>, points: bool) -> Result<Vec<Batch>> {
        self.on_device(
            |gpus| gpus.batches(numbers.clone(), points),
            || self.field.walk.batches(numbers.clone(), points, self.control),
            None,
        )
    }

    fn most(&self) -> u64 {
        self.field.walk.most_of((self.chunk / 4).min(MOST_IN_ORDER))
    }

    /// Counts them.
    fn accepted(&self, numbers: &[u64], end: u64) -> Result<()> {
        let Some(counters) = self.counters else { return Ok(()) };
        self.on_device(
            |gpus| gpus.count_these(numbers),
            || self.field.walk.count_these(numbers, counters, self.control),
            Some(end),
        )
    }
}
