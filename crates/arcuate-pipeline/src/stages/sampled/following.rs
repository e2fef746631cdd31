//! Streamlines on their way to those who take them.

use crate::matrix_counter::MatrixCounter;
use arcuate_compute::DeviceStreamlineSink;
use arcuate_connect::ConnectionCounter;
use arcuate_core::{Control, Grid, Result, StreamlineLengths, StreamlineSink};
use arcuate_io::TractogramWriter;
use arcuate_track::{Constraints, Mapping, SampleOptions, SampleOutputs, SampleTracker, SampleTracks, Seeds};
use std::ops::Range;
use std::sync::Arc;

/// What streamlines are followed through, and by which rules.
pub(super) struct Following<'a> {
    pub(super) tracker: SampleTracker<'a>,
    pub(super) seeds: &'a Seeds,
    pub(super) constraints: &'a Constraints,
    pub(super) options: &'a SampleOptions,
    /// Where visits are counted.
    pub(super) map: Option<(Grid, Option<Arc<Mapping>>)>,
    pub(super) lengths: bool,
    pub(super) control: Control,
}

/// Who takes them.
pub(super) struct Takers<'a, 'b, 'c> {
    pub(super) writer: Option<(&'a mut TractogramWriter, &'a mut StreamlineLengths)>,
    pub(super) met: Option<&'a mut MatrixCounter<'b>>,
    pub(super) counter: Option<&'a mut ConnectionCounter<'c>>,
}

impl Takers<'_, '_, '_> {
    /// Nobody.
    pub(super) fn none() -> Self {
        Self { writer: None, met: None, counter: None }
    }
}

impl Following<'_> {
    /// Follows all streamlines, or a part of them by their numbers.
    pub(super) fn run(&self, takers: Takers<'_, '_, '_>, part: Option<Range<u64>>) -> Result<SampleTracks> {
        let Takers { writer, met, counter } = takers;
        let mut measured = writer;
        let writer = measured.as_mut().map(|both| both as &mut dyn StreamlineSink);
        let counter = counter.map(|counter| counter as &mut dyn DeviceStreamlineSink);
        let (mut both, mut both_on_gpus);
        let (sink, device_sink) = match (writer, met) {
            (Some(writer), Some(met)) => {
                both = (writer, met);
                (Some(&mut both as &mut dyn StreamlineSink), counter)
            }
            (None, Some(met)) if !met.has_kernel() => (Some(met as &mut dyn StreamlineSink), counter),
            // Where no streamline is kept, none need leave the GPU that follows it.
            (None, Some(met)) => match (met.on_gpus(), counter) {
                (Some(met), Some(counter)) => {
                    both_on_gpus = (met, counter);
                    (None, Some(&mut both_on_gpus as &mut dyn DeviceStreamlineSink))
                }
                (met, counter) => (None, met.or(counter)),
            },
            (writer, None) => (writer, counter),
        };
        let outputs = SampleOutputs { map: self.map.clone(), lengths: self.lengths, sink, device_sink, part };
        let Self { tracker, seeds, constraints, options, control, .. } = self;
        tracker.track(seeds, constraints, options, outputs, control)
    }
}
