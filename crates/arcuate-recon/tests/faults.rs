//! Tests images that are computed while a GPU fails. These tests have a process of their own, because a fault
//! ends all work on that GPU.

#![cfg(test)]

use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::Control;
use arcuate_emulation::Faults;
use arcuate_recon::{
    CoilMaps, Differences, FourierSums, Iterative, Kernel, Lambda, Scan, Shape, iterate, toeplitz,
};
use arcuate_solve::{LinearOperator, SolverOperator};
use arcuate_test_support::with_captured_log;
use tracing::Level;

fn numbers(count: usize, step: f64) -> Vec<f32> {
    (0..count).map(|n| (n as f64 * step).sin() as f32).collect()
}

fn scan() -> Scan<f32> {
    let shape = Shape::new([9, 8, 3]).unwrap();
    let reach = [4.0, 3.5, 1.2];
    let samples: Vec<[f64; 3]> =
        (0..150).map(|n| reach.map(|reach| reach * (f64::from(n) * reach).cos())).collect();
    let data = numbers(3 * 2 * samples.len(), 0.7);
    let maps = CoilMaps::new(shape, numbers(3 * 2 * shape.voxels(), 0.37)).unwrap();
    Scan::new(shape, samples, data).unwrap().with_coils(maps).unwrap()
}

/// Reconstructs an image with a penalty. All steps run on the device, beginning with the sums.
fn image(device: &Device) -> Vec<f32> {
    let scan = scan();
    let prior = Some(Differences::new(scan.shape()));
    let options = Iterative {
        prior,
        lambda: Lambda::Fixed(0.3),
        // Both devices have the same number of iterations. There are more than seven, because each kernel can
        // fail at its seventh launch.
        tolerance: 0.0,
        iterations: 9,
        ..Iterative::default()
    };
    let toeplitz = toeplitz(&scan, None, device).unwrap();
    iterate(&scan, &toeplitz, &options, &Control::default(), |_| {}).unwrap().image
}

fn apart(a: &[f32], b: &[f32]) -> f64 {
    arcuate_solve::checks::relative_difference(a, b)
}

fn gpu() -> Device {
    DeviceChoice::Cuda(vec![0]).open(None).unwrap()
}

#[test]
fn gpu_failures_give_a_warning_and_the_same_image() {
    if !arcuate_emulation::available_with_fallback("reconstruction on a failing GPU")
        || !arcuate_emulation::emulated()
    {
        return;
    }
    let expected = image(&Device::Cpu);
    let faults = Faults::begin();
    let whole = image(&gpu());
    // The iterations on the GPU are the same, but in single precision.
    assert!(whole != expected && apart(&whole, &expected) < 1e-3);
    for kernel in [
        "fourier_rows",
        "fourier_adjoint_32",
        "toeplitz_halve_f32",
        "toeplitz_spectrum_f32",
        "fourier_transform_f32_0",
        "fourier_convolve_f32_0",
        "differences_normal_f32",
        "gradients_begin_f32",
        "gradients_step_f32",
        "solver_total",
    ] {
        // Each kernel fails at its first launch and, if it runs in every iteration, at its seventh launch.
        for nth in [1, 7] {
            let device = gpu();
            let (found, log) = with_captured_log(Level::WARN, || {
                faults.fail_launch(kernel, nth);
                image(&device)
            });
            faults.heal();
            assert!(apart(&found, &expected) < 1e-3, "{kernel} {nth}");
            // Other warnings are about the data of this test, which are not those of a real object.
            let fallbacks: Vec<&str> = log.lines().filter(|line| line.contains("fallback")).collect();
            // Some kernels are launched less than seven times.
            assert!(nth == 7 || !fallbacks.is_empty(), "{kernel}");
            assert!(fallbacks.iter().all(|line| line.contains("CPU")), "{kernel} {nth}: {log}");
        }
    }
    for successes in (0..60).step_by(8) {
        let device = gpu();
        let (found, log) = with_captured_log(Level::WARN, || {
            faults.fail_allocation_after(successes);
            image(&device)
        });
        faults.heal();
        assert!(apart(&found, &expected) < 1e-3, "{successes}");
        let mut fallbacks = log.lines().filter(|line| line.contains("fallback"));
        assert!(fallbacks.all(|line| line.contains("memory") || line.contains("CPU")), "{successes}: {log}");
    }
}

#[test]
fn sums_of_a_failing_gpu_are_computed_on_the_cpu() {
    if !arcuate_emulation::available_with_fallback("sums on a failing GPU") || !arcuate_emulation::emulated()
    {
        return;
    }
    let scan = scan();
    let sums = FourierSums::<f32>::new(scan.shape(), scan.samples().clone()).unwrap();
    let image = numbers(sums.columns(), 0.3);
    let (mut expected, mut found) = (vec![0f32; sums.rows()], vec![0f32; sums.rows()]);
    sums.forward(&image, &mut expected);
    let faults = Faults::begin();
    let there = sums.clone().on(gpu());
    let ((), log) = with_captured_log(Level::WARN, || {
        faults.fail_launch("forward_sums", 1);
        there.forward(&image, &mut found);
    });
    assert!(found == expected && log.contains("exact Fourier sums: the GPU failed"), "{log}");
    faults.heal();
    // If the GPU fails, the spectrum Q has the same bits as on the CPU.
    let there = sums.clone().on(gpu());
    let (kernel, log) = with_captured_log(Level::WARN, || {
        faults.fail_launch("fourier_rows", 1);
        Kernel::new(&there, None)
    });
    assert!(kernel == Kernel::new(&sums, None), "{log}");
}

#[test]
fn operators_that_failed_stay_on_the_cpu() {
    if !arcuate_emulation::available_with_fallback("an operator of a failing GPU")
        || !arcuate_emulation::emulated()
    {
        return;
    }
    let faults = Faults::begin();
    let (here, there) = [Device::Cpu, gpu()].map(|device| toeplitz(&scan(), None, &device).unwrap()).into();
    let image = numbers(here.columns(), 0.3);
    let (mut expected, mut found) = (vec![0f32; image.len()], vec![0f32; image.len()]);
    here.normal(&image, &mut expected);
    assert!(there.device_normal().is_some());
    let ((), log) = with_captured_log(Level::WARN, || {
        faults.fail_launch("fourier_convolve_f32_0", 1);
        there.normal(&image, &mut found);
    });
    faults.heal();
    assert_eq!(log.lines().count(), 1, "{log}");
    // The operator still uses the spectrum Q that the GPU computed. It is accurate to 2e-6.
    assert!(apart(&found, &expected) < 1e-5 && there.device_normal().is_none());
    // Further products give no warning.
    let mut again = vec![0f32; image.len()];
    let ((), log) = with_captured_log(Level::WARN, || there.normal(&image, &mut again));
    assert!(again == found && log.is_empty(), "{log}");
}
