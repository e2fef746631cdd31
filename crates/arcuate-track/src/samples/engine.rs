//! Who follows the streamlines: the processor or GPUs, and what is done where a GPU fails.

use super::counts::Counters;
use super::cpu::Batch;
use super::cuda::{OnGpus, Placed};
use super::summary::SampleSummary;
use super::walk::Field;
use arcuate_compute::{DeviceVisitSink, fallback_is_allowed};
use arcuate_core::{Error, ErrorKind, Result};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Follows streamlines, on GPUs as long as these do it.
pub(super) struct Engine<'a> {
    field: &'a Field<'a>,
    counters: Option<&'a Counters>,
    gpus: Mutex<Option<OnGpus<'a>>>,
    /// Streamlines of a call: enough that all who work are busy.
    pub(super) lot: u64,
    /// Who follows, in words.
    pub(super) followed_by: String,
}

/// Streamlines of a call.
const LOT: u64 = 1 << 16;
const LOT_OF_GPU: u64 = 1 << 26;

/// What streamlines are followed for.
#[derive(Clone, Copy)]
pub(super) struct Purpose<'a> {
    /// Where accepted ones are counted, if anything is.
    pub(super) counters: Option<&'a Counters>,
    /// Whether they will be given away in GPUs.
    pub(super) gathers: bool,
    /// How many a GPU follows at a time at most.
    pub(super) in_flight: Option<u32>,
}

impl<'a> Engine<'a> {
    /// On the GPUs in which the orientations are, if any.
    pub(super) fn new(
        field: &'a Field<'a>,
        placed: Option<&'a [Placed]>,
        purpose: &Purpose<'a>,
    ) -> Result<Self> {
        let gpus = match placed.map(|placed| OnGpus::new(field, placed, purpose)) {
            Some(Err(error)) => {
                retreat(error)?;
                None
            }
            made => made.transpose()?,
        };
        let followed_by = gpus.as_ref().map_or_else(|| "the processor".to_owned(), OnGpus::describe);
        let lot = if gpus.is_some() { LOT_OF_GPU } else { LOT };
        Ok(Self { field, counters: purpose.counters, gpus: Mutex::new(gpus), lot, followed_by })
    }

    /// Follows streamlines, and counts those that are accepted.
    pub(super) fn count(&self, numbers: Range<u64>) -> Result<SampleSummary> {
        self.follow(
            numbers.start,
            |gpus| gpus.count(numbers.clone()),
            || self.field.count(numbers.clone(), self.counters),
        )
    }

    /// Follows all streamlines and gives the accepted ones to a sink, in GPUs; nothing where there are none, or where one
    /// fails: all is forgotten then.
    pub(super) fn give(
        &self,
        seeds: u64,
        sink: &mut dyn DeviceVisitSink,
        progress: &(dyn Fn(u64, u64) + Sync),
    ) -> Result<Option<SampleSummary>> {
        let mut gpus = self.gpus.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(working) = &*gpus else { return Ok(None) };
        let mut all = || {
            let mut summary = SampleSummary::default();
            while summary.seeds < seeds {
                let end = seeds.min(summary.seeds + self.lot);
                summary.merge(&working.give(summary.seeds..end, sink)?);
                progress(summary.seeds, seeds);
            }
            sink.collect()?;
            Ok(summary)
        };
        match all() {
            Ok(summary) => Ok(Some(summary)),
            Err(error) => {
                retreat(error)?;
                *gpus = None;
                sink.forget();
                Ok(None)
            }
        }
    }

    /// Follows streamlines in their order, with or without their points.
    pub(super) fn batches(&self, numbers: Range<u64>, points: bool, counted: u64) -> Result<Vec<Batch>> {
        self.follow(
            counted,
            |gpus| gpus.batches(numbers.clone(), points),
            || self.field.batches(numbers.clone(), points),
        )
    }

    /// Counts streamlines that are known to be accepted, all from number `counted` on; those before have been.
    pub(super) fn count_these(&self, numbers: &[u64], counted: u64) -> Result<()> {
        let Some(counters) = self.counters else { return Ok(()) };
        self.follow(counted, |gpus| gpus.count_these(numbers), || self.field.count_these(numbers, counters))
    }

    /// Brings together what was counted, of the streamlines below `counted`.
    pub(super) fn finish(&self, counted: u64) -> Result<()> {
        let Some(counters) = self.counters else { return Ok(()) };
        self.follow(counted, |gpus| gpus.collect(counters), || ())
    }

    /// Work on GPUs, or where they fail at it, on the processor. What they have counted is then lost with them, so that the
    /// streamlines up to `counted` are counted again.
    fn follow<R>(
        &self,
        counted: u64,
        on_gpus: impl FnOnce(&OnGpus<'a>) -> Result<R>,
        on_processor: impl FnOnce() -> R,
    ) -> Result<R> {
        let mut gpus = self.gpus.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(working) = &*gpus {
            match on_gpus(working) {
                Err(error) => retreat(error)?,
                done => return done,
            }
            *gpus = None;
            if self.counters.is_some() {
                self.field.count(0..counted, self.counters);
            }
        }
        drop(gpus);
        Ok(on_processor())
    }
}

/// Says that the processor goes on, unless the error is not the device's or nothing may go on elsewhere.
pub(super) fn retreat(error: Error) -> Result<()> {
    let of_device =
        matches!(error.kind(), ErrorKind::Device | ErrorKind::DeviceMemory | ErrorKind::DeviceTooSmall);
    if !of_device || !fallback_is_allowed() {
        return Err(error);
    }
    tracing::warn!("tracking: the GPU cannot do it ({}); doing it on the CPU", error.problem());
    Ok(())
}
