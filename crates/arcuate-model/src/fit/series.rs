//! Fits models to a diffusion series: checks the input, and runs the fit on the CPU or on GPUs.

use super::cpu;
use super::cuda;
use super::error_maps::standard_errors;
use super::feasibility;
use super::on_gpus;
use super::options::FitOptions;
use super::plan::{ModelPlan, Pipeline};
use super::progress::Count;
use super::results::ModelFit;
use super::uncertainty::{self, Identifiability};
use crate::language::Model;
use crate::tensor::check_series;
use arcuate_compute::cuda::WrittenKernel;
use arcuate_compute::{Device, with_fallback};
use arcuate_core::{Error, GradientTable, Mask, Result, Volume};
use arcuate_numbers::Real;

/// Fits the requested models in every voxel of `mask`. Models that these models start from are fitted, too.
///
/// `dwi` has one channel per measurement of `gradients`. Non-finite signals are excluded from the fit of
/// their voxel. Zero and negative signals are used unchanged. Voxels that cannot be fitted are 0, and their
/// [`Status`](super::Status) gives the reason.
///
/// The result is bit-identical on the CPU, on any number of GPUs, and for any number of threads. If GPU
/// kernels do not support a model, the CPU fits it, and a warning gives the reason
/// ([`Obstacle`](super::Obstacle)).
///
/// # Errors
/// Returns an error if series, gradient table, mask, maps and models do not match. Also returns an error if
/// no voxel can be fitted.
pub fn fit_models(
    models: &[Model],
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &FitOptions,
) -> Result<Vec<ModelFit>> {
    check_series(dwi, gradients)?;
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    if mask.count() == 0 {
        return Err(Error::invalid("mask", "no voxel is inside", "give a mask that covers the brain"));
    }
    if options.single_precision {
        fit::<f32>(models, dwi, gradients, mask, device, options)
    } else {
        fit::<f64>(models, dwi, gradients, mask, device, options)
    }
}

fn fit<T: Real>(
    models: &[Model],
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &FitOptions,
) -> Result<Vec<ModelFit>> {
    let mut pipeline = Pipeline::<T>::new(models, gradients, options)?;
    let items = mask.indices();
    pipeline.start_from_signals(dwi, &items);
    feasibility::check_images(&pipeline, options, &items)?;
    let count = Count::new(&options.control, items.len() as u64);
    let kernels = cuda::write_for(device, &pipeline);
    for (plan, kernels) in pipeline.plans.iter().zip(&kernels) {
        if let Err(obstacle) = kernels {
            let name = plan.model.name();
            options.control.warn(&format!("{name}: {obstacle}; it is fitted on the CPU"));
        }
    }
    let done = with_fallback("model fit", device, |device| {
        count.begin(0)?;
        match device {
            Device::Cpu => cpu::fit(&pipeline, dwi, &items, &count),
            Device::Cuda(gpus) => on_gpus::fit(&pipeline, &kernels, dwi, &items, gpus, &count),
        }
    })?;
    if let (Some(voxels), Some(&place)) = (done.first(), pipeline.requested.first()) {
        let model = pipeline.plans[place].model.name();
        voxels.counts(pipeline.measurements.len()).warn(model, &options.control);
    }
    let mut fits = Vec::new();
    for (voxels, &place) in done.into_iter().zip(&pipeline.requested) {
        let plan = &pipeline.plans[place];
        let mut fit = ModelFit::new(plan, dwi, &items, &voxels, pipeline.measurements.len())?;
        fit.obstacle = kernels.get(place).and_then(|kernels| kernels.as_ref().err().copied());
        if options.standard_errors {
            fit.standard_errors = standard_errors(&pipeline, plan, dwi, &items, &voxels);
        }
        fit.warn(&options.control);
        fits.push(fit);
    }
    Ok(fits)
}

/// Returns the GPU kernels that are generated for the given models. Each has the name of its model and the
/// number of its stage. The kernels can be compiled and inspected without a GPU. Models that GPU kernels do
/// not support are omitted.
pub fn written_kernels(
    models: &[Model],
    gradients: &GradientTable,
    options: &FitOptions,
) -> Result<Vec<(String, WrittenKernel)>> {
    fn of<T: Real>(
        models: &[Model],
        gradients: &GradientTable,
        options: &FitOptions,
    ) -> Result<Vec<(String, WrittenKernel)>> {
        let pipeline = Pipeline::<T>::new(models, gradients, options)?;
        let of_plan = |plan: &ModelPlan<T>| {
            let kernels = cuda::write(plan, pipeline.measurements.len()).unwrap_or_default();
            let name = |n: usize| format!("{}_{}", plan.model.name(), n + 1);
            kernels.into_iter().enumerate().map(|(n, kernel)| (name(n), kernel)).collect::<Vec<_>>()
        };
        Ok(pipeline.plans.iter().flat_map(of_plan).collect())
    }

    if options.single_precision {
        of::<f32>(models, gradients, options)
    } else {
        of::<f64>(models, gradients, options)
    }
}

/// Returns an error if [`fit_models`] would reject the models, the gradient table or the overrides of
/// parameters. A program can call this check before other work starts.
pub fn check_models(models: &[Model], gradients: &GradientTable, options: &FitOptions) -> Result<()> {
    Pipeline::<f64>::new(models, gradients, options).map(|_| ())
}

/// Returns, for each model, how well the measurements determine each fitted value: the smallest possible
/// standard error at a signal-to-noise ratio of 30.
pub fn identifiability(
    models: &[Model],
    gradients: &GradientTable,
    options: &FitOptions,
) -> Result<Vec<Vec<Identifiability>>> {
    let pipeline = Pipeline::<f64>::new(models, gradients, options)?;
    let plans = pipeline.requested.iter().map(|&place| &pipeline.plans[place]);
    Ok(plans.map(|plan| uncertainty::identifiability(plan, &plan.derivatives)).collect())
}
