//! The tensor fit on the CPU. Each SIMD lane fits one voxel in double precision, and rayon distributes the
//! image over CPU threads.

use super::plan::{FirstWeights, PAIRS, Plan, UNKNOWNS, triangle};
use super::{ImpossibleTensors, Repairs, TensorFit};
use arcuate_core::{DiffusionTensor, Mask, NotComputed, Volume};
use arcuate_numbers::Arch;
use arcuate_numbers::Eigensystem;
use arcuate_numbers::Register;
use arcuate_numbers::elementary::double::{exp, ln_normal};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;

/// Smallest signal in the fit, as a fraction of the voxel's largest signal. Smaller signals are replaced by
/// this value. `dwi2tensor` 3.0.3 does the same, as experiments have shown.
const SIGNAL_FLOOR: f64 = 1e-6;
/// Smallest pivot of the normal matrix, as a fraction of its diagonal element. The sums in the matrix have a
/// relative error of about 1e-16. A smaller pivot is rounding error, and the matrix is singular. With this
/// limit, a fit still succeeds if an unknown depends on measurements that are a million times darker than
/// others (weights of 1e-12).
const SINGULAR: f64 = 1e-14;
/// Number of voxels that a CPU thread fits as one task. On average, half of the SIMD lanes are empty when a
/// task processes its last voxels, which costs little in large tasks. Smaller tasks are easier to distribute
/// over threads.
const TASK: usize = 2048;

pub(super) fn fit(dwi: &Volume<f32>, mask: &Mask, plan: &Plan) -> TensorFit {
    fit_with(Arch::new(), dwi, mask, plan)
}

/// Fits the tensors with functions that are compiled for one instruction set of the CPU.
pub(super) fn fit_with(arch: Arch, dwi: &Volume<f32>, mask: &Mask, plan: &Plan) -> TensorFit {
    let grid = *dwi.grid();
    let mut tensor = Volume::filled(grid, 6, 0.0);
    let mut s0 = Volume::filled(grid, 1, 0.0);
    let mut residual = Volume::filled(grid, 1, 0.0);
    let (repairs, impossible) = tensor
        .values_mut()
        .par_chunks_mut(6 * TASK)
        .zip(s0.values_mut().par_chunks_mut(TASK))
        .zip(residual.values_mut().par_chunks_mut(TASK))
        .enumerate()
        .map(|(n, ((tensor, s0), residual))| {
            let first = n * TASK;
            let voxels: Vec<usize> =
                (first..first + s0.len()).filter(|&voxel| mask.contains(voxel)).collect();
            if voxels.is_empty() {
                return (Repairs::default(), ImpossibleTensors::default());
            }
            arch.dispatch(Task { dwi, plan, first, voxels: &voxels, tensor, s0, residual })
        })
        .reduce(Default::default, |(a, of_a), (b, of_b)| {
            let repairs = a.plus(&b);
            let impossible = ImpossibleTensors {
                indefinite: of_a.indefinite + of_b.indefinite,
                anisotropy_above_1: of_a.anisotropy_above_1 + of_b.anisotropy_above_1,
                mean_below_0: of_a.mean_below_0 + of_b.mean_below_0,
            };
            (repairs, impossible)
        });
    TensorFit { tensor, s0, residual, repairs, impossible }
}

/// A piece of the image that begins at the voxel `first`, the voxels of the mask in this piece, and the
/// results of these voxels.
struct Task<'a> {
    dwi: &'a Volume<f32>,
    plan: &'a Plan,
    first: usize,
    voxels: &'a [usize],
    tensor: &'a mut [f32],
    s0: &'a mut [f32],
    residual: &'a mut [f32],
}

