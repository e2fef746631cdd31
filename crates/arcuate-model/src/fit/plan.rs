//! Models ready to be fitted.

use super::begin::BeginPlan;
use super::options::Source;
use super::protocol::Protocol;
use super::schedule::Schedule;
use super::stage::{Control, StagePlan};
use super::unknowns::Unknown;
use crate::language::{Model, ModelProgram, OfSignals, Role};
use crate::special::watson::Series;
use arcuate_core::Volume;

/// A model ready to be fitted.
#[derive(Debug, Clone)]
pub(crate) struct ModelPlan<T: Series> {
    pub(crate) model: Model,
    pub(crate) program: ModelProgram,
    pub(crate) roles: Vec<Role>,
    pub(crate) settings: Vec<f64>,
    pub(crate) begin: BeginPlan<T>,
    pub(crate) stages: Vec<StagePlan<T>>,
    pub(crate) control: Control<T>,
    /// Numbers that come from an earlier plan: this one's number, the plan and its number.
    pub(crate) given: Vec<(usize, usize, usize)>,
    /// Numbers that come from the user: the first number, the source, the unit's factor, and the power of the signal in it.
    pub(crate) sources: Vec<(usize, Source, f64, f64)>,
    /// Signals that start at numbers made of those that were measured: each becomes a source once there is a series.
    pub(crate) from_signals: Vec<(usize, OfSignals)>,
    /// Maps that the program asks for, in its order: name and factor.
    pub(crate) maps: Vec<(Volume<f32>, f64)>,
    /// Unknowns of all stages: what standard errors are of, and what information criteria count.
    pub(crate) unknowns: Vec<Unknown>,
    pub(crate) resting: Vec<bool>,
    /// The standard deviation of the noise of one acquired measurement over that of a signal as it is fitted.
    pub(crate) noise_factor: f64,
    /// In double precision, with the derivatives by all of these.
    pub(crate) derivatives: Schedule,
}

/// Models in the order in which they must be fitted, and the measurements that are used.
#[derive(Debug, Clone)]
pub(crate) struct Pipeline<T: Series> {
    pub(crate) plans: Vec<ModelPlan<T>>,
    /// The plans of the models that were asked for.
    pub(crate) asked: Vec<usize>,
    pub(crate) measurements: Vec<usize>,
    pub(crate) protocols: Vec<Protocol>,
}

impl<T: Series> ModelPlan<T> {
    /// The maps that the program asks for, voxel after voxel.
    pub(super) fn maps_of(&self, items: &[usize]) -> Vec<T> {
        let of_item = |&item: &usize| {
            self.maps.iter().map(move |(map, factor)| T::of(f64::from(map.voxel(item)[0]) * factor))
        };
        items.iter().flat_map(of_item).collect()
    }
}

impl<T: Series> Pipeline<T> {
    /// The signals that are fitted, each with the weight of its measurement, voxel after voxel.
    pub(super) fn signals_of(&self, dwi: &Volume<f32>, items: &[usize]) -> Vec<f32> {
        let mut signals = vec![0.0; items.len() * self.measurements.len()];
        self.copy_signals(dwi, items, &mut signals);
        signals
    }

    /// Puts the signals that are fitted of some voxels into memory that there is, as many as it has room for.
    pub(super) fn copy_signals(&self, dwi: &Volume<f32>, items: &[usize], out: &mut [f32]) {
        let used = &self.measurements;
        // All models are of averages, or none is.
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

    /// Lets what starts from the signals start there: as from images, which are made of the series in some voxels.
    pub(super) fn start_from_signals(&mut self, dwi: &Volume<f32>, items: &[usize]) {
        for plan in &mut self.plans {
            for (first, of) in std::mem::take(&mut plan.from_signals) {
                let mut image = Volume::filled(*dwi.grid(), 1, 0.0f32);
                for &item in items {
                    let signals = self.measurements.iter().map(|&m| dwi.voxel(item)[m]);
                    let [low, high] = plan.begin.bounds[first].map(T::double);
                    // Bounds of signals are 0 or infinite, whatever their scale.
                    let start = of.of(signals).unwrap_or(0.0).clamp(low, high);
                    image.values_mut()[item] = start as f32;
                }
                plan.sources.push((first, Source::Map(Box::new(image)), 1.0, 1.0));
            }
        }
    }

    /// Of the fits of all plans those that were asked for, without copies of what nobody else asks for.
    pub(super) fn asked_of<F>(&self, fits: Vec<F>) -> Vec<F> {
        let mut fits: Vec<Option<F>> = fits.into_iter().map(Some).collect();
        self.asked.iter().filter_map(|&place| fits[place].take()).collect()
    }
}
