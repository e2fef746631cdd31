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
    /// Values that another model's fit gives: the index of the value in this plan, the index of the other
    /// plan, and the index of the value there.
    pub(crate) given: Vec<(usize, usize, usize)>,
    /// Values that the user gives: the index of the first value, the source, the factor of its unit, and the
    /// power of the signal in the unit.
    pub(crate) sources: Vec<(usize, Source, f64, f64)>,
    /// Values that start at a statistic of the voxel's signals. When the series is known, each becomes an
    /// image in `sources`.
    pub(crate) from_signals: Vec<(usize, SignalStatistic)>,
    /// Maps that the program uses, in its order: the image, and the factor that converts it to base units.
    pub(crate) maps: Vec<(Volume<f32>, f64)>,
    /// The unknowns of all stages. Standard errors are computed for them, and information criteria use their
    /// number.
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) resting: Vec<bool>,
    /// Standard deviation of the noise of one acquired measurement, divided by the standard deviation of the
    /// noise of a fitted signal.
    pub(crate) noise_factor: f64,
    /// The schedule in double precision that computes the signal and its derivatives by all unknowns.
    pub(crate) derivatives: Schedule,
}

/// All models in the order of their fits, and the measurements that are fitted.
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
    /// Returns the fitted signals, voxel by voxel. Each signal is multiplied by the weight of its
    /// measurement.
    pub(super) fn signals_of(&self, dwi: &Volume<f32>, items: &[usize]) -> Vec<f32> {
        let mut signals = vec![0.0; items.len() * self.measurements.len()];
        self.copy_signals(dwi, items, &mut signals);
        signals
    }

    /// Copies the fitted signals of voxels to `out`. Stops when `out` is full.
    pub(super) fn copy_signals(&self, dwi: &Volume<f32>, items: &[usize], out: &mut [f32]) {
        let used = &self.measurements;
        // Either all models use averages over directions, or no model does, so that the plans have the same
        // weights.
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

    /// Computes the starting values that are statistics of the signals. Each becomes an image with values in
    /// these voxels.
    pub(super) fn start_from_signals(&mut self, dwi: &Volume<f32>, items: &[usize]) {
        for plan in &mut self.plans {
            for (first, of) in std::mem::take(&mut plan.from_signals) {
                let mut image = Volume::filled(*dwi.grid(), 1, 0.0f32);
                for &item in items {
                    let signals = self.measurements.iter().map(|&m| dwi.voxel(item)[m]);
                    let [low, high] = plan.begin.bounds[first].map(T::double);
                    // A bound in the unit of the signal is 0 or infinite, so that it does not change with the
                    // scale of the signal.
                    let start = of.of(signals).unwrap_or(0.0).clamp(low, high);
                    image.values_mut()[item] = start as f32;
                }
                plan.sources.push((first, Source::Map(Box::new(image)), 1.0, 1.0));
            }
        }
    }

    /// Selects the fits of the requested models from the fits of all plans. A fit is moved, not copied.
    pub(super) fn asked_of<F>(&self, fits: Vec<F>) -> Vec<F> {
        let mut fits: Vec<Option<F>> = fits.into_iter().map(Some).collect();
        self.asked.iter().filter_map(|&place| fits[place].take()).collect()
    }
}
