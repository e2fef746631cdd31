//! Tests users' models with each function. On a GPU, fits and chains of these models must give the same bits as
//! on the CPU.

use crate::simulation::table;
use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::{GradientTable, Grid, Mask, Volume};
use arcuate_model::fit::sample::{ModelSamples, SampleOptions, sample_model};
use arcuate_model::fit::{FitOptions, ModelFit, fit_models};
use arcuate_model::language::{FUNCTIONS, Model};

/// Creates a model with the signal S₀ e⁻ˣ (2 + (g·n)²/10 + ½ f) with x = b d. The formula defines f, from a
/// number p of the measurement and the voxel, and a number q of the voxel.
fn model(name: &str, formula: &str) -> Model {
    constrained(name, formula, "d >= 1e-5 [mm²/s]")
}

fn constrained(name: &str, formula: &str, constraint: &str) -> Model {
    let text = format!(
        r#"name = "with-{name}"
constraints = ["{constraint}"]
signal = """
let x = b * d
let p = 0.6 * a + 0.3 * exp(-x)
let q = 1 - 0.8 * a
s0 * exp(-x) * (2 + 0.1 * dot(g, n)^2 + 0.5 * ({formula}) + 1e-3 * p * q)
"""
[parameters.s0]
unit = "signal"
bounds = [0, inf]
start = "mean_b0"
[parameters.d]
unit = "mm²/s"
bounds = [1e-5, 3e-3]
grid = [2e-4, 8e-4]
[parameters.a]
bounds = [0.1, 1]
grid = [0.2, 0.6]
[parameters.n]
kind = "orientation"
start = "tensor.v1"
"#
    );
    Model::parse("mine.toml", &text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Simulates voxels whose signal decays with b, with deterministic deviations that resemble noise.
fn series(table: &GradientTable, voxels: usize) -> (Volume<f32>, Mask) {
    let grid = Grid::unplaced([voxels, 1, 1], [2.0; 3]).unwrap();
    let signal = |voxel: usize, m: usize| {
        let (b, [x, ..]) = (table.b_values()[m], table.directions()[m]);
        let d = 4e-4 + 3e-5 * voxel as f64 + 2e-4 * x * x;
        2000.0 * ((-b * d).exp() + 0.02 * (f64::from((7 * m + 13 * voxel) as u32 % 11) / 5.0 - 1.0)) as f32
    };
    let values = (0..voxels).flat_map(|voxel| (0..table.len()).map(move |m| (voxel, m)));
    let values = values.map(|(voxel, m)| signal(voxel, m)).collect();
    (Volume::new(grid, table.len(), values).unwrap(), Mask::full(grid))
}

fn gpu() -> Device {
    DeviceChoice::Cuda(vec![0]).open(None).unwrap()
}

fn bits(volume: &Volume<f32>) -> Vec<u32> {
    volume.values().iter().map(|value| value.to_bits()).collect()
}

#[test]
fn models_with_each_function_have_bit_identical_gpu_fits() {
    if !arcuate_emulation::available("fits on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let (dwi, mask) = series(&table, 9);
    for function in FUNCTIONS {
        let name = function.name;
        let models = [model(name, function.example)];
        for single_precision in [true, false] {
            let options = FitOptions { single_precision, evaluations: 20, ..FitOptions::default() };
            let fit = |device: &Device| -> ModelFit {
                fit_models(&models, &dwi, &table, &mask, device, &options).unwrap().remove(0)
            };
            let (here, there) = (fit(&Device::Cpu), fit(&gpu()));
            let what = format!("{name}, single precision {single_precision}");
            assert_eq!(there.obstacle, None, "{what}");
            assert_eq!(here.evaluations, there.evaluations, "{what}");
            assert_eq!(here.status.values(), there.status.values(), "{what}");
            assert_eq!(bits(&here.residual), bits(&there.residual), "{what}");
            for (a, b) in here.maps.iter().zip(&there.maps) {
                assert_eq!(bits(&a.volume), bits(&b.volume), "{what}: {}", a.name);
            }
        }
    }
}

#[test]
fn models_with_each_function_have_bit_identical_gpu_samples() {
    if !arcuate_emulation::available("chains on a GPU") {
        return;
    }
    let table = table(&[1000.0, 2000.0], 12);
    let (dwi, mask) = series(&table, 5);
    let options = FitOptions { single_precision: true, evaluations: 10, ..FitOptions::default() };
    let sampling = SampleOptions {
        burn_in: 9,
        jumps: 12,
        interval: 3,
        window: 5,
        random_seed: 3,
        ..SampleOptions::default()
    };
    let curved = constrained("constraint", "erf(p - q)", "a * a <= 0.1 + d / 5e-3 [mm²/s]");
    let models = FUNCTIONS.iter().map(|function| model(function.name, function.example));
    for model in models.chain([curved]) {
        let name = model.name();
        let sample = |device: &Device| -> ModelSamples {
            sample_model(&model, &dwi, &table, &mask, device, &options, &sampling).unwrap()
        };
        let (here, there) = (sample(&Device::Cpu), sample(&gpu()));
        assert_eq!(there.obstacle, None, "{name}");
        assert_eq!(bits(&here.acceptance), bits(&there.acceptance), "{name}");
        for parameter in &here.parameters {
            let (a, b) = (here.samples_of(parameter), there.samples_of(parameter));
            assert_eq!(bits(&a), bits(&b), "{name}: {}", parameter.name);
        }
    }
}
