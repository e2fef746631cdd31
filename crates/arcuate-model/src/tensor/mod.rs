//! The diffusion tensor model S = S₀ exp(−b gᵀ D g) (Basser, Mattiello and Le Bihan 1994,
//! doi:10.1016/S0006-3495(94)80775-1). The model is fitted to the logarithm of the signal by iterated
//! weighted linear least squares (Veraart et al. 2013, doi:10.1016/j.neuroimage.2013.05.028).

mod bootstrap;
mod clipped;
mod cpu;
mod maps;
mod measurements;
mod order;
mod plan;
mod results;
mod shape;

pub use bootstrap::{BootstrapOptions, BootstrapTensors, Resampling, bootstrap_tensors};
pub use clipped::{ClippedTensorFit, fit_clipped_tensor};
pub use maps::{TensorMaps, tensor_maps};
pub use measurements::Measurements;
pub use order::{TensorOrder, indefinite_share, tensors_in_order};
pub use plan::{FirstWeights, TensorOptions};
pub use results::{ImpossibleTensors, Repairs, TensorFit};
pub use shape::{TensorShape, tensor_shape};

use arcuate_compute::Device;
use arcuate_core::{Error, GradientTable, Mask, Result, Volume, require_signal};
use plan::Plan;

/// Fits the diffusion tensor in every voxel of `mask`.
///
/// `dwi` has one channel per measurement of `gradients`. All b-values are used as given, including small
/// b-values that count as 0. The algorithm is that of MRtrix's `dwi2tensor` (3.0.3). Signals below a
/// millionth of their voxel's largest signal are replaced by this value. The first fit weights each
/// measurement by the squared signal S². Each further fit uses the weights Ŝ², where the preceding fit
/// predicts Ŝ. Unlike in `dwi2tensor`, a non-finite signal is excluded from its voxel's fit, and a voxel that
/// cannot be fitted is 0, not NaN. A warning states the number of such voxels, and the number of physically
/// impossible tensors if they [are many](ImpossibleTensors::are_many).
///
/// # Errors
/// Returns an error if series, gradient table and mask do not match, if the mask is empty, or if no voxel can
/// be fitted. Also returns an error if the gradient table cannot determine a tensor (fewer than six
/// directions, directions in a plane, or one shell without b = 0).
pub fn fit_tensor(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &TensorOptions,
) -> Result<TensorFit> {
    let plan = checked(dwi, gradients, mask, device, options)?;
    let fit = cpu::fit(dwi, mask, &plan);
    report_failures(&fit, mask)?;
    Ok(fit)
}

/// Checks the input of a tensor fit, and returns the linear least squares problem of the fit.
fn checked(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &TensorOptions,
) -> Result<Plan> {
    check_series(dwi, gradients)?;
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    if mask.count() == 0 {
        return Err(Error::invalid("mask", "no voxel is inside", "give a mask that covers the brain"));
    }
    let plan = Plan::new(gradients, options)?;
    device.computes_on_the_cpu("tensor fit");
    Ok(plan)
}

/// Prints a warning about repaired signals. Returns an error if no voxel could be fitted.
fn report_failures(fit: &TensorFit, mask: &Mask) -> Result<()> {
    fit.repairs.counts.require_some()?;
    let impossible = fit.impossible.sentence().filter(|_| fit.impossible.are_many(mask.count()));
    let messages: Vec<String> = fit.repairs.sentence().into_iter().chain(impossible).collect();
    if !messages.is_empty() {
        tracing::warn!("tensor: {}", messages.join("; "));
    }
    Ok(())
}

/// Returns an error if [`fit_tensor`] would reject a gradient table. A program can call this check before
/// other work starts.
pub fn check_tensor_fit(gradients: &GradientTable, options: &TensorOptions) -> Result<()> {
    Plan::new(gradients, options).map(|_| ())
}

/// Returns an error if the series does not have one volume per measurement of the gradient table, or if no
/// signal is above 0.
pub(crate) fn check_series(dwi: &Volume<f32>, gradients: &GradientTable) -> Result<()> {
    if dwi.channels() == gradients.len() {
        return require_signal(dwi);
    }
    if dwi.channels() == 1 {
        let problem =
            format!("the file is a single 3-D image, not a series of {} measurements", gradients.len());
        return Err(Error::invalid(
            "diffusion series",
            problem,
            "give the 4-D image that belongs to the gradient table",
        ));
    }
    let problem = format!(
        "the gradient table has {} rows, but the series has {} volumes",
        gradients.len(),
        dwi.channels()
    );
    Err(Error::invalid("gradient table", problem, "give one row per volume of the series"))
}

#[cfg(test)]
mod tests;
