//! Logarithm, exponential, sine and cosine in plain f64 operations, each rounded to nearest by IEEE 754.
//! Every CPU and GPU computes the same bits, while functions of mathematical libraries differ in their last
//! digits. `elementary.cuh` performs the same operations on GPUs; only operations without rounding may
//! differ. Change both files together.
//!
//! Arguments are reduced to a small interval, on which Taylor series are summed (Abramowitz and Stegun 1964,
//! 4.1.24 to 27, 4.2.1, 4.3.65 and 66). The truncation error is below 2⁻⁵⁶ of the result. The maximum errors
//! for 180,000 samples, compared with 200-bit arithmetic, are in units in the last place: `ln` 0.89, `exp`
//! 0.93, sine 0.88, cosine 1.26.
//!
//! `ln` and `exp` have no branches, so a plain loop over them becomes vector code. Their main parts,
//! [`ln_normal`] and [`reduced_exp`], are also available separately, for restricted arguments.
//! [`reduced_exp`] works for single numbers of type `f64` and for vector registers of the CPU. For `f64`, the
//! maximum errors are those stated above. A vector register uses fused multiply-adds if available; its error
//! is at most one unit in the last place larger.

use crate::Operations;

/// The constant ln 2 as a sum of two numbers. The first number has 42 bits, so its product with an exponent
/// is exact. The second number is the remainder of ln 2.
pub const LN_2: [f64; 2] = [0.6931471805598903, 5.497923018708371e-14];

/// Coefficients 2/3, 2/5, …, 2/21 of the series 2 artanh(s) = 2 s + s (2/3 s² + 2/5 s⁴ + …).
pub const ARTANH: [f64; 10] = [
    2.0 / 3.0,
    2.0 / 5.0,
    2.0 / 7.0,
    2.0 / 9.0,
    2.0 / 11.0,
    2.0 / 13.0,
    2.0 / 15.0,
    2.0 / 17.0,
    2.0 / 19.0,
    2.0 / 21.0,
];

/// Coefficients 1/2!, 1/3!, …, 1/13! of the series of eʳ.
pub const EXP: [f64; 12] = [
    1.0 / 2.0,
    1.0 / 6.0,
    1.0 / 24.0,
    1.0 / 120.0,
    1.0 / 720.0,
    1.0 / 5_040.0,
    1.0 / 40_320.0,
    1.0 / 362_880.0,
    1.0 / 3_628_800.0,
    1.0 / 39_916_800.0,
    1.0 / 479_001_600.0,
    1.0 / 6_227_020_800.0,
];

/// The constant 2π as a sum of two numbers. The first number has 26 bits, so its product with another number
/// of 26 bits is exact. The second number is the remainder of 2π.
const TAU: [f64; 2] = [6.283185243606567, 6.357301909411278e-8];

/// Coefficients (−1)ⁿ (2π)²ⁿ⁺¹ / (2n + 1)! of the sine series, for n = 1, 2, …, 8.
const SIN: [f64; 8] = [
    -41.34170224039976,
    81.60524927607506,
    -76.70585975306139,
    42.058693944897655,
    -15.09464257682299,
    3.819952584848282,
    -0.7181223017785006,
    0.10422916220813984,
];

/// Coefficients (−1)ⁿ (2π)²ⁿ / (2n)! of the cosine series, for n = 1, 2, …, 8.
const COS: [f64; 8] = [
    -19.739208802178716,
    64.9393940226683,
    -85.45681720669373,
    60.24464137187666,
    -26.4262567833744,
    7.903536371318469,
    -1.714390711088672,
    0.28200596845579123,
];

/// Number of bits of the fraction of a double.
pub const FRACTION_BITS: u32 = 52;
/// The bits of the fraction of a double.
pub const FRACTION: u64 = (1 << FRACTION_BITS) - 1;

/// The number 2⁵². In a double with this exponent, the lowest bit has the value 1. So a small integer becomes
/// a double by a bitwise OR with the bits of 2⁵², followed by the subtraction of 2⁵². Every vector unit has
/// these instructions.
pub const TWO_52: f64 = 4_503_599_627_370_496.0;

/// The number 1.5 · 2⁵², with which integers are converted to doubles like with [`TWO_52`], but also negative
/// integers.
pub const TWO_52_AND_HALF: f64 = 1.5 * TWO_52;

/// The factor 2⁵⁴, which makes every subnormal number normal.
pub const TWO_54: f64 = 18_014_398_509_481_984.0;

/// Computes 2ᵏ for −1022 ≤ k ≤ 1023. The result is arbitrary for other k.
#[inline(always)]
fn power_of_two(k: i64) -> f64 {
    f64::from_bits((k.wrapping_add(1023) as u64) << FRACTION_BITS)
}

