//! The linear least squares problem of the tensor fit, which is the same in every voxel.

use super::Measurements;
use arcuate_core::{Error, GradientTable, Result};

/// Number of unknowns of the log-linear tensor fit: ln S₀ and the six elements of the tensor D.
pub(super) const UNKNOWNS: usize = 7;
/// Number of distinct elements of the symmetric 7 × 7 normal matrix.
pub(super) const PAIRS: usize = UNKNOWNS * (UNKNOWNS + 1) / 2;

/// How the first tensor fit weights the logarithms of the signals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum FirstWeights {
    /// Each weight is the square of the measured signal, because the variance of ln S is σ²/S².
    #[default]
    Signal,
    /// All weights are equal: ordinary least squares.
    Equal,
}

/// Options of a tensor fit.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorOptions {
    /// How the first fit weights the measurements.
    pub first_weights: FirstWeights,
    /// Number of times that the fit is repeated with weights from the prediction of the preceding fit.
    /// The default is 2, as in `dwi2tensor`.
    pub reweightings: usize,
    /// The measurements that are fitted.
    pub measurements: Measurements,
}

impl Default for TensorOptions {
    fn default() -> Self {
        let (first_weights, measurements) = (FirstWeights::default(), Measurements::Recommended);
        Self { first_weights, reweightings: 2, measurements }
    }
}

/// The checked input of a tensor fit: the measurements that are used, and the linear least squares problem,
/// which is the same in every voxel.
pub(super) struct Plan {
    /// Index of each used measurement among the volumes of the series.
    pub(super) channels: Vec<usize>,
    /// The row of the design matrix for each measurement: 1, then −b gᵢgⱼ / `scale` for the six tensor
    /// elements (twice this value if i ≠ j).
    pub(super) rows: Vec<[f64; UNKNOWNS]>,
    /// For each measurement, the products xᵢxⱼ (j ≤ i) of the elements of its row in the design matrix, in
    /// two halves.
    pub(super) products: [Vec<[f64; PAIRS / 2]>; 2],
    /// The largest b-value. The unknowns of the fit are ln S₀ and `scale` · D, which are all about 1.
    pub(super) scale: f64,
    pub(super) first_weights: FirstWeights,
    pub(super) reweightings: usize,
}

impl Plan {
    pub(super) fn new(gradients: &GradientTable, options: &TensorOptions) -> Result<Self> {
        let channels = options.measurements.of(gradients)?;
        let weighted: Vec<usize> = channels.iter().copied().filter(|&m| !gradients.is_b0(m)).collect();
        let directions = gradients.distinct_axes(&weighted);
        if directions < 6 {
            return Err(Error::invalid(
                "gradient table",
                format!("{directions} different directions cannot determine a tensor"),
                "use at least 6 directions: include more shells, or acquire more",
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
                "one shell without b = 0 cannot separate S0 from diffusion",
                "add a b = 0 volume, raise ‘b0_threshold’ to the smallest b, or add a second shell",
            ));
        }
        if smallest_pivot(&rows) < 1e-6 {
            return Err(Error::invalid(
                "gradient table",
                "the gradient directions do not determine all six elements of a tensor",
                "use directions spread over the whole sphere",
            ));
        }
        let half = |n: usize| {
            rows.iter().map(|row| std::array::from_fn(|k| pair_product(row, n * PAIRS / 2 + k))).collect()
        };
        let products = [half(0), half(1)];
        let TensorOptions { first_weights, reweightings, .. } = *options;
        Ok(Self { channels, rows, products, scale, first_weights, reweightings })
    }
}

/// Returns the row of the design matrix for one measurement, from its unit direction and b / scale. The row
/// contains the derivatives of ln S with respect to the unknowns (ln S₀, scale·D11, D22, D33, D12, D13, D23).
fn design_row([x, y, z]: [f64; 3], b: f64) -> [f64; UNKNOWNS] {
    [1.0, -b * x * x, -b * y * y, -b * z * z, -2.0 * b * x * y, -2.0 * b * x * z, -2.0 * b * y * z]
}

/// Returns the index of the matrix element (i, j), j ≤ i, in a lower triangle stored row by row.
pub(super) const fn triangle(i: usize, j: usize) -> usize {
    i * (i + 1) / 2 + j
}

/// Returns the product of two elements in a row of the design matrix. `pair` is the index of this product in
/// a lower triangle stored row by row.
fn pair_product(row: &[f64; UNKNOWNS], pair: usize) -> f64 {
    let i = (0..UNKNOWNS).rev().find(|&i| triangle(i, 0) <= pair).unwrap_or(0);
    row[i] * row[pair - triangle(i, 0)]
}

/// Returns the smallest pivot of the Cholesky factorisation of XᵀX, where every column of the design matrix X
/// is scaled to unit length. A pivot is the fraction of a column's square that the other columns do not
/// explain. It is 1 for orthogonal columns and 0 for linearly dependent columns.
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
