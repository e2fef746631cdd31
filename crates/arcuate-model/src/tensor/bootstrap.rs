//! Uncertainty of a tensor's principal direction, by fits to resampled residuals (Jones 2008, "Tractography gone wild:
//! probabilistic fibre tracking using the wild bootstrap with diffusion tensor MRI", doi:10.1109/TMI.2008.922191;
//! Chung, Lu and Henry 2006, doi:10.1016/j.neuroimage.2006.07.001).

use super::plan::{Plan, UNKNOWNS};
use super::{TensorOptions, fit_tensor};
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{DiffusionTensor, Error, GradientTable, Mask, Result, Volume};
use rayon::prelude::*;

/// The method that resamples residuals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Resampling {
    /// Each measurement gets the residual of a randomly chosen measurement, drawn with replacement.
    #[default]
    Residuals,
    /// Each measurement keeps its own residual with a random sign ("wild" bootstrap).
    Signs,
}

/// Options of [`bootstrap_tensors`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BootstrapOptions {
    /// Options of the tensor fit whose residuals are resampled.
    pub tensor: TensorOptions,
    /// The method that resamples the residuals.
    pub resampling: Resampling,
    /// Number of refits per voxel.
    pub samples: usize,
    /// Seed of the random numbers. The random numbers also depend on the index of the voxel in the image.
    pub seed: u64,
}

/// Refitted tensors in every voxel for which the first fit succeeded.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BootstrapTensors {
    /// The voxels that were refitted.
    pub mask: Mask,
    /// Number of refits per voxel.
    pub samples: usize,
    /// The principal direction of each refitted tensor: a unit vector in scanner axes. The directions are
    /// ordered by voxel (in the order of [`Mask::indices`]), then by refit.
    pub directions: Vec<[f32; 3]>,
    /// The fractional anisotropy of each refitted tensor, ordered by voxel, then by refit. It is 1 if noise
    /// made an eigenvalue negative.
    pub anisotropy: Vec<f32>,
}

/// Smallest signal in the fit, as a fraction of the voxel's largest signal. Smaller signals are replaced by
/// this value, as in [`fit_tensor`].
const SIGNAL_FLOOR: f64 = 1e-6;

/// Fits the tensor in every voxel of `mask`. Then adds resampled residuals to the prediction and refits the
/// tensor, `samples` times. Residuals are differences of the logarithms of the signals. Each residual is
/// divided by √(1 − h) with the leverage h of its measurement, so that its spread equals that of the noise.
/// With [`Resampling::Residuals`], residuals are weighted by the predicted signal, and their mean is
/// subtracted.
///
/// The same seed gives the same tensors for any number of threads and any mask. Returns the errors of
/// [`fit_tensor`]. Also returns an error if `samples` is 0, or if there are too few measurements to determine
/// residuals.
pub fn bootstrap_tensors(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    options: &BootstrapOptions,
) -> Result<BootstrapTensors> {
    if options.samples == 0 {
        return Err(Error::usage("‘samples’", "the number of repeated tensor fits is 0", "give 1 or more"));
    }
    let fit = fit_tensor(dwi, gradients, mask, &Device::Cpu, &options.tensor)?;
    let plan = Plan::new(gradients, &options.tensor)?;
    if plan.rows.len() <= UNKNOWNS {
        let problem =
            format!("a fit of {UNKNOWNS} unknowns to {} measurements leaves no residuals", plan.rows.len());
        return Err(Error::invalid("gradient table", problem, "use more measurements"));
    }
    let fitted = (0..mask.grid().len()).map(|voxel| fit.s0.values()[voxel] > 0.0).collect();
    let mask = Mask::new(*mask.grid(), fitted)?;
    let of_voxel = |&voxel: &usize| {
        let tensor = fit.tensor.voxel(voxel);
        let mut unknowns = [f64::from(fit.s0.values()[voxel]).ln(); UNKNOWNS];
        for n in 0..6 {
            unknowns[n + 1] = f64::from(tensor[n]) * plan.scale;
        }
        Residuals::new(&plan, dwi.voxel(voxel), unknowns).refits(options, voxel)
    };
    let refits: Vec<([f32; 3], f32)> = mask.indices().par_iter().flat_map_iter(of_voxel).collect();
    let (directions, anisotropy) = refits.into_iter().unzip();
    Ok(BootstrapTensors { mask, samples: options.samples, directions, anisotropy })
}

/// The residuals of a voxel's tensor fit, and how each measurement changes the unknowns of the fit.
struct Residuals {
    unknowns: [f64; UNKNOWNS],
    scale: f64,
    /// Residual of each measurement, in units of the noise's standard deviation.
    standardised: Vec<f64>,
    /// The vector A⁻¹·x·√w of each measurement: the change of the unknowns for a residual of 1. A is the
    /// normal matrix, x the measurement's row of the design matrix, and w its weight.
    effects: Vec<[f64; UNKNOWNS]>,
}