/// Computes the natural logarithm. The result is −∞ for 0 and NaN for negative numbers.
#[inline(always)]
pub fn ln(x: f64) -> f64 {
    // Subnormal numbers have no exponent bits.
    let small = x < f64::MIN_POSITIVE;
    let result = scaled_ln(if small { x * TWO_54 } else { x }, if small { 54.0 } else { 0.0 });
    let below = if x == 0.0 { f64::NEG_INFINITY } else { f64::NAN };
    let finite = if x > 0.0 { result } else { below };
    if x == f64::INFINITY { x } else { finite }
}

/// Computes the natural logarithm of a positive normal number, bit-identical to [`ln`]. The result is
/// arbitrary for other numbers. The compiler converts a plain loop over this function to vector instructions.
#[inline(always)]
pub fn ln_normal(x: f64) -> f64 {
    scaled_ln(x, 0.0)
}

/// Computes ln (x / 2ⁿ) for a positive normal number x.
#[inline(always)]
fn scaled_ln(x: f64, n: f64) -> f64 {
    // The number x is split into 2ᵏ m with √½ ≤ m < √2.
    let bits = x.to_bits();
    let exponent = f64::from_bits(bits >> FRACTION_BITS | TWO_52.to_bits()) - (TWO_52 + 1023.0);
    let fraction = f64::from_bits(bits & FRACTION | 1f64.to_bits());
    let large = fraction >= std::f64::consts::SQRT_2;
    let m = if large { 0.5 * fraction } else { fraction };
    let k = (if large { exponent + 1.0 } else { exponent }) - n;
    // With s = (m − 1) / (m + 1), the logarithm is ln m = 2 artanh(s). With f = m − 1, which has no rounding
    // error, 2 s = f − s f.
    let f = m - 1.0;
    let s = f / (2.0 + f);
    let z = s * s;
    let series = z * z.polynomial(ARTANH);
    k * LN_2[0] + (f - (s * (f - series) - k * LN_2[1]))
}

/// Computes e to the power of `x`.
#[inline(always)]
pub fn exp(x: f64) -> f64 {
    // An argument beyond the limits of the exponential is replaced by the limit, which has the same result.
    // NaN is unchanged.
    let above = if x < -746.0 { -746.0 } else { x };
    let within = if above > 710.0 { 710.0 } else { above };
    // The exponential is split into eˣ = 2ᵏ eʳ with |r| ≤ ½ ln 2.
    let k = (within * std::f64::consts::LOG2_E + 0.5).floor();
    let value = reduced_exp(within, k);
    // The result is multiplied by 2ᵏ in two steps, since 2ᵏ alone may be too large or too small to be normal.
    // To get k as an integer, a constant is added to it; the lowest bits of the sum are the integer. This
    // replaces a conversion instruction, which not all vector units have.
    let bits = (k + TWO_52_AND_HALF).to_bits() as i64;
    let k = bits.wrapping_sub(TWO_52_AND_HALF.to_bits() as i64);
    let half = k >> 1;
    let result = value * power_of_two(half) * power_of_two(k.wrapping_sub(half));
    if x.is_nan() { f64::NAN } else { result }
}

/// Computes eʳ with r = x − k ln 2, so that eˣ = 2ᵏ eʳ. The integer k is the one nearest to x / ln 2; if two
/// integers are about as near, either is used.
#[inline(always)]
pub fn reduced_exp<N: Operations>(x: N, k: N) -> N {
    let r = k.times_plus(k.known(-LN_2[1]), k.times_plus(k.known(-LN_2[0]), x));
    x.known(1.0) + (r * r).times_plus(r.polynomial(EXP), r)
}

