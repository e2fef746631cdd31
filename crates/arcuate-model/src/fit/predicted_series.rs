//! Predicts the signals of a fitted model in all voxels.

use super::cpu::PIECE;
use super::dispersion_series::SeriesLength;
use super::interpreter::{Interpreter, WIDTH};
use super::options::FitOptions;
use super::plan::{ModelPlan, Pipeline};
use super::results::ModelFit;
use super::schedule::Schedule;
use super::status::Status;
use crate::language::{Model, Role};
use arcuate_core::{GradientTable, Result, Volume, saturating};
use arcuate_numbers::Lanes;
use pulp::{Arch, Simd, WithSimd};
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
        let of = Piece { plan, fit, schedule: &schedule, measurements, first: piece * PIECE, out };
        Arch::new().dispatch(of);
    });
    Ok(series)
}

struct Piece<'a> {
    plan: &'a ModelPlan<f64>,
    fit: &'a ModelFit,
    schedule: &'a Schedule,
    measurements: usize,
    /// Index of the first voxel of this piece of the image.
    first: usize,
    out: &'a mut [f32],
}

impl Piece<'_> {
    /// Writes the fitted parameter values of a voxel to `out`, in base units.
    fn numbers(&self, voxel: usize, out: &mut [f64]) {
        let Self { plan, fit, .. } = self;
        for (parameter, (role, first)) in plan.model.parameters().iter().zip(&plan.program.places) {
            let map = fit.maps.iter().find(|map| map.name == parameter.name());
            let (Role::Free, Some(map)) = (role, map) else { continue };
            let factor = parameter.unit().factor();
            for (number, value) in out[*first..].iter_mut().zip(map.volume.voxel(voxel)) {
                *number = f64::from(*value) * factor;
            }
        }
    }
}

impl WithSimd for Piece<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { plan, measurements, first, .. } = self;
        let end = first + self.out.len() / measurements;
        let is_fitted =
            |voxel: &usize| Status::of(saturating::<u8>(self.fit.status.voxel(*voxel)[0])).is_fitted();
        let voxels: Vec<usize> = (first..end).filter(is_fitted).collect();
        let mut interpreter = Interpreter::<f64>::new(self.schedule, measurements);
        let mut numbers = vec![Lanes::all(0.0); plan.program.free_numbers];
        let mut maps = vec![Lanes::all(0.0); plan.program.map_numbers];
        let mut own = vec![0.0; numbers.len()];
        for voxels in voxels.chunks(WIDTH) {
            for (lane, &voxel) in voxels.iter().enumerate() {
                self.numbers(voxel, &mut own);
                numbers.iter_mut().zip(&own).for_each(|(row, number)| row.0[lane] = *number);
                let of_voxel = plan.maps_of(&[voxel]);
                maps.iter_mut().zip(of_voxel).for_each(|(row, number)| row.0[lane] = number);
            }
            interpreter.set_inputs(&[], &numbers, &maps);
            let mut m = 0;
            while m < measurements {
                let count = interpreter.block(m);
                for (n, row) in interpreter.result(0, count).iter().enumerate() {
                    for (lane, &voxel) in voxels.iter().enumerate() {
                        self.out[(voxel - first) * measurements + m + n] = row.0[lane] as f32;
                    }
                }
                m += count;
            }
        }
    }
}
