//! A vector register of the CPU as a number type.

use crate::Operations;
use crate::elementary::double::{self, reduced_exp};
use pulp::Simd;
use std::f64::consts::LOG2_E;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// [`Register::exp`] clamps its argument to the range between −708 and 708.
const LARGEST_EXPONENT: f64 = 708.0;

/// The number 1.5 · 2⁵² + 1023. If it is added to x / ln 2 and then subtracted, the nearest integer k
/// remains. The lowest bits of the sum are k + 1023, the exponent field of 2ᵏ.
const ROUND_AND_BIAS: f64 = 6_755_399_441_055_744.0 + 1023.0;

/// The double-precision numbers in one vector register of an instruction set.
#[derive(Clone, Copy)]
pub struct Register<S: Simd> {
    simd: S,
    /// The numbers in the register.
    pub lanes: S::f64s,
}

impl<S: Simd> Register<S> {
    /// Wraps a vector register of this instruction set.
    #[inline(always)]
    pub fn new(simd: S, lanes: S::f64s) -> Self {
        Self { simd, lanes }
    }

    #[inline(always)]
    fn with(self, lanes: S::f64s) -> Self {
        Self { lanes, ..self }
    }

    /// Applies a function to each lane, for which processors have no instruction.
    #[inline(always)]
    fn one_by_one(mut self, function: impl Fn(f64) -> f64) -> Self {
        for lane in bytemuck::cast_slice_mut(std::slice::from_mut(&mut self.lanes)) {
            *lane = function(*lane);
        }
        self
    }

    /// Computes e to the power of every lane, if the result is a normal number. Arguments are clamped to
    /// ±708.
    #[inline(always)]
    pub fn exp(self) -> Self {
        let x = self.within(-LARGEST_EXPONENT, LARGEST_EXPONENT);
        let offset = x.known(ROUND_AND_BIAS);
        let shifted = x.times_plus(x.known(LOG2_E), offset);
        let value = reduced_exp(x, shifted - offset);
        // The exponent bits of 2ᵏ are moved to their place by a multiplication, because the SIMD lanes have
        // no instruction for a shift by 52 bits.
        let bits = self.simd.transmute_u64s_f64s(shifted.lanes);
        let power = self.simd.mul_u64s(bits, self.simd.splat_u64s(1 << 52));
        value * self.with(self.simd.transmute_f64s_u64s(power))
    }
}

macro_rules! lane_by_lane {
    ($($trait:ident $method:ident $instruction:ident,)*) => {$(
        impl<S: Simd> $trait for Register<S> {
            type Output = Self;

            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                self.with(self.simd.$instruction(self.lanes, other.lanes))
            }
        }
    )*};
}
lane_by_lane! {
    Add add add_f64s,
    Sub sub sub_f64s,
    Mul mul mul_f64s,
    Div div div_f64s,
}

impl<S: Simd> Neg for Register<S> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        self.with(self.simd.neg_f64s(self.lanes))
    }
}

impl<S: Simd> Operations for Register<S> {
    #[inline(always)]
    fn known(self, value: f64) -> Self {
        self.with(self.simd.splat_f64s(value))
    }

    #[inline(always)]
    fn is_double(self) -> bool {
        true
    }

    #[inline(always)]
    fn fma(self, factor: Self, term: Self) -> Self {
        self.with(self.simd.mul_add_f64s(self.lanes, factor.lanes, term.lanes))
    }

    /// The product and the sum together are rounded only once if the processor has a fused multiply-add.
    #[inline(always)]
    fn times_plus(self, factor: Self, term: Self) -> Self {
        self.with(self.simd.mul_add_e_f64s(self.lanes, factor.lanes, term.lanes))
    }

    /// Even and odd powers are summed separately. The processor computes the two sums in parallel, and each
    /// sum has half as many operations as Horner's rule.
    #[inline(always)]
    fn polynomial<const N: usize>(self, coefficients: [f64; N]) -> Self {
        let square = self * self;
        let [mut even, mut odd] = [self.known(0.0); 2];
        for n in (0..N).rev() {
            let coefficient = self.known(coefficients[n]);
            let sum = if n % 2 == 0 { &mut even } else { &mut odd };
            *sum = if n + 2 < N { sum.times_plus(square, coefficient) } else { coefficient };
        }
        odd.times_plus(self, even)
    }

    #[inline(always)]
    fn root(self) -> Self {
        self.with(self.simd.sqrt_f64s(self.lanes))
    }

