//! Tests that connections are counted correctly on the host and on GPUs. The counter handles one streamline
//! after the other. Its result must be the connectome that keeps the regions of every streamline.

use arcuate_compute::cuda::{Gpu, Gpus};
use arcuate_compute::{DeviceStreamlineSink, StreamlineBatchOnGpu, StreamlineSpan};
use arcuate_connect::{
    Assignment, ConnectionCounter, ConnectomeOptions, LabelConnectome, between_and_within, connectome,
};
use arcuate_core::{
    Affine, ConnectivityMatrix, Grid, Labels, Measure, Point, StreamlineBatch, StreamlineSink, Tractogram,
};
use std::collections::BTreeMap;

/// Creates labels in oblique voxels. One voxel in six belongs to one of five scattered regions.
fn labels() -> Labels {
    let rows = [[-1.9, 0.3, 0.2, 9.0], [0.25, 1.8, -0.5, -6.0], [0.15, 0.45, 2.4, -8.0]];
    let grid = Grid::new([11, 10, 9], Affine::from_rows(rows).unwrap()).unwrap();
    let values = (0..grid.len() as u32).map(|n| {
        let hash = n.wrapping_mul(2_654_435_761) >> 16;
        if hash % 6 == 0 { [3, 7, 8, 12, 40][hash as usize / 6 % 5] } else { 0 }
    });
    Labels::new(grid, values.collect(), BTreeMap::new()).unwrap()
}

/// Creates crooked streamlines inside the image and beyond it. Some have no length, and some have no points.
fn streamlines(labels: &Labels) -> Tractogram {
    let mut all = Tractogram::new();
    let fraction = |n: u32, prime: f64| (f64::from(n) * prime).fract();
    for n in 0..20_000_u32 {
        let points = [0, 1, 2, 3, 17, 40][n as usize % 6];
        let at = |point: u32| {
            let k = 41 * n + point;
            let voxel = [
                fraction(k, 0.754_877_666) * 15.0 - 2.5,
                fraction(k, 0.569_840_296) * 14.0 - 2.5,
                fraction(k, 0.379_128_937) * 13.0 - 2.5,
            ];
            labels.grid().affine().apply(voxel).map(|c| c as f32)
        };
        all.push(&(0..points).map(at).collect::<Vec<Point>>());
    }
    all.push(&[[f32::NAN; 3], [0.0; 3]]);
    // The last streamline stays in the centre of a voxel, whose neighbours on both sides have equal
    // distances.
    let centre = labels.grid().centre(500).map(|c| c as f32);
    all.push(&[centre, centre]);
    all
}

/// Options of the test. In the last ones, only connected pairs of regions have sums, on the host and on GPUs.
/// In the ones before, this applies to GPUs only.
fn options() -> [ConnectomeOptions; 5] {
    let radial = ConnectomeOptions::default();
    [
        radial.clone(),
        ConnectomeOptions { search_radius_mm: 1.4, regions: Some(vec![3, 5, 8, 12]), ..radial.clone() },
        ConnectomeOptions { assignment: Assignment::EndVoxel, ..radial.clone() },
        // Five regions have 15 pairs in any order, which need 360 bytes. They have 25 ordered pairs, which
        // need 400 bytes on GPUs.
        ConnectomeOptions { most_dense_bytes: 399, ..radial.clone() },
        ConnectomeOptions { most_dense_bytes: 0, ..radial },
    ]
}

/// Checks that two connectomes agree, except for rounding of lengths to 2⁻¹⁶ mm.
fn assert_agrees(counted: &ConnectivityMatrix, kept: &LabelConnectome) {
    let (between, within) = between_and_within(&kept.matrix);
    assert!(between > 30 && within > 0, "{between} and {within} are too few to compare");
    assert_eq!(between_and_within(counted), (between, within));
    let assigned = kept.assignments.iter().flatten();
    assert_eq!(assigned.clone().count() as u64, between + within);
    assert_eq!(assigned.filter(|(a, b)| a == b).count() as u64, within);
    assert_eq!(counted.rows(), kept.matrix.rows());
    assert_eq!(counted.pattern(), kept.matrix.pattern());
    assert_eq!(counted.values(&Measure::Count), kept.matrix.values(&Measure::Count));
    let lengths = |matrix: &ConnectivityMatrix| matrix.values(&Measure::MeanLength).unwrap().to_vec();
    let furthest = lengths(counted).into_iter().zip(lengths(&kept.matrix)).map(|(a, b)| (a - b).abs());
    assert!(furthest.fold(0.0, f64::max) <= 0.5 / 65536.0 + 1e-9);
}

