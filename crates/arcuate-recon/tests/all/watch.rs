//! Tests the iterations that `watch` receives during a reconstruction, and how a reconstruction is cancelled.

use arcuate_compute::Device;
use arcuate_core::{Cancel, Control, ErrorKind};
use arcuate_phantom::{Ellipsoids, KSpaceOptions, Trajectory, measure_k_space};
use arcuate_recon::{Iterative, Lambda, Scan, Shape, iterate, toeplitz};
use std::sync::{Arc, Mutex};

/// Creates a scan of two channels without coil sensitivities.
fn scan() -> Scan<f32> {
    const SIZE: usize = 12;
    let shape = Shape::new([SIZE, SIZE, 1]).unwrap();
    let path = Trajectory::Radial { voxels: SIZE, spokes: 16, samples: 2 * SIZE }.path().unwrap();
    let field_of_view_mm = [220.0; 3];
    let options = KSpaceOptions { shape: shape.lengths(), field_of_view_mm, snr: Some(20.0), seed: 1 };
    let head = Ellipsoids::shepp_logan_slice(220.0);
    let data: Vec<f32> =
        measure_k_space(&head, &path.samples, None, &options).into_iter().flatten().collect();
    let data: Vec<f32> = data.iter().copied().chain(data.iter().map(|value| 0.5 * value)).collect();
    Scan::new(shape, path.samples, data).unwrap()
}

fn options(lambda: Lambda) -> Iterative<f32> {
    Iterative { lambda, noise: Some(0.05), iterations: 20, ..Iterative::default() }
}

#[test]
fn every_solve_of_every_channel_is_reported() {
    let scan = scan();
    let operator = toeplitz(&scan, None, &Device::Cpu).unwrap();
    let starts = |lambda: Lambda| {
        let options = options(lambda);
        let told = Arc::new(Mutex::new(Vec::new()));
        let control = Control::default().with_progress({
            let told = Arc::clone(&told);
            move |done, of| told.lock().unwrap().push([done, of])
        });
        let (mut starts, mut last) = (0, 0);
        let solved = iterate(&scan, &operator, &options, &control, |point| {
            starts += usize::from(point.iteration == 0);
            assert!(point.iteration == 0 || point.iteration == last + 1, "{} {last}", point.iteration);
            last = point.iteration;
        });
        let maximum = (2 * lambda.solves() * options.iterations) as u64;
        let told = told.lock().unwrap();
        assert!(told.is_sorted() && told.iter().all(|[done, of]| done <= of && *of == maximum), "{told:?}");
        (starts, solved.unwrap().curve.len())
    };
    assert_eq!(starts(Lambda::Fixed(1e-3)), (2, 0));
    let maximum = Lambda::LCurve.solves();
    assert_eq!(starts(Lambda::LCurve), (2 * maximum, maximum));
    let (seen, of_the_first) = starts(Lambda::Discrepancy);
    let maximum = Lambda::Discrepancy.solves();
    assert!(seen > of_the_first && of_the_first <= maximum && seen <= 2 * maximum, "{seen} {of_the_first}");
}

#[test]
fn cancelled_reconstructions_stop_iterating() {
    let scan = scan();
    let operator = toeplitz(&scan, None, &Device::Cpu).unwrap();
    for lambda in [Lambda::Fixed(1e-3), Lambda::LCurve, Lambda::Discrepancy] {
        let cancel = Cancel::default();
        let ends = cancel.clone();
        let control = Control::default().with_cancel(&cancel).with_progress(move |done, _| {
            if done == 2 {
                ends.set();
            }
        });
        let mut iterations = 0;
        let error = iterate(&scan, &operator, &options(lambda), &control, |point| {
            iterations += usize::from(point.iteration > 0);
        });
        assert_eq!(error.err().map(|error| error.kind()), Some(ErrorKind::Cancelled));
        // At most two iterations follow: the iteration during the cancellation, and the iteration in which
        // the solver notices the cancellation.
        assert!(iterations <= 3, "{iterations}");
    }
}
