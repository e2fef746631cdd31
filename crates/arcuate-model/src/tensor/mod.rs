//! The diffusion tensor model S = S₀ exp(−b gᵀ D g) (Basser, Mattiello and Le Bihan 1994,
//! doi:10.1016/S0006-3495(94)80775-1), fitted by iterated weighted linear least squares on the logarithm of the
//! signal (Veraart et al. 2013, doi:10.1016/j.neuroimage.2013.05.028).

mod bootstrap;
mod cpu;
mod maps;
mod measurements;
mod order;
mod shape;

pub use bootstrap::{BootstrapOptions, BootstrapTensors, Resampling, bootstrap_tensors};
pub use maps::{TensorMaps, tensor_maps};
pub use measurements::Measurements;
pub use order::{TensorOrder, indefinite_share, tensors_in_order};
pub use shape::{TensorShape, tensor_shape};

use arcuate_compute::Device;
use arcuate_core::{DiffusionTensor, Error, GradientTable, Mask, Result, Volume};

/// Unknowns of the log-linear model: ln S₀ and the six elements of D.
const UNKNOWNS: usize = 7;
/// Distinct elements of the 7 × 7 normal matrix.
const PAIRS: usize = UNKNOWNS * (UNKNOWNS + 1) / 2;

/// How the tensor is fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorOptions {
    /// How often the fit is repeated with weights from its own prediction, after the first fit with weights from the
    /// measured signal. 2 is also `dwi2tensor`'s number.
    pub reweightings: usize,
    /// The measurements to fit.
    pub measurements: Measurements,
}

impl Default for TensorOptions {
    fn default() -> Self {
        Self { reweightings: 2, measurements: Measurements::Recommended }
    }
}

/// A tensor in every voxel of a mask, and how well it explains the measurements. All volumes are 0 outside the mask
/// and in voxels that could not be fitted.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorFit {
    /// 6 channels D11, D22, D33, D12, D13, D23 (MRtrix's order) in mm²/s, scanner axes.
    pub tensor: Volume<f32>,
    /// S₀, the signal without diffusion weighting, in the unit of the signal.
    pub s0: Volume<f32>,
    /// Root mean square of measured − predicted signal over the measurements used, in the unit of the signal. The prediction
    /// is that of the tensor with its negative eigenvalues at 0: others say that signal grows with b, without a limit.
    pub residual: Volume<f32>,
    /// What had to be done to the signal.
    pub repairs: Repairs,
    /// Tensors that diffusion does not have.
    pub impossible: ImpossibleTensors,
}

/// Voxels whose tensor is none of diffusion: noise, movement and artefacts do that to faint ones and to those at the edge.
/// They are kept as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ImpossibleTensors {
    /// With an eigenvalue below 0 by more than rounding (a millionth of the largest).
    pub indefinite: usize,
    /// Of these, with a fractional anisotropy above 1.
    pub anisotropy_above_1: usize,
    /// Of these, with a mean diffusivity below 0.
    pub mean_below_0: usize,
}

impl ImpossibleTensors {
    /// Counts a tensor; whether it is one of these.
    fn count(&mut self, tensor: &DiffusionTensor, eigenvalues: [f64; 3]) -> bool {
        if !is_indefinite(eigenvalues) {
            return false;
        }
        self.indefinite += 1;
        self.anisotropy_above_1 += usize::from(tensor.fractional_anisotropy() > 1.0);
        self.mean_below_0 += usize::from(tensor.mean_diffusivity() < 0.0);
        true
    }

    /// More than noise leaves where the signal is good: above one of 500 voxels.
    pub fn are_many(&self, voxels: usize) -> bool {
        500 * self.indefinite > voxels
    }

    /// How many there are, in words; nothing where there are none.
    pub fn sentence(&self) -> Option<String> {
        let Self { indefinite, anisotropy_above_1, mean_below_0 } = self;
        (*indefinite > 0).then(|| {
            format!(
                "{indefinite} voxels have a negative eigenvalue ({anisotropy_above_1} of them an FA above 1, {mean_below_0} an \
                 MD below 0)"
            )
        })
    }
}

/// Whether eigenvalues in descending order have one below 0 by more than rounding.
fn is_indefinite([largest, _, smallest]: [f64; 3]) -> bool {
    smallest < -1e-6 * largest.abs()
}

