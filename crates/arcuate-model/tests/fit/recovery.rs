//! Tests whether fits find the true parameters of simulated voxels, without noise and with noise.

use crate::simulation::{Simulated, simulate, table};
use arcuate_compute::Device;
use arcuate_core::GradientTable;
use arcuate_model::fit::{
    BoundsMethod, Criterion, FitOptions, ModelFit, Override, OverrideKind, Prediction, Source, best_models,
    fit_models,
};
use arcuate_model::language::{Model, Parameter};
use arcuate_model::models::model;
use rayon::prelude::*;

const SNR: f64 = 30.0;
/// Number of simulated voxels. It is so large that the result does not depend on a single missed voxel.
const VOXELS: usize = 800;

fn fit(model: &Model, simulated: &Simulated, table: &GradientTable, options: &FitOptions) -> ModelFit {
    let Simulated { dwi, mask, .. } = simulated;
    fit_models(std::slice::from_ref(model), dwi, table, mask, &Device::Cpu, options).unwrap().remove(0)
}

/// Returns the fitted parameters of a model, each with the index of its first component.
fn free(model: &Model) -> Vec<(&Parameter, usize)> {
    let mut first = 0;
    let mut all = Vec::new();
    for parameter in model.parameters().iter().filter(|parameter| !parameter.is_fixed()) {
        all.push((parameter, first));
        first += parameter.numbers();
    }
    all
}

/// Returns the error of a fitted parameter in a voxel. For a fraction, it is the absolute error. For another
/// scalar, it is the relative error. For an orientation, it is the angle to the true orientation in degrees.
fn error(fit: &ModelFit, parameter: &Parameter, truth: &[f64], voxel: usize) -> f64 {
    let map = fit.maps.iter().find(|map| map.name == parameter.name()).unwrap();
    let found = map.volume.voxel(voxel);
    if parameter.numbers() == 1 {
        let difference = (f64::from(found[0]) - truth[0]).abs();
        let is_fraction = map.bounds == Some([0.0, 1.0]);
        return if is_fraction { difference } else { difference / truth[0].abs().max(1e-6) };
    }
    let found: Vec<f64> = found.iter().map(|value| f64::from(*value)).collect();
    let cross = [
        found[1] * truth[2] - found[2] * truth[1],
        found[2] * truth[0] - found[0] * truth[2],
        found[0] * truth[1] - found[1] * truth[0],
    ];
    cross.iter().map(|c| c * c).sum::<f64>().sqrt().min(1.0).asin().to_degrees()
}

/// Simulates random voxels without noise, and selects those whose parameters the protocol determines to 50 %
/// at an SNR of 30. Returns the fraction of them that is found to 1e-3 (orientations to 0.1°), and their
/// number.
fn recovered(name: &str, table: &GradientTable, count: usize, options: &FitOptions) -> (f64, usize) {
    let model = model(name).unwrap();
    let simulated = simulate(&model, table, count, f64::INFINITY, 1);
    let fit = fit(&model, &simulated, table, options);
    let prediction = Prediction::new(&model, table, &[]).unwrap();
    let parameters = free(&model);
    let is_found: Vec<Option<bool>> = simulated
        .truth
        .par_iter()
        .enumerate()
        .map(|(voxel, truth)| {
            let errors = prediction.standard_errors(truth, truth[0] / SNR);
            let is_determined = parameters.iter().zip(&errors).all(|((parameter, first), error)| {
                if parameter.numbers() == 3 { *error < 0.5 } else { *error < 0.5 * truth[*first].abs() }
            });
            is_determined.then(|| {
                parameters.iter().all(|(parameter, first)| {
                    let error = error(&fit, parameter, &truth[*first..], voxel);
                    error <= if parameter.numbers() == 3 { 0.1 } else { 1e-3 }
                })
            })
        })
        .collect();
    let determined = is_found.iter().flatten().count();
    let found = is_found.iter().flatten().filter(|found| **found).count();
    (found as f64 / determined.max(1) as f64, determined)
}

/// Minimum fraction of voxels in which the true parameters are found. In the other voxels, the fit converges
/// to another minimum.
const FOUND: f64 = 0.995;

fn check(name: &str, b_values: &[f64], directions: usize, count: usize, options: &FitOptions) {
    let (part, determined) = recovered(name, &table(b_values, directions), count, options);
    assert!(determined > count / 3, "{name}: the protocol determines {determined} of {count}");
    assert!(part >= FOUND, "{name}: {part} of {determined}");
}

// Each model is fitted to a protocol that determines its parameters. The tensor needs one shell, sticks and
// NODDI need two, and models that depend on the shape of the decay need three.

#[test]
fn tensors_are_recovered() {
    check("tensor-nonlinear", &[1000.0], 30, VOXELS, &FitOptions::default());
}

#[test]
fn sticks_are_recovered() {
    check("ball-1-stick", &[1000.0, 2000.0], 50, VOXELS, &FitOptions::default());
    check("ball-2-sticks", &[1000.0, 2000.0], 50, VOXELS, &FitOptions::default());
}

