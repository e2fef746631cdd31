//! Computes the starting values of fits on the CPU, for sixteen voxels at once. Scales the signals of each
//! voxel, and fits the diffusion tensor log-linearly with the squared signals as weights (Salvador et al.
//! 2005, doi:10.1002/hbm.20076). `begin.cuh` has the same operations in the same order for GPUs.

use super::constants;
use super::interpreter::{Row, WIDTH};
use super::linear::{Factors, triangle};
use super::status::Status;
use super::voxels::Voxels;
use crate::language::TensorPart;
use arcuate_numbers::{Lanes, Operations, Real, eigensystem};

/// Number of unknowns of the log-linear tensor fit: ln S₀ and the six elements of the tensor D.
const UNKNOWNS: usize = constants::TENSOR_UNKNOWNS as usize;
/// Smallest signal whose logarithm is used in the tensor fit, as a fraction of the voxel's largest signal.
/// Smaller signals are replaced by this value.
const SMALLEST_SIGNAL: f64 = 1e-4;
/// Number added to the diagonal of the tensor fit's normal matrix, after the matrix was scaled so that its
/// diagonal is 1.
const DAMPING: f64 = 1e-5;

/// The source of the starting value of a scalar parameter, or of one vector component of an orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum StartValue<T> {
    /// A constant, in base units.
    Value(T),
    /// The starting value is the signal at b = 0, which is 1 because the signals of a voxel are scaled.
    One,
    /// The starting value is a quantity of the fitted tensor. If the quantity is a direction, the index
    /// selects the vector component (0 to 2).
    Tensor(TensorPart, u8),
    /// The starting value is already set, by another fit or by a map.
    Given,
}

/// Input for computing the starting values that is the same for all voxels.
#[derive(Debug, Clone)]
pub(crate) struct BeginPlan<T> {
    /// Indices of the measurements without diffusion weighting.
    pub(crate) b0: Vec<usize>,
    /// The measurements of the tensor fit. Each has its index and its row of the design matrix: 1, then −b
    /// gᵢgⱼ for the six tensor elements (twice this value if i ≠ j).
    pub(crate) rows: Vec<(usize, [T; UNKNOWNS])>,
    /// The source of the starting value of each fitted parameter value.
    pub(crate) start_values: Vec<StartValue<T>>,
    /// The lower and upper bound of each fitted parameter value.
    pub(crate) bounds: Vec<[T; 2]>,
    /// Minimum number of usable measurements. A voxel with fewer usable measurements is not fitted.
    pub(crate) fewest: usize,
}

impl<T: Real> BeginPlan<T> {
    pub(super) fn needs_a_tensor(&self) -> bool {
        self.start_values.iter().any(|start_value| matches!(start_value, StartValue::Tensor(..)))
    }
}

/// Scales the signals of the voxels and sets their parameters to the starting values.
#[inline(always)]
pub(crate) fn begin_voxels<T: Real>(plan: &BeginPlan<T>, voxels: &mut Voxels<T>) {
    for voxel in 0..voxels.len() {
        let (factor, usable, status) = factor(plan, voxels.measured(voxel));
        voxels.set_factor(voxel, factor);
        voxels.set_usable(voxel, usable);
        voxels.set_status(voxel, status);
    }
    let mut factors = Factors::new(UNKNOWNS, Lanes::all(0.0));
    let all: Vec<usize> = (0..voxels.len()).collect();
    for lanes in all.chunks(WIDTH) {
        let tensor = plan.needs_a_tensor().then(|| tensors(plan, voxels, lanes, &mut factors));
        for (n, start_value) in plan.start_values.iter().enumerate() {
            let row = match *start_value {
                StartValue::Value(value) => Lanes([value; WIDTH]),
                StartValue::One => Lanes::all(1.0),
                StartValue::Tensor(part, component) => match &tensor {
                    Some(tensor) => tensor.part(part, component),
                    None => continue,
                },
                StartValue::Given => continue,
            };
            let [low, high] = plan.bounds[n];
            let row = row.larger(Lanes([low; WIDTH])).smaller(Lanes([high; WIDTH]));
            for (lane, &voxel) in lanes.iter().enumerate() {
                voxels.numbers_mut(voxel)[n] = row.0[lane];
            }
        }
    }
}

