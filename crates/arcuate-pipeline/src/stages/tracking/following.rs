//! Follows streamlines and passes them to the receivers of the results.

use super::receiver::{Receiver, Sink};
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
    /// Voxel grid of the map of the number of streamlines in each voxel, and the mapping from the space of
    /// the streamlines to the space of the map. `None` if this map is not computed.
    pub(super) map: Option<(Grid, Option<Arc<Mapping>>)>,
    pub(super) lengths: bool,
    pub(super) control: Control,
}

/// Several receivers of the same streamlines, which are in the memory of the host and not of a GPU.
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

    /// Follows all streamlines. If `part` is given, follows only the streamlines whose numbers are in this
    /// range.
    pub(super) fn run(
        &self,
        receivers: &mut [Option<Box<dyn Receiver + '_>>],
        part: Option<Range<u64>>,
    ) -> Result<SampleTracks> {
        let (mut on_host, mut on_devices) = (OnHost::default(), Vec::new());
        for receiver in receivers.iter_mut().flatten() {
            match receiver.sink() {
                Sink::Host(sink) => on_host.0.push(sink),
                // If all receivers can use streamlines in GPU memory, the streamlines are not copied to the
                // host.
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