#[test]
fn sticks_with_distributed_diffusivity_are_recovered() {
    check("ball-1-stick-gamma", &[1000.0, 2000.0, 3000.0], 60, VOXELS, &FitOptions::default());
    check("ball-2-sticks-gamma", &[1000.0, 2000.0, 3000.0], 60, VOXELS, &FitOptions::default());
}

#[test]
fn three_sticks_are_recovered() {
    // The fit has many minima, so that the search keeps six starts.
    check("ball-3-sticks", &[1000.0, 2000.0], 50, VOXELS / 2, &FitOptions::default());
    check("ball-3-sticks-gamma", &[1000.0, 2000.0, 3000.0], 60, VOXELS / 2, &FitOptions::default());
}

#[test]
fn orientations_with_zero_gradient_are_recovered() {
    // The start is perpendicular to the true orientation, so that the cost has no slope towards it. The
    // concentration then decreases to 0, where orientations have no effect.
    for (name, orientation, first) in [("noddi-watson", "mu", 4), ("ball-1-stick", "n", 3)] {
        let (model, table) = (model(name).unwrap(), table(&[1000.0, 2000.0], 50));
        let simulated = simulate(&model, &table, 1_000, f64::INFINITY, 6);
        let mut starts = arcuate_core::Volume::filled(*simulated.dwi.grid(), 3, 0.0f32);
        for (voxel, truth) in simulated.truth.iter().enumerate() {
            let [x, y, z] = [truth[first], truth[first + 1], truth[first + 2]];
            let across = if x.abs() < 0.6 { [0.0, -z, y] } else { [-y, x, 0.0] };
            starts.voxel_mut(voxel).iter_mut().zip(across).for_each(|(out, value)| *out = value as f32);
        }
        let what = OverrideKind::StartingAt(Source::Map(Box::new(starts)));
        let options = FitOptions {
            overrides: vec![Override { parameter: orientation.to_owned(), what }],
            ..FitOptions::default()
        };
        let fit = fit(&model, &simulated, &table, &options);
        let parameters = free(&model);
        let (parameter, _) = parameters.iter().find(|(_, place)| *place == first).unwrap();
        let missed = (0..1_000)
            .filter(|&voxel| error(&fit, parameter, &simulated.truth[voxel][first..], voxel) > 0.5)
            .filter(|&voxel| name != "noddi-watson" || simulated.truth[voxel][3] > 0.1);
        let missed = missed.count();
        assert!(missed <= 5, "{name}: {missed} of 1000");
    }
}

#[test]
fn noddi_parameters_are_recovered() {
    check("noddi-watson", &[1000.0, 2000.0], 50, VOXELS, &FitOptions::default());
    check("noddi-watson-exvivo", &[2000.0, 4000.0, 8000.0], 40, VOXELS, &FitOptions::default());
}

#[test]
fn transformed_parameters_are_recovered() {
    let options = FitOptions { bounds: BoundsMethod::Transform, ..FitOptions::default() };
    check("ball-2-sticks", &[1000.0, 2000.0], 50, VOXELS, &options);
    check("noddi-watson", &[1000.0, 2000.0], 50, VOXELS, &options);
}

#[test]
fn single_precision_recovers_small_concentrations() {
    // If the fraction ndi is below 0.2, published programs disagree with each other.
    let (model, table) = (model("noddi-watson").unwrap(), table(&[1000.0, 2000.0], 50));
    let mut simulated = simulate(&model, &table, 2_000, f64::INFINITY, 2);
    let prediction = Prediction::new(&model, &table, &[]).unwrap();
    for (voxel, truth) in simulated.truth.iter_mut().enumerate() {
        truth[1] *= 0.3;
        truth[3] = 0.2 * (voxel as f64 + 0.5) / 2_000.0;
        let signals = prediction.signals(truth);
        simulated.dwi.voxel_mut(voxel).iter_mut().zip(signals).for_each(|(out, signal)| *out = signal as f32);
    }
    let options = FitOptions { single_precision: true, ..FitOptions::default() };
    let fit = fit(&model, &simulated, &table, &options);
    let kappa = fit.maps.iter().find(|map| map.name == "kappa").unwrap();
    let worst = (0..2_000)
        .map(|voxel| (f64::from(kappa.volume.voxel(voxel)[0]) - simulated.truth[voxel][3]).abs())
        .fold(0.0, f64::max);
    // The error is the rounding of the signals, 6e-8, divided by their smallest derivative by κ, about 1e-3.
    assert!(worst < 2e-3, "{worst}");
}

