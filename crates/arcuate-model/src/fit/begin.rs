//! Computes the starting values of fits. Scales the signals of each voxel, and fits the diffusion tensor
//! log-linearly with the squared signals as weights (Salvador et al. 2005, doi:10.1002/hbm.20076). The CPU
//! computes sixteen voxels at once. A GPU kernel (`written/begin.rs`) runs the same code.

use super::arithmetic::{Comparisons, Flag, FlagOf, Stored, is_usable};
use super::interpreter::{Row, WIDTH};
use super::linear::{Factors, triangle};
use super::status::Status;
use super::voxels::Voxels;
use crate::language::TensorPart;
use arcuate_numbers::{Lanes, Operations, Real, eigensystem};

/// Number of unknowns of the log-linear tensor fit: ln S₀ and the six elements of the tensor D.
pub(crate) const UNKNOWNS: usize = 7;
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
    let zero: Row<T> = Lanes::all(0.0);
    let mut signals = vec![zero; voxels.measurements()];
    let rows: Vec<[Row<T>; UNKNOWNS]> = if plan.needs_a_tensor() {
        plan.rows.iter().map(|(_, row)| row.map(|element| Lanes([element; WIDTH]))).collect()
    } else {
        Vec::new()
    };
    let all: Vec<usize> = (0..voxels.len()).collect();
    for lanes in all.chunks(WIDTH) {
        let mut usable = [0u32; WIDTH];
        for (lane, &voxel) in lanes.iter().enumerate() {
            for (row, &signal) in signals.iter_mut().zip(voxels.measured(voxel)) {
                row.0[lane] = T::of(f64::from(signal));
                usable[lane] += u32::from(signal.is_finite());
            }
        }
        let mut scale = Scale::new(|| zero);
        for signal in &signals {
            scale.add(*signal);
        }
        for &m in &plan.b0 {
            scale.add_b0(signals[m]);
        }
        let factors = scale.factor();
        for (lane, &voxel) in lanes.iter().enumerate() {
            voxels.set_factor(voxel, factors.0[lane]);
            voxels.set_usable(voxel, usable[lane]);
            let status = if scale.largest.0[lane] <= T::of(0.0) {
                Status::NoSignal
            } else if (usable[lane] as usize) < plan.fewest {
                Status::TooFew
            } else {
                Status::Outside
            };
            voxels.set_status(voxel, status);
        }
        let mut tensor = None;
        if plan.needs_a_tensor() {
            let mut sums = TensorSums::new(|| zero);
            for signal in &signals {
                sums.add_size(*signal * factors);
            }
            let least = sums.least();
            for ((m, _), row) in plan.rows.iter().zip(&rows) {
                sums.add(row, signals[*m] * factors, least);
            }
            tensor = Some(sums.tensor());
        }
        for (n, start_value) in plan.start_values.iter().enumerate() {
            let Some(row) = start_value.number(plan.bounds[n], tensor.as_ref(), zero) else { continue };
            for (lane, &voxel) in lanes.iter().enumerate() {
                voxels.numbers_mut(voxel)[n] = row.0[lane];
            }
        }
    }
}

/// Sums over the signals of a voxel, from which the factor of the signals is computed.
pub(crate) struct Scale<V: Stored> {
    /// The largest signal, or 0 if no signal is above 0.
    pub(crate) largest: V,
    /// The sum and the number of the signals without diffusion weighting.
    sum: V,
    count: V,
}

impl<V: Stored> Scale<V> {
    /// Starts the sums. `make` makes variables with the value 0.
    #[inline(always)]
    pub(crate) fn new(make: impl Fn() -> V) -> Self {
        Self { largest: make(), sum: make(), count: make() }
    }

    /// Adds a signal. Returns whether the signal is usable.
    #[inline(always)]
    pub(crate) fn add(&mut self, signal: V::Number) -> FlagOf<V::Number> {
        let (usable, largest) = (is_usable(signal), self.largest.now());
        self.largest.set(usable.choose(signal.larger(largest), largest));
        usable
    }

    /// Adds a signal without diffusion weighting.
    #[inline(always)]
    pub(crate) fn add_b0(&mut self, signal: V::Number) {
        let (usable, sum, count) = (is_usable(signal), self.sum.now(), self.count.now());
        self.sum.set(usable.choose(sum + signal, sum));
        self.count.set(usable.choose(count + signal.known(1.0), count));
    }

    /// Returns the factor that scales the signals of a voxel. The factor is the inverse of the mean signal
    /// without diffusion weighting. If this mean is not above 0, the factor is the inverse of the largest
    /// signal.
    #[inline(always)]
    pub(crate) fn factor(&self) -> V::Number {
        let sum = self.sum.now();
        let (zero, one) = (sum.known(0.0), sum.known(1.0));
        // The sum of signals is compared with `f32::MAX`, because it can overflow in single precision.
        let is_mean = sum.above(zero) & sum.known(f64::from(f32::MAX)).above(sum);
        let scale = is_mean.choose(sum / self.count.now(), self.largest.now());
        scale.if_above(zero, one / scale, one)
    }
}

