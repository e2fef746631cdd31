//! Streamlines that stay on the device that tracked them: each is delivered once, in any order.

use crate::common::kept::Kept;
use crate::common::samples::{follow, from_points};
use crate::samples::independence::{all_options, regions, seeds, table};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Control, Point, Tractogram};
use arcuate_track::{
    Constraints, OrientationTable, SampleOptions, SampleOutputs, SampleTracks, track_samples,
};

fn gpus(count: usize, memory_cap: Option<u64>) -> Option<Device> {
    let ordinals: Vec<usize> = (0..count).collect();
    Gpus::open(&ordinals).ok().map(|gpus| Device::Cuda(gpus.with_memory_cap(memory_cap)))
}

fn give(
    table: &OrientationTable,
    regions: &Constraints,
    options: &SampleOptions,
    device: &Device,
    kept: &mut Kept,
) -> SampleTracks {
    let map = Some((*table.grid(), None));
    let outputs = SampleOutputs { map, lengths: true, device_sink: Some(kept), ..SampleOutputs::default() };
    track_samples(table, &seeds(table, 30), regions, options, outputs, device, &Control::default()).unwrap()
}

fn assert_same(found: &Tractogram, expected: &Tractogram, which: &str) {
    let bits = |t: &Tractogram| -> Vec<u32> { t.positions().iter().flatten().map(|c| c.to_bits()).collect() };
    assert_eq!(found.len(), expected.len(), "{which}");
    assert!(
        found.offsets() == expected.offsets() && bits(found) == bits(expected),
        "{which}: other streamlines"
    );
}

fn assert_same_counts(found: &SampleTracks, expected: &SampleTracks, which: &str) {
    assert_eq!(found.summary, expected.summary, "{which}");
    assert!(found.map == expected.map && found.target_hits == expected.target_hits, "{which}: other counts");
}

#[test]
fn gpus_deliver_accepted_streamlines() {
    if !arcuate_emulation::available("gpus_deliver_accepted_streamlines") {
        return;
    }
    let table = table();
    let regions = regions(&table);
    let mut most_batches = 0;
    let ways = [regions.clone(), Constraints { one_way: true, ..regions }, Constraints::default()];
    for (n, options) in all_options().into_iter().enumerate() {
        // There are few points per lane, so few lanes need little memory.
        let options = SampleOptions { max_steps: 120, ..options };
        for (m, regions) in ways.iter().enumerate() {
            let (expected, tracks) = follow(&table, &seeds(&table, 30), regions, &options, &Device::Cpu);
            // This memory is enough for few lanes, so there are several batches.
            let little = Some(table.bytes() + (3 << 20));
            for (which, device, minimum) in
                [("one", gpus(1, None), 1), ("little memory", gpus(1, little), 1), ("two", gpus(2, None), 2)]
            {
                let Some(device) = device else { continue };
                let which = format!("options {n}, regions {m}, {which}");
                let mut kept = Kept::default();
                let found = give(&table, regions, &options, &device, &mut kept);
                assert_same_counts(&found, &tracks, &which);
                assert_same(&kept.streamlines(), &expected, &which);
                assert!(kept.collected && kept.on_host.is_empty(), "{which}");
                assert!(kept.batches >= minimum, "{which}: {} batches", kept.batches);
                most_batches = most_batches.max(kept.batches);
                // The seed is a point of the streamline.
                let inside = |(points, seed): &(Vec<Point>, u32)| (*seed as usize) < points.len();
                assert!(kept.on_gpus.values().all(inside), "{which}");
            }
        }
    }
    assert!(most_batches > 2, "all fitted at once");
}

#[test]
fn streamlines_report_their_seed() {
    if !arcuate_emulation::available("streamlines_report_their_seed") {
        return;
    }
    let table = table();
    let (grid, regions) = (*table.grid(), regions(&table));
    let points: Vec<[f64; 3]> =
        (0..9).map(|n| grid.affine().apply([10.0 + f64::from(n), 14.0, 11.0])).collect();
    let mut kept = Kept::default();
    let outputs = SampleOutputs { device_sink: Some(&mut kept), ..SampleOutputs::default() };
    let device = gpus(1, None).unwrap();
    let (seeds, options) = (from_points(&points, 40), all_options()[0].clone());
    track_samples(&table, &seeds, &regions, &options, outputs, &device, &Control::default()).unwrap();
    assert!(kept.on_gpus.len() > 50, "{} are few", kept.on_gpus.len());
    let mut ends = [0; 3];
    for (number, (own, seed)) in &kept.on_gpus {
        let (begin, seed) = (points[*number as usize / 40], *seed as usize);
        let away = (0..3).map(|axis| (begin[axis] - f64::from(own[seed][axis])).abs()).fold(0.0, f64::max);
        // The tolerance is the rounding error of positions in voxels and in mm.
        assert!(away < 1e-4, "{number}: {away}");
        ends[if seed == 0 {
            0
        } else if seed + 1 == own.len() {
            1
        } else {
            2
        }] += 1;
    }
    // There are streamlines of the first half, of the second half, and of both halves.
    assert!(ends.iter().all(|&count| count > 0), "{ends:?}");
}

#[test]
fn the_host_delivers_streamlines_in_order() {
    let table = table();
    let regions = regions(&table);
    let options = all_options()[0].clone();
    let (expected, tracks) = follow(&table, &seeds(&table, 30), &regions, &options, &Device::Cpu);
    let mut kept = Kept::default();
    assert_same_counts(&give(&table, &regions, &options, &Device::Cpu, &mut kept), &tracks, "host");
    assert_same(&kept.on_host, &expected, "host");
    assert!(kept.on_gpus.is_empty());

    // There is another sink, and the number of streamlines is limited.
    let select = tracks.summary.streamlines / 3;
    let options = SampleOptions { select: Some(select), ..options };
    let (mut kept, mut other) = (Kept::default(), Tractogram::new());
    let outputs =
        SampleOutputs { sink: Some(&mut other), device_sink: Some(&mut kept), ..SampleOutputs::default() };
    track_samples(&table, &seeds(&table, 30), &regions, &options, outputs, &Device::Cpu, &Control::default())
        .unwrap();
    assert_eq!(kept.on_host.len() as u64, select);
    assert_same(&kept.on_host, &other, "both");
}
