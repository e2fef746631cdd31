//! Geodesics on a GPU that fails, and with one CPU thread. These tests have their own process, because a
//! fault affects the whole GPU and the number of threads is global.

#![cfg(test)]

use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::{
    Affine, ColumnRows, Control, Grid, Mask, Result, Scalars, StreamlineBatch, StreamlineSink, Volume,
};
use arcuate_test_support::with_captured_log;
use arcuate_track::{
    Directions, Field, GeodesicIntegrator, GeodesicOptions, Geodesics, Seeds, Selection, Targets,
};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tracing::Level;

/// A fault affects whichever test launches next in this process, so tests run one at a time. All tests have
/// one CPU thread.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let guard = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    // Only the first test can set the number of threads.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(1).build_global();
    assert_eq!(rayon::current_num_threads(), 1);
    guard
}

fn gpu() -> Device {
    DeviceChoice::Cuda(vec![0]).open(None).unwrap()
}

fn grid() -> Grid {
    Grid::new([8, 7, 6], Affine::scaling([2.0; 3], [0.0; 3])).unwrap()
}

/// Tensors whose principal direction turns.
fn field() -> Volume<f32> {
    let tensor = |voxel: usize| {
        let (sin, cos) = (0.1 * grid().centre(voxel)[1]).sin_cos();
        let part = |a: f64, b: f64| (1.2e-3 * a * b) as f32;
        [4e-4 + part(cos, cos), 4e-4 + part(sin, sin), 4e-4, part(sin, cos), 0.0, 0.0]
    };
    Volume::new(grid(), 6, (0..grid().len()).flat_map(tensor).collect()).unwrap()
}

fn seeds() -> Seeds {
    Seeds::points((0..grid().len()).step_by(9).map(|voxel| grid().centre(voxel)).collect())
}

/// Bits of all points, of the connectivity at each point, and of measures, independent of batches.
#[derive(Default)]
struct Bits([Vec<u32>; 3]);

impl StreamlineSink for Bits {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let Self([points, connectivity, measures]) = self;
        points.extend(batch.points().iter().flatten().map(|c| c.to_bits()));
        let bits = |of: ColumnRows<'_>, to: &mut Vec<u32>| {
            let Scalars::F32(values) = of.column.values() else { panic!("another precision") };
            to.extend(values[of.rows].iter().map(|c| c.to_bits()));
        };
        batch.per_point().for_each(|(_, column)| bits(column, connectivity));
        // Measures are stored by streamline, so their order does not depend on batches.
        for n in 0..batch.len() {
            batch.part(n..n + 1).per_streamline().for_each(|(_, column)| bits(column, measures));
        }
        Ok(())
    }
}

/// Returns all values of the rays, the number of rays, and the device that tracked them.
fn rays_on(device: &Device, tensor: &Volume<f32>, options: &GeodesicOptions) -> (Vec<u32>, u64, String) {
    let mut bits = Bits::default();
    let geodesics = Geodesics::new(tensor, options, device).unwrap();
    let (summary, _) = geodesics.all(&seeds(), &mut bits, &Control::default()).unwrap();
    (bits.0.concat(), summary.terminated.total(), geodesics.device_name())
}

#[test]
fn failing_kernels_give_a_warning_and_the_same_results() {
    let _alone = alone();
    if !arcuate_emulation::available_with_fallback("failing kernels") || !arcuate_emulation::emulated() {
        return;
    }
    let (tensor, options) = (field(), GeodesicOptions::default());
    let (expected, ..) = rays_on(&Device::Cpu, &tensor, &options);
    assert!(expected.len() > 1000);
    // Failures in the first and second half of the computation of the field, at the start of rays, and when
    // rays write points.
    for (kernel, nth, before) in [
        ("geodesic_means", 1, true),
        ("geodesic_prefilter", 2, true),
        ("geodesic_begin_f32", 1, false),
        ("geodesic_rays_f32_0_3", 2, false),
    ] {
        let faults = arcuate_emulation::Faults::begin();
        faults.fail_launch(kernel, nth);
        let ((found, _, by), log) = with_captured_log(Level::WARN, || rays_on(&gpu(), &tensor, &options));
        drop(faults);
        assert!(found == expected, "{kernel}");
        assert_eq!(log.matches("the rays are followed on the CPU").count(), 1, "{kernel}: {log}");
        if before {
            assert_eq!(by, "CPU", "{kernel}");
        } else {
            assert!(by.starts_with("CPU, after ") && by.ends_with(" failed"), "{kernel}: {by}");
        }
    }
}

