//! Tests that fits on a GPU are bit-identical to fits on the CPU.

use crate::simulation::{MEMORY, Simulated, bits, chunks, gpu, on_two_gpus, simulate, table};
use arcuate_compute::Device;
use arcuate_core::{GradientTable, Volume};
use arcuate_model::fit::{BoundsMethod, FitOptions, MeasurementColumn, ModelFit, Obstacle, fit_models};
use arcuate_model::language::Model;
use arcuate_model::models::{model, model_names};

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

/// Panics if two fits differ in one bit.
fn assert_same(a: &ModelFit, b: &ModelFit, what: &str) {
    assert_eq!(a.status.values(), b.status.values(), "{what}: status");
    assert_eq!(a.evaluations, b.evaluations, "{what}: evaluations");
    for (a, b) in a.maps.iter().zip(&b.maps) {
        assert!(bits(a.volume.values()) == bits(b.volume.values()), "{what}: {}", a.name);
    }
    assert_eq!(a.residual.values(), b.residual.values(), "{what}: residual");
}

/// Fits a model on the CPU and on the GPU, and compares the results.
fn compare(name: &str, simulated: &Simulated, table: &GradientTable, device: &Device, evaluations: u32) {
    for single_precision in [true, false] {
        let options = FitOptions { single_precision, evaluations, ..FitOptions::default() };
        let here = fit(name, simulated, table, &Device::Cpu, &options);
        let there = fit(name, simulated, table, device, &options);
        // The diffusivities of rackets have high upper bounds. In double precision, the kernels cannot hold
        // series that are long enough for these bounds.
        let is_long = !single_precision && name.contains("racket");
        assert_eq!(there.obstacle.is_some(), is_long, "{name}: {:?}", there.obstacle);
        assert_same(&here, &there, &format!("{name}, single precision {single_precision}"));
    }
}

#[test]
fn every_model_has_bit_identical_gpu_fits() {
    if !arcuate_emulation::available("fits on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    for name in model_names() {
        let mut simulated = simulate(&model(name).unwrap(), &table, 24, 30.0, 3);
        // The signals of these voxels have no preferred direction, so that an orientation has no effect on
        // the fitted signal.
        for (n, b) in table.b_values().iter().enumerate() {
            for voxel in 8..12 {
                let noise = if n % 2 == 0 { 0.01 } else { -0.01 } * (voxel - 8) as f32;
                simulated.dwi.voxel_mut(voxel)[n] = 800.0 * ((-1e-3 * b).exp() as f32 + noise);
            }
        }
        // These voxels have measurements that cannot be used, or no usable measurement at all.
        simulated.dwi.voxel_mut(3)[7] = f32::NAN;
        simulated.dwi.voxel_mut(4).fill(0.0);
        simulated.dwi.voxel_mut(5)[..5].fill(f32::INFINITY);
        simulated.dwi.voxel_mut(6)[9] = -20.0;
        simulated.dwi.voxel_mut(7)[1..].fill(f32::NAN);
        compare(name, &simulated, &table, &gpu(None), 16);
    }
}

/// A user's model with features that built-in models lack: logarithms, roots, choices, the larger and the
/// smaller of two values, additional numbers per measurement and maps. It also has a constraint and a fixed
/// parameter.
const MINE: &str = r#"name = "mine"
constraints = ["slow <= d"]
signal = """
let fast = exp(-b * max(d, slow) * (1 - 0.5 * dot(g, n)^2))
let hindered = exp(-b * slow) * where(b < edge, 1, 1 + 0.1 * ln(1 + b * slow))
s0 * min(gain, 1.5) * sqrt(f * f) * hindered * exp(-delay * rate) + s0 * gain * abs(1 - f) * fast
"""
[parameters.s0]
unit = "signal"
bounds = [0, inf]
start = "mean_b0"
[parameters.f]
bounds = [0, 1]
grid = [0.2, 0.4, 0.6]
[parameters.slow]
unit = "mm²/s"
bounds = [1e-5, 2e-3]
grid = [2e-4, 8e-4]
[parameters.d]
unit = "mm²/s"
bounds = [1e-4, 5e-3]
grid = [1e-3, 2e-3]
[parameters.n]
kind = "orientation"
start = "tensor.v1"
[parameters.edge]
unit = "s/mm²"
bounds = [0, 1e5]
start = 1500
fixed = true
[measurements.delay]
unit = "ms"
bounds = [0, 100]
[maps.rate]
unit = "1/ms"
bounds = [0, 1]
[maps.gain]
bounds = [0.5, 2]
"#;

