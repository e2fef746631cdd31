//! Constrained spherical deconvolution of the signals of several shells into several tissues.

mod constants;
mod cuda;
mod kernels;

use crate::basis::HarmonicBasis;
use crate::cone::{Cone, ConeScratch};
use crate::dense::{Symmetric, combine, padded, whole_vectors};
use crate::response::Response;
use crate::shells::{
    agrees_with_shell, by_coefficient, check_directions, constraint_directions, largest_number_of_tissues,
    order_of_distribution, require_known,
};
use crate::volumes::solve_volume;
use crate::voxels::{Distributions, VoxelFit, VoxelSolver, solve_voxel};
use arcuate_compute::Device;
use arcuate_core::{Control, Error, GradientTable, Mask, Result, Volume};

/// A tissue: its response function, with one row of coefficients per shell (including b = 0), and the order
/// of its orientation distribution.
#[derive(Debug, Clone, PartialEq)]
pub struct Tissue {
    /// The response function of the tissue.
    pub response: Response,
    /// Highest degree of the tissue's orientation distribution. If it is `None`, it is the degree of the
    /// response, but at most degree 8. The degree of isotropic tissue is 0.
    pub order: Option<usize>,
}

impl Tissue {
    /// Creates a tissue. The degree of its orientation distribution is the degree of the response, but at
    /// most 8.
    pub fn new(response: Response) -> Self {
        Self { response, order: None }
    }
}

/// Weight of the squared norm of all coefficients, as a fraction of the mean diagonal element of HᵀH. With
/// this weight, coefficients that the data do not determine become 0. The weight does not affect the other
/// coefficients.
const NORM_WEIGHT: f64 = 1e-12;

/// Multi-tissue constrained spherical deconvolution with a hard constraint of non-negativity (Jeurissen et
/// al. 2014, doi:10.1016/j.neuroimage.2014.07.061). The object is prepared for a series and its responses.
///
/// The coefficients x of the distributions of all tissues minimise ‖H x − y‖² subject to A x ≥ 0 (eq. 9 of
/// Jeurissen et al. 2014). H convolves the distribution of each tissue with its response in each shell, and y
/// are all signals of a voxel. A computes the amplitudes of each distribution in the constraint directions;
/// isotropic tissue has only one row in A. This convex quadratic programme is solved exactly. With HᵀH = UᵀU
/// and u = U x, its solution is the projection of the unconstrained solution onto a cone.
#[derive(Debug)]
pub struct MultiTissue {
    /// `series` is the number of measurements in the series. `shells` contains the indices of the
    /// measurements of each shell.
    series: usize,
    shells: Vec<Vec<usize>>,
    /// Number of coefficients of each tissue, number of coefficients of all tissues, and the latter rounded
    /// up to whole SIMD vectors of the CPU.
    counts: Vec<usize>,
    total: usize,
    stride: usize,
    /// The matrix H, which has one row per measurement, and the matrix A, which has one row per constraint.
    forward: Vec<f64>,
    amplitudes: Vec<f64>,
    /// The triangular factor U of HᵀH = UᵀU. The matrix H computes the signals from the coefficients.
    factor: Symmetric,
    cone: Cone,
}

/// Working memory of a fit, which a thread uses again for the next voxel.
#[derive(Debug, Clone)]
pub struct MultiTissueScratch {
    signals: Vec<f64>,
    solution: Vec<f64>,
    cone: ConeScratch,
}

