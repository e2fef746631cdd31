//! FOD tracking on GPUs gives the same arcs as the CPU, bit-identical and in the same order.

use crate::common::fod::{Problem, bits, crossing, gpu, oblique, tangled};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Affine, Cancel, Control, ErrorKind, Grid, Mapping, Mask, Tractogram, Volume};
use arcuate_track::{
    AtMaxLength, Constraints, FodImage, FodMethod, FodOptions, Jitter, Region, Seeds, track_fod,
};
use std::sync::Arc;

#[test]
fn gpu_streamlines_are_bit_identical() {
    if !arcuate_emulation::available("gpu_streamlines_are_bit_identical") {
        return;
    }
    let plain = Problem::new().options;
    let (mut too_long, mut longest) = (0, 0);
    for (degree, options) in [
        (8, plain.clone()),
        (4, FodOptions { step_mm: Some(0.7), min_amplitude: 0.05, ..plain.clone() }),
        (8, FodOptions { max_angle_degrees: Some(60.0), seed_amplitude: Some(0.4), ..plain.clone() }),
        // Steps are longer than half a voxel and leave the voxels in the shared memory of a warp. Many
        // streamlines are too long, and many halves have the maximum length.
        (
            4,
            FodOptions {
                step_mm: Some(2.5),
                max_angle_degrees: Some(20.0),
                max_length_mm: 18.0,
                at_max_length: AtMaxLength::Discard,
                ..plain.clone()
            },
        ),
        // Many halves find no initial direction. In some streamlines, only one half finds one.
        (8, FodOptions { seed_amplitude: Some(0.9), min_length_mm: 0.0, ..plain.clone() }),
        (8, FodOptions { min_amplitude: 0.3, min_length_mm: 0.0, seed: 1 << 40, ..plain }),
    ] {
        let image = crossing(&oblique([14, 13, 11]), degree);
        // Some seeds are outside the distributions.
        let seeds = Seeds::random(Mask::full(*image.grid()), 250);
        let problem = Problem { image, seeds, options, ..Problem::new() };
        let which = format!("degree {degree}, {:?}", problem.options);
        let summary = problem.assert_same_bits_on(&gpu(None), &which).summary;
        assert!(summary.streamlines > 10 && summary.rejected.seed_outside > 10, "{which}: {summary:?}");
        assert!(summary.terminated.fraction > 0 && summary.mean_steps() > 3.0, "{which}: {summary:?}");
        too_long += summary.rejected.too_long;
        longest += summary.terminated.max_steps;
    }
    assert!(too_long > 0 && longest > 0, "{too_long} {longest}");
}

#[test]
fn gpu_tracking_with_tissues_is_bit_identical() {
    if !arcuate_emulation::available("gpu_tracking_with_tissues_is_bit_identical") {
        return;
    }
    let plain = Problem::new().options;
    let mut wrong = [0; 2];
    for (back_track, crop, options) in [
        (true, true, plain.clone()),
        (false, true, plain.clone()),
        (true, false, FodOptions { step_mm: Some(0.7), min_amplitude: 0.05, ..plain.clone() }),
        // Some halves reach the maximum length, and others end early.
        (true, true, FodOptions { max_length_mm: 14.0, ..plain.clone() }),
        (true, true, FodOptions { min_amplitude: 0.25, min_length_mm: 0.0, seed: 1 << 40, ..plain.clone() }),
        // A step is longer than half a voxel.
        (true, true, FodOptions { step_mm: Some(2.5), max_angle_degrees: Some(60.0), ..plain }),
    ] {
        let mut problem = Problem::in_tissues();
        problem.seeds = Seeds::random(Mask::full(*problem.image.grid()), 600);
        let anatomy = problem.constraints.anatomy.as_mut().unwrap();
        (anatomy.back_track, anatomy.crop_at_interface) = (back_track, crop);
        problem.options = options;
        let which = format!("{back_track} {crop} {:?}", problem.options);
        let summary = problem.assert_same_bits_on(&gpu(None), &which).summary;
        let ends = &summary.terminated;
        assert!(summary.streamlines > 20 && summary.rejected.seed_outside > 50, "{which}: {summary:?}");
        assert!(ends.cortical_grey > 30 && ends.sub_cortical_grey > 5, "{which}: {summary:?}");
        if problem.options.max_length_mm > 100.0 && problem.options.min_amplitude < 0.2 {
            wrong[usize::from(back_track)] += summary.rejected.anatomy;
            assert!(ends.csf > 0 || back_track, "{which}: {summary:?}");
        }
    }
    assert!(wrong[0] > 20, "{wrong:?}");
}

