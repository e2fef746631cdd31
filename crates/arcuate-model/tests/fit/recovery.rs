//! What fits find of parameters that are known: without noise, and with it.

use crate::simulation::{Simulated, simulate, table};
use arcuate_compute::Device;
use arcuate_core::GradientTable;
use arcuate_model::fit::{BoundsMethod, FitOptions, ModelFit, Prediction, fit_models};
use arcuate_model::language::{Model, Parameter};
use arcuate_model::models::model;
use rayon::prelude::*;

const SNR: f64 = 30.0;

fn fit(model: &Model, simulated: &Simulated, table: &GradientTable, options: &FitOptions) -> ModelFit {
    let Simulated { dwi, mask, .. } = simulated;
    fit_models(std::slice::from_ref(model), dwi, table, mask, &Device::Cpu, options).unwrap().remove(0)
}

/// Parameters that are fitted, and the first of the numbers of each.
fn free(model: &Model) -> Vec<(&Parameter, usize)> {
    let mut first = 0;
    let mut all = Vec::new();
    for parameter in model.parameters().iter().filter(|parameter| !parameter.is_fixed()) {
        all.push((parameter, first));
        first += parameter.numbers();
    }
    all
}

/// How far a parameter of a voxel is from the truth: fractions absolutely, other numbers relative to it, orientations in
/// degrees.
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

/// Of random voxels without noise whose parameters the protocol determines to 50 % at an SNR of 30, the part that is found to
/// 1e-3 (orientations to 0.1°), and how many these are.
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

#[test]
fn scratch() {
    for (name, b, directions) in [
        ("noddi-watson-exvivo", &[2000.0, 4000.0, 8000.0][..], 60),
    ] {
        for bounds in [BoundsMethod::Projection, BoundsMethod::Transform] {
            let options = FitOptions { bounds, ..FitOptions::default() };
            let t = std::time::Instant::now();
            let (part, determined) = recovered(name, &table(b, directions), 3000, &options);
            eprintln!("{name} {bounds:?} {part:.4} of {determined} {:?}", t.elapsed());
        }
    }
}
