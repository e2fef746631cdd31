//! Models prepared for a fit.

use super::begin::BeginPlan;
use super::options::Source;
use super::protocol::Protocol;
use super::schedule::Schedule;
use super::stage::{Control, StagePlan};
use super::unknowns::Unknown;
use crate::language::{Model, ModelProgram, Role, SignalStatistic};
use arcuate_core::Volume;
use arcuate_numbers::Real;

/// A model prepared for a fit.
#[derive(Debug, Clone)]
pub(crate) struct ModelPlan<T: Real> {
    pub(crate) model: Model,
    pub(crate) program: ModelProgram,
    pub(crate) roles: Vec<Role>,
    pub(crate) settings: Vec<f64>,
    pub(crate) begin: BeginPlan<T>,
    pub(crate) stages: Vec<StagePlan<T>>,
    pub(crate) control: Control<T>,
    /// Starting values from another model's fit. Each has three indices: of the value in this model, of the
    /// other model's plan, and of the value in the other model.
    pub(crate) given: Vec<(usize, usize, usize)>,
    /// Parameter values that the user gives. Each has the index of its first value, and its source (a number
    /// or an image). Each also has the factor that converts its unit to base units, and the power of the
    /// signal in this unit.
    pub(crate) sources: Vec<(usize, Source, f64, f64)>,
    /// Parameters that start at a statistic of the voxel's signals, such as the mean. When the series is
    /// known, an image of each statistic is added to `sources`.
    pub(crate) from_signals: Vec<(usize, SignalStatistic)>,
    /// Maps that the model's formulas use, in the order of the formulas. Each has an image, and the factor
    /// that converts the image to base units.
    pub(crate) maps: Vec<(Volume<f32>, f64)>,
    /// The unknowns of all stages of the fit. Standard errors are computed for these unknowns, and
    /// information criteria use the number of unknowns.
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) resting: Vec<bool>,
    /// Standard deviation of the noise of one acquired measurement, divided by the standard deviation of the
    /// noise of a weighted (fitted) signal.
    pub(crate) noise_factor: f64,
    /// The list of operations that computes the signal and its derivatives with respect to all unknowns, in
    /// double precision.
    pub(crate) derivatives: Schedule,
}

/// All models in the order of their fits, and the indices of the measurements that are fitted.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline<T: Real> {
    pub(crate) plans: Vec<ModelPlan<T>>,
    /// Indices of the requested models among all models of the pipeline.
    pub(crate) requested: Vec<usize>,
    pub(crate) measurements: Vec<usize>,
    pub(crate) protocols: Vec<Protocol>,
}

impl<T: Real> ModelPlan<T> {
    /// Returns the values of the maps that the model's formulas use, voxel by voxel.
    pub(super) fn maps_of(&self, items: &[usize]) -> Vec<T> {
        let of_item = |&item: &usize| {
            self.maps.iter().map(move |(map, factor)| T::of(f64::from(map.voxel(item)[0]) * factor))
        };
        items.iter().flat_map(of_item).collect()
    }
}

impl<T: Real> Pipeline<T> {
    /// Returns the fitted signals of these voxels, voxel by voxel. Each signal is multiplied by the weight of
    /// its measurement.
    pub(super) fn signals_of(&self, dwi: &Volume<f32>, items: &[usize]) -> Vec<f32> {
        let mut signals = vec![0.0; items.len() * self.measurements.len()];
        self.copy_signals(dwi, items, &mut signals);
        signals
    }

    /// Copies the fitted signals of voxels to `out`, voxel by voxel. Stops when `out` is full.
    pub(super) fn copy_signals(&self, dwi: &Volume<f32>, items: &[usize], out: &mut [f32]) {
        let used = &self.measurements;
        // Either all models of a run use averages over gradient directions, or no model does, so that all
        // models have the same weights.
        let weights = self.protocols.first().and_then(Protocol::weights);
        for (&item, out) in items.iter().zip(out.chunks_exact_mut(used.len())) {
            let of_voxel = dwi.voxel(item);
            if used.len() == of_voxel.len() {
                out.copy_from_slice(of_voxel);
            } else {
                used.iter().zip(out.iter_mut()).for_each(|(&m, out)| *out = of_voxel[m]);
            }
            if let Some(weights) = weights {
                out.iter_mut()
                    .zip(weights)
                    .for_each(|(out, weight)| *out = (f64::from(*out) * weight) as f32);
            }
        }
    }

    /// Computes the starting values that are statistics of the voxel's signals. Each statistic becomes an
    /// image, with values in the given voxels.
    pub(super) fn start_from_signals(&mut self, dwi: &Volume<f32>, items: &[usize]) {
        for plan in &mut self.plans {
            for (first, of) in std::mem::take(&mut plan.from_signals) {
                let mut image = Volume::filled(*dwi.grid(), 1, 0.0f32);
                for &item in items {
                    let signals = self.measurements.iter().map(|&m| dwi.voxel(item)[m]);
                    let [low, high] = plan.begin.bounds[first].map(T::double);
                    // The bounds of a parameter in the unit of the signal are 0 or infinite, so that they do
                    // not change with the scale of the signal.
                    let start = of.of(signals).unwrap_or(0.0).clamp(low, high);
                    image.values_mut()[item] = start as f32;
                }
                plan.sources.push((first, Source::Map(Box::new(image)), 1.0, 1.0));
            }
        }
    }

    /// Selects the fits of the requested models from the fits of all models. A fit is moved, not copied.
    pub(super) fn requested_fits<F>(&self, fits: Vec<F>) -> Vec<F> {
        let mut fits: Vec<Option<F>> = fits.into_iter().map(Some).collect();
        self.requested.iter().filter_map(|&place| fits[place].take()).collect()
    }
}
