//! Fits a tensor to clipped signals: signals below a fraction of S₀ are replaced by this fraction of S₀.
//! Without clipping, the logarithms of very low signals would dominate the fit.

use super::{TensorFit, TensorOptions, checked, cpu, report_failures};
use arcuate_compute::Device;
use arcuate_core::{GradientTable, Mask, Result, Volume};
use rayon::prelude::*;

/// A tensor in every voxel of a mask, fitted to clipped signals.
#[derive(Debug, Clone, PartialEq)]
pub struct ClippedTensorFit {
    /// The fitted tensors. Their residuals are computed from the clipped signals.
    pub fit: TensorFit,
    /// The squared error of the fit, Σ (ln S − ln Ŝ)² over the fitted measurements, with the clipped signals
    /// S and the predicted signals Ŝ. The sum is dimensionless. It is 0 in voxels without a tensor.
    pub squared_error: Volume<f32>,
}

/// First fits tensors as [`fit_tensor`](super::fit_tensor) does. Then replaces signals below `least` · S₀ by
/// `least` · S₀, with the S₀ of the voxel's first fit, and fits again. FSL's log-linear fits do the same with
/// a fraction of 0.01.
///
/// The signals of the given series are clipped in place, to avoid a copy of the series.
///
/// # Errors
/// Returns the errors of [`fit_tensor`](super::fit_tensor).
pub fn fit_clipped_tensor(
    mut dwi: Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &TensorOptions,
    least: f32,
) -> Result<ClippedTensorFit> {
    let plan = checked(&dwi, gradients, mask, device, options)?;
    let first = cpu::fit(&dwi, mask, &plan);
    let channels = dwi.channels();
    dwi.values_mut().par_chunks_exact_mut(channels).zip(first.s0.values()).for_each(|(signals, s0)| {
        let floor = least * s0;
        // Signals of voxels without a fit are not clipped. A signal that is NaN stays NaN.
        signals
            .iter_mut()
            .filter(|signal| floor > 0.0 && **signal < floor)
            .for_each(|signal| *signal = floor);
    });
    drop(first);
    let fit = cpu::fit(&dwi, mask, &plan);
    report_failures(&fit, mask)?;
    let mut squared_error = Volume::filled(*dwi.grid(), 1, 0.0f32);
    squared_error.values_mut().par_iter_mut().enumerate().for_each(|(voxel, out)| {
        let s0 = f64::from(fit.s0.voxel(voxel)[0]);
        if s0 <= 0.0 {
            return;
        }
        let elements: [f64; 6] = std::array::from_fn(|n| f64::from(fit.tensor.voxel(voxel)[n]));
        let unknowns =
            [s0.ln(), elements[0], elements[1], elements[2], elements[3], elements[4], elements[5]];
        let signals = dwi.voxel(voxel);
        let squares = plan.channels.iter().zip(&plan.rows).filter_map(|(&channel, row)| {
            let signal = f64::from(signals[channel]);
            let scaled = |n: usize| if n == 0 { row[0] } else { row[n] * plan.scale };
            let predicted: f64 = unknowns.iter().enumerate().map(|(n, unknown)| scaled(n) * unknown).sum();
            (signal > 0.0 && signal.is_finite()).then(|| (signal.ln() - predicted).powi(2))
        });
        *out = squares.sum::<f64>() as f32;
    });
    Ok(ClippedTensorFit { fit, squared_error })
}
