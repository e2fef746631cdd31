//! Predicts the signals of a fitted model in all voxels.

use super::cpu::PIECE;
use super::dispersion_series::SeriesLength;
use super::evaluation::set_lane;
use super::interpreter::{Interpreter, WIDTH};
use super::options::FitOptions;
use super::plan::{ModelPlan, Pipeline};
use super::predict::numbers_of;
use super::results::ModelFit;
use super::schedule::Schedule;
use super::status::Status;
use crate::language::Model;
use arcuate_core::{GradientTable, Result, Volume, saturating};
use arcuate_numbers::Lanes;
use rayon::prelude::*;

/// Predicts the signal of every fitted measurement from the fit of one of several models. Returns an image
/// with one channel per measurement. The signals are computed in double precision from the maps of the fit.
/// Voxels without a fit are 0. `which` is the index of the model in `models`.
///
/// `models`, `gradients` and `options` must be the arguments of the earlier call of
/// [`fit_models`](super::fit_models), and `fit` must be its result for this model.
/// [`ModelMeasurements::of`](super::ModelMeasurements::of) returns the fitted measurements.
///
/// # Errors
/// Returns the errors of [`check_models`](super::check_models).
pub fn predicted_series(
    models: &[Model],
    which: usize,
    fit: &ModelFit,
    gradients: &GradientTable,
    options: &FitOptions,
) -> Result<Volume<f32>> {
    let pipeline = Pipeline::<f64>::new(models, gradients, options)?;
    let place = pipeline.requested[which];
    let (plan, protocol) = (&pipeline.plans[place], &pipeline.protocols[place]);
    let (program, signal) = (&plan.program.program, plan.program.predicted);
    let schedule = Schedule::of_roots(program, &[signal], protocol, &plan.settings, SeriesLength::Double)?;
    let measurements = protocol.len();
    let mut series = Volume::filled(*fit.status.grid(), measurements, 0.0f32);
    series.values_mut().par_chunks_mut(PIECE * measurements).enumerate().for_each(|(piece, out)| {
        with_simd!(predict(plan, fit, (&schedule, measurements), piece * PIECE, out));
    });
    Ok(series)
}

/// Predicts the signals of the fitted voxels in a piece of the image that begins at the voxel `first`.
#[inline(always)]
fn predict(
    plan: &ModelPlan<f64>,
    fit: &ModelFit,
    (schedule, measurements): (&Schedule, usize),
    first: usize,
    out: &mut [f32],
) {
    let mut interpreter = Interpreter::new(schedule, measurements);
    let is_fitted = |voxel: &usize| Status::of(saturating::<u8>(fit.status.voxel(*voxel)[0])).is_fitted();
    let voxels: Vec<usize> = (first..first + out.len() / measurements).filter(is_fitted).collect();
    let mut numbers = vec![Lanes::all(0.0); plan.program.free_numbers];
    let mut maps = vec![Lanes::all(0.0); plan.program.map_numbers];
    for voxels in voxels.chunks(WIDTH) {
        for (lane, &voxel) in voxels.iter().enumerate() {
            set_lane(&mut numbers, lane, &numbers_of(plan, fit, voxel));
            set_lane(&mut maps, lane, &plan.maps_of(&[voxel]));
        }
        interpreter.set_inputs(&[], &numbers, &maps, &[]);
        interpreter.blocks(&[], |of, block| {
            for (m, row) in block.clone().zip(of.result(0, &block)) {
                for (lane, &voxel) in voxels.iter().enumerate() {
                    out[(voxel - first) * measurements + m] = row.0[lane] as f32;
                }
            }
        });
    }
}
