//! Exponential, logarithm, sine, cosine and inverse square root in f32 operations with IEEE 754 rounding,
//! including fused multiply-adds. Every CPU and GPU computes the same bits. `elementary_single.cuh` performs
//! the same operations on GPUs, and `cuda/writer/elementary.rs` writes these operations to kernels at run
//! time; change all three files together.
//!
//! The functions have no branches, tables or calls, and are inlined. The compiler therefore converts a plain
//! loop over a slice to vector instructions. They have the width for which the caller is compiled, for
//! example within a [`pulp`] dispatch. Every width gives the same bits. On processors without fused
//! multiply-adds, each multiply-add calls the mathematical library, which gives the same bits but is slow.
//!
//! The argument of a function is reduced to a small interval, in which a polynomial approximates the
//! function. This polynomial has the smallest maximum error of all polynomials with single-precision
//! coefficients (`oracles/elementary.py`). The table lists the maximum errors in units in the last place of
//! the result, over all numbers of f32 that have a result (test `errors_over_all_numbers`):
//!
//! | function | domain | largest error |
//! |---|---|---|
//! | [`exp`] | results of at least 2⁻¹²⁶ | 0.90 |
//! | | smaller results, in units of 2⁻¹⁴⁹ | 0.86 |
//! | [`ln`] | every positive number | 0.94 |
//! | [`sin_cos`] | −2²⁰ to 2²⁰ radians | 1.16, 1.15 |
//! | [`sin_cos_turns`] | −2²⁰ to 2²⁰ turns | 0.97, 0.88 |
//! | [`decay`] | −86 to 0 | 5.0 |
//! | [`inverse_root`] | positive normal numbers | 9.0 |
//!
//! Subnormal numbers are valid arguments and results: they are not flushed to 0. A NaN result always has the
//! bits of [`f32::NAN`].
//!
//! [`pulp`]: https://docs.rs/pulp

use std::f32::consts;

/// The number 1.5 · 2²³, which rounds to integers. If it is added to a number of magnitude at most 2²² and
/// then subtracted, the nearest integer remains (ties to even). The lowest bits of the sum contain the
/// integer.
pub const ROUND: f32 = 12_582_912.0;

/// The constant ln 2 as a sum of two numbers. The first number has 16 bits, so its product with an exponent
/// is exact. The second number is the remainder of ln 2.
pub const LN_2: [f32; 2] = [0.693_145_75, 1.428_606_8e-6];

/// Coefficients of the polynomial p in eʳ = 1 + r + r² p(r), for |r| ≤ ½ ln 2.
pub const EXP: [f32; 5] = [0.499_999_94, 0.166_665_17, 0.041_668_102, 0.008_369_192, 0.001_383_890_3];

/// Coefficients of the polynomial p in ln(1 + f) = f − ½ f² + f³ p(f), for |f| ≤ ⅓.
pub const LN: [f32; 8] = [
    0.333_332_15,
    -0.249_997_94,
    0.200_104_67,
    -0.166_806_6,
    0.140_047_15,
    -0.121_813_44,
    0.139_967_71,
    -0.129_235_83,
];

/// The bits of the number ⅔, below which [`ln`] halves the exponent range of its argument.
pub const TWO_THIRDS_BITS: u32 = (2.0f32 / 3.0).to_bits();

/// The factor 2²³, which makes every subnormal number normal.
pub const NORMALISING: f32 = 8_388_608.0;
/// The exponent of [`NORMALISING`].
pub const NORMALISING_EXPONENT: i32 = 23;

/// Largest angle for which [`sin_cos`] has a result other than NaN: 2²⁰ radians.
pub const LARGEST_ANGLE: f32 = 1_048_576.0;

/// Largest angle for which [`sin_cos_turns`] has a result other than NaN: 2²⁰ turns.
pub const LARGEST_TURNS: f32 = 1_048_576.0;

/// The constant π/2 as a sum of three numbers of 24 bits.
pub(super) const HALF_PI: [f32; 3] = [consts::FRAC_PI_2, -4.371_139e-8, -1.715_124_5e-15];

/// Coefficients of the polynomial p in sin r = r + r³ p(r²), for |r| up to slightly above ¼ π.
const SIN: [f32; 3] = [-0.166_666_54, 0.008_332_106, -0.000_195_078_83];

/// Coefficients of the polynomial p in cos r = 1 − ½ r² + r⁴ p(r²), for |r| up to slightly above ¼ π.
const COS: [f32; 3] = [0.041_666_646, -0.001_388_730_1, 0.000_024_430_745];

