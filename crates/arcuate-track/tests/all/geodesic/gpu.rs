//! Rays on GPUs are bit-identical to rays on the CPU.

use crate::geodesic::common::{all_on, cubes, image, oblique};
use crate::geodesic::processor::{FIELDS, INTEGRATORS, stick};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Control, Grid, Mask, Volume};
use arcuate_track::{
    Directions, Field, GeodesicIntegrator as Integrator, GeodesicOptions, Geodesics, Metric, Seeds,
    Selection, SharpenedSide, Sharpening, Targets,
};

fn gpus(memory_cap: Option<u64>) -> Device {
    Device::Cuda(Gpus::open(&[0]).unwrap().with_memory_cap(memory_cap))
}

/// Returns the first `count` GPUs, or `None` if there are fewer.
fn several(count: usize, memory_cap: Option<u64>) -> Option<Device> {
    let ordinals: Vec<usize> = (0..count).collect();
    Gpus::open(&ordinals).ok().map(|gpus| Device::Cuda(gpus.with_memory_cap(memory_cap)))
}

/// Creates tensors that vary in direction and size. Two of them are invalid.
fn curved(grid: &Grid) -> Volume<f32> {
    let mut tensor = image(grid, |at| {
        let [x, y, z] = at.map(|c| 0.13 * c);
        let axis = [x.sin() + 1.2, (y + 0.5 * z).cos(), (0.7 * x - z).sin() + 0.1];
        let mut tensor = stick(axis);
        for n in 0..3 {
            tensor[n] *= 1.0 + 0.3 * (x + y * z).sin().abs();
        }
        tensor
    });
    tensor.voxel_mut(17).fill(0.0);
    tensor.voxel_mut(grid.len() / 2)[1] = -2e-4;
    tensor
}

fn seeds(grid: &Grid, every: usize) -> Vec<[f64; 3]> {
    let mut seeds: Vec<[f64; 3]> = (0..grid.len()).step_by(every).map(|voxel| grid.centre(voxel)).collect();
    for (n, seed) in seeds.iter_mut().enumerate() {
        seed[n % 3] += 0.37;
    }
    // One seed is outside the image.
    seeds.push([1e4, 0.0, 0.0]);
    seeds
}

fn options() -> GeodesicOptions {
    GeodesicOptions {
        directions: Directions::Cone { count: 3, degrees: 60.0 },
        max_length_mm: Some(40.0),
        max_angle_degrees: Some(60.0),
        ..GeodesicOptions::default()
    }
}

#[test]
fn gpu_rays_are_bit_identical_to_the_cpu() {
    if !arcuate_emulation::available("gpu_rays_are_bit_identical_to_the_cpu") {
        return;
    }
    let gpu = gpus(None);
    for grid in [oblique([9, 8, 7]), cubes([10, 9, 1], 2.0)] {
        let tensor = curved(&grid);
        for field in FIELDS {
            for integrator in INTEGRATORS {
                for double in [false, true] {
                    let options = GeodesicOptions { field, integrator, double, ..options() };
                    let every = if double { 61 } else { 37 };
                    let (expected, counts) = all_on(&Device::Cpu, &tensor, &options, seeds(&grid, every));
                    let (found, same) = all_on(&gpu, &tensor, &options, seeds(&grid, every));
                    assert!(expected.streamlines.positions().len() > 20, "{field:?} {integrator:?}");
                    assert!(found.bits() == expected.bits(), "{field:?} {integrator:?} double: {double}");
                    assert_eq!(found.streamlines.offsets(), expected.streamlines.offsets());
                    assert_eq!(counts, same);
                }
            }
        }
    }
}

#[test]
fn gpu_rays_of_other_metrics_are_bit_identical() {
    if !arcuate_emulation::available("gpu_rays_of_other_metrics_are_bit_identical") {
        return;
    }
    let gpu = gpus(None);
    let grid = oblique([9, 8, 7]);
    let tensor = curved(&grid);
    let mask = Mask::new(grid, (0..grid.len()).map(|voxel| voxel % 11 != 0).collect()).unwrap();
    for field in FIELDS {
        for (metric, sharpening) in [
            (Metric::Adjugate, None),
            (Metric::Inverse, Some(Sharpening { exponent: 1.5, side: SharpenedSide::Below, fa: 0.6 })),
            (Metric::Conformal, None),
        ] {
            let fa_cutoff = Some(0.2);
            let options = GeodesicOptions {
                field,
                metric,
                sharpening,
                fa_cutoff,
                mask: Some(mask.clone()),
                ..options()
            };
            let (expected, counts) = all_on(&Device::Cpu, &tensor, &options, seeds(&grid, 53));
            let (found, same) = all_on(&gpu, &tensor, &options, seeds(&grid, 53));
            assert!(counts.terminated.left_mask > 0 && counts.rejected.seed_outside > 1);
            assert!(found.bits() == expected.bits(), "{field:?} {metric:?}");
            assert_eq!(counts, same);
        }
    }
}

