//! Follows streamlines and passes them to the products.

use super::taker::{Sink, Taker};
use arcuate_compute::DeviceStreamlineSink;
use arcuate_core::{Control, Grid, Result, StreamlineBatch, StreamlineSink};
use arcuate_track::{Constraints, Mapping, SampleOutputs, SampleTracks, Seeds, Tracker};
use std::ops::Range;
use std::sync::Arc;

/// Tracker, seeds and constraints of a run.
pub(super) struct Following<'a> {
    pub(super) tracker: Box<dyn Tracker + 'a>,
    pub(super) seeds: &'a Seeds,
    pub(super) constraints: &'a Constraints,
    /// Grid of the visit map, and the mapping to its space.
    pub(super) map: Option<(Grid, Option<Arc<Mapping>>)>,
    pub(super) lengths: bool,
    pub(super) control: Control,
}

/// Several sinks on the host that receive the same streamlines.
#[derive(Default)]
struct OnHost<'a>(Vec<&'a mut dyn StreamlineSink>);

impl StreamlineSink for OnHost<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.0.iter_mut().try_for_each(|sink| sink.take(batch))
    }
}

impl Following<'_> {
    /// Returns the number of streamlines to follow.
    pub(super) fn count(&self) -> Result<u64> {
        self.tracker.count(self.seeds)
    }

    /// Follows all streamlines, or those with numbers in the range `part`.
    pub(super) fn run(
        &self,
        takers: &mut [Option<Box<dyn Taker + '_>>],
        part: Option<Range<u64>>,
    ) -> Result<SampleTracks> {
        let (mut on_host, mut on_devices) = (OnHost::default(), Vec::new());
        for taker in takers.iter_mut().flatten() {
            match taker.sink() {
                Sink::Host(sink) => on_host.0.push(sink),
                // If no product keeps streamlines, they do not need to leave the GPU.
                Sink::Device(sink) => on_devices.push(sink),
            }
        }
        let mut devices = on_devices.into_iter();
        let mut both;
        let device_sink: Option<&mut dyn DeviceStreamlineSink> = match (devices.next(), devices.next()) {
            (Some(one), Some(other)) => {
                both = (one, other);
                Some(&mut both)
            }
            (one, _) => one,
        };
        let sink = (!on_host.0.is_empty()).then_some(&mut on_host as &mut dyn StreamlineSink);
        let outputs = SampleOutputs { map: self.map.clone(), lengths: self.lengths, sink, device_sink, part };
        self.tracker.track(self.seeds, self.constraints, outputs, &self.control)
    }
}