/// Computes the sine and cosine of 2π `turns`, for −2⁵⁰ < `turns` < 2⁵⁰.
pub fn sin_cos_turns(turns: f64) -> (f64, f64) {
    // The nearest multiple of a quarter turn is subtracted from the angle. The difference r is at most an
    // eighth of a turn and has no rounding error.
    let quarters = (4.0 * turns + 0.5).floor();
    let r = turns - 0.25 * quarters;
    let z = r * r;
    // The largest term of the series is computed without rounding, and the sum of the other terms is added to
    // it.
    let high = f64::from_bits(r.to_bits() & !((1 << 27) - 1));
    let sin = high * TAU[0] + ((r - high) * TAU[0] + r * (TAU[1] + z * z.polynomial(SIN)));
    let cos = 1.0 + z * z.polynomial(COS);
    match quarters as i64 & 3 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_numbers::TestNumbers;
    use std::f64::consts;

    /// Tolerance in units in the last place. Results are compared with those of a mathematical library, which
    /// have an error of 1 unit themselves.
    const TOLERANCE: f64 = 2.0;

    /// Returns the difference between two numbers in units in the last place of `expected`.
    fn ulp(found: f64, expected: f64) -> f64 {
        let magnitude = expected.abs().max(f64::MIN_POSITIVE);
        (found - expected).abs() / (magnitude.next_up() - magnitude)
    }

    /// Returns a million numbers in [0, 1), and a million numbers near 0 that are distributed evenly on a
    /// logarithmic scale.
    fn samples() -> impl Iterator<Item = f64> {
        let mut random = TestNumbers::new();
        let even = (0..1_000_000).map(|n| (f64::from(n) + 0.5) / 1e6);
        even.chain((0..1_000_000).map(move |_| 10f64.powf(-12.0 * random.uniform())))
    }

    #[test]
    fn logarithms_agree_with_the_library() {
        for x in samples() {
            for x in [x, 1.0 - x, 1.0 + x, 1e300 * x * x, 1e-290 * x, 1e-305 * x * x] {
                assert!(x == 0.0 || ulp(ln(x), x.ln()) <= TOLERANCE, "ln {x:e}: {:e}", ln(x));
            }
        }
        assert_eq!([ln(1.0), ln(0.0), ln(-0.0)], [0.0, f64::NEG_INFINITY, f64::NEG_INFINITY]);
        assert_eq!(ln(f64::INFINITY), f64::INFINITY);
        assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan() && ln(f64::NEG_INFINITY).is_nan());
        for x in [f64::from_bits(1), f64::MIN_POSITIVE, f64::MIN_POSITIVE.next_down(), f64::MAX] {
            assert!(ulp(ln(x), x.ln()) <= TOLERANCE, "ln {x:e}: {:e}", ln(x));
        }
    }

    #[test]
    fn exponentials_agree_with_the_library() {
        for x in samples() {
            for x in [x, -x, 709.7 * x, -708.3 * x] {
                assert!(ulp(exp(x), x.exp()) <= TOLERANCE, "exp {x:e}: {:e}", exp(x));
            }
            // For results that are subnormal numbers, a unit in the last place is 2⁻¹⁰⁷⁴, and the result is
            // rounded twice.
            let x = -708.3 - 37.0 * x;
            assert!((exp(x) - x.exp()).abs() <= 2.0 * f64::from_bits(1), "exp {x:e}: {:e}", exp(x));
        }
        assert_eq!([exp(0.0), exp(-0.0), exp(f64::NEG_INFINITY), exp(-746.0)], [1.0, 1.0, 0.0, 0.0]);
        assert_eq!([exp(f64::INFINITY), exp(710.0)], [f64::INFINITY; 2]);
        assert!(exp(f64::NAN).is_nan());
        assert!(ulp(exp(709.78), 709.78f64.exp()) <= TOLERANCE);
    }

    #[test]
    fn sines_and_cosines_agree_with_the_library() {
        // The number `rest` is the difference between 2π and the constant TAU, which is 2π rounded to 53
        // bits.
        let rest = 2.4492935982947064e-16;
        for x in samples() {
            // For angles of at most an eighth of a turn, the argument of the library's function can be
            // corrected to first order.
            let eighth = x / 8.0;
            let angle = consts::TAU * eighth;
            let error = consts::TAU.mul_add(eighth, -angle) + rest * eighth;
            let (sin, cos) = (angle.sin() + error * angle.cos(), angle.cos() - error * angle.sin());
            let found = sin_cos_turns(eighth);
            let worst = ulp(found.0, sin).max(ulp(found.1, cos));
            assert!(worst <= TOLERANCE, "{eighth:e} turns: {found:?}");
            // Angles in the other quarters of the circle are tested as rotations of angles in the first
            // quarter. The addition of quarter turns to x may round x, so x is recomputed from the sum.
            for quarters in [-6.0, -1.0, 1.0, 2.0, 3.0, 4.0, 1e15] {
                let turns = eighth + 0.25 * quarters;
                let (sin, cos) = sin_cos_turns(turns - 0.25 * quarters);
                let expected = [(sin, cos), (cos, -sin), (-sin, -cos), (-cos, sin)];
                assert_eq!(sin_cos_turns(turns), expected[quarters as i64 as usize & 3], "{turns:e} turns");
            }
            let (sin, cos) = sin_cos_turns(-eighth);
            assert_eq!((-sin, cos), found);
        }
        assert_eq!(sin_cos_turns(0.0), (0.0, 1.0));
        assert_eq!(sin_cos_turns(0.25), (1.0, 0.0));
    }

    #[test]
    fn coefficients_match_the_taylor_series() {
        // Each coefficient of the series is the previous one times −(2π)² / (m (m + 1)), up to rounding of
        // the constants and of this recurrence.
        let check = |series: [f64; 8], first: f64, start: usize| {
            let mut expected = first;
            for (n, coefficient) in series.into_iter().enumerate() {
                let factor = start + 2 * n;
                expected *= -consts::TAU * consts::TAU / (factor * (factor + 1)) as f64;
                assert!((coefficient / expected - 1.0).abs() < 4e-15, "{coefficient} is not {expected}");
            }
        };
        check(SIN, consts::TAU, 2);
        check(COS, 1.0, 1);
        assert_eq!(TAU[0] + TAU[1], consts::TAU);
        assert_eq!(LN_2[0] + LN_2[1], consts::LN_2);
    }
}
