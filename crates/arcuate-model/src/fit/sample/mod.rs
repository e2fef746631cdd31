//! Samples the posterior distribution of a model's parameters in every voxel by Markov chains.

mod chain;
mod convergence;
mod cpu;
mod cuda;
mod density;
mod formulas;
mod identity;
mod information;
mod moments;
mod moves;
mod on_gpus;
mod options;
mod plan;
mod populations;
mod proposal;
mod results;
mod resume;
mod shape;
mod step;
mod supported;
mod traces;
mod values;
mod written;

pub use identity::{ChainIdentity, chain_identity};
pub use information::SampleInformation;
pub use options::{ChainStart, Deviation, Noise, PopulationOrder, SampleOptions};
pub use results::{ModelSamples, SampledParameter};
pub use traces::Trace;

use super::feasibility;
use super::obstacle::Obstacle;
use super::options::FitOptions;
use super::plan::Pipeline;
use super::progress::Count;
use crate::language::Model;
use crate::tensor::check_series;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::{Device, with_fallback};
use arcuate_core::{Control, Error, GradientTable, Mask, Result, Volume};
use arcuate_numbers::Real;
use cpu::Subject;
use plan::{ChainPlan, ChainState};
use results::Ended;
use std::time::Instant;

/// Samples the posterior distribution of a model's parameters in every voxel of `mask`. By default, Markov
/// chains start at the result of a fit.
///
/// Series, gradient table, mask and options have the same requirements as for
/// [`fit_models`](super::fit_models). The result is bit-identical for any number of threads. The result of a
/// voxel does not depend on the other voxels of the mask. The reason is that random numbers depend only on
/// the seed, the voxel's index in the image and the number of the move. Priors are those of the model
/// ([`Model::with_prior`]).
///
/// # Errors
/// Returns the errors of a fit. Also returns an error if the model or an option cannot be used with chains.
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

/// Returns an error if [`sample_model`] would reject the model, the gradient table or the options. A program
/// can call this check before other work starts.
pub fn check_sampling(
    model: &Model,
    gradients: &GradientTable,
    options: &FitOptions,
    sampling: &SampleOptions,
) -> Result<()> {
    plans::<f64>(model, gradients, options, sampling).map(|_| ())
}

/// Returns the memory in bytes that [`sample_model`] needs for this number of voxels, in addition to the
/// series. The memory contains one copy of the samples, and the first and last states of the chains.
///
/// # Errors
/// Returns the errors of [`check_sampling`].
pub fn sample_bytes(
    model: &Model,
    gradients: &GradientTable,
    options: &FitOptions,
    sampling: &SampleOptions,
    voxels: usize,
) -> Result<u64> {
    let (_, plan) = plans::<f64>(model, gradients, options, sampling)?;
    let chains = u128::from(sampling.chains);
    let begins = if sampling.start == ChainStart::Dispersed { chains } else { 1 };
    let of_samples = chains * (values::width(&plan) * size_of::<f32>()) as u128;
    let number = if options.single_precision { size_of::<f32>() } else { size_of::<f64>() };
    let bytes = of_samples + (chains + begins) * plan.state_bytes(number) as u128;
    Ok(u64::try_from(voxels as u128 * bytes).unwrap_or(u64::MAX))
}

/// Generates the GPU kernel of a model's chains. `most_shared` is the maximum shared memory per block of the
/// GPU, in bytes. Returns `None` if GPU kernels do not support the chains.
pub fn written_chain(
    model: &Model,
    gradients: &GradientTable,
    options: &FitOptions,
    sampling: &SampleOptions,
    most_shared: u32,
) -> Result<Option<WrittenKernel>> {
    let (pipeline, plan) = plans::<f32>(model, gradients, options, sampling)?;
    let map_count = pipeline.plans[pipeline.requested[0]].program.map_numbers;
    Ok(cuda::obstacle(&plan, map_count).is_none().then(|| cuda::written(&plan, map_count, most_shared).1))
}