#[test]
fn user_models_have_bit_identical_gpu_fits() {
    if !arcuate_emulation::available("fits on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let simulated = simulate(&model("ball-1-stick").unwrap(), &table, 70, 30.0, 6);
    let mine = [Model::parse("mine.toml", MINE).unwrap()];
    let map = |first: f32, step: f32| {
        let values = (0..70).map(|voxel| first + step * voxel as f32).collect();
        Volume::new(*simulated.dwi.grid(), 1, values).unwrap()
    };
    let delays: Vec<f64> = (0..table.len()).map(|n| f64::from(n as u32 % 5)).collect();
    for (single_precision, bounds) in
        [(true, BoundsMethod::Projection), (false, BoundsMethod::Projection), (true, BoundsMethod::Transform)]
    {
        let options = FitOptions {
            single_precision,
            bounds,
            evaluations: 40,
            columns: vec![MeasurementColumn { name: "delay".to_owned(), values: delays.clone() }],
            maps: vec![("rate".to_owned(), map(0.0, 1e-3)), ("gain".to_owned(), map(0.9, 2e-3))],
            ..FitOptions::default()
        };
        let fit = |device: &Device| {
            fit_models(&mine, &simulated.dwi, &table, &simulated.mask, device, &options).unwrap().remove(0)
        };
        let (here, there) = (fit(&Device::Cpu), fit(&gpu(None)));
        assert_eq!(there.obstacle, None);
        assert_same(&here, &there, &format!("single precision {single_precision}, {bounds:?}"));
    }
}

#[test]
fn models_that_gpu_kernels_do_not_support_are_fitted_on_the_cpu_with_a_warning() {
    if !arcuate_emulation::available("fits that a GPU does not support") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let simulated = simulate(&model("ball-1-stick").unwrap(), &table, 9, 30.0, 6);
    let (text, _) = MINE.split_once("[measurements.delay]").unwrap();
    let text = text.replace("delay * rate", "f").replace("gain", "1");
    let fit = |text: &str, device: &Device| {
        let mine = [Model::parse("mine.toml", text).unwrap()];
        let options = FitOptions { evaluations: 4, ..FitOptions::default() };
        let (mut fits, warnings) = arcuate_test_support::warnings(|| {
            fit_models(&mine, &simulated.dwi, &table, &simulated.mask, device, &options).unwrap()
        });
        let about_the_cpu: Vec<String> =
            warnings.iter().filter(|warning| warning.contains("CPU")).cloned().collect();
        (fits.remove(0), about_the_cpu)
    };
    let curved = text.replace("slow <= d", "f * slow <= d");
    let warning =
        "mine: GPU kernels do not support nonlinear constraints; it is fitted on the CPU".to_owned();
    let obstacle = Some(Obstacle::Unsupported("nonlinear constraints"));
    for (text, expected) in [(&text, (None, Vec::new())), (&curved, (obstacle, vec![warning]))] {
        let (here, warnings) = fit(text, &Device::Cpu);
        assert_eq!((here.obstacle, warnings), (None, Vec::new()));
        let (there, warnings) = fit(text, &gpu(None));
        assert_eq!((there.obstacle, warnings), expected);
        assert_same(&here, &there, text);
    }
}

#[test]
fn long_series_have_bit_identical_gpu_fits() {
    if !arcuate_emulation::available("fits on a GPU") {
        return;
    }
    // In single precision, these b-values need series with more terms than b = 2000 s/mm². The tissue in
    // fixed samples has lower diffusivities.
    for (name, b) in [("noddi-watson", 3000.0), ("noddi-watson-exvivo", 8000.0)] {
        let table = table(&[1000.0, b], 12);
        let simulated = simulate(&model(name).unwrap(), &table, 40, 30.0, 4);
        compare(name, &simulated, &table, &gpu(None), 30);
    }
}

#[test]
fn fits_do_not_depend_on_chunks_and_gpus() {
    if !arcuate_emulation::available("fits in chunks and on two GPUs") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let simulated = simulate(&model("ball-3-sticks").unwrap(), &table, 800, 30.0, 5);
    let small = gpu(Some(MEMORY));
    for single_precision in [true, false] {
        let count = chunks(|control| {
            let options = FitOptions { single_precision, evaluations: 2, control, ..FitOptions::default() };
            fit("ball-3-sticks", &simulated, &table, &small, &options);
        });
        assert!(count >= 3, "{count}");
    }
    compare("ball-3-sticks", &simulated, &table, &small, 12);
    on_two_gpus(None, |two| compare("ball-3-sticks", &simulated, &table, two, 12));
}