impl WithSimd for Task<'_> {
    type Output = (Repairs, ImpossibleTensors);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (Repairs, ImpossibleTensors) {
        let Self { dwi, plan, first, voxels, tensor, s0, residual } = self;
        let lanes = S::F64_LANES;
        let measurements = plan.channels.len();
        // In the following arrays, the value of a measurement in a SIMD lane has the index `measurement *
        // lanes + lane`.
        let mut signals = vec![0.0; measurements * lanes];
        let mut usable = signals.clone();
        let mut logs = signals.clone();
        let mut weights = signals.clone();
        let mut predicted = signals.clone();
        let mut results = vec![0.0; RESULTS * lanes];
        let (mut repairs, mut impossible) = (Repairs::default(), ImpossibleTensors::default());
        repairs.counts.voxels = voxels.len();
        for batch in voxels.chunks(lanes) {
            for (lane, &voxel) in batch.iter().enumerate() {
                let values = dwi.voxel(voxel);
                for (row, &channel) in signals.chunks_exact_mut(lanes).zip(&plan.channels) {
                    row[lane] = f64::from(values[channel]);
                }
            }
            let prepared = prepare(simd, &mut signals, &mut usable, &mut logs, &mut weights);
            if plan.first_weights == FirstWeights::Equal {
                weights.copy_from_slice(&usable);
            }
            take_logarithms(&mut logs);
            let mut fitted = prepared.bright;
            let mut unknowns = [simd.splat_f64s(0.0); UNKNOWNS];
            for n in 0..=plan.reweightings {
                if n > 0 {
                    weigh(simd, &predicted, &usable, &mut weights);
                }
                let (solution, regular) = solve(simd, plan, &weights, &logs);
                unknowns = solution;
                fitted = simd.and_m64s(fitted, regular);
                predict(simd, plan, &unknowns, &mut predicted);
            }
            let rms = root_mean_square(simd, &signals, &predicted, &usable);
            // The logarithm of S₀ is tested for NaN here. The exponential function would convert NaN to a
            // finite number.
            let intercept = simd.less_than_f64s(simd.abs_f64s(unknowns[0]), simd.splat_f64s(f64::INFINITY));
            fitted = simd.and_m64s(fitted, intercept);
            let columns = [
                Register::new(simd, unknowns[0]).exp().lanes,
                unknowns[1],
                unknowns[2],
                unknowns[3],
                unknowns[4],
                unknowns[5],
                unknowns[6],
                rms,
                prepared.peak,
                simd.select_f64s(fitted, simd.splat_f64s(1.0), simd.splat_f64s(0.0)),
                prepared.raised,
                prepared.left_out,
            ];
            let (vectors, _) = S::as_mut_simd_f64s(&mut results);
            for (vector, column) in vectors.iter_mut().zip(columns) {
                *vector = column;
            }
            for (lane, &voxel) in batch.iter().enumerate() {
                let result: [f64; RESULTS] = std::array::from_fn(|n| results[n * lanes + lane]);
                let place = voxel - first;
                let peak = result[8];
                let elements: [f32; 6] = std::array::from_fn(|n| (result[n + 1] / plan.scale) as f32);
                let intercept = (peak * result[0]) as f32;
                let error = (peak * result[7]) as f32;
                let finite =
                    elements.iter().all(|d| d.is_finite()) && intercept.is_finite() && error.is_finite();
                if result[9] == 1.0 && finite {
                    repairs.raised += result[10] as usize;
                    repairs.counts.not_finite += result[11] as usize;
                    tensor[6 * place..6 * place + 6].copy_from_slice(&elements);
                    s0[place] = intercept;
                    residual[place] = error;
                    let fitted = DiffusionTensor(elements.map(f64::from));
                    if !is_positive(&fitted) {
                        let system = fitted.eigensystem();
                        if impossible.count(&fitted, system.values) {
                            let measured =
                                (lane..signals.len()).step_by(lanes).map(|n| (signals[n], usable[n]));
                            residual[place] =
                                (peak * possible_residual(plan, result[0], &system, measured)) as f32;
                        }
                    }
                } else {
                    repairs.counts.add(why_not(peak, result[11] as usize, measurements), 1);
                }
            }
        }
        (repairs, impossible)
    }
}

/// Returns the reason why a voxel has no tensor. It is found from the voxel's largest signal and its number
/// of non-finite signals.
fn why_not(peak: f64, not_finite: usize, measurements: usize) -> NotComputed {
    if not_finite == measurements {
        NotComputed::NotFinite
    } else if peak <= 0.0 {
        NotComputed::NoSignal
    } else if not_finite > 0 {
        NotComputed::TooFew
    } else {
        NotComputed::NoSolution
    }
}

