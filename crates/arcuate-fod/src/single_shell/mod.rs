//! Constrained spherical deconvolution of the signals of one shell.

mod constants;
mod cuda;
mod kernels;

use crate::basis::HarmonicBasis;
use crate::dense::{Symmetric, combine, padded, transposed, whole_vectors};
use crate::response::Response;
use crate::shells::{
    by_coefficient, constraint_directions, order_of_distribution, require_known, require_spread,
};
use crate::volumes::solve_volume;
use crate::voxels::{Distributions, VoxelFit, VoxelSolver, solve_voxel};
use arcuate_compute::Device;
use arcuate_core::{Control, Error, GradientTable, Mask, Result, Volume};

/// Options of [`SingleShell`]. The default values are those of MRtrix's `dwi2fod csd`.
#[derive(Debug, Clone, PartialEq)]
pub struct SingleShellOptions {
    /// Highest degree of the orientation distribution. If it is `None`, it is the degree of the response, but
    /// at most degree 8. It may be higher than the degree that the gradient directions of the shell
    /// determine, because the constraint adds information.
    pub order: Option<usize>,
    /// Factors by which the coefficients of l = 0, 2, … in the initial linear estimate are multiplied.
    /// Missing factors are 0.
    pub filter: Vec<f64>,
    /// The weight of the squared norm of the solution in the sum that the fit minimises (λ of `dwi2fod`).
    pub norm_lambda: f64,
    /// The weight λ of negative amplitudes in the sum that the fit minimises.
    pub negative_lambda: f64,
    /// Limit below which an amplitude of the distribution counts as negative.
    pub threshold: f64,
    /// Maximum number of iterations. If it is 0, the result is the initial linear estimate.
    pub iterations: usize,
}

impl Default for SingleShellOptions {
    fn default() -> Self {
        Self {
            order: None,
            filter: vec![1.0, 1.0, 1.0, 0.0, 0.0],
            norm_lambda: 1.0,
            negative_lambda: 1.0,
            threshold: 0.0,
            iterations: 50,
        }
    }
}

/// Number of measurements for which the weight λ of negative amplitudes is stated. The weight is scaled to
/// the actual number of measurements, so that λ does not depend on this number.
const REFERENCE_MEASUREMENTS: f64 = 50.0;
/// Weight μ of the squared norm of the solution, per measurement.
const NORM_WEIGHT: f64 = 2e-4;

/// Constrained spherical deconvolution with a soft constraint of non-negativity (Tournier, Calamante and
/// Connelly 2007, doi:10.1016/j.neuroimage.2007.02.016). The object is prepared for a series and its
/// response.
///
/// The coefficients f of the distribution minimise ‖F f − s‖² + λ² Σ (h·f)² + μ ‖f‖². The matrix F convolves
/// a distribution with the response r, and s are the signals of the shell. The amplitude of the distribution
/// in a constraint direction is h·f. The sum includes the directions in which the amplitude of the preceding
/// solution is below the threshold (eq. 6 of Tournier et al. 2007). The iterations end when these directions
/// do not change.
///
/// The weight λ is its option times 50 r₀/N with N constraint directions. The weight μ is its option times
/// 2·10⁻⁴ n r₀² with n measurements. Here, r₀ is the response's coefficient of l = 0. These scale factors
/// were fitted to results of `dwi2fod csd` 3.0.3.
#[derive(Debug)]
pub struct SingleShell {
    /// `series` is the number of measurements in the series. `shells` contains the indices of the
    /// measurements of the deconvolved shell.
    series: usize,
    shells: [Vec<usize>; 1],
    /// Number of coefficients of the distribution, and this number rounded up to whole SIMD vectors of the
    /// CPU.
    count: usize,
    stride: usize,
    /// The matrix F, which convolves a distribution with the response. It has one row per measurement of the
    /// shell.
    forward: Vec<f64>,
    /// The matrix FᵀF + μ I, and the weight μ / n for n measurements. The matrix F computes the signals from
    /// the coefficients, and μ is the weight of the squared norm.
    normal: Symmetric,
    norm_weight: f64,
    /// The rows λ h, one per constraint direction, and the transposed matrix of these rows. The product of h
    /// and the coefficients is the amplitude in this direction, and λ is the weight of negative amplitudes.
    constraints: Vec<f64>,
    constraint_columns: Vec<f64>,
    /// Limit for the amplitude in a constraint direction times the weight λ. A value below this limit counts
    /// as a negative amplitude.
    threshold: f64,
    /// The matrix that computes the initial coefficients from the signals. It has one row per measurement.
    initial: Vec<f64>,
    initial_count: usize,
    /// Factors by which the initial coefficients are multiplied, one per coefficient.
    filter: Vec<f64>,
    iterations: usize,
}