/// Returns the prepared initial fit of the model, and its prepared chains.
fn plans<T: Real>(
    model: &Model,
    gradients: &GradientTable,
    options: &FitOptions,
    sampling: &SampleOptions,
) -> Result<(Pipeline<T>, ChainPlan<T>)> {
    let mut pipeline = Pipeline::<T>::new(std::slice::from_ref(model), gradients, options)?;
    let place = pipeline.requested[0];
    if gradients.averaged().is_some() && matches!(sampling.noise, Noise::Rician(_)) {
        let problem = "the mean of several magnitudes has no Rician distribution";
        let advice = "take gaussian for averages over directions";
        return Err(Error::usage("‘noise’ rician", problem, advice));
    }
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

/// The floating-point types of chains. GPU kernels exist for `f32` only.
pub(crate) trait Chained: Real {
    /// Continues one chain of each voxel from a state, and returns the last state. The samples are written to
    /// this chain's positions in `values`, which has the samples of all chains.
    fn chain(
        subject: Subject<'_, Self>,
        chain: u32,
        begin: &ChainState<Self>,
        device: &Device,
        values: &mut [f32],
    ) -> Result<ChainState<Self>>;

    /// Returns the reason why no GPU can run a model's chains. Returns `None` if GPUs can run them.
    fn obstacle(plan: &ChainPlan<Self>, map_count: usize) -> Option<Obstacle>;
}

/// The reported progress continues from the voxels of the preceding chains.
fn begin_count<T: Real>(subject: Subject<'_, T>, chain: u32) -> Result<()> {
    subject.count.begin(u64::from(chain) * subject.items.len() as u64)
}

impl Chained for f64 {
    fn chain(
        subject: Subject<'_, f64>,
        chain: u32,
        begin: &ChainState<f64>,
        _: &Device,
        values: &mut [f32],
    ) -> Result<ChainState<f64>> {
        begin_count(subject, chain)?;
        let mut state = begin.clone();
        cpu::run(subject, chain, &mut state, values)?;
        Ok(state)
    }

    fn obstacle(_: &ChainPlan<f64>, _: usize) -> Option<Obstacle> {
        Some(Obstacle::Unsupported("chains in double precision"))
    }
}

impl Chained for f32 {
    fn chain(
        subject: Subject<'_, f32>,
        chain: u32,
        begin: &ChainState<f32>,
        device: &Device,
        values: &mut [f32],
    ) -> Result<ChainState<f32>> {
        with_fallback("chains", device, |device| {
            begin_count(subject, chain)?;
            let mut state = begin.clone();
            match device {
                Device::Cuda(gpus) => on_gpus::run(subject, chain, gpus, &mut state, values)?,
                Device::Cpu => cpu::run(subject, chain, &mut state, values)?,
            }
            Ok(state)
        })
    }

    fn obstacle(plan: &ChainPlan<f32>, map_count: usize) -> Option<Obstacle> {
        cuda::obstacle(plan, map_count)
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
        dwi.grid().require_match(state.grid(), "‘resume’", "the diffusion series")?;
        // If a run continues earlier chains, the sweeps of the earlier run count as the burn-in.
        sampling.burn_in = resume::sweeps(state, &items)?;
    }
    let (mut pipeline, plan) = plans::<T>(model, gradients, options, &sampling)?;
    pipeline.start_from_signals(dwi, &items);
    feasibility::check_images(&pipeline, options, &items)?;
    let kernels = super::cuda::write_for(device, &pipeline);
    let place = pipeline.requested[0];
    let of_fit = kernels.get(place).and_then(|kernels| kernels.as_ref().err().copied());
    let of_chains = match device {
        Device::Cuda(_) => T::obstacle(&plan, pipeline.plans[place].program.map_numbers),
        Device::Cpu => None,
    };
    warn_of_obstacles(model, of_fit, of_chains, &options.control);
    let started = Instant::now();
    // The initial fit does not report progress, because it is short compared with the chains.
    let silent = options.control.without_progress();
    let uncounted = Count::new(&silent, 0);
    let fitted = with_fallback("model fit", device, |device| match device {
        Device::Cpu => super::cpu::fit(&pipeline, dwi, &items, &uncounted),
        Device::Cuda(gpus) => super::on_gpus::fit(&pipeline, &kernels, dwi, &items, gpus, &uncounted),
    })?;
    let voxels = supported::best(&pipeline, fitted);
    voxels.counts(pipeline.measurements.len()).warn(model.name(), &options.control);
    let chosen: Vec<usize> = (0..items.len()).filter(|&voxel| voxels.is_wanted(voxel)).collect();
    let places: Vec<usize> = chosen.iter().map(|&voxel| items[voxel]).collect();
    let count = Count::new(&options.control, u64::from(sampling.chains) * places.len() as u64);
    let subject = Subject {
        plan: &plan,
        pipeline: &pipeline,
        dwi,
        items: &places,
        chosen: &chosen,
        voxels: &voxels,
        chains: sampling.chains as usize,
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
    let mut samples = vec![0.0; places.len() * subject.chains * values::width(&plan)];
    let mut states = Vec::new();
    let device = if of_chains.is_some() { &Device::Cpu } else { device };
    for chain in 0..sampling.chains {
        let begin = begins.get(chain as usize).unwrap_or(&begins[0]);
        states.push(T::chain(subject, chain, begin, device, &mut samples)?);
    }
    let seconds = [fit_seconds, started.elapsed().as_secs_f64()];
    let ended = Ended {
        samples,
        states,
        start_orders: orders,
        keeps_state: sampling.keeps_state,
        seconds,
        obstacle: of_chains,
    };
    let mut samples = ModelSamples::new(subject, &items, ended)?;
    samples.fit.obstacle = of_fit;
    samples.fit.warn(&options.control);
    Ok(samples)
}

/// Prints one warning if the CPU fits a model or runs its chains although the user chose a GPU.
fn warn_of_obstacles(
    model: &Model,
    of_fit: Option<Obstacle>,
    of_chains: Option<Obstacle>,
    control: &Control,
) {
    let (obstacle, consequence) = match (of_fit, of_chains) {
        (Some(obstacle), Some(_)) => (obstacle, "it is fitted and sampled on the CPU"),
        (Some(obstacle), None) => (obstacle, "it is fitted on the CPU"),
        (None, Some(obstacle)) => (obstacle, "its chains are run on the CPU"),
        (None, None) => return,
    };
    control.warn(&format!("{}: {obstacle}; {consequence}", model.name()));
}