/// Returns whether all eigenvalues of a tensor are positive, by Sylvester's criterion.
fn is_positive(&DiffusionTensor([xx, yy, zz, xy, xz, yz]): &DiffusionTensor) -> bool {
    let minor = xx * yy - xy * xy;
    let determinant = zz * minor - xx * yz * yz - yy * xz * xz + 2.0 * xy * xz * yz;
    xx > 0.0 && minor > 0.0 && determinant > 0.0
}

/// Returns the root mean square residual √(Σ (S − Ŝ)² / n) over the n usable measurements of a voxel. The
/// predicted signals Ŝ are those of the tensor with negative eigenvalues set to 0. `measured` has each signal
/// S, with 1 if the signal is usable and 0 if it is not. The residual has the unit of the signals and of
/// `s0`.
fn possible_residual(
    plan: &Plan,
    s0: f64,
    system: &Eigensystem<f64>,
    measured: impl Iterator<Item = (f64, f64)>,
) -> f64 {
    let mut unknowns = [0.0; UNKNOWNS];
    for (value, vector) in system.values.iter().zip(&system.vectors) {
        let [x, y, z] = *vector;
        let products = [x * x, y * y, z * z, x * y, x * z, y * z];
        for (unknown, product) in unknowns[1..].iter_mut().zip(products) {
            *unknown += value.max(0.0) * plan.scale * product;
        }
    }
    let (mut sum, mut count) = (0.0, 0.0);
    for (row, (signal, usable)) in plan.rows.iter().zip(measured) {
        let exponent: f64 = row.iter().zip(&unknowns).map(|(x, p)| x * p).sum();
        let difference = (signal - s0 * exp(exponent)) * usable;
        sum += difference * difference;
        count += usable;
    }
    (sum / f64::max(count, 1.0)).sqrt()
}

/// Number of results per voxel. The results are the unknowns (with S₀ instead of its logarithm), the root
/// mean square residual, the largest signal, whether the fit exists, and two numbers of measurements. S₀, the
/// residual and the largest signal depend on the scale of the signals.
const RESULTS: usize = UNKNOWNS + 5;

/// Statistics of the signals of several voxels, one voxel per SIMD lane.
struct Prepared<S: Simd> {
    /// Largest signal of the voxel.
    peak: S::f64s,
    /// True if the largest signal of the voxel is above 0.
    bright: S::m64s,
    /// Number of signals that were replaced by the smallest allowed signal.
    raised: S::f64s,
    /// Number of non-finite measurements in the voxel.
    left_out: S::f64s,
}

/// Divides the signals by the voxel's largest signal, so that neither weights nor predictions can overflow.
/// Writes the signals to `logs` for the logarithm, with low signals replaced, and sets the weights of the
/// first fit.
#[inline(always)]
fn prepare<S: Simd>(
    simd: S,
    signals: &mut [f64],
    usable: &mut [f64],
    logs: &mut [f64],
    weights: &mut [f64],
) -> Prepared<S> {
    let (zero, one) = (simd.splat_f64s(0.0), simd.splat_f64s(1.0));
    let infinity = simd.splat_f64s(f64::INFINITY);
    let floor = simd.splat_f64s(SIGNAL_FLOOR);
    let (signals, usable) = (S::as_mut_simd_f64s(signals).0, S::as_mut_simd_f64s(usable).0);
    let (logs, weights) = (S::as_mut_simd_f64s(logs).0, S::as_mut_simd_f64s(weights).0);
    let (mut peak, mut left_out, mut raised) = (zero, zero, zero);
    for (signal, usable) in signals.iter_mut().zip(usable.iter_mut()) {
        // If the signal is NaN, this comparison is also false.
        let finite = simd.less_than_f64s(simd.abs_f64s(*signal), infinity);
        *usable = simd.select_f64s(finite, one, zero);
        *signal = simd.select_f64s(finite, *signal, zero);
        left_out = simd.add_f64s(left_out, simd.sub_f64s(one, *usable));
        peak = simd.max_f64s(peak, *signal);
    }
    let bright = simd.greater_than_f64s(peak, zero);
    let scale = simd.div_f64s(one, simd.select_f64s(bright, peak, one));
    for (((signal, usable), log), weight) in signals.iter_mut().zip(usable).zip(logs).zip(weights) {
        *signal = simd.mul_f64s(*signal, scale);
        let faint = simd.less_than_f64s(*signal, floor);
        raised = simd.add_f64s(raised, simd.select_f64s(faint, *usable, zero));
        *log = simd.max_f64s(*signal, floor);
        *weight = simd.mul_f64s(simd.mul_f64s(*log, *log), *usable);
    }
    Prepared { peak, bright, raised, left_out }
}