/// Working memory of a fit, which a thread uses again for the next voxel.
#[derive(Debug, Clone)]
pub struct SingleShellScratch {
    signals: Vec<f64>,
    right: Vec<f64>,
    solution: Vec<f64>,
    amplitudes: Vec<f64>,
    negative: Vec<bool>,
    normal: Symmetric,
    factor: Symmetric,
}

impl SingleShell {
    /// Prepares the fit of a series. The shell with the largest b-value is deconvolved.
    ///
    /// The last row of `response` has the coefficients of this shell. `directions` are the constraint
    /// directions, as vectors of any length in scanner axes. Opposite directions are equivalent, so that one
    /// of each pair of opposite directions suffices.
    ///
    /// # Errors
    /// Returns an error if the series has no weighted shell, or if it has too few gradient directions for the
    /// initial estimate. Also returns an error if the response is isotropic, if there are fewer constraint
    /// directions than coefficients, or if an option is invalid.
    pub fn new(
        gradients: &GradientTable,
        response: &Response,
        directions: &[[f64; 3]],
        options: &SingleShellOptions,
    ) -> Result<Self> {
        require_known(gradients)?;
        check_options(options)?;
        let shells = gradients.measurements_by_shell();
        let Some((_, shell)) = shells.into_iter().next_back().filter(|(b, _)| *b > 0.0) else {
            return Err(Error::invalid(
                "gradient table",
                "no measurement is weighted",
                "give a series with a weighted shell",
            ));
        };
        if response.order() == 0 {
            let advice = "give that of single-fibre voxels, with coefficients of l = 0, 2, 4, …";
            return Err(Error::invalid(
                "response function",
                "this is the response of an isotropic tissue",
                advice,
            ));
        }
        let order = order_of_distribution(options.order, response);
        let basis = HarmonicBasis::new(order)?;
        let count = basis.count();
        let axes: Vec<[f64; 3]> = shell.iter().map(|&m| gradients.directions()[m]).collect();
        let row = response.rows().len() - 1;
        let (first, scale) = (response.rows()[row][0], response.convolution(row, order));
        let scale = by_coefficient(&scale, order);
        let mut forward = basis.matrix(&axes);
        for row in forward.chunks_exact_mut(count) {
            row.iter_mut().zip(&scale).for_each(|(value, factor)| *value *= factor);
        }
        let filter = options.filter.clone();
        require_axes(gradients.distinct_axes(&shell), filtered(&filter, count).0)?;
        require_spread(gradients, &shell)?;
        let (initial, initial_count) = linear_estimate(&forward, count, &filter).ok_or_else(|| {
            let problem = "with the directions of the largest shell it does not determine the distribution";
            let advice = "give a response that is not flat, or a lower ‘order’";
            Error::invalid("response function", problem, advice)
        })?;
        let stride = whole_vectors(count);
        let forward = padded(&forward, count, stride);
        let norm_weight = options.norm_lambda * NORM_WEIGHT * first * first;
        let normal = normal_matrix(&forward, count, norm_weight * shell.len() as f64);
        let directions = constraint_directions(directions, order)?;
        let weight = options.negative_lambda * REFERENCE_MEASUREMENTS * first / directions.len() as f64;
        let constraints: Vec<f64> =
            basis.matrix(&directions).into_iter().map(|value| weight * value).collect();
        let constraints = padded(&constraints, count, stride);
        Ok(Self {
            series: gradients.len(),
            count,
            stride,
            forward,
            normal,
            norm_weight,
            constraint_columns: transposed(&constraints, stride),
            constraints,
            threshold: options.threshold * weight,
            initial,
            initial_count,
            filter,
            iterations: options.iterations,
            shells: [shell],
        })
    }

    /// Returns the indices of the measurements that are deconvolved. They are those of the shell.
    pub fn measurements(&self) -> &[usize] {
        &self.shells[0]
    }

    /// Returns the number of coefficients of a distribution.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Allocates the working memory of a thread for [`fit`](Self::fit).
    pub fn scratch(&self) -> SingleShellScratch {
        VoxelSolver::scratch(self)
    }

    /// Fits one voxel. `signals` contains all measurements of the voxel. `coefficients` receives the
    /// orientation distribution. The function does not allocate memory.
    ///
    /// # Panics
    /// Panics if the number of signals is not the number of measurements, or if the number of coefficients is
    /// not [`count`](Self::count).
    pub fn fit(
        &self,
        scratch: &mut SingleShellScratch,
        signals: &[f32],
        coefficients: &mut [f64],
    ) -> VoxelFit {
        assert_eq!(coefficients.len(), self.count, "coefficients of another order");
        solve_voxel(self, scratch, signals, coefficients)
    }