impl Residuals {
    fn new(plan: &Plan, signals: &[f32], unknowns: [f64; UNKNOWNS]) -> Self {
        let largest = plan.channels.iter().map(|&m| f64::from(signals[m])).fold(0.0, f64::max);
        let mut normal = [[0.0; UNKNOWNS]; UNKNOWNS];
        let mut roots = Vec::with_capacity(plan.rows.len());
        let mut errors = Vec::with_capacity(plan.rows.len());
        for (row, &channel) in plan.rows.iter().zip(&plan.channels) {
            let signal = f64::from(signals[channel]);
            let predicted: f64 = row.iter().zip(&unknowns).map(|(x, u)| x * u).sum();
            // A signal that is not finite has a weight of 0, as in the first fit.
            let usable = signal.is_finite();
            let root = if usable { predicted.exp() / largest } else { 0.0 };
            let log = signal.max(SIGNAL_FLOOR * largest).ln();
            errors.push(if usable { root * (log - predicted) } else { 0.0 });
            roots.push(root);
            for i in 0..UNKNOWNS {
                for j in 0..UNKNOWNS {
                    normal[i][j] += root * root * row[i] * row[j];
                }
            }
        }
        let inverse = inverse(normal);
        let mut effects = Vec::with_capacity(plan.rows.len());
        for ((row, &root), error) in plan.rows.iter().zip(&roots).zip(&mut errors) {
            let effect: [f64; UNKNOWNS] =
                std::array::from_fn(|i| root * row.iter().zip(&inverse[i]).map(|(x, a)| x * a).sum::<f64>());
            let leverage: f64 = root * row.iter().zip(&effect).map(|(x, e)| x * e).sum::<f64>();
            *error /= (1.0 - leverage).max(1e-6).sqrt();
            effects.push(effect);
        }
        Self { unknowns, scale: plan.scale, standardised: errors, effects }
    }

    fn refits(mut self, options: &BootstrapOptions, voxel: usize) -> Vec<([f32; 3], f32)> {
        let count = self.standardised.len();
        if options.resampling == Resampling::Residuals {
            let mean = self.standardised.iter().sum::<f64>() / count as f64;
            self.standardised.iter_mut().for_each(|residual| *residual -= mean);
        }
        let mut random = Random::new(options.seed, Purpose::Resampling, voxel as u64);
        let mut refit = || {
            let mut unknowns = self.unknowns;
            for (n, effect) in self.effects.iter().enumerate() {
                let bits = random.bits();
                let residual = match options.resampling {
                    Resampling::Residuals => {
                        self.standardised[((u64::from(bits) * count as u64) >> 32) as usize]
                    }
                    Resampling::Signs if bits & 1 == 0 => self.standardised[n],
                    Resampling::Signs => -self.standardised[n],
                };
                for i in 0..UNKNOWNS {
                    unknowns[i] += residual * effect[i];
                }
            }
            principal(std::array::from_fn(|n| unknowns[n + 1] / self.scale))
        };
        (0..options.samples).map(|_| refit()).collect()
    }
}

/// Returns the principal direction and the fractional anisotropy of a tensor with the elements D11 D22 D33
/// D12 D13 D23.
fn principal(elements: [f64; 6]) -> ([f32; 3], f32) {
    let tensor = DiffusionTensor(elements);
    let system = tensor.eigensystem();
    let anisotropy = if system.values[2] > 0.0 { tensor.fractional_anisotropy().min(1.0) } else { 1.0 };
    (system.vectors[0].map(|c| c as f32), anisotropy as f32)
}

/// Returns the inverse of a symmetric positive definite matrix by Gauss–Jordan elimination. If a column of
/// the matrix is 0 within rounding error, the result has zeros there.
fn inverse(mut matrix: [[f64; UNKNOWNS]; UNKNOWNS]) -> [[f64; UNKNOWNS]; UNKNOWNS] {
    let mut inverse: [[f64; UNKNOWNS]; UNKNOWNS] =
        std::array::from_fn(|i| std::array::from_fn(|j| f64::from(u8::from(i == j))));
    for pivot in 0..UNKNOWNS {
        let diagonal = matrix[pivot][pivot];
        if diagonal.is_nan() || diagonal <= 1e-300 {
            return [[0.0; UNKNOWNS]; UNKNOWNS];
        }
        for j in 0..UNKNOWNS {
            matrix[pivot][j] /= diagonal;
            inverse[pivot][j] /= diagonal;
        }
        for i in 0..UNKNOWNS {
            let factor = matrix[i][pivot];
            if i != pivot && factor != 0.0 {
                for j in 0..UNKNOWNS {
                    matrix[i][j] -= factor * matrix[pivot][j];
                    inverse[i][j] -= factor * inverse[pivot][j];
                }
            }
        }
    }
    inverse
}
