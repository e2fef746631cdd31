//! Kernels against the processor: every bit.

use crate::simulation::{Simulated, simulate, table};
use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::GradientTable;
use arcuate_model::fit::{FitOptions, ModelFit, fit_models};
use arcuate_model::models::{model, model_names};

fn gpu(memory: Option<u64>) -> Device {
    DeviceChoice::Cuda(vec![0]).open(memory).unwrap()
}

fn fit(
    name: &str,
    simulated: &Simulated,
    table: &GradientTable,
    device: &Device,
    options: &FitOptions,
) -> ModelFit {
    let Simulated { dwi, mask, .. } = simulated;
    fit_models(&[model(name).unwrap()], dwi, table, mask, device, options).unwrap().remove(0)
}

/// Fails where two fits differ in one bit.
fn assert_same(a: &ModelFit, b: &ModelFit, what: &str) {
    assert_eq!(a.status.values(), b.status.values(), "{what}: status");
    assert_eq!(a.evaluations, b.evaluations, "{what}: evaluations");
    for (a, b) in a.maps.iter().zip(&b.maps) {
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<u32>>();
        assert!(bits(a.volume.values()) == bits(b.volume.values()), "{what}: {}", a.name);
    }
    assert_eq!(a.residual.values(), b.residual.values(), "{what}: residual");
}

#[test]
fn every_model_has_the_same_bits_on_a_gpu() {
    if !arcuate_emulation::available("fits on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    for name in model_names() {
        let mut simulated = simulate(&model(name).unwrap(), &table, 70, 30.0, 3);
        // What cannot be used, or not at all.
        simulated.dwi.voxel_mut(3)[7] = f32::NAN;
        simulated.dwi.voxel_mut(4).fill(0.0);
        simulated.dwi.voxel_mut(5)[..5].fill(f32::INFINITY);
        simulated.dwi.voxel_mut(6)[9] = -20.0;
        simulated.dwi.voxel_mut(7)[1..].fill(f32::NAN);
        for single_precision in [true, false] {
            let options = FitOptions { single_precision, evaluations: 30, ..FitOptions::default() };
            let here = fit(name, &simulated, &table, &Device::Cpu, &options);
            let there = fit(name, &simulated, &table, &gpu(None), &options);
            assert_same(&here, &there, &format!("{name}, single precision {single_precision}"));
        }
    }
}
