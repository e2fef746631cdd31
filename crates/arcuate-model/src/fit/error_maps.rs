//! Maps of the standard errors of fitted parameters.

use super::cpu::PIECE;
use super::plan::{ModelPlan, Pipeline};
use super::results::FitMap;
use super::uncertainty;
use super::voxels::Voxels;
use crate::language::{Form, OtherNames, Parameter, Role};
use arcuate_core::Volume;
use arcuate_numbers::Real;
use rayon::prelude::*;

/// Returns maps of the standard errors of fitted parameters.
pub(super) fn standard_errors<T: Real>(
    pipeline: &Pipeline<T>,
    plan: &ModelPlan<T>,
    dwi: &Volume<f32>,
    items: &[usize],
    voxels: &Voxels<T>,
) -> Vec<FitMap> {
    let width = plan.unknowns.len();
    let errors: Vec<Vec<f64>> = items
        .par_chunks(PIECE)
        .enumerate()
        .map(|(piece, items)| {
            let signals = pipeline.signals_of(dwi, items);
            uncertainty::standard_errors(plan, &plan.derivatives, voxels, piece * PIECE, &signals)
        })
        .collect();
    let errors = errors.concat();
    let mut maps = Vec::new();
    for (n, parameter) in plan.model.parameters().iter().enumerate() {
        let (role, first) = plan.program.places[n];
        let places: Vec<usize> =
            (0..width).filter(|&i| usize::from(plan.unknowns[i].place()) == first).collect();
        if role != Role::Free || places.is_empty() {
            continue;
        }
        let power = parameter.unit().dimension().signal_power();
        let factor = parameter.unit().factor();
        let maximum = most_error(parameter);
        let mut volume = Volume::filled(*dwi.grid(), 1, 0.0f32);
        for (voxel, &item) in items.iter().enumerate() {
            // The standard error of an orientation is one angle. It combines the errors of the two rotations
            // that change the orientation.
            let square: f64 = places.iter().map(|&i| errors[voxel * width + i].powi(2)).sum();
            let scale = factor * voxels.factor(voxel).double().powf(power);
            let error = (square.sqrt() / scale).min(maximum);
            volume.values_mut()[item] = if error.is_finite() { error as f32 } else { 0.0 };
        }
        maps.push(FitMap {
            name: parameter.name().to_owned(),
            about: format!("standard error: {}", parameter.about()),
            unit: if parameter.numbers() == 3 { "rad".into() } else { parameter.unit().to_string() },
            bounds: None,
            other_names: OtherNames::default(),
            volume,
        });
    }
    maps
}

/// Returns the largest meaningful standard error of a parameter. For a number, this is the range between its
/// bounds. For an orientation, whose sign has no meaning, it is a right angle. A parameter with a larger
/// error is not determined by the data.
fn most_error(parameter: &Parameter) -> f64 {
    match parameter.form() {
        Form::Orientation { .. } => std::f64::consts::FRAC_PI_2,
        Form::Number { bounds, .. } => bounds.high - bounds.low,
    }
}