/// Measurements that have no logarithm, and what was done with them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Repairs {
    /// Measurements below a millionth of the largest of their voxel (zero and negative ones among them), raised to it.
    pub raised: usize,
    /// Measurements that are no finite number, left out of their voxel's fit.
    pub left_out: usize,
    /// Voxels of the mask without a tensor: no measurement above 0, or too few usable ones.
    pub unfitted: usize,
}

impl Repairs {
    /// What occurred and nothing else; nothing where all was well.
    fn sentence(&self) -> Option<String> {
        let Self { raised, left_out, unfitted } = self;
        let occurred: Vec<String> = [
            (raised, "measurements at or near zero were raised to a millionth of their voxel's largest"),
            (left_out, "measurements that are no number were left out"),
            (unfitted, "voxels could not be fitted"),
        ]
        .into_iter()
        .filter(|(count, _)| **count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
        (!occurred.is_empty()).then(|| occurred.join(", "))
    }
}

/// What the checks leave: the measurements to use and the linear problem they make, the same in every voxel.
struct Plan {
    /// Channel of the series of each measurement used.
    channels: Vec<usize>,
    /// Row of the design matrix of each measurement: 1, then −b gᵢgⱼ (doubled off the diagonal) over `scale`.
    rows: Vec<[f64; UNKNOWNS]>,
    /// Products xᵢxⱼ (j ≤ i, row by row) of each design row, in two halves.
    products: [Vec<[f64; PAIRS / 2]>; 2],
    /// Largest b: the unknowns are ln S₀ and `scale` · D, all of order 1.
    scale: f64,
    reweightings: usize,
}

/// Fits the diffusion tensor in every voxel of `mask`.
///
/// `dwi` has one channel per row of `gradients`; all b-values count as given, also those that mean 0. The steps are
/// those of MRtrix's `dwi2tensor` (3.0.3): signals below a millionth of their voxel's largest are raised to that, the
/// first fit has weights S², each of the reweightings has weights Ŝ² with Ŝ predicted by the fit before. Unlike
/// there, a measurement that is not finite is left out of its voxel's fit instead of spoiling it, and a voxel that
/// cannot be fitted holds zeros, not NaN. One warning counts these, and tensors that diffusion does not have where they
/// [are many](ImpossibleTensors::are_many).
///
/// # Errors
/// Where series, gradients and mask do not belong together, the mask is empty, or the gradients cannot determine a
/// tensor (fewer than six directions, directions in a plane, one shell without b = 0), and where not one voxel can be
/// fitted.
pub fn fit_tensor(
    dwi: &Volume<f32>,
    gradients: &GradientTable,
    mask: &Mask,
    device: &Device,
    options: &TensorOptions,
) -> Result<TensorFit> {
    check_series(dwi, gradients)?;
    dwi.grid().require_match(mask.grid(), "mask", "the diffusion series")?;
    if mask.count() == 0 {
        return Err(Error::invalid("mask", "no voxel is inside", "give a mask that covers the brain"));
    }
    let plan = Plan::new(gradients, options)?;
    device.computes_on_the_cpu("tensor fit");
    let fit = cpu::fit(dwi, mask, &plan);
    if fit.repairs.unfitted == mask.count() {
        let problem = "not one voxel of the mask has a signal that a tensor could be fitted to";
        return Err(Error::invalid(
            "diffusion series",
            problem,
            "check the series, its mask and its gradient table",
        ));
    }
    let impossible = fit.impossible.sentence().filter(|_| fit.impossible.are_many(mask.count()));
    let told: Vec<String> = fit.repairs.sentence().into_iter().chain(impossible).collect();
    if !told.is_empty() {
        tracing::warn!("tensor: {}", told.join(", "));
    }
    Ok(fit)
}

/// Fails where [`fit_tensor`] would refuse a gradient table, so that this is known before other work.
pub fn check_tensor_fit(gradients: &GradientTable, options: &TensorOptions) -> Result<()> {
    Plan::new(gradients, options).map(|_| ())
}

/// Fails unless the series has one volume per row of the gradient table.
pub(crate) fn check_series(dwi: &Volume<f32>, gradients: &GradientTable) -> Result<()> {
    if dwi.channels() == gradients.len() {
        return Ok(());
    }
    if dwi.channels() == 1 {
        let problem = format!("it is one 3-D image, not a series of {} measurements", gradients.len());
        return Err(Error::invalid(
            "diffusion series",
            problem,
            "give the 4-D image the gradients belong to",
        ));
    }
    let problem = format!("{} rows for a series of {} volumes", gradients.len(), dwi.channels());
    Err(Error::invalid("gradient table", problem, "give one row per volume of the series"))
}

impl Plan {
    fn new(gradients: &GradientTable, options: &TensorOptions) -> Result<Self> {
        let channels = options.measurements.of(gradients)?;
        let weighted: Vec<usize> = channels.iter().copied().filter(|&m| !gradients.is_b0(m)).collect();
        let directions = gradients.distinct_axes(&weighted);
        if directions < 6 {
            return Err(Error::invalid(
                "gradient table",
                format!("{directions} different directions cannot determine a tensor"),
                "at least 6 are needed; leave no shell out, or acquire more",
            ));
        }
        let scale = weighted.iter().map(|&m| gradients.b_values()[m]).fold(0.0, f64::max);
        let rows: Vec<_> = channels
            .iter()
            .map(|&m| design_row(gradients.directions()[m], gradients.b_values()[m] / scale))
            .collect();
        let has_b0 = weighted.len() < channels.len();
        let used = |(b, shell): &(f64, Vec<usize>)| *b > 0.0 && shell.iter().any(|m| channels.contains(m));
        let shells = gradients.measurements_by_shell().iter().filter(|shell| used(shell)).count();
        if !has_b0 && shells < 2 {
            return Err(Error::invalid(
                "gradient table",
                "one shell without b = 0 cannot tell S0 from diffusion",
                "add a b = 0 volume, raise the b = 0 threshold to one that is there, or add a second shell",
            ));
        }
        if smallest_pivot(&rows) < 1e-6 {
            return Err(Error::invalid(
                "gradient table",
                "its directions lie so that they cannot determine all six elements of a tensor",
                "use directions spread over the whole sphere",
            ));
        }
        let half = |n: usize| {
            rows.iter().map(|row| std::array::from_fn(|k| pair_product(row, n * PAIRS / 2 + k))).collect()
        };
        Ok(Self { channels, products: [half(0), half(1)], rows, scale, reweightings: options.reweightings })
    }
}

/// ∂ ln S / ∂ (ln S₀, scale·D11, D22, D33, D12, D13, D23) for a unit direction and b / scale.
fn design_row([x, y, z]: [f64; 3], b: f64) -> [f64; UNKNOWNS] {
    [1.0, -b * x * x, -b * y * y, -b * z * z, -2.0 * b * x * y, -2.0 * b * x * z, -2.0 * b * y * z]
}

/// Place of element (i, j), j ≤ i, in a lower triangle stored row by row.
const fn triangle(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

/// The product of the two elements of a row that the `pair`-th place of a lower triangle stands for.
fn pair_product(row: &[f64; UNKNOWNS], pair: usize) -> f64 {
    let i = (0..UNKNOWNS).rev().find(|&i| triangle(i, 0) <= pair).unwrap_or(0);
    row[i] * row[pair - triangle(i, 0)]
}

/// Smallest pivot of the Cholesky factorisation of XᵀX with every column of X scaled to unit length: 1 for orthogonal
/// columns, 0 for linearly dependent ones. It is the part of a column's square that the others do not explain.
fn smallest_pivot(rows: &[[f64; UNKNOWNS]]) -> f64 {
    let mut normal = [[0.0; UNKNOWNS]; UNKNOWNS];
    for row in rows {
        for i in 0..UNKNOWNS {
            for j in 0..UNKNOWNS {
                normal[i][j] += row[i] * row[j];
            }
        }
    }
    let lengths: [f64; UNKNOWNS] = std::array::from_fn(|i| normal[i][i].sqrt());
    if lengths.contains(&0.0) {
        return 0.0;
    }
    let mut smallest = f64::INFINITY;
    let mut a: [[f64; UNKNOWNS]; UNKNOWNS] =
        std::array::from_fn(|i| std::array::from_fn(|j| normal[i][j] / (lengths[i] * lengths[j])));
    for k in 0..UNKNOWNS {
        smallest = smallest.min(a[k][k]);
        if smallest <= 0.0 {
            return 0.0;
        }
        for i in k + 1..UNKNOWNS {
            for j in k + 1..UNKNOWNS {
                a[i][j] -= a[i][k] * a[k][j] / a[k][k];
            }
        }
    }
    smallest
}

#[cfg(test)]
mod tests;