    /// Fits every voxel of `mask`. `dwi` has one channel per measurement of the series. The result is
    /// bit-identical on the CPU and on any number of GPUs, and for any number of threads.
    ///
    /// # Errors
    /// Returns an error if the series, the gradient table and the mask do not match, if the mask is empty, or
    /// if `control` cancels the run.
    pub fn fit_volume(
        &self,
        dwi: &Volume<f32>,
        mask: &Mask,
        device: &Device,
        control: &Control,
    ) -> Result<Distributions> {
        solve_volume(self, dwi, mask, device, control)
    }
}

/// Returns an error if an option is invalid.
fn check_options(options: &SingleShellOptions) -> Result<()> {
    let numbers = [("norm_lambda", options.norm_lambda), ("negative_lambda", options.negative_lambda)];
    for (name, value) in numbers {
        if !(value.is_finite() && value >= 0.0) {
            return Err(Error::usage(
                format!("‘{name}’"),
                format!("{value} is not a weight"),
                "give 0 or more",
            ));
        }
    }
    if options.negative_lambda == 0.0 {
        let advice = "give a number above 0, or no iterations for the linear estimate alone";
        return Err(Error::usage("‘negative_lambda’", "the value 0 has no effect as a constraint", advice));
    }
    if !options.threshold.is_finite() {
        return Err(Error::usage("‘threshold’", "it is not finite", "give an amplitude"));
    }
    let last = options.filter.iter().rposition(|factor| *factor != 0.0);
    if last.is_none() || options.filter.iter().any(|factor| !factor.is_finite()) {
        return Err(Error::usage(
            "‘filter’",
            "the factors of the filter are all 0, or not all finite",
            "give finite factors for the degrees l = 0, 2, 4, …, not all 0",
        ));
    }
    Ok(())
}

/// Returns FᵀF + μ I. The matrix F computes the signals from the coefficients, and its rows are padded with
/// zeros to whole SIMD vectors. The weight of the squared norm is μ.
fn normal_matrix(forward: &[f64], count: usize, norm: f64) -> Symmetric {
    let mut normal = Symmetric::normal(forward, whole_vectors(count));
    // The padding elements of the solution stay 0.
    normal.add_to_diagonal_from(count, normal.mean_diagonal());
    normal.add_to_diagonal(norm);
    normal
}

/// Returns how many of the `count` coefficients a filter keeps, and the factor of each coefficient.
fn filtered(filter: &[f64], count: usize) -> (usize, Vec<f64>) {
    let order = 2 * filter.iter().rposition(|factor| *factor != 0.0).unwrap_or(0);
    (HarmonicBasis::count_of_order(order).min(count), by_coefficient(filter, order))
}

/// Computes the matrix of the initial estimate: filtered least squares with the degrees that the filter
/// keeps. Returns the matrix and the number of its coefficients. The matrix has one row of `count`
/// coefficients per measurement. Returns `None` if the measurements do not determine the coefficients.
fn linear_estimate(forward: &[f64], count: usize, filter: &[f64]) -> Option<(Vec<f64>, usize)> {
    let (own, factors) = filtered(filter, count);
    let rows: Vec<f64> = forward.chunks_exact(count).flat_map(|row| &row[..own]).copied().collect();
    let mut factor = Symmetric::normal(&rows, own);
    if !factor.factorise() {
        return None;
    }
    let mut estimate = rows;
    for row in estimate.chunks_exact_mut(own) {
        factor.solve_transposed(row);
        factor.solve_upper(row);
        row.iter_mut().zip(&factors).for_each(|(value, factor)| *value *= factor);
    }
    Some((estimate, own))
}

/// Returns an error if the shell has fewer gradient directions than the initial estimate has coefficients.
fn require_axes(axes: usize, coefficients: usize) -> Result<()> {
    if axes >= coefficients {
        return Ok(());
    }
    let order = HarmonicBasis::order_of_count(coefficients)?;
    let problem = format!(
        "the {axes} directions of the shell with the largest b do not determine the {coefficients} \
         coefficients of order {order}"
    );
    let lower = (2..order).step_by(2).rev().find(|&order| HarmonicBasis::count_of_order(order) <= axes);
    let lower = lower.map_or_else(String::new, |order| format!(", or give an ‘order’ of {order}"));
    let advice = format!("acquire at least {coefficients} directions{lower}");
    Err(Error::invalid("gradient table", problem, advice))
}

