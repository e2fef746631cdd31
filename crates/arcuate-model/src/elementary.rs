//! Exponential and logarithm of many numbers at once; the standard library's are called one number at a time. Both
//! have no branches, no tables and no calls.

use pulp::Simd;
use std::f64::consts::{LN_2, LOG2_E, SQRT_2};

/// Exponents beyond ± this count as it, so that the result of a number is always a normal number.
const LARGEST_EXPONENT: f64 = 700.0;

/// exp(x) in every lane, to a relative error of 5e-13 for |x| ≤ 50; x outside ±700 counts as ±700.
///
/// x = k ln 2 + r with |r| ≤ ½ ln 2, exp(x) = 2ᵏ exp(r), exp(r) by its Taylor polynomial of degree 10.
#[inline(always)]
pub(crate) fn exp<S: Simd>(simd: S, x: S::f64s) -> S::f64s {
    // Adding 1.5 · 2⁵² leaves the nearest whole number in the lowest bits of the sum: here k + 1023, which is the
    // exponent field of 2ᵏ.
    const ROUND_AND_BIAS: f64 = 6_755_399_441_055_744.0 + 1023.0;
    const FACTORIALS: [f64; 10] = [362_880.0, 40_320.0, 5_040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0];
    let largest = simd.splat_f64s(LARGEST_EXPONENT);
    let x = simd.min_f64s(simd.max_f64s(x, simd.neg_f64s(largest)), largest);
    let offset = simd.splat_f64s(ROUND_AND_BIAS);
    let shifted = simd.mul_add_e_f64s(x, simd.splat_f64s(LOG2_E), offset);
    let k = simd.sub_f64s(shifted, offset);
    let r = simd.negate_mul_add_e_f64s(k, simd.splat_f64s(LN_2), x);
    let mut polynomial = simd.splat_f64s(1.0 / 3_628_800.0);
    for factorial in FACTORIALS {
        polynomial = simd.mul_add_e_f64s(polynomial, r, simd.splat_f64s(1.0 / factorial));
    }
    // A multiplication, because lanes have no shift by 52 bits.
    let bits = simd.mul_u64s(simd.transmute_u64s_f64s(shifted), simd.splat_u64s(1 << 52));
    simd.mul_f64s(polynomial, simd.transmute_f64s_u64s(bits))
}

/// Every value `x`, a normal number above 0, becomes ln x, to an error of 2e-13 relative to max(1, |ln x|).
///
/// A plain loop, which the compiler turns into vector code for the instruction set that the surrounding [`pulp`]
/// dispatch has enabled. x = 2ᵉ m with √½ ≤ m < √2; ln m = 2 artanh(s) for s = (m − 1) / (m + 1), |s| < 0.172, by its series up to s¹⁵.
#[inline(always)]
pub(crate) fn ln(values: &mut [f64]) {
    const MANTISSA: u64 = (1 << 52) - 1;
    // A double of this exponent counts in ones in its lowest bits: OR-ing a small whole number in and subtracting
    // 2⁵² converts it.
    const TWO_52: f64 = 4_503_599_627_370_496.0;
    for value in values {
        let bits = value.to_bits();
        let exponent = f64::from_bits(bits >> 52 | TWO_52.to_bits()) - (TWO_52 + 1023.0);
        let mantissa = f64::from_bits(bits & MANTISSA | 1f64.to_bits());
        let large = mantissa > SQRT_2;
        let m = if large { 0.5 * mantissa } else { mantissa };
        let e = if large { exponent + 1.0 } else { exponent };
        let s = (m - 1.0) / (m + 1.0);
        let square = s * s;
        let mut series = 1.0 / 15.0;
        for odd in [13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
            series = series * square + 1.0 / odd;
        }
        *value = e * LN_2 + 2.0 * s * series;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sweep(from: f64, to: f64) -> Vec<f64> {
        let n = 200_001;
        (0..n).map(|i| from + (to - from) * f64::from(i) / f64::from(n - 1)).collect()
    }

    struct Exp(Vec<f64>);

    impl pulp::WithSimd for Exp {
        type Output = Vec<f64>;

        #[inline(always)]
        fn with_simd<S: Simd>(mut self, simd: S) -> Vec<f64> {
            self.0.resize(self.0.len().next_multiple_of(S::F64_LANES), 0.0);
            for x in S::as_mut_simd_f64s(&mut self.0).0 {
                *x = exp(simd, *x);
            }
            self.0
        }
    }

    #[test]
    fn exponential_is_as_close_as_it_says_on_every_instruction_set() {
        for arch in [pulp::Arch::new(), pulp::Arch::Scalar] {
            let x = sweep(-50.0, 50.0);
            let y = arch.dispatch(Exp(x.clone()));
            for (x, y) in x.iter().zip(&y) {
                assert!((y / x.exp() - 1.0).abs() <= 5e-13, "exp({x}) = {y}");
            }
            let ends = arch.dispatch(Exp(vec![0.0, -700.0, 700.0, -1e300, f64::INFINITY]));
            assert_eq!(ends[0], 1.0);
            assert!(ends[1] > 0.0 && ends[1] == ends[3]);
            assert!(ends[2].is_finite() && ends[2] == ends[4]);
        }
    }

    #[test]
    fn logarithm_is_as_close_as_it_says() {
        let mut x = sweep(1e-6, 1.0);
        x.extend(sweep(0.5, 3.0));
        x.extend(sweep(-300.0, 300.0).iter().map(|power| 10f64.powf(*power)));
        let mut y = x.clone();
        ln(&mut y);
        for (x, y) in x.iter().zip(&y) {
            assert!((y - x.ln()).abs() <= 2e-13 * x.ln().abs().max(1.0), "ln({x}) = {y}");
        }
        let mut one = [1.0];
        ln(&mut one);
        assert_eq!(one, [0.0]);
    }
}