    #[inline(always)]
    fn size(self) -> Self {
        self.with(self.simd.abs_f64s(self.lanes))
    }

    #[inline(always)]
    fn whole(self) -> Self {
        self.one_by_one(f64::floor)
    }

    #[inline(always)]
    fn exponential(self) -> Self {
        self.one_by_one(double::exp)
    }

    #[inline(always)]
    fn logarithm(self) -> Self {
        self.one_by_one(double::ln)
    }

    #[inline(always)]
    fn smaller(self, other: Self) -> Self {
        self.with(self.simd.min_f64s(self.lanes, other.lanes))
    }

    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.with(self.simd.max_f64s(self.lanes, other.lanes))
    }

    #[inline(always)]
    fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self {
        let flags = self.simd.greater_than_f64s(self.lanes, limit.lanes);
        self.with(self.simd.select_f64s(flags, if_true.lanes, if_false.lanes))
    }

    #[inline(always)]
    fn if_reaches(self, limit: Self, if_true: Self, if_false: Self) -> Self {
        let flags = self.simd.greater_than_or_equal_f64s(self.lanes, limit.lanes);
        self.with(self.simd.select_f64s(flags, if_true.lanes, if_false.lanes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pulp::{Arch, WithSimd};

    struct Exponentials(Vec<f64>);

    impl WithSimd for Exponentials {
        type Output = Vec<f64>;

        #[inline(always)]
        fn with_simd<S: Simd>(mut self, simd: S) -> Vec<f64> {
            self.0.resize(self.0.len().next_multiple_of(S::F64_LANES), 0.0);
            for x in S::as_mut_simd_f64s(&mut self.0).0 {
                *x = Register::new(simd, *x).exp().lanes;
            }
            self.0
        }
    }

    #[test]
    fn exponentials_are_accurate_on_every_instruction_set() {
        for arch in [Arch::new(), Arch::Scalar] {
            let x: Vec<f64> = (-350_000..=350_000).map(|n| 0.002 * f64::from(n)).collect();
            for (x, y) in x.iter().zip(arch.dispatch(Exponentials(x.clone()))) {
                // The tolerance allows an error of one unit in the last place of this function, and one unit
                // of the mathematical library with which it is compared.
                assert!((y / x.exp() - 1.0).abs() <= 4.5e-16, "exp({x}) = {y}");
            }
            let ends = arch.dispatch(Exponentials(vec![0.0, -708.0, 708.0, -1e300, f64::INFINITY]));
            assert_eq!(ends[0], 1.0);
            assert!(ends[1] > 0.0 && ends[1] == ends[3]);
            assert!(ends[2].is_finite() && ends[2] == ends[4]);
        }
    }
    /// The results of [`operations`] of a register.
    struct Results([[f64; 3]; 8]);

    /// Applies every operation to three numbers.
    fn operations<N: Operations>([x, y, z]: [N; 3]) -> [N; 11] {
        [
            x.fma(y, z),
            x.size().root(),
            x.size(),
            x.whole(),
            x.exponential(),
            x.size().logarithm(),
            x.smaller(y),
            x.larger(y),
            x.within(-1.0, 1.0),
            x.if_above(y, z, x),
            x.if_reaches(y, z, x),
        ]
    }

    impl WithSimd for Results {
        type Output = Vec<[f64; 11]>;

        #[inline(always)]
        fn with_simd<S: Simd>(self, simd: S) -> Self::Output {
            let lanes = S::F64_LANES;
            let columns: [Vec<f64>; 3] = std::array::from_fn(|n| self.0.iter().map(|row| row[n]).collect());
            let mut results = Vec::new();
            for first in (0..8).step_by(lanes) {
                let numbers = columns
                    .each_ref()
                    .map(|column| Register::new(simd, S::as_simd_f64s(&column[first..first + lanes]).0[0]));
                let found = operations(numbers);
                for lane in 0..lanes {
                    results.push(found.map(|of| bytemuck::cast_slice::<_, f64>(&[of.lanes])[lane]));
                }
            }
            results
        }
    }

    #[test]
    fn operations_agree_with_those_of_single_numbers() {
        let rows = std::array::from_fn(|n| {
            let x = 0.37 * n as f64 - 1.2;
            [x, if n == 3 { x } else { -0.5 * x }, 0.1 + x * x]
        });
        let expected: Vec<[f64; 11]> = rows.into_iter().map(operations).collect();
        for arch in [Arch::new(), Arch::Scalar] {
            assert_eq!(arch.dispatch(Results(rows)), expected);
        }
    }
}