impl MultiTissue {
    /// Prepares the fit of a series. All measurements of the series are used.
    ///
    /// `directions` are the constraint directions, as vectors of any length in scanner axes. Opposite
    /// directions are equivalent, so that one of each pair of opposite directions suffices.
    ///
    /// # Errors
    /// Returns an error in these cases:
    ///
    /// - there are no tissues, or more tissues than shells,
    /// - a response does not have one row per shell,
    /// - the b-values of a response differ from those of the shells by more than 10 % and more than 100
    ///   s/mm²,
    /// - the order of a distribution is invalid,
    /// - there are fewer constraint directions than coefficients,
    /// - the gradient directions of the series do not determine a distribution, or
    /// - the measurements cannot distinguish the tissues.
    pub fn new(gradients: &GradientTable, tissues: &[Tissue], directions: &[[f64; 3]]) -> Result<Self> {
        require_known(gradients)?;
        check_tissues(gradients, tissues)?;
        if tissues.iter().any(|tissue| order_of_distribution(tissue.order, &tissue.response) > 0) {
            check_directions(gradients)?;
        }
        let mut blocks = Vec::with_capacity(tissues.len());
        for tissue in tissues {
            blocks.push(Block::new(gradients, tissue, directions)?);
        }
        let counts: Vec<usize> = blocks.iter().map(|block| block.count).collect();
        let total: usize = counts.iter().sum();
        let forward: Vec<f64> = (0..gradients.len())
            .flat_map(|m| {
                blocks.iter().flat_map(move |block| &block.forward[m * block.count..(m + 1) * block.count])
            })
            .copied()
            .collect();
        let stride = whole_vectors(total);
        let forward = padded(&forward, total, stride);
        let mut amplitudes = Vec::new();
        let mut first = 0;
        for block in &blocks {
            for amplitude in block.constraints.chunks_exact(block.count) {
                let mut row = vec![0.0; stride];
                row[first..first + block.count].copy_from_slice(amplitude);
                amplitudes.extend(row);
            }
            first += block.count;
        }
        let shells = gradients.measurements_by_shell().into_iter().map(|(_, shell)| shell).collect();
        Self::of_matrices(shells, counts, forward, amplitudes).ok_or_else(|| {
            let problem = "the series cannot tell these tissues apart";
            let advice = "give responses that differ in how signal falls with b, or fewer tissues";
            Error::invalid("response functions", problem, advice)
        })
    }

    /// Prepares the fit from the matrix H, which computes the signals from the coefficients, and the matrix A
    /// of the constraints. Their rows are padded with zeros to whole SIMD vectors. Returns `None` if H does
    /// not determine the coefficients.
    fn of_matrices(
        shells: Vec<Vec<usize>>,
        counts: Vec<usize>,
        forward: Vec<f64>,
        amplitudes: Vec<f64>,
    ) -> Option<Self> {
        let total: usize = counts.iter().sum();
        let stride = whole_vectors(total);
        let mut factor = Symmetric::normal(&forward, stride);
        let mean = factor.mean_diagonal() * stride as f64 / total as f64;
        factor.add_to_diagonal(NORM_WEIGHT * mean);
        // The padding elements of the solution stay 0.
        factor.add_to_diagonal_from(total, mean);
        if !factor.factorise() {
            return None;
        }
        let mut constraints = Vec::with_capacity(amplitudes.len() / stride * total);
        let mut row = vec![0.0; stride];
        for amplitude in amplitudes.chunks_exact(stride) {
            row.copy_from_slice(amplitude);
            factor.solve_transposed(&mut row);
            constraints.extend_from_slice(&row[..total]);
        }
        let cone = Cone::new(&constraints, total);
        Some(Self {
            series: forward.len() / stride,
            shells,
            counts,
            total,
            stride,
            forward,
            amplitudes,
            factor,
            cone,
        })
    }

    /// Returns the number of coefficients of each tissue's distribution, in the order of the tissues.
    pub fn counts(&self) -> &[usize] {
        &self.counts
    }

    /// Allocates the working memory of a thread for [`fit`](Self::fit).
    pub fn scratch(&self) -> MultiTissueScratch {
        VoxelSolver::scratch(self)
    }