/// The constant 2π as a sum of two numbers of 24 bits.
pub const TAU: [f32; 2] = [consts::TAU, -1.748_455_5e-7];

/// Coefficients of the polynomial p in sin 2πr = 2πr + r³ p(r²), for |r| ≤ ⅛.
pub const SIN_TURNS: [f32; 3] = [-41.341_67, 81.593_43, -75.427_54];

/// Coefficients of the polynomial p in cos 2πr = 1 + r² p(r²), for |r| ≤ ⅛.
pub const COS_TURNS: [f32; 4] = [-19.739_208, 64.939_15, -85.424_52, 58.621_06];

/// Number of bits of the fraction of a single-precision number.
pub const FRACTION_BITS: u32 = 23;
const SIGN: u32 = 1 << 31;

/// Computes the polynomial c₀ + c₁ x + c₂ x² + … by Horner's rule.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: [f32; N], x: f32) -> f32 {
    let mut sum = coefficients[N - 1];
    for n in (0..N - 1).rev() {
        sum = sum.mul_add(x, coefficients[n]);
    }
    sum
}

/// Coefficients of the polynomial p in eʳ = 1 + r + r² p(r), which [`decay`] uses. The error is at most 1.1 ·
/// 10⁻⁷ for |r| ≤ ½ ln 2.
pub const DECAY: [f32; 4] = [0.499_992_3, 0.166_671_14, 0.041_890_15, 0.008_312_523];

/// Computes 2ᵏ for −126 ≤ k ≤ 127. The result is arbitrary for other k.
#[inline(always)]
fn power_of_two(k: i32) -> f32 {
    f32::from_bits(k.wrapping_add(127).cast_unsigned() << FRACTION_BITS)
}

/// Computes e to the power of `x`. The result is ∞ above 88.73, 0 below −103.98, and NaN for NaN.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // An argument beyond the limits of the exponential is replaced by the limit, which has the same result.
    // NaN is unchanged.
    let above = if x < -105.0 { -105.0 } else { x };
    let within = if above > 89.0 { 89.0 } else { above };
    // The exponential is split into eˣ = 2ᵏ eʳ with |r| ≤ ½ ln 2.
    let shifted = within.mul_add(consts::LOG2_E, ROUND);
    let k = shifted - ROUND;
    let r = k.mul_add(-LN_2[1], k.mul_add(-LN_2[0], within));
    let value = polynomial(EXP, r).mul_add(r, 1.0).mul_add(r, 1.0);
    // The result is multiplied by 2ᵏ in two steps, since 2ᵏ alone may be too large or too small to be normal.
    let k = shifted.to_bits().wrapping_sub(ROUND.to_bits()).cast_signed();
    let half = k >> 1;
    let result = value * power_of_two(half) * power_of_two(k.wrapping_sub(half));
    if x.is_nan() { f32::NAN } else { result }
}

/// Computes e to the power of `x` for x ≤ 0, with half the operations of [`exp`]. For x below −86 and for
/// NaN, the result is e⁻⁸⁶, which is negligible.
#[inline(always)]
pub fn decay(x: f32) -> f32 {
    let within = if x > -86.0 { x } else { -86.0 };
    // The exponential is split into eˣ = 2ᵏ eʳ with |r| ≤ ½ ln 2. The error of r is 2 · 10⁻⁹ k, which matters
    // only if eˣ is negligible.
    let shifted = within.mul_add(consts::LOG2_E, ROUND);
    let r = (shifted - ROUND).mul_add(-consts::LN_2, within);
    let value = polynomial(DECAY, r).mul_add(r, 1.0).mul_add(r, 1.0);
    // The shift moves the integer k to the exponent bits and removes the bits that come from ROUND.
    f32::from_bits(value.to_bits().wrapping_add(shifted.to_bits() << FRACTION_BITS))
}

/// Computes the inverse square root of a positive normal number. The result is arbitrary but finite for other
/// numbers.
#[inline(always)]
pub fn inverse_root(x: f32) -> f32 {
    // The first estimate, which is computed by halving the bits of x, is accurate to 4 %. Each Newton step
    // doubles the number of correct digits.
    let mut y = f32::from_bits(0x5f37_5a86_u32.wrapping_sub(x.to_bits() >> 1));
    let half = -0.5 * x;
    for _ in 0..3 {
        y *= (y * y).mul_add(half, 1.5);
    }
    y
}