#[test]
fn running_out_of_memory_does_not_change_results() {
    let _alone = alone();
    if !arcuate_emulation::available_with_fallback("failing allocations") || !arcuate_emulation::emulated() {
        return;
    }
    let (tensor, options) = (field(), GeodesicOptions::default());
    let (expected, ..) = rays_on(&Device::Cpu, &tensor, &options);
    assert!(expected.len() > 1000);
    let mut fell_back = 0;
    for successes in 0..60 {
        let faults = arcuate_emulation::Faults::begin();
        faults.fail_allocation_after(successes);
        let ((found, _, by), _) = with_captured_log(Level::WARN, || rays_on(&gpu(), &tensor, &options));
        drop(faults);
        assert!(found == expected, "{successes}");
        fell_back += usize::from(by.starts_with("CPU"));
    }
    // With few successful allocations memory always runs out. With many it never does.
    assert!((10..60).contains(&fell_back), "{fell_back}");
}

#[test]
fn failed_gpus_are_not_used_again() {
    let _alone = alone();
    if !arcuate_emulation::available_with_fallback("failing kernels") || !arcuate_emulation::emulated() {
        return;
    }
    let (tensor, options) =
        (field(), GeodesicOptions { directions: Directions::Sphere(30), ..Default::default() });
    let target = Mask::new(grid(), (0..grid().len()).map(|voxel| voxel % 8 == 7).collect()).unwrap();
    let targets = Targets::from_masks(vec![("far".to_owned(), target)]).unwrap();
    let found = |device: &Device| {
        let geodesics = Geodesics::new(&tensor, &options, device).unwrap();
        let at = Seeds::points(vec![[2.0, 6.0, 6.0], [1.0, 4.0, 5.0]]);
        geodesics.connect(&at, &targets, &Selection::default(), &Control::default()).unwrap()
    };
    let expected = found(&Device::Cpu);
    assert!(expected.targets[0].reached > 3);
    let faults = arcuate_emulation::Faults::begin();
    faults.fail_launch("geodesic_rays_f32_0_3", 1);
    let (same, log) = with_captured_log(Level::WARN, || found(&gpu()));
    drop(faults);
    assert_eq!(expected.tractogram, same.tractogram);
    assert_eq!(log.matches("the rays are followed on the CPU").count(), 1, "{log}");
}

#[test]
fn one_cpu_thread_is_enough() {
    let _alone = alone();
    if !arcuate_emulation::available_with_fallback("one_cpu_thread_is_enough") {
        return;
    }
    let options = GeodesicOptions {
        field: Field::Trilinear,
        integrator: GeodesicIntegrator::Euler,
        directions: Directions::Sphere(40),
        step_mm: Some(0.01),
        // With this maximum length a block has 512 rays, and both workers of the GPU share it. Rays leave the
        // image earlier.
        max_length_mm: Some(327.0),
        end_loops: false,
        ..GeodesicOptions::default()
    };
    let (done, wait) = channel();
    let thread = std::thread::spawn(move || {
        let tensor = field();
        let (found, rays, by) = rays_on(&gpu(), &tensor, &options);
        assert!(!by.contains("CPU"), "{by}");
        done.send((rays, found == rays_on(&Device::Cpu, &tensor, &options).0)).unwrap();
    });
    match wait.recv_timeout(Duration::from_secs(300)) {
        Ok((rays, same)) => assert!(rays > 1100 && same, "{rays}"),
        Err(RecvTimeoutError::Timeout) => panic!("who waits for the GPU and who copies wait for each other"),
        Err(RecvTimeoutError::Disconnected) => thread.join().unwrap(),
    }
}