/// Returns the factor that scales the signals of a voxel. The factor is the inverse of the mean signal
/// without diffusion weighting. If this mean is not above 0, the factor is the inverse of the largest signal.
#[inline(always)]
fn factor<T: Real>(plan: &BeginPlan<T>, signals: &[f32]) -> (T, u32, Status) {
    let (mut usable, mut largest) = (0u32, 0.0f32);
    for &signal in signals {
        if signal.abs() < f32::INFINITY {
            usable += 1;
            largest = if signal > largest { signal } else { largest };
        }
    }
    let (mut sum, mut count) = (T::of(0.0), T::of(0.0));
    for &m in &plan.b0 {
        if signals[m].abs() < f32::INFINITY {
            sum += T::of(f64::from(signals[m]));
            count += T::of(1.0);
        }
    }
    // The sum of signals is compared with `f32::MAX`, because it can overflow in single precision.
    let is_mean = sum > T::of(0.0) && sum < T::of(f64::from(f32::MAX));
    let scale = if is_mean { sum / count } else { T::of(f64::from(largest)) };
    let status = if largest <= 0.0 {
        Status::NoSignal
    } else if (usable as usize) < plan.fewest {
        Status::TooFew
    } else {
        Status::Outside
    };
    let one = T::of(1.0);
    (if scale > T::of(0.0) { one / scale } else { one }, usable, status)
}

/// The diffusion tensors of sixteen voxels.
struct Tensors<T: Real> {
    s0: Row<T>,
    elements: [Row<T>; 6],
    /// The eigenvalues of the tensors, in descending order.
    values: [Row<T>; 3],
    vectors: [[Row<T>; 3]; 3],
}

#[inline(always)]
fn tensors<T: Real>(
    plan: &BeginPlan<T>,
    voxels: &Voxels<T>,
    lanes: &[usize],
    factors: &mut Factors<Row<T>>,
) -> Tensors<T> {
    let (zero, one) = (Lanes::all(0.0), Lanes::all(1.0));
    let mut largest: Row<T> = zero;
    for (lane, &voxel) in lanes.iter().enumerate() {
        for signal in voxels.signals(voxel) {
            if signal.size() < T::of(f64::INFINITY) {
                largest.0[lane] = signal.larger(largest.0[lane]);
            }
        }
    }
    let least = largest * Lanes::all(SMALLEST_SIGNAL);
    let least = least.if_above(zero, least, one);
    let mut normal = [zero; triangle(UNKNOWNS, 0)];
    let mut right = [zero; UNKNOWNS];
    for (m, row) in &plan.rows {
        let (mut signal, mut usable) = (one, zero);
        for (lane, &voxel) in lanes.iter().enumerate() {
            let measured = T::of(f64::from(voxels.measured(voxel)[*m])) * voxels.factor(voxel);
            if measured.size() < T::of(f64::INFINITY) {
                signal.0[lane] = measured;
                usable.0[lane] = T::of(1.0);
            }
        }
        let signal = signal.larger(least);
        let weight = usable * (signal * signal);
        let weighted = weight * signal.logarithm();
        for i in 0..UNKNOWNS {
            let of_i = Lanes([row[i]; WIDTH]);
            right[i] = of_i.fma(weighted, right[i]);
            for j in 0..=i {
                let product = Lanes([row[i] * row[j]; WIDTH]);
                normal[triangle(i, j)] = product.fma(weight, normal[triangle(i, j)]);
            }
        }
    }
    let mut scales = [zero; UNKNOWNS];
    for i in 0..UNKNOWNS {
        let diagonal = normal[triangle(i, i)];
        scales[i] = diagonal.if_above(zero, one / diagonal.if_above(zero, diagonal, one).root(), zero);
        for j in 0..i {
            normal[triangle(i, j)] = normal[triangle(i, j)] * scales[i] * scales[j];
        }
        normal[triangle(i, i)] = Lanes::all(1.0 + DAMPING);
        right[i] = right[i] * scales[i];
    }
    factors.factorise(&mut normal, Lanes::all(DAMPING));
    factors.solve(&mut right);
    let mut elements = [zero; 6];
    for n in 0..6 {
        elements[n] = right[1 + n] * scales[1 + n];
    }
    let s0 = (right[0] * scales[0]).exponential();
    let (mut values, mut vectors) = eigensystem(&elements);
    // Sorts the eigenvalues by exchanging neighbours.
    for (a, b) in [(0, 1), (1, 2), (0, 1)] {
        let (x, y) = (values[a], values[b]);
        values[a] = y.if_above(x, y, x);
        values[b] = y.if_above(x, x, y);
        for axis in 0..3 {
            let (of_a, of_b) = (vectors[a][axis], vectors[b][axis]);
            vectors[a][axis] = y.if_above(x, of_b, of_a);
            vectors[b][axis] = y.if_above(x, of_a, of_b);
        }
    }
    Tensors { s0, elements, values, vectors }
}

impl<T: Real> Tensors<T> {
    #[inline(always)]
    fn part(&self, part: TensorPart, component: u8) -> Row<T> {
        match part {
            TensorPart::S0 => self.s0,
            TensorPart::MeanDiffusivity => {
                (self.values[0] + self.values[1] + self.values[2]) * Lanes::all(1.0 / 3.0)
            }
            TensorPart::AxialDiffusivity => self.values[0],
            TensorPart::RadialDiffusivity => (self.values[1] + self.values[2]) * Lanes::all(0.5),
            TensorPart::Eigenvector(n) => self.vectors[n][usize::from(component)],
            TensorPart::Element(n) => self.elements[n],
        }
    }
}