/// Computes the natural logarithm. The result is −∞ for 0 and −0, ∞ for ∞, and NaN for NaN and negative
/// numbers.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    // Subnormal numbers have no exponent bits.
    let small = x < f32::MIN_POSITIVE;
    let normal = if small { x * NORMALISING } else { x };
    let shift = if small { NORMALISING_EXPONENT } else { 0 };
    // The number x is split into 2ᵏ m with ⅔ ≤ m < 4/3. The difference m − 1 is exact.
    let bits = normal.to_bits();
    let k = bits.wrapping_sub(TWO_THIRDS_BITS).cast_signed() >> FRACTION_BITS;
    let m = f32::from_bits(bits.wrapping_sub(k.cast_unsigned() << FRACTION_BITS));
    let f = m - 1.0;
    let series = polynomial(LN, f).mul_add(f, -0.5).mul_add(f * f, f);
    let k = (k - shift) as f32;
    let result = k.mul_add(consts::LN_2, series);
    let below = if x == 0.0 { f32::NEG_INFINITY } else { f32::NAN };
    let finite = if x > 0.0 { result } else { below };
    if x == f32::INFINITY { x } else { finite }
}

/// Computes the sine and cosine of `x` radians. Both are NaN if |x| is above [`LARGEST_ANGLE`]. The sine of
/// −0 is −0.
#[inline(always)]
pub fn sin_cos(x: f32) -> (f32, f32) {
    let size = x.abs();
    let shifted = size.mul_add(consts::FRAC_2_PI, ROUND);
    let quarters = shifted - ROUND;
    // The nearest multiple of a quarter turn is subtracted from the angle (W. J. Cody and W. Waite, "Software
    // manual for the elementary functions", 1980). The multiple is a sum of three terms, because π/2 is a sum
    // of three numbers. The first difference has no rounding error, since both numbers are multiples of 2⁻²⁴
    // and the difference is below 1. The second difference is rounded, but its rounding error, ((first −
    // high) − product), is exact. The rounding error of the product and the third term are added to this
    // error.
    let first = quarters.mul_add(-HALF_PI[0], size);
    let product = quarters * HALF_PI[1];
    let high = first - product;
    let rest = quarters.mul_add(HALF_PI[2], quarters.mul_add(HALF_PI[1], -product));
    let low = ((first - high) - product) - rest;
    let z = high * high;
    let sin = high + (high * z).mul_add(polynomial(SIN, z), low);
    let cos = 1.0 + polynomial(COS, z).mul_add(z, -0.5).mul_add(z, -(high * low));
    turned(x, size <= LARGEST_ANGLE, shifted.to_bits(), sin, cos)
}

/// Computes the sine and cosine of 2π `turns`. Both are NaN if |turns| is above [`LARGEST_TURNS`]. The sine
/// of −0 is −0. Whole quarter turns give exactly 0 and ±1.
#[inline(always)]
pub fn sin_cos_turns(turns: f32) -> (f32, f32) {
    let size = turns.abs();
    // The nearest multiple of a quarter turn is subtracted from the angle. The difference r is at most an
    // eighth of a turn and has no rounding error.
    let shifted = size.mul_add(4.0, ROUND);
    let r = (shifted - ROUND).mul_add(-0.25, size);
    let z = r * r;
    let sin = r.mul_add(TAU[0], r * polynomial(SIN_TURNS, z).mul_add(z, TAU[1]));
    let cos = polynomial(COS_TURNS, z).mul_add(z, 1.0);
    turned(turns, size <= LARGEST_TURNS, shifted.to_bits(), sin, cos)
}

/// Computes the sine and cosine of an angle that has the sign of `x`. The magnitude of the angle is the sum
/// of `quarters` quarter turns and a small angle with the sine `sin` and the cosine `cos`. The result is NaN
/// if `valid` is false.
#[inline(always)]
fn turned(x: f32, valid: bool, quarters: u32, sin: f32, cos: f32) -> (f32, f32) {
    let swapped = quarters & 1 != 0;
    let (sin, cos) = if swapped { (cos, sin) } else { (sin, cos) };
    let sin_sign = (quarters << 30 ^ x.to_bits()) & SIGN;
    let cos_sign = (quarters.wrapping_add(1) << 30) & SIGN;
    let sin = f32::from_bits(sin.to_bits() ^ sin_sign);
    let cos = f32::from_bits(cos.to_bits() ^ cos_sign);
    if valid { (sin, cos) } else { (f32::NAN, f32::NAN) }
}