#[test]
fn results_do_not_depend_on_memory_and_the_number_of_gpus() {
    if !arcuate_emulation::available("results_do_not_depend_on_memory_and_the_number_of_gpus") {
        return;
    }
    let grid = oblique([9, 8, 7]);
    let tensor = curved(&grid);
    let options = GeodesicOptions {
        integrator: Integrator::Heun,
        field: Field::Trilinear,
        step_mm: Some(0.02),
        ..options()
    };
    let (expected, counts) = all_on(&Device::Cpu, &tensor, &options, seeds(&grid, 5));
    // One megabyte cannot hold all points.
    assert!(expected.streamlines.positions().len() > 150_000);
    // One megabyte is too small for the nodes of the field, so the GPU reads them from host memory.
    let devices = [several(2, None), several(3, Some(1 << 20)), Some(gpus(Some(1 << 20)))];
    for device in devices.into_iter().flatten() {
        let (found, same) = all_on(&device, &tensor, &options, seeds(&grid, 5));
        assert!(found.bits() == expected.bits(), "{device:?}");
        assert_eq!(counts, same);
    }
}

#[test]
fn many_rays_are_sorted_repeatedly() {
    if !arcuate_emulation::available("many_rays_are_sorted_repeatedly") {
        return;
    }
    let grid = cubes([6, 5, 4], 2.0);
    let tensor = curved(&grid);
    let options = GeodesicOptions {
        directions: Directions::Sphere(700),
        integrator: Integrator::Euler,
        field: Field::Trilinear,
        max_length_mm: Some(9.0),
        step_mm: Some(0.05),
        ..GeodesicOptions::default()
    };
    let (expected, counts) = all_on(&Device::Cpu, &tensor, &options, seeds(&grid, 1));
    assert!(counts.terminated.total() > 2 << 15 && counts.terminated.max_length > 100, "{counts:?}");
    let (found, same) = all_on(&gpus(None), &tensor, &options, seeds(&grid, 1));
    assert!(found.bits() == expected.bits());
    assert_eq!(counts, same);
}

#[test]
fn connections_are_the_same_on_gpus() {
    if !arcuate_emulation::available("connections_are_the_same_on_gpus") {
        return;
    }
    let grid = cubes([12, 9, 8], 2.0);
    let tensor = curved(&grid);
    let region = |low: f64, high: f64| {
        let inside = |voxel| (low..high).contains(&grid.centre(voxel)[0]);
        Mask::new(grid, (0..grid.len()).map(inside).collect()).unwrap()
    };
    let alone = |voxel: usize| Mask::new(grid, (0..grid.len()).map(|v| v == voxel).collect()).unwrap();
    let one = vec![("far".to_owned(), region(17.0, 21.0))];
    let three = vec![
        ("far".to_owned(), region(17.0, 21.0)),
        ("middle".to_owned(), region(9.0, 13.0)),
        // This target is so small that rays miss it.
        ("corner".to_owned(), alone(grid.len() - 1)),
    ];
    let options = GeodesicOptions { directions: Directions::Sphere(40), ..options() };
    let at = vec![[2.0, 8.0, 8.0], [3.1, 6.0, 7.0], [4.0, 10.0, 5.5]];
    for (masks, best, one_per_voxel) in
        [(one, Some(7), false), (three.clone(), None, true), (three, Some(3), false)]
    {
        let targets = Targets::from_masks(masks).unwrap();
        let selection = Selection { best, one_per_voxel, min_connectivity: None };
        let found = |device: &Device| {
            let geodesics = Geodesics::new(&tensor, &options, device).unwrap();
            geodesics.connect(&Seeds::points(at.clone()), &targets, &selection, &Control::default()).unwrap()
        };
        let (expected, same) = (found(&Device::Cpu), found(&several(2, None).unwrap_or(gpus(None))));
        assert!(expected.targets[0].reached > 3, "{:?}", expected.targets);
        assert_eq!(expected.tractogram, same.tractogram);
        assert_eq!((expected.summary, expected.targets), (same.summary, same.targets));
    }
}