/// The sums of the log-linear tensor fit over the measurements of a voxel.
pub(crate) struct TensorSums<V: Stored> {
    largest: V,
    normal: Vec<V>,
    right: Vec<V>,
}

impl<V: Stored> TensorSums<V> {
    /// Starts the sums. `make` makes variables with the value 0.
    #[inline(always)]
    pub(crate) fn new(make: impl Fn() -> V) -> Self {
        Self {
            largest: make(),
            normal: (0..triangle(UNKNOWNS, 0)).map(|_| make()).collect(),
            right: (0..UNKNOWNS).map(|_| make()).collect(),
        }
    }

    /// Updates the largest signal.
    #[inline(always)]
    pub(crate) fn add_size(&mut self, signal: V::Number) {
        let largest = self.largest.now();
        self.largest.set(is_usable(signal).choose(signal.larger(largest), largest));
    }

    /// Returns the smallest signal whose logarithm is used.
    #[inline(always)]
    pub(crate) fn least(&self) -> V::Number {
        let least = self.largest.now() * self.largest.now().known(SMALLEST_SIGNAL);
        least.if_above(least.known(0.0), least, least.known(1.0))
    }

    /// Adds a measurement with its row of the design matrix.
    #[inline(always)]
    pub(crate) fn add(&mut self, row: &[V::Number; UNKNOWNS], measured: V::Number, least: V::Number) {
        let (zero, one) = (measured.known(0.0), measured.known(1.0));
        let usable = is_usable(measured);
        let signal = usable.choose(measured, one).larger(least);
        let weight = usable.choose(one, zero) * (signal * signal);
        let weighted = weight * signal.logarithm();
        for i in 0..UNKNOWNS {
            let right = row[i].fma(weighted, self.right[i].now());
            self.right[i].set(right);
            for j in 0..=i {
                let element = &mut self.normal[triangle(i, j)];
                let sum = (row[i] * row[j]).fma(weight, element.now());
                element.set(sum);
            }
        }
    }

    /// Solves the normal equations, and computes the eigensystem of the tensor.
    #[inline(always)]
    pub(crate) fn tensor(&self) -> Tensor<V::Number> {
        let like = self.largest.now();
        let (zero, one) = (like.known(0.0), like.known(1.0));
        let mut normal: Vec<V::Number> = self.normal.iter().map(Stored::now).collect();
        let mut right = [zero; UNKNOWNS];
        let mut scales = [zero; UNKNOWNS];
        for i in 0..UNKNOWNS {
            let diagonal = normal[triangle(i, i)];
            let has_effect = diagonal.above(zero);
            scales[i] = has_effect.choose(one / has_effect.choose(diagonal, one).root(), zero);
            for j in 0..i {
                normal[triangle(i, j)] = normal[triangle(i, j)] * scales[i] * scales[j];
            }
            normal[triangle(i, i)] = like.known(1.0 + DAMPING);
            right[i] = self.right[i].now() * scales[i];
        }
        let mut factors = Factors::new(UNKNOWNS, zero);
        factors.factorise(&mut normal, like.known(DAMPING));
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
            let swaps = y.above(x);
            values[a] = swaps.choose(y, x);
            values[b] = swaps.choose(x, y);
            for axis in 0..3 {
                let (of_a, of_b) = (vectors[a][axis], vectors[b][axis]);
                vectors[a][axis] = swaps.choose(of_b, of_a);
                vectors[b][axis] = swaps.choose(of_a, of_b);
            }
        }
        Tensor { s0, elements, values, vectors }
    }
}

/// A diffusion tensor.
pub(crate) struct Tensor<N> {
    s0: N,
    elements: [N; 6],
    /// The eigenvalues of the tensor, in descending order.
    values: [N; 3],
    vectors: [[N; 3]; 3],
}

impl<N: Comparisons> Tensor<N> {
    #[inline(always)]
    fn part(&self, part: TensorPart, component: u8) -> N {
        let [first, second, third] = self.values;
        match part {
            TensorPart::S0 => self.s0,
            TensorPart::MeanDiffusivity => (first + second + third) * first.known(1.0 / 3.0),
            TensorPart::AxialDiffusivity => first,
            TensorPart::RadialDiffusivity => (second + third) * first.known(0.5),
            TensorPart::Eigenvector(n) => self.vectors[n][usize::from(component)],
            TensorPart::Element(n) => self.elements[n],
        }
    }
}

impl<T: Real> StartValue<T> {
    /// Returns the starting value within the bounds. Returns `None` if the value is already set. `like` only
    /// provides the type.
    #[inline(always)]
    pub(crate) fn number<N: Comparisons>(
        self,
        [low, high]: [T; 2],
        tensor: Option<&Tensor<N>>,
        like: N,
    ) -> Option<N> {
        let number = match self {
            Self::Value(value) => like.known(value.double()),
            Self::One => like.known(1.0),
            Self::Tensor(part, component) => tensor?.part(part, component),
            Self::Given => return None,
        };
        Some(number.larger(like.known(low.double())).smaller(like.known(high.double())))
    }
}
