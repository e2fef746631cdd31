//! Samples of the posterior distribution of a model's parameters in every voxel, by Markov chains.

mod chain;
mod chains;
mod constants;
mod convergence;
mod cpu;
mod cuda;
mod density;
mod emit;
mod identity;
mod information;
#[expect(clippy::large_types_passed_by_value, reason = "kernels take their plans by value")]
mod kernels;
mod moves;
mod options;
mod plan;
mod populations;
mod results;
mod resume;
mod supported;
mod traces;

pub use emit::chain_sources;
pub use identity::{ChainIdentity, chain_identity};
pub use information::SampleInformation;
pub use options::{ChainStart, Deviation, Noise, PopulationOrder, SampleOptions};
pub use results::{ModelSamples, SampledParameter};
pub use traces::Trace;

use super::plan::{FitOptions, Pipeline};
use super::progress::{Count, Progress};
use super::{lots, wishes};
use crate::language::Model;
use crate::special::watson::Series;
use crate::tensor::check_series;
use arcuate_compute::{Device, with_fallback};
use arcuate_core::{Error, GradientTable, Mask, Result, Volume};
use cpu::Subject;
use plan::{ChainPlan, ChainState};
use rayon::prelude::*;
use std::time::Instant;

/// Samples of a model's parameters in every voxel of `mask`: chains that begin where a fit ends.
///
/// What is asked of series, gradients, mask and options is what [`fit_models`](super::fit_models) asks for, and the same bits
/// come out at any number of threads and in any part of a mask: draws depend on the seed, the voxel's place in the image and
/// the number of the move alone. Priors are those of the model ([`Model::with_prior`]).
///
/// # Errors
/// Those of a fit, and where chains of this kind are not possible.
pub fn sample_model(
    model: &Model,
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &FitOptions,
    sampling: &SampleOptions,
) -> Result<ModelSamples> {
    check_series(dwi, gradients)?;
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    if mask.count() == 0 {
        return Err(Error::invalid("mask", "no voxel is inside", "give a mask that covers the brain"));
    }
    if options.single_precision {
        sample::<f32>(model, dwi, gradients, mask, device, options, sampling)
    } else {
        sample::<f64>(model, dwi, gradients, mask, device, options, sampling)
    }
}

/// Fails where [`sample_model`] would refuse model, gradients or options, so that this is known before other work.
pub fn check_sampling(
    model: &Model,
    gradients: &GradientTable,
    options: &FitOptions,
    sampling: &SampleOptions,
) -> Result<()> {
    plans::<f64>(model, gradients, options, sampling).map(|_| ())
}

/// The plan of the fit that chains begin with, and theirs.
fn plans<T: Series>(
    model: &Model,
    gradients: &GradientTable,
    options: &FitOptions,
    sampling: &SampleOptions,
) -> Result<(Pipeline<T>, ChainPlan<T>)> {
    let mut pipeline = Pipeline::<T>::new(std::slice::from_ref(model), gradients, options)?;
    let place = pipeline.asked[0];
    let chains = ChainPlan::new(&pipeline.plans[place], &pipeline.protocols[place], sampling)?;
    let is_begun = sampling.state.is_some();
    pipeline.plans[place].stages.retain(|stage| match sampling.start {
        _ if is_begun => false,
        ChainStart::Fit | ChainStart::Dispersed => true,
        ChainStart::Search => stage.search.is_some(),
        ChainStart::Model => false,
    });
    if sampling.start == ChainStart::Fit && !is_begun {
        supported::add_smaller_fits(&mut pipeline);
    }
    Ok((pipeline, chains))
}

/// Precisions that chains are run in; there are kernels for one of them.
pub(crate) trait Chained: Series {
    /// A chain of each voxel from a state on: its samples, and the state that it ends in.
    fn chain(
        subject: Subject<'_, Self>,
        chain: u32,
        begin: &ChainState<Self>,
        device: &Device,
    ) -> Result<(Vec<Self>, ChainState<Self>)>;
    /// In single precision.
    fn singles(values: Vec<Self>) -> Vec<f32>;
}

/// Counts the voxels of a chain behind those of the chains before it.
fn begin_count<T: Series>(subject: Subject<'_, T>, chain: u32) {
    subject.count.begin(u64::from(chain) * subject.items.len() as u64);
}

