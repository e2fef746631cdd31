//! Tests that a deconvolution for which a GPU fails is computed on the CPU, with one line in the log.

#![cfg(test)]

#[allow(dead_code, reason = "shared with other tests")]
mod simulated;

use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::Control;
use arcuate_emulation::{Faults, available_with_fallback, emulated};
use arcuate_fod::{MultiTissue, Response, SingleShell, SingleShellOptions};
use arcuate_test_support::with_captured_log;
use simulated::{WHITE, directions, gradients, series, tissues, with_holes};
use tracing::Level;

#[test]
fn work_of_a_failing_gpu_runs_elsewhere() {
    if !available_with_fallback("failing kernels of deconvolution") || !emulated() {
        return;
    }
    let white = Response::from_text(WHITE).unwrap().of_shell(2);
    let options = SingleShellOptions { order: Some(4), ..SingleShellOptions::default() };
    let one = SingleShell::new(&gradients(), &white, &directions(40), &options).unwrap();
    let mut used = tissues();
    used[0].order = Some(4);
    let several = MultiTissue::new(&gradients(), &used, &directions(40)).unwrap();
    let dwi = series(30);
    let mask = with_holes(&dwi);
    let fits = [
        (
            "single_shell_fit",
            &(|device: &Device| one.fit_volume(&dwi, &mask, device, &Control::default()).unwrap())
                as &dyn Fn(&Device) -> _,
        ),
        ("multi_tissue_fit", &|device: &Device| {
            several.fit_volume(&dwi, &mask, device, &Control::default()).unwrap()
        }),
    ];
    for (kernel, fit) in fits {
        let here = fit(&Device::Cpu);
        let device = || Device::Cuda(Gpus::open(&[0]).unwrap());
        let faults = Faults::begin();
        faults.fail_launch(kernel, 1);
        let (found, log) = with_captured_log(Level::WARN, || fit(&device()));
        // All fields of the result must equal those of the fit on the CPU.
        assert!(found == here && found.device == Device::Cpu, "{kernel}");
        assert_eq!(log.matches("deconvolution: the GPU failed").count(), 1, "{log}");
        // If GPU memory is refused once, the fit continues on the GPU in smaller chunks.
        faults.heal();
        faults.fail_allocation_after(2);
        let (found, log) = with_captured_log(Level::WARN, || fit(&device()));
        drop(faults);
        assert!(found.coefficients == here.coefficients && found.device != Device::Cpu, "{kernel}: {log}");
        assert_eq!(log.matches("deconvolution: GPU memory ran out").count(), 1, "{log}");
    }
}
