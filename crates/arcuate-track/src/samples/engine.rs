//! Chooses GPUs or the CPU for tracking through orientation samples, and continues on the CPU if a GPU fails.

use super::counts::{Counted, Counters};
use super::cuda::{OnGpus, Placed};
use super::field::Followers;
use super::purpose::RequestedOutputs;
use crate::driver::{Batch, Follow};
use crate::gpus::fall_back_to_cpu;
use crate::summary::TrackSummary;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_core::{Control, Result};
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Tracks streamlines on GPUs. After a GPU failure, it tracks on the CPU.
pub(super) struct Engine<'a> {
    field: &'a Followers<'a>,
    counters: Option<&'a Counters>,
    control: &'a Control,
    state: Mutex<State<'a>>,
    /// Number of streamlines that are tracked per call. It is large enough to keep all devices busy.
    pub(super) chunk: u64,
    /// Name of the device that tracks.
    pub(super) device_name: String,
    /// Number of the first streamline.
    first: u64,
}

/// State that is shared by all threads.
struct State<'a> {
    /// GPUs; `None` after a failure.
    gpus: Option<OnGpus<'a>>,
    /// All accepted streamlines with numbers below this one have been counted.
    counted: u64,
}

/// Number of streamlines that the CPU tracks per call.
const CHUNK: u64 = 1 << 16;
/// Number of streamlines that each GPU tracks per call.
const CHUNK_OF_GPU: u64 = 1 << 26;
/// Maximum number of streamlines that are tracked per call if they are delivered in order.
const MAX_STREAMLINES_IN_ORDER: u64 = 1 << 18;

impl<'a> Engine<'a> {
    /// Creates an engine that uses the GPUs which hold the orientations. If there are no such GPUs, it uses
    /// the CPU.
    pub(super) fn new(
        field: &'a Followers<'a>,
        placed: Option<&'a [Placed]>,
        purpose: &RequestedOutputs<'a>,
        control: &'a Control,
    ) -> Result<Self> {
        // Anatomical constraints and weighted seeds are only available on the CPU.
        let walk = &field.walk;
        let on_processor = walk.region_grids.anatomy.is_some() || walk.starting_points.needs_cpu();
        let placed = placed.filter(|_| !on_processor);
        let gpus = match placed.map(|placed| OnGpus::new(field, placed, purpose, control)) {
            Some(Err(error)) => {
                fall_back_to_cpu(error, control)?;
                None
            }
            made => made.transpose()?,
        };
        let device_name = gpus.as_ref().map_or_else(|| "the processor".to_owned(), OnGpus::describe);
        let chunk = gpus.as_ref().map_or(CHUNK, |gpus| CHUNK_OF_GPU * gpus.len() as u64);
        Ok(Self {
            field,
            counters: purpose.counters,
            control,
            state: Mutex::new(State { gpus, counted: purpose.first }),
            chunk,
            device_name,
            first: purpose.first,
        })
    }

    /// Tracks the next streamlines and counts the accepted ones.
    pub(super) fn count(&self, numbers: Range<u64>) -> Result<TrackSummary> {
        self.on_device(
            |gpus| gpus.count(numbers.clone()),
            || self.field.walk.count(numbers.clone(), self.counters, self.control),
            Some(numbers.end),
        )
    }

    /// Tracks streamlines and gives the accepted ones to a sink in GPU memory. `of` is the number of all
    /// streamlines of the run, for progress reports. Returns `None` if there is no GPU. Also returns `None`
    /// if a GPU fails; then all results are discarded.
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
            let chunk = working.begin(sink)?.map_or(self.chunk, |maximum| maximum.min(self.chunk));
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
                fall_back_to_cpu(error, self.control)?;
                state.gpus = None;
                sink.forget();
                Ok(None)
            }
        }
    }

    /// Returns the visit counts of the GPUs, if GPUs have counted. The GPUs keep their memory for the next
    /// call.
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

    /// Runs a task on the GPUs, or on the CPU if a GPU fails. After a failure, the counts of the GPUs are
    /// lost, so the CPU counts all earlier streamlines again. If the task counts streamlines, `counts` is the
    /// number below which all accepted streamlines are then counted.
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
                Err(error) => fall_back_to_cpu(error, self.control)?,
                done => {
                    state.counted = counts.unwrap_or(state.counted);
                    return done;
                }
            }
            state.gpus = None;
            lost = state.counted;
        }
        state.counted = counts.unwrap_or(state.counted);
        // The lock is released, because threads that wait for it may be needed by the task below.
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

    fn maximum(&self) -> u64 {
        self.field.walk.most_of((self.chunk / 4).min(MAX_STREAMLINES_IN_ORDER))
    }

    /// Counts accepted streamlines.
    fn accepted(&self, numbers: &[u64], end: u64) -> Result<()> {
        let Some(counters) = self.counters else { return Ok(()) };
        self.on_device(
            |gpus| gpus.count_these(numbers),
            || self.field.walk.count_these(numbers, counters, self.control),
            Some(end),
        )
    }
}
