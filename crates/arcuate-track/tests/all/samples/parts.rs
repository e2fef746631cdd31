//! The parts of a run add up to the whole run.

use crate::samples::independence::{all_options, regions, seeds, table};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Control, ErrorKind, Tractogram};
use arcuate_track::{SampleOptions, SampleOutputs, SampleTracker, SampleTracks};
use std::ops::Range;

/// Tracks a part of a run. Returns its results, and its streamlines if they are requested.
fn follow(device: &Device, part: Option<Range<u64>>, with_points: bool) -> (SampleTracks, Tractogram) {
    let table = table();
    let (regions, options) = (regions(&table), all_options().remove(0));
    let mut streamlines = Tractogram::new();
    let sink = with_points.then_some(&mut streamlines as &mut dyn arcuate_core::StreamlineSink);
    let map = Some((*table.grid(), None));
    let outputs = SampleOutputs { map, lengths: true, sink, part, ..SampleOutputs::default() };
    let tracker = SampleTracker::new(&table, device).unwrap();
    let tracks = tracker.track(&seeds(&table, 30), &regions, &options, outputs, &Control::default()).unwrap();
    (tracks, streamlines)
}

fn parts_are_the_whole_on(device: &Device) {
    for with_points in [false, true] {
        let (whole, streamlines) = follow(device, None, with_points);
        let all = whole.summary.seeds;
        assert!(whole.summary.streamlines > 10 && all > 700, "{all}");
        let ends = [0, 0, 1, 517, all - 1, all];
        let (mut sum, mut joined) = follow(device, Some(0..0), with_points);
        assert_eq!(sum.summary.seeds, 0);
        for ends in ends.windows(2) {
            let (part, lines) = follow(device, Some(ends[0]..ends[1]), with_points);
            assert_eq!(part.summary.seeds, ends[1] - ends[0]);
            // This is equivalent to an interruption between parts.
            sum = sum.from_bytes(&sum.to_bytes()).unwrap();
            sum.add(&part);
            lines.iter().for_each(|line| joined.push(line));
        }
        assert_eq!(sum, whole, "with points: {with_points}");
        assert!(joined.positions() == streamlines.positions() && joined.offsets() == streamlines.offsets());
    }
}

#[test]
fn parts_add_up_to_the_whole() {
    parts_are_the_whole_on(&Device::Cpu);
    // Invalid parts are rejected, and so are parts of a run that stops at a number of streamlines.
    let table = table();
    let tracker = SampleTracker::new(&table, &Device::Cpu).unwrap();
    let refused = |part: Range<u64>, select| {
        let options = SampleOptions { select, ..all_options().remove(0) };
        let outputs = SampleOutputs { part: Some(part), ..SampleOutputs::default() };
        let tracked =
            tracker.track(&seeds(&table, 30), &regions(&table), &options, outputs, &Control::default());
        tracked.is_err_and(|error| error.kind() == ErrorKind::Usage)
    };
    let all = follow(&Device::Cpu, None, false).0.summary.seeds;
    assert!(refused(0..all + 1, None) && refused(0..all - 1, Some(3)));
    #[expect(clippy::reversed_empty_ranges, reason = "it is what is refused")]
    let backwards = 7..3;
    assert!(refused(backwards, None) && !refused(3..7, None));
}

#[test]
fn parts_add_up_to_the_whole_on_a_gpu() {
    if !arcuate_emulation::available("parts_add_up_to_the_whole_on_a_gpu") {
        return;
    }
    let device = Device::Cuda(Gpus::open(&[0]).unwrap());
    parts_are_the_whole_on(&device);
    let [(mut on_gpu, _), (on_processor, _)] =
        [&device, &Device::Cpu].map(|device| follow(device, Some(3..700), false));
    on_gpu.device_name.clone_from(&on_processor.device_name);
    assert_eq!(on_gpu, on_processor);
}