    /// Fits one voxel. `signals` contains all measurements of the voxel. `coefficients` receives the
    /// distributions of all tissues, one after the other. The function does not allocate memory.
    ///
    /// # Panics
    /// Panics if the number of signals is not the number of measurements, or if the number of coefficients is
    /// not the sum of [`counts`](Self::counts).
    pub fn fit(
        &self,
        scratch: &mut MultiTissueScratch,
        signals: &[f32],
        coefficients: &mut [f64],
    ) -> VoxelFit {
        assert_eq!(coefficients.len(), self.total, "coefficients of other tissues");
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

/// The rows and columns of two matrices that belong to one tissue. The matrix H computes the signals from the
/// coefficients, and the matrix A computes the amplitudes that must not be negative.
struct Block {
    count: usize,
    /// The columns of the matrix H (which computes the signals from the coefficients) that belong to the
    /// tissue. They have one row per measurement.
    forward: Vec<f64>,
    /// The rows of the matrix A (which computes the amplitudes that must not be negative) that belong to the
    /// tissue. There is one row per constraint.
    constraints: Vec<f64>,
}

impl Block {
    fn new(gradients: &GradientTable, tissue: &Tissue, directions: &[[f64; 3]]) -> Result<Self> {
        let response = &tissue.response;
        let order = order_of_distribution(tissue.order, response);
        let basis = HarmonicBasis::new(order)?;
        let count = basis.count();
        let mut forward = vec![0.0; gradients.len() * count];
        for (shell, (_, measurements)) in gradients.measurements_by_shell().into_iter().enumerate() {
            let scale = by_coefficient(&response.convolution(shell, order), order);
            for m in measurements {
                let axis = gradients.directions()[m];
                let row = &mut forward[m * count..(m + 1) * count];
                if axis == [0.0; 3] {
                    // A measurement without a gradient direction (b = 0) depends only on the isotropic
                    // coefficient.
                    row[0] = scale[0] * basis.evaluate([0.0, 0.0, 1.0])[0];
                } else {
                    let values = basis.evaluate(axis);
                    row.iter_mut()
                        .zip(values)
                        .zip(&scale)
                        .for_each(|((out, value), factor)| *out = value * factor);
                }
            }
        }
        let constraints =
            if order == 0 { vec![1.0] } else { basis.matrix(&constraint_directions(directions, order)?) };
        Ok(Self { count, forward, constraints })
    }
}

/// Returns an error if the responses of the tissues do not match the shells of the series.
fn check_tissues(gradients: &GradientTable, tissues: &[Tissue]) -> Result<()> {
    let (shells, largest) = (gradients.shells(), largest_number_of_tissues(gradients));
    if tissues.is_empty() || tissues.len() > largest {
        let problem = format!("{} tissues cannot be separated with {largest} b-values", tissues.len());
        return Err(Error::invalid(
            "response functions",
            problem,
            "give at most one tissue per b-value, including b = 0",
        ));
    }
    for (number, tissue) in tissues.iter().enumerate() {
        let (rows, number) = (tissue.response.rows().len(), number + 1);
        let wrong = |problem: String| {
            let advice = format!(
                "give response functions with one row per shell of the series, which has {}",
                gradients.describe_shells()
            );
            Err(Error::invalid("response functions", problem, advice))
        };
        if rows != shells.len() {
            return wrong(format!("number {number} has {rows} rows for {} shells", shells.len()));
        }
        for (given, (shell, _)) in tissue.response.b_values().into_iter().flatten().zip(&shells) {
            if !agrees_with_shell(*given, *shell) {
                return wrong(format!(
                    "number {number} is of b {given} s/mm² where the series has {shell:.0}"
                ));
            }
        }
    }
    Ok(())
}

impl VoxelSolver for MultiTissue {
    type Scratch = MultiTissueScratch;

    fn measurements(&self) -> usize {
        self.series
    }

    fn shells(&self) -> &[Vec<usize>] {
        &self.shells
    }

    fn without(&self, unused: &[usize]) -> Option<Self> {
        let Self { shells, counts, amplitudes, stride, .. } = self;
        let mut forward = self.forward.clone();
        for m in unused {
            forward[m * stride..(m + 1) * stride].fill(0.0);
        }
        Self::of_matrices(shells.clone(), counts.clone(), forward, amplitudes.clone())
    }

    fn counts(&self) -> Vec<usize> {
        self.counts.clone()
    }

    fn scratch(&self) -> MultiTissueScratch {
        MultiTissueScratch {
            signals: vec![0.0; self.series],
            solution: vec![0.0; self.stride],
            cone: self.cone.scratch(),
        }
    }

    #[inline(always)]
    fn solve(&self, scratch: &mut MultiTissueScratch, signals: &[f32], coefficients: &mut [f64]) -> VoxelFit {
        let MultiTissueScratch { signals: own, solution, cone } = scratch;
        own.iter_mut().zip(signals).for_each(|(own, signal)| *own = f64::from(*signal));
        combine(solution, own, &self.forward);
        self.factor.solve_transposed(solution);
        let converged = self.cone.project(cone, &mut solution[..self.total]);
        self.factor.solve_upper(solution);
        coefficients.copy_from_slice(&solution[..self.total]);
        if converged { VoxelFit::Converged } else { VoxelFit::Unconverged }
    }
}