impl VoxelSolver for SingleShell {
    type Scratch = SingleShellScratch;

    fn measurements(&self) -> usize {
        self.series
    }

    fn shells(&self) -> &[Vec<usize>] {
        &self.shells
    }

    fn without(&self, unused: &[usize]) -> Option<Self> {
        let Self { count, stride, .. } = *self;
        let mut forward = self.forward.clone();
        let shell = &self.shells[0];
        let rows = forward.chunks_exact_mut(stride).zip(shell);
        rows.filter(|(_, m)| unused.contains(m)).for_each(|(row, _)| row.fill(0.0));
        let used = shell.iter().filter(|m| !unused.contains(m)).count();
        let plain: Vec<f64> = forward.chunks_exact(stride).flat_map(|row| &row[..count]).copied().collect();
        let (initial, initial_count) = linear_estimate(&plain, count, &self.filter)?;
        Some(Self {
            series: self.series,
            shells: self.shells.clone(),
            count,
            stride,
            normal: normal_matrix(&forward, count, self.norm_weight * used as f64),
            norm_weight: self.norm_weight,
            forward,
            constraints: self.constraints.clone(),
            constraint_columns: self.constraint_columns.clone(),
            threshold: self.threshold,
            initial,
            initial_count,
            filter: self.filter.clone(),
            iterations: self.iterations,
        })
    }

    fn counts(&self) -> Vec<usize> {
        vec![self.count]
    }

    fn scratch(&self) -> SingleShellScratch {
        let constraints = self.constraints.len() / self.stride;
        SingleShellScratch {
            signals: vec![0.0; self.shells[0].len()],
            right: vec![0.0; self.stride],
            solution: vec![0.0; self.stride],
            amplitudes: vec![0.0; constraints],
            negative: vec![false; constraints],
            normal: Symmetric::zero(self.stride),
            factor: Symmetric::zero(self.stride),
        }
    }

    #[inline(always)]
    fn solve(&self, scratch: &mut SingleShellScratch, signals: &[f32], coefficients: &mut [f64]) -> VoxelFit {
        let SingleShellScratch { signals: own, right, solution, negative, normal, .. } = scratch;
        own.iter_mut().zip(&self.shells[0]).for_each(|(own, &m)| *own = f64::from(signals[m]));
        solution.fill(0.0);
        combine(&mut solution[..self.initial_count], own, &self.initial);
        combine(right, own, &self.forward);
        negative.fill(false);
        normal.copy_from(&self.normal);
        let end = self.iterate(scratch);
        coefficients.copy_from_slice(&scratch.solution[..self.count]);
        end
    }
}

impl SingleShell {
    /// Starts from the initial estimate and improves it in iterations. Each iteration includes the constraint
    /// rows whose amplitudes are negative. The iterations end when these rows do not change.
    #[inline(always)]
    fn iterate(&self, scratch: &mut SingleShellScratch) -> VoxelFit {
        let SingleShellScratch { right, solution, amplitudes, negative, normal, factor, .. } = scratch;
        // Constraint rows are added to the normal matrix, or removed from it, in groups of four rows.
        let row =
            |direction: usize| &self.constraints[direction * self.stride..(direction + 1) * self.stride];
        for iteration in 0..self.iterations {
            combine(amplitudes, solution, &self.constraint_columns);
            let (mut same, mut waiting, mut factors, mut changed) = (true, 0, [0.0; 4], [0; 4]);
            for (direction, amplitude) in amplitudes.iter().enumerate() {
                let is_negative = *amplitude < self.threshold;
                if is_negative == negative[direction] {
                    continue;
                }
                negative[direction] = is_negative;
                same = false;
                (factors[waiting], changed[waiting]) = (if is_negative { 1.0 } else { -1.0 }, direction);
                waiting += 1;
                if waiting == 4 {
                    normal.add_four_squares(factors, changed.map(row));
                    waiting = 0;
                }
            }
            for n in 0..waiting {
                normal.add_square(factors[n], row(changed[n]));
            }
            if same && iteration > 0 {
                return VoxelFit::Converged;
            }
            factor.copy_from(normal);
            if !factor.factorise() {
                // There are too few measurements and active constraints for a distribution of this order. The
                // current solution is kept.
                return VoxelFit::Unconverged;
            }
            solution.copy_from_slice(right);
            factor.solve_transposed(solution);
            factor.solve_upper(solution);
        }
        if self.iterations == 0 { VoxelFit::Converged } else { VoxelFit::Unconverged }
    }
}