/// Replaces every value of the list by its logarithm. The compiler vectorises this plain loop for the
/// instruction set of the CPU.
#[inline(always)]
fn take_logarithms(values: &mut [f64]) {
    for value in values {
        *value = ln_normal(*value);
    }
}

/// Solves the weighted least squares problem XᵀWX p = XᵀW ln S in every SIMD lane. Also returns in which
/// lanes the matrix XᵀWX is regular.
#[inline(always)]
fn solve<S: Simd>(simd: S, plan: &Plan, weights: &[f64], logs: &[f64]) -> ([S::f64s; UNKNOWNS], S::m64s) {
    let (weights, logs) = (S::as_simd_f64s(weights).0, S::as_simd_f64s(logs).0);
    // Fourteen sums over measurements are accumulated at a time. These sums stay in registers, even on CPUs
    // with only sixteen vector registers.
    let low = weighted_sum(simd, weights.iter().copied(), &plan.products[0]);
    let high = weighted_sum(simd, weights.iter().copied(), &plan.products[1]);
    let right = weighted_sum(simd, weights.iter().zip(logs).map(|(&w, &y)| simd.mul_f64s(w, y)), &plan.rows);
    let normal: [S::f64s; PAIRS] =
        std::array::from_fn(|n| if n < PAIRS / 2 { low[n] } else { high[n - PAIRS / 2] });
    factorise_and_solve(simd, normal, right)
}

/// Returns the weighted sum Σ wₘ rowₘ over the measurements m, with weights wₘ.
#[inline(always)]
fn weighted_sum<S: Simd, const N: usize>(
    simd: S,
    weights: impl Iterator<Item = S::f64s>,
    rows: &[[f64; N]],
) -> [S::f64s; N] {
    let mut sums = [simd.splat_f64s(0.0); N];
    for (weight, row) in weights.zip(rows) {
        for n in 0..N {
            sums[n] = simd.mul_add_e_f64s(weight, simd.splat_f64s(row[n]), sums[n]);
        }
    }
    sums
}

/// Solves A p = r by the factorisation A = L D Lᵀ. `a` is the lower triangle of the matrix A, row by row.
#[inline(always)]
fn factorise_and_solve<S: Simd>(
    simd: S,
    mut a: [S::f64s; PAIRS],
    mut r: [S::f64s; UNKNOWNS],
) -> ([S::f64s; UNKNOWNS], S::m64s) {
    let singular = simd.splat_f64s(SINGULAR);
    let limits: [S::f64s; UNKNOWNS] = std::array::from_fn(|i| simd.mul_f64s(singular, a[triangle(i, i)]));
    // The number of each elimination step is known at compile time. All matrix elements then have fixed
    // positions.
    eliminate::<S, 0>(simd, &mut a, &mut r);
    eliminate::<S, 1>(simd, &mut a, &mut r);
    eliminate::<S, 2>(simd, &mut a, &mut r);
    eliminate::<S, 3>(simd, &mut a, &mut r);
    eliminate::<S, 4>(simd, &mut a, &mut r);
    eliminate::<S, 5>(simd, &mut a, &mut r);
    eliminate::<S, 6>(simd, &mut a, &mut r);
    let mut regular = simd.greater_than_f64s(a[0], limits[0]);
    for i in 1..UNKNOWNS {
        regular = simd.and_m64s(regular, simd.greater_than_f64s(a[triangle(i, i)], limits[i]));
    }
    // The last equation to solve is Lᵀ p = D⁻¹ L⁻¹ r, for the unknowns p.
    for k in (1..UNKNOWNS).rev() {
        for i in 0..UNKNOWNS {
            if i < k {
                r[i] = simd.negate_mul_add_e_f64s(a[triangle(k, i)], r[k], r[i]);
            }
        }
    }
    (r, regular)
}