fn chain_here<T: Series>(
    subject: Subject<'_, T>,
    chain: u32,
    begin: &ChainState<T>,
) -> (Vec<T>, ChainState<T>) {
    let mut state = begin.clone();
    let samples = cpu::run(subject, chain, &mut state);
    (samples, state)
}

impl Chained for f64 {
    fn chain(
        subject: Subject<'_, f64>,
        chain: u32,
        begin: &ChainState<f64>,
        _: &Device,
    ) -> Result<(Vec<f64>, ChainState<f64>)> {
        begin_count(subject, chain);
        Ok(chain_here(subject, chain, begin))
    }

    fn singles(values: Vec<f64>) -> Vec<f32> {
        values.into_par_iter().map(|value| value as f32).collect()
    }
}

impl Chained for f32 {
    fn chain(
        subject: Subject<'_, f32>,
        chain: u32,
        begin: &ChainState<f32>,
        device: &Device,
    ) -> Result<(Vec<f32>, ChainState<f32>)> {
        with_fallback("chains", device, |device| {
            begin_count(subject, chain);
            match (device, cuda::kernel_of(subject.plan)) {
                (Device::Cuda(gpus), Some(kernel)) => {
                    let mut state = begin.clone();
                    let samples = cuda::run(subject, kernel, chain, gpus, &mut state)?;
                    Ok((samples, state))
                }
                _ => Ok(chain_here(subject, chain, begin)),
            }
        })
    }

    fn singles(values: Vec<f32>) -> Vec<f32> {
        values
    }
}

fn sample<T: Chained>(
    model: &Model,
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &FitOptions,
    sampling: &SampleOptions,
) -> Result<ModelSamples> {
    let items = mask.indices();
    plan::check_voxels(&items)?;
    let mut sampling = sampling.clone();
    if let Some(state) = &sampling.state {
        dwi.grid().require_match(state.grid(), "state of chains", "the diffusion series")?;
        // What was done counts as the burn-in.
        sampling.burn_in = resume::sweeps(state, &items)?;
    }
    let (pipeline, plan) = plans::<T>(model, gradients, options, &sampling)?;
    wishes::check_images(&pipeline, options, &items)?;
    let started = Instant::now();
    // Short beside the chains, whose voxels are counted.
    let silent = Progress::default();
    let uncounted = Count::new(&silent, 0);
    let fitted = with_fallback("model fit", device, |device| match device {
        Device::Cpu => Ok(super::cpu::fit(&pipeline, dwi, &items, &uncounted)),
        Device::Cuda(gpus) => lots::fit(&pipeline, dwi, &items, gpus, &uncounted),
    })?;
    let voxels = supported::best(&pipeline, fitted);
    voxels.warn_of_missing(pipeline.measurements.len(), model.name());
    let chosen: Vec<usize> = (0..items.len()).filter(|&voxel| voxels.is_wanted(voxel)).collect();
    let places: Vec<usize> = chosen.iter().map(|&voxel| items[voxel]).collect();
    let count = Count::new(&options.progress, u64::from(sampling.chains) * places.len() as u64);
    let subject = Subject {
        plan: &plan,
        pipeline: &pipeline,
        dwi,
        items: &places,
        chosen: &chosen,
        voxels: &voxels,
        count: &count,
    };
    let fit_seconds = started.elapsed().as_secs_f64();
    let started = Instant::now();
    let (begins, orders) = if let Some(state) = &sampling.state {
        let (states, orders) = resume::states(&plan, sampling.chains, state, &places)?;
        (states, Some(orders))
    } else {
        let fitted = ChainState::new(&plan, &voxels, &chosen);
        let begins = match sampling.start {
            ChainStart::Dispersed => {
                (0..sampling.chains).map(|chain| fitted.dispersed(&plan, &places, chain)).collect()
            }
            _ => vec![fitted],
        };
        (begins, None)
    };
    let mut chains = Vec::new();
    for chain in 0..sampling.chains {
        let begin = begins.get(chain as usize).unwrap_or(&begins[0]);
        chains.push(T::chain(subject, chain, begin, device)?);
    }
    let seconds = [fit_seconds, started.elapsed().as_secs_f64()];
    let has_kernels = cuda::kernel_of(&plan).is_some();
    ModelSamples::new(subject, &items, chains, orders.as_deref(), sampling.keeps_state, seconds, has_kernels)
}