#[test]
fn counts_and_lengths_agree_with_the_connectome() {
    let labels = labels();
    let streamlines = streamlines(&labels);
    for options in options() {
        let kept = connectome(&streamlines, &labels, None, &options).unwrap();
        let mut counter = ConnectionCounter::new(&labels, &options).unwrap();
        counter.take(streamlines.as_batch().part(0..1001)).unwrap();
        counter.take(streamlines.as_batch().part(1001..streamlines.len())).unwrap();
        assert_eq!(counter.streamlines(), streamlines.len() as u64);
        let counted = counter.finish().unwrap();
        assert_agrees(&counted, &kept);

        // The streamlines are counted again in reverse order, one at a time.
        let mut counter = ConnectionCounter::new(&labels, &options).unwrap();
        for n in (0..streamlines.len()).rev() {
            counter.take(streamlines.as_batch().part(n..n + 1)).unwrap();
        }
        assert_eq!(counter.finish().unwrap(), counted);
    }
}

/// Passes streamlines to the counter as tracking on a GPU creates them. They are in another order, and unused
/// points are between them.
fn give(gpu: &Gpu, batch: StreamlineBatch<'_>, counter: &mut ConnectionCounter<'_>) {
    let (mut spans, mut positions) = (Vec::new(), vec![f32::NAN; 5 * 3]);
    for number in (0..batch.len()).rev() {
        let points = batch.streamline(number);
        let begin = positions.len() as u64 / 3;
        spans.push(StreamlineSpan { begin, number: number as u64, points: points.len() as u32, seed: 0 });
        positions.extend(points.iter().flatten());
        positions.extend([f32::NAN; 3]);
    }
    let stream = gpu.stream().unwrap();
    let (spans, positions) = (gpu.upload(&stream, &spans).unwrap(), gpu.upload(&stream, &positions).unwrap());
    let numbers = 0..batch.len() as u64;
    let (spans_there, positions_there) = (spans.view(), positions.view());
    let there =
        StreamlineBatchOnGpu { stream: &stream, spans: spans_there, numbers, positions: positions_there };
    counter.take_on_gpu(there).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn gpu_counts_agree_with_the_cpu() {
    if !arcuate_emulation::available("gpu_counts_agree_with_the_cpu") {
        return;
    }
    let labels = labels();
    let streamlines = streamlines(&labels);
    let all = streamlines.as_batch();
    for ordinals in [&[0][..], &[0, 1]] {
        // Continues only if there is a second GPU.
        let Ok(gpus) = Gpus::open(ordinals) else { continue };
        for options in options() {
            let mut expected = ConnectionCounter::new(&labels, &options).unwrap();
            expected.take(all).unwrap();
            let mut counter = ConnectionCounter::new(&labels, &options).unwrap();
            // Streamlines before a call of `forget` must not be counted.
            give(gpus.first(), all.part(0..700), &mut counter);
            counter.take(all.part(0..10)).unwrap();
            counter.forget();
            // Some streamlines are counted on the host, the others on GPUs.
            counter.take(all.part(0..50)).unwrap();
            let share = (all.len() - 50).div_ceil(gpus.len());
            for (n, gpu) in gpus.iter().enumerate() {
                let begin = 50 + n * share;
                give(gpu, all.part(begin..all.len().min(begin + share)), &mut counter);
            }
            counter.collect().unwrap();
            assert_eq!(counter.streamlines(), expected.streamlines());
            assert_eq!(counter.finish().unwrap(), expected.finish().unwrap());
        }
    }
}