/// Runs the step `J` of the factorisation A = L D Lᵀ. The step converts column `J` of the lower triangle of A
/// to column `J` of L. It subtracts the contribution of this column from the columns to the right. It also
/// computes element `J` of the vector D⁻¹ L⁻¹ r.
#[inline(always)]
fn eliminate<S: Simd, const J: usize>(simd: S, a: &mut [S::f64s; PAIRS], r: &mut [S::f64s; UNKNOWNS]) {
    let inverse = simd.div_f64s(simd.splat_f64s(1.0), a[triangle(J, J)]);
    let column: [S::f64s; UNKNOWNS] = std::array::from_fn(|i| a[triangle(i.max(J), J)]);
    for i in J + 1..UNKNOWNS {
        let factor = simd.mul_f64s(column[i], inverse);
        a[triangle(i, J)] = factor;
        for k in J + 1..UNKNOWNS {
            if k <= i {
                let place = triangle(i, k);
                a[place] = simd.negate_mul_add_e_f64s(factor, column[k], a[place]);
            }
        }
        r[i] = simd.negate_mul_add_e_f64s(factor, r[J], r[i]);
    }
    r[J] = simd.mul_f64s(r[J], inverse);
}

/// Computes the predicted signal exp(X p).
#[inline(always)]
fn predict<S: Simd>(simd: S, plan: &Plan, unknowns: &[S::f64s; UNKNOWNS], predicted: &mut [f64]) {
    // The logarithms and the exponentials are computed in two loops, so that the unknowns and the constants
    // of the exponential do not need registers at the same time.
    let predicted = S::as_mut_simd_f64s(predicted).0;
    for (value, row) in predicted.iter_mut().zip(&plan.rows) {
        // The first column of the design matrix X is 1. The loop therefore begins with the second column.
        let mut log = unknowns[0];
        for n in 1..UNKNOWNS {
            log = simd.mul_add_e_f64s(unknowns[n], simd.splat_f64s(row[n]), log);
        }
        *value = log;
    }
    for value in predicted {
        *value = Register::new(simd, *value).exp().lanes;
    }
}

/// Computes the weights of the next fit, which are the squares of the predicted signals. Excluded
/// measurements have a weight of 0.
#[inline(always)]
fn weigh<S: Simd>(simd: S, predicted: &[f64], usable: &[f64], weights: &mut [f64]) {
    let (predicted, usable) = (S::as_simd_f64s(predicted).0, S::as_simd_f64s(usable).0);
    let weights = S::as_mut_simd_f64s(weights).0;
    for ((weight, &signal), &usable) in weights.iter_mut().zip(predicted).zip(usable) {
        *weight = simd.mul_f64s(simd.mul_f64s(signal, signal), usable);
    }
}

/// Returns the root mean square residual √(Σ (S − Ŝ)² / n) over the n usable measurements, with the measured
/// signals S and the predicted signals Ŝ.
#[inline(always)]
fn root_mean_square<S: Simd>(simd: S, signals: &[f64], predicted: &[f64], usable: &[f64]) -> S::f64s {
    let (signals, predicted) = (S::as_simd_f64s(signals).0, S::as_simd_f64s(predicted).0);
    let (mut sum, mut count) = (simd.splat_f64s(0.0), simd.splat_f64s(0.0));
    for ((&signal, &predicted), &usable) in signals.iter().zip(predicted).zip(S::as_simd_f64s(usable).0) {
        let difference = simd.mul_f64s(simd.sub_f64s(signal, predicted), usable);
        sum = simd.mul_add_e_f64s(difference, difference, sum);
        count = simd.add_f64s(count, usable);
    }
    simd.sqrt_f64s(simd.div_f64s(sum, simd.max_f64s(count, simd.splat_f64s(1.0))))
}
