//! A vector register of the CPU as an [`Arithmetic`].

use crate::elementary::double::reduced_exp;
use arcuate_core::Arithmetic;
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

    /// Computes e to the power of every lane, if the result is a normal number. Arguments are clamped to
    /// ±708.
    #[inline(always)]
    pub fn exp(self) -> Self {
        let x = self.within(-LARGEST_EXPONENT, LARGEST_EXPONENT);
        let offset = x.all(ROUND_AND_BIAS);
        let shifted = x.times_plus(x.all(LOG2_E), offset);
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

impl<S: Simd> Arithmetic for Register<S> {
    type Flags = S::m64s;

    #[inline(always)]
    fn all(self, value: f64) -> Self {
        self.with(self.simd.splat_f64s(value))
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.with(self.simd.sqrt_f64s(self.lanes))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.with(self.simd.abs_f64s(self.lanes))
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
        let [mut even, mut odd] = [self.all(0.0); 2];
        for n in (0..N).rev() {
            let coefficient = self.all(coefficients[n]);
            let sum = if n % 2 == 0 { &mut even } else { &mut odd };
            *sum = if n + 2 < N { sum.times_plus(square, coefficient) } else { coefficient };
        }
        odd.times_plus(self, even)
    }

    #[inline(always)]
    fn within(self, low: f64, high: f64) -> Self {
        let above = self.simd.max_f64s(self.lanes, self.simd.splat_f64s(low));
        self.with(self.simd.min_f64s(above, self.simd.splat_f64s(high)))
    }

    #[inline(always)]
    fn above(self, other: Self) -> S::m64s {
        self.simd.greater_than_f64s(self.lanes, other.lanes)
    }

    #[inline(always)]
    fn reaches(self, other: Self) -> S::m64s {
        self.simd.greater_than_or_equal_f64s(self.lanes, other.lanes)
    }

    #[inline(always)]
    fn choose(flags: S::m64s, if_true: Self, if_false: Self) -> Self {
        if_true.with(if_true.simd.select_f64s(flags, if_true.lanes, if_false.lanes))
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
}