/// Simulates many noisy measurements of one voxel. Checks the bias and the spread of every parameter,
/// relative to the Cramér–Rao bound.
fn check_noise(name: &str, b_values: &[f64], directions: usize, numbers: &[f64]) {
    const REPEATS: usize = 1_000;
    let (model, table) = (model(name).unwrap(), table(b_values, directions));
    let mut simulated = simulate(&model, &table, REPEATS, SNR, 3);
    let prediction = Prediction::new(&model, &table, &[]).unwrap();
    let signals = prediction.signals(numbers);
    for voxel in 0..REPEATS {
        let truth = &simulated.truth[voxel];
        let scale = numbers[0] / truth[0];
        // This is the noise that the simulation added to the voxel's own signal. It is added to the signal of
        // the common parameters.
        let own = prediction.signals(truth);
        let values = simulated.dwi.voxel_mut(voxel);
        for ((value, own), signal) in values.iter_mut().zip(own).zip(&signals) {
            *value = (signal + scale * (f64::from(*value) - own)) as f32;
        }
    }
    let fit = fit(&model, &simulated, &table, &FitOptions::default());
    let bounds = prediction.standard_errors(numbers, numbers[0] / SNR);
    for ((parameter, first), bound) in free(&model).into_iter().zip(bounds) {
        if parameter.numbers() == 3 {
            // The root mean square of the angle must equal the Cramér–Rao bound.
            let square = |voxel| error(&fit, parameter, &numbers[first..], voxel).to_radians().powi(2);
            let spread = ((0..REPEATS).map(square).sum::<f64>() / REPEATS as f64).sqrt();
            assert!((spread / bound - 1.0).abs() < 0.2, "{name}, {}: {spread} {bound}", parameter.name());
            continue;
        }
        let map = fit.maps.iter().find(|map| map.name == parameter.name()).unwrap();
        let values = || (0..REPEATS).map(|voxel| f64::from(map.volume.voxel(voxel)[0]));
        let mean = values().sum::<f64>() / REPEATS as f64;
        let spread = (values().map(|value| (value - mean).powi(2)).sum::<f64>() / REPEATS as f64).sqrt();
        let bias = (mean - numbers[first]).abs();
        assert!(bias <= 0.2 * bound, "{name}, {}: bias {bias}, bound {bound}", parameter.name());
        assert!((spread / bound - 1.0).abs() < 0.2, "{name}, {}: {spread} {bound}", parameter.name());
    }
}

#[test]
fn parameter_spread_agrees_with_the_cramer_rao_bound() {
    check_noise("ball-1-stick", &[1000.0, 2000.0], 50, &[900.0, 1.4e-3, 0.55, 0.48, 0.6, 0.64]);
    check_noise(
        "ball-2-sticks",
        &[1000.0, 2000.0],
        50,
        &[900.0, 1.4e-3, 0.42, 0.48, 0.6, 0.64, 0.28, 0.8, -0.6, 0.0],
    );
    check_noise("noddi-watson", &[1000.0, 2000.0, 3000.0], 60, &[900.0, 0.3, 0.55, 3.0, 0.48, 0.6, 0.64]);
    let tensor = [900.0, 1.1e-3, 0.7e-3, 0.5e-3, 0.2e-3, 0.1e-3, -0.05e-3];
    check_noise("tensor-nonlinear", &[1000.0], 60, &tensor);
}

#[test]
fn the_true_model_has_the_lowest_bic() {
    // The test follows a part of Figure 12 of Hernandez-Fernandez et al. 2019, with simulated voxels.
    const NAMES: [&str; 3] = ["ball-1-stick", "ball-2-sticks", "noddi-watson"];
    const VOXELS: usize = 300;
    let table = table(&[1000.0, 2000.0], 50);
    let models = NAMES.map(|name| model(name).unwrap());
    for (n, truth) in models.iter().enumerate() {
        let Simulated { dwi, mask, .. } = simulate(truth, &table, VOXELS, SNR, 7);
        let options = FitOptions { single_precision: true, ..FitOptions::default() };
        let fits = fit_models(&models, &dwi, &table, &mask, &Device::Cpu, &options).unwrap();
        let best = best_models(&fits, Criterion::Bic).unwrap();
        let of = |m: usize| best.values().iter().filter(|winner| **winner == (m + 1) as f32).count();
        let won = [of(0), of(1), of(2)];
        println!("{}: {won:?} of {VOXELS}", NAMES[n]);
        assert!(won[n] > [270, 240, 270][n], "{}: {won:?}", NAMES[n]);
    }
}

#[test]
fn fits_do_not_depend_on_threads_and_other_voxels() {
    let (model, table) = (model("ball-2-sticks").unwrap(), table(&[1000.0, 2000.0], 30));
    let simulated = simulate(&model, &table, 600, SNR, 4);
    for single_precision in [true, false] {
        let options = FitOptions { single_precision, ..FitOptions::default() };
        let with = |threads: usize, simulated: &Simulated| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| fit(&model, simulated, &table, &options))
        };
        let (one, three) = (with(1, &simulated), with(3, &simulated));
        // The mask contains only every fifth voxel.
        let inside = (0..600).map(|voxel| voxel % 5 == 0).collect();
        let mask = arcuate_core::Mask::new(*simulated.dwi.grid(), inside).unwrap();
        let few = Simulated { dwi: simulated.dwi.clone(), mask, truth: Vec::new() };
        let few = with(2, &few);
        for ((a, b), c) in one.maps.iter().zip(&three.maps).zip(&few.maps) {
            assert!(a.volume.values() == b.volume.values(), "{}", a.name);
            for voxel in (0..600).step_by(5) {
                assert_eq!(a.volume.voxel(voxel), c.volume.voxel(voxel), "{} of voxel {voxel}", a.name);
            }
        }
    }
}
