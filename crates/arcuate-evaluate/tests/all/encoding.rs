//! Tests that GPUs encode streamlines like the CPU. The coefficients must be bit-identical, for any memory
//! size and any order of threads.

use crate::encodings::{alone, batches, compare, device, mask, options, set_order, tractogram};
use arcuate_compute::cuda::Gpu;
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, Grid, Mask, Orientations, Point, Tractogram};
use arcuate_evaluate::encoding::{Encoding, NodeValue};

/// Returns the GPU under test. Returns `None` if there is none.
fn gpu(test: &str) -> Option<Gpu> {
    arcuate_emulation::available(test).then(|| Gpu::open(0).unwrap())
}

#[test]
fn gpu_encoding_of_random_tractograms_agrees_with_the_cpu() {
    let _alone = alone();
    let Some(gpu) = gpu("gpu_encoding_of_random_tractograms_agrees_with_the_cpu") else { return };
    let mut coefficients = 0;
    for case in 0..60 {
        let mut random = Random::new(7, Purpose::Resampling, case);
        let mask = mask(&mut random);
        let streamlines = random.below(20);
        let tractogram = tractogram(&mut random, streamlines, mask.grid());
        let node_value = if case % 2 == 0 { NodeValue::Length } else { NodeValue::Count };
        let mut options = options([1, 6, 60, 1057][random.below(4)], node_value);
        if case % 5 == 0 {
            // Every orientation occurs at least twice. Among equal orientations, the first one must be used.
            let again: Vec<_> = options.orientations.directions().iter().map(|d| d.map(|c| -c)).collect();
            let all = [&again, options.orientations.directions(), &again].concat();
            options.orientations = Orientations::new(&all).unwrap();
        }
        set_order(case);
        let log = compare(&tractogram, &mask, &options, &device(&gpu, None));
        coefficients +=
            Encoding::new(&tractogram, &mask, &options, &Device::Cpu).map_or(0, |e| e.coefficients());
        assert!(batches(&log) <= 1, "case {case}");
    }
    assert!(coefficients > 3000, "{coefficients} coefficients are no test");
}

#[test]
fn the_encoding_does_not_depend_on_memory_and_thread_order() {
    let _alone = alone();
    let Some(gpu) = gpu("the_encoding_does_not_depend_on_memory_and_thread_order") else { return };
    let mut random = Random::new(8, Purpose::Resampling, 0);
    let mask = mask(&mut random);
    let tractogram = tractogram(&mut random, 150, mask.grid());
    assert!(tractogram.positions().len() > 2 * 2048, "several tiles");
    for node_value in [NodeValue::Count, NodeValue::Length] {
        let cuts =
            [(0, None), (1, Some(150_000)), (2, Some(90_000)), (77, Some(50_000))].map(|(order, cap)| {
                set_order(order);
                batches(&compare(&tractogram, &mask, &options(200, node_value), &device(&gpu, cap)))
            });
        assert!(cuts[0] == 1 && cuts.is_sorted_by(|a, b| a < b), "{cuts:?}");
    }
    assert_eq!(gpu.allocated_bytes(), 0);
}

#[test]
fn thousands_of_points_in_one_voxel_are_added_in_order() {
    let _alone = alone();
    let Some(gpu) = gpu("thousands_of_points_in_one_voxel_are_added_in_order") else { return };
    let mask = Mask::full(Grid::new([1, 2, 1], Affine::identity()).unwrap());
    let mut random = Random::new(9, Purpose::Resampling, 0);
    let mut tractogram = Tractogram::new();
    // The points alternate between two orientations. The sum of the step lengths depends on the order of
    // additions.
    let mut point = |n: usize| {
        let along = [0, 1, 1][n % 3];
        let mut point = [-0.3_f32; 3];
        point[along] = 0.6 * random.uniform() as f32 - 0.3;
        point
    };
    tractogram.push(&(0..5000).map(&mut point).collect::<Vec<_>>());
    tractogram.push(&(0..3).map(&mut point).collect::<Vec<_>>());
    for node_value in [NodeValue::Count, NodeValue::Length] {
        let log = compare(&tractogram, &mask, &options(2, node_value), &device(&gpu, None));
        assert_eq!(batches(&log), 1);
    }
}

#[test]
fn gpu_encoding_of_large_images_agrees_with_the_cpu() {
    let _alone = alone();
    let Some(gpu) = gpu("gpu_encoding_of_large_images_agrees_with_the_cpu") else { return };
    // Voxels need 23 bits and orientations 16, so that the sort has five digits. The numbers of voxels are
    // copied in several parts.
    let grid = Grid::new([200, 210, 190], Affine::scaling([0.05, 0.04, 0.045], [0.0; 3])).unwrap();
    let mut random = Random::new(10, Purpose::Resampling, 0);
    let tractogram = tractogram(&mut random, 20, &grid);
    let log =
        compare(&tractogram, &Mask::full(grid), &options(40_000, NodeValue::Length), &device(&gpu, None));
    assert_eq!(batches(&log), 1);
}

#[test]
fn gpu_encoding_of_nan_points_agrees_with_the_cpu() {
    let _alone = alone();
    let Some(gpu) = gpu("gpu_encoding_of_nan_points_agrees_with_the_cpu") else { return };
    let grid = Grid::new([4, 4, 4], Affine::identity()).unwrap();
    let mut tractogram = Tractogram::new();
    let (nan, infinite, huge) = (f32::NAN, f32::INFINITY, f32::MAX);
    for wrong in [nan, infinite, -infinite, huge, -huge] {
        for axis in 0..3 {
            let mut point = [1.0; 3];
            point[axis] = wrong;
            tractogram.push(&[[0.0; 3], [1.0, 0.5, 0.2], point, [2.0; 3], [3.0, 2.0, 2.0], [wrong; 3]]);
        }
    }
    for node_value in [NodeValue::Count, NodeValue::Length] {
        let log = compare(&tractogram, &Mask::full(grid), &options(60, node_value), &device(&gpu, None));
        assert_eq!(batches(&log), 1);
    }
}

#[test]
fn empty_encodings_give_the_same_error() {
    let _alone = alone();
    let Some(gpu) = gpu("empty_encodings_give_the_same_error") else { return };
    let grid = Grid::new([3, 3, 3], Affine::identity()).unwrap();
    let full = Mask::full(grid);
    let empty = Mask::new(grid, vec![false; grid.len()]).unwrap();
    let line = |lines: &[&[Point]]| {
        let mut tractogram = Tractogram::new();
        for line in lines {
            tractogram.push(line);
        }
        tractogram
    };
    let options = options(7, NodeValue::Count);
    let device = device(&gpu, None);
    // The cases are: no streamline, streamlines without points, single points, equal points, all points
    // outside the image, and an empty mask.
    for (lines, mask) in [
        (line(&[]), &full),
        (line(&[&[], &[]]), &full),
        (line(&[&[[1.0; 3]], &[[2.0; 3]]]), &full),
        (line(&[&[[1.0; 3]; 4]]), &full),
        (line(&[&[[9.0; 3], [8.0; 3]]]), &full),
        (line(&[&[[1.0; 3], [2.0; 3]]]), &empty),
    ] {
        compare(&lines, mask, &options, &device);
        Encoding::new(&lines, mask, &options, &device).unwrap_err();
    }
}
