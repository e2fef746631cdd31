//! Models prepared for a fit.

use super::begin::BeginPlan;
use super::options::Source;
use super::protocol::Protocol;
use super::schedule::Schedule;
use super::stage::{Control, StagePlan};
use super::unknowns::Unknown;
use crate::language::{Model, ModelProgram, Role, SignalStatistic};
use crate::special::watson::Series;
use arcuate_core::Volume;

/// A model prepared for a fit.
#[derive(Debug, Clone)]
pub(crate) struct ModelPlan<T: Series> {
    pub(crate) model: Model,
    pub(crate) program: ModelProgram,
    pub(crate) roles: Vec<Role>,
    pub(crate) settings: Vec<f64>,
    pub(crate) begin: BeginPlan<T>,
    pub(crate) stages: Vec<StagePlan<T>>,
    pub(crate) control: Control<T>,
    /// Numbers from an earlier plan: the index of this plan's number, the plan, and the number there.
    pub(crate) given: Vec<(usize, usize, usize)>,
    /// Numbers from the user: the first number, the source, the unit's factor, and the power of the signal in the unit.
    pub(crate) sources: Vec<(usize, Source, f64, f64)>,
    /// Numbers that start at a statistic of the signals. Each becomes a source once the series is known.
    pub(crate) from_signals: Vec<(usize, SignalStatistic)>,
    /// Maps that the program uses, in its order: values and factor.
    pub(crate) maps: Vec<(Volume<f32>, f64)>,
    /// Unknowns of all stages. Standard errors refer to them, and information criteria count them.
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) resting: Vec<bool>,
    /// The standard deviation of the noise of one acquired measurement, divided by the standard deviation of a fitted
    /// signal.
    pub(crate) noise_factor: f64,
    /// The schedule in double precision, with the derivatives by all unknowns.
    pub(crate) derivatives: Schedule,
}

/// Models in the order of their fits, and the measurements in use.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline<T: Series> {
    pub(crate) plans: Vec<ModelPlan<T>>,
    /// Indices of the plans of the requested models.
    pub(crate) asked: Vec<usize>,
    pub(crate) measurements: Vec<usize>,
    pub(crate) protocols: Vec<Protocol>,
}

impl<T: Series> ModelPlan<T> {
    /// Returns the values of the program's maps, voxel by voxel.
    pub(super) fn maps_of(&self, items: &[usize]) -> Vec<T> {
        let of_item = |&item: &usize| {
            self.maps.iter().map(move |(map, factor)| T::of(f64::from(map.voxel(item)[0]) * factor))
        };
        items.iter().flat_map(of_item).collect()
    }
}

impl<T: Series> Pipeline<T> {
    /// Returns the fitted signals, each multiplied by the weight of its measurement, voxel by voxel.
    pub(super) fn signals_of(&self, dwi: &Volume<f32>, items: &[usize]) -> Vec<f32> {
        let mut signals = vec![0.0; items.len() * self.measurements.len()];
        self.copy_signals(dwi, items, &mut signals);
        signals
    }

    /// Copies the fitted signals of some voxels to `out`. Stops when `out` is full.
    pub(super) fn copy_signals(&self, dwi: &Volume<f32>, items: &[usize], out: &mut [f32]) {
        let used = &self.measurements;
        // Either all models use direction averages, or none does.
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

    /// Computes starts that are statistics of the signals. Each becomes an image with values in some voxels.
    pub(super) fn start_from_signals(&mut self, dwi: &Volume<f32>, items: &[usize]) {
        for plan in &mut self.plans {
            for (first, of) in std::mem::take(&mut plan.from_signals) {
                let mut image = Volume::filled(*dwi.grid(), 1, 0.0f32);
                for &item in items {
                    let signals = self.measurements.iter().map(|&m| dwi.voxel(item)[m]);
                    let [low, high] = plan.begin.bounds[first].map(T::double);
                    // Bounds of signals are 0 or infinite, at any scale.
                    let start = of.of(signals).unwrap_or(0.0).clamp(low, high);
                    image.values_mut()[item] = start as f32;
                }
                plan.sources.push((first, Source::Map(Box::new(image)), 1.0, 1.0));
            }
        }
    }

    /// Selects the fits of the requested models from the fits of all plans, without copying fits that are used once.
    pub(super) fn asked_of<F>(&self, fits: Vec<F>) -> Vec<F> {
        let mut fits: Vec<Option<F>> = fits.into_iter().map(Some).collect();
        self.asked.iter().filter_map(|&place| fits[place].take()).collect()
    }
}