#[test]
fn gpu_tracking_with_mapped_tissues_is_bit_identical() {
    if !arcuate_emulation::available("tissues_of_the_space_of_an_atlas") {
        return;
    }
    let mut problem = Problem::in_tissues();
    let anatomy = problem.constraints.anatomy.as_mut().unwrap();
    let rows = [[0.9, 0.1, 0.0, 1.0], [-0.1, 1.05, 0.0, -2.0], [0.0, 0.05, 1.0, 0.5]];
    anatomy.mapping = Some(Arc::new(Mapping::affine(Affine::from_rows(rows).unwrap())));
    let summary = problem.assert_same_bits_on(&gpu(None), "an affine map").summary;
    assert!(summary.terminated.cortical_grey > 20, "{summary:?}");
}

/// The path of a streamline rarely depends on the last bit of an amplitude. Here all amplitudes equal the
/// cutoff up to rounding, so every decision depends on the last bits.
#[test]
fn gpu_amplitudes_are_rounded_as_on_the_cpu() {
    if !arcuate_emulation::available("gpu_amplitudes_are_rounded_as_on_the_cpu") {
        return;
    }
    let grid = oblique([9, 8, 7]);
    let mut volume = Volume::filled(grid, 45, 0f32);
    for voxel in 0..grid.len() {
        let row = volume.voxel_mut(voxel);
        // The coefficients of higher degrees have the size of rounding errors.
        row.iter_mut().enumerate().for_each(|(n, c)| *c = ((n * 7 % 11) as f32 - 5.0) * 4e-8);
        row[0] = 1.0;
    }
    let image = FodImage::new(&volume, None).unwrap();
    let minimum = image.amplitude([4.0, 4.0, 3.0], [0.6, 0.0, 0.8]);
    let seeds = Seeds::random(image.mask().unwrap(), 400);
    for ulps in 0..3 {
        let minimum = f64::from(f32::from_bits(minimum.to_bits() - ulps));
        let options = FodOptions { min_amplitude: minimum, min_length_mm: 0.0, ..FodOptions::default() };
        let problem = Problem { image: image.clone(), seeds: seeds.clone(), options, ..Problem::new() };
        let summary = problem.assert_same_bits_on(&gpu(None), &format!("{ulps}")).summary;
        assert!(summary.terminated.fraction > 400, "{summary:?}");
    }
}

#[test]
fn gpu_tracking_at_borders_and_flat_voxels_is_bit_identical() {
    if !arcuate_emulation::available("gpu_tracking_at_borders_and_flat_voxels_is_bit_identical") {
        return;
    }
    let flat = Grid::new([9, 8, 24], Affine::scaling([2.5, 2.5, 0.8], [0.0; 3])).unwrap();
    let thin = Grid::new([9, 1, 9], Affine::scaling([2.0; 3], [-5.0, 3.0, 1.0])).unwrap();
    let plain = FodOptions { min_length_mm: 4.0, ..FodOptions::default() };
    for (grid, options) in [
        (flat, plain.clone()),
        (thin, FodOptions { min_amplitude: 0.02, ..plain.clone() }),
        // Steps of two voxels leave the image.
        (thin, FodOptions { step_mm: Some(4.0), min_amplitude: 0.01, ..plain }),
    ] {
        // All voxels of the grid have distributions.
        let image = tangled(&grid, 8, None);
        let seeds = Seeds::random(Mask::full(grid), 200);
        let problem = Problem { image, seeds, options, ..Problem::new() };
        let which = format!("{:?}, {:?}", grid.shape(), problem.options);
        let summary = problem.assert_same_bits_on(&gpu(None), &which).summary;
        assert!(summary.streamlines > 10, "{which}: {summary:?}");
    }
}

#[test]
fn gpu_tracking_from_points_and_voxels_is_bit_identical() {
    if !arcuate_emulation::available("gpu_tracking_from_points_and_voxels_is_bit_identical") {
        return;
    }
    let mut problem = Problem::new();
    let (grid, mask) = (*problem.image.grid(), problem.image.mask().unwrap());
    let mut points: Vec<[f64; 3]> =
        mask.indices().into_iter().step_by(17).map(|voxel| grid.centre(voxel)).collect();
    points.push([1e6, 0.0, -1e6]);
    points.push([0.0; 3]);
    let about = |each, jitter| Seeds::Points { points: points.clone(), mapping: None, each, jitter };
    let few = Mask::new(grid, (0..grid.len()).map(|voxel| voxel % 41 == 0 && mask.contains(voxel)).collect());
    for seeds in [
        Seeds::points(points.clone()),
        about(2, Jitter::BallMm(3.0)),
        about(3, Jitter::Voxel),
        Seeds::Grid { mask: few.unwrap(), mapping: None, per_axis: 2 },
    ] {
        problem.seeds = seeds;
        let summary = problem.assert_same_bits_on(&gpu(None), &format!("{:?}", problem.seeds)).summary;
        assert!(summary.streamlines > 10, "{summary:?}");
    }
}

#[test]
fn gpu_runs_stop_at_the_same_streamline_as_on_the_cpu() {
    if !arcuate_emulation::available("enough_streamlines_end_the_run") {
        return;
    }
    let mut problem = Problem::new();
    for select in [1, 40] {
        problem.options.select = Some(select);
        problem.seeds = Seeds::random_until(problem.image.mask().unwrap(), select);
        let summary = problem.assert_same_bits_on(&gpu(None), &format!("{select}")).summary;
        assert_eq!(summary.streamlines, select);
    }
}

#[test]
fn results_do_not_depend_on_memory_and_the_number_of_gpus() {
    if !arcuate_emulation::available("neither_memory_nor_the_number_of_gpus") {
        return;
    }
    let several = Gpus::open(&[0, 1]).ok().map(Device::Cuda);
    for (mut problem, room, heeds) in
        [(Problem::new(), 2 << 20, "no tissues"), (Problem::in_tissues(), 3 << 20, "tissues")]
    {
        // Each streamline needs memory for thousands of points, so few warps track few streamlines at a time.
        problem.options.max_length_mm = 2000.0;
        let image = problem.image.voxels() as u64 * 192;
        let little = gpu(Some(image + room));
        for (device, which) in [(Some(&little), "little memory"), (several.as_ref(), "two GPUs")] {
            let Some(device) = device else { continue };
            let tracks = problem.assert_same_bits_on(device, &format!("{which}, {heeds}"));
            assert!(tracks.summary.streamlines > 20, "{heeds}: {:?}", tracks.summary);
        }
    }
}

#[test]
fn unsupported_options_run_on_the_cpu() {
    if !arcuate_emulation::available("what_kernels_do_not_know") {
        return;
    }
    let Problem { image, seeds, options, .. } = Problem::new();
    let grid = *image.grid();
    let half =
        Mask::new(grid, (0..grid.len()).map(|voxel| grid.coordinates(voxel)[0] < 7).collect()).unwrap();
    let none = Constraints::default();
    let stop = Constraints { stop: vec![Region::of_mask("half", half, None)], ..Constraints::default() };
    let mut density = Volume::filled(grid, 1, 0f32);
    image.mask().unwrap().indices().into_iter().for_each(|voxel| density.values_mut()[voxel] = 1.0);
    let weighted = Seeds::Weighted { image: density, mapping: None, count: 150 };
    let steps = FodOptions { method: FodMethod::Steps, ..options.clone() };
    let peaks = FodOptions { method: FodMethod::Peaks, ..options.clone() };
    for (seeds, regions, options) in [
        (&seeds, &stop, &options),
        (&weighted, &none, &options),
        (&seeds, &none, &steps),
        (&seeds, &none, &peaks),
    ] {
        let follow = |device: &Device| {
            let mut found = Tractogram::new();
            let control = Control::default();
            let tracks = track_fod(&image, seeds, regions, options, device, &mut found, &control).unwrap();
            (bits(&found), tracks)
        };
        let there = follow(&gpu(None));
        assert_eq!(there.1.device_name, "the processor");
        assert!(there == follow(&Device::Cpu), "{options:?}");
    }
}

#[test]
fn cancelled_calls_stop() {
    if !arcuate_emulation::available("cancelled_calls_stop") {
        return;
    }
    let Problem { image, seeds, mut options, .. } = Problem::new();
    // There are several launches. When the first streamlines are reported, the first launch is running and
    // the others have not started.
    options.max_length_mm = 2000.0;
    let little = gpu(Some(image.voxels() as u64 * 192 + (2 << 20)));
    let cancel = Arc::new(Cancel::default());
    let control = Control::default().with_cancel(&cancel).with_progress({
        let cancel = Arc::clone(&cancel);
        move |_, _| {
            cancel.set();
        }
    });
    let (mut found, none) = (Tractogram::new(), Constraints::default());
    let error = track_fod(&image, &seeds, &none, &options, &little, &mut found, &control).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Cancelled, "{error}");
    assert!(found.len() < 100, "{}", found.len());
}
