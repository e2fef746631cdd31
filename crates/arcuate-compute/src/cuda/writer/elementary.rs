//! Elementary functions, such as the exponential and the logarithm, for values in a kernel that is written at
//! run time. They perform the same operations and give the same bits as [`elementary`](arcuate_numbers::elementary);
//! change both together.

use super::value::{Kind, Value};
use arcuate_numbers::Operations;
use arcuate_numbers::elementary::{double, single};
use std::f32::consts as singles;
use std::f64::consts as doubles;

impl Value<'_> {
    /// Computes e to the power of the value.
    pub fn exponential(self) -> Self {
        match self.kind() {
            Kind::F32 => single_exp(self),
            _ => double_exp(self),
        }
    }

    /// Computes e to the power of the value, which must not be above 0.
    pub fn decay(self) -> Self {
        match self.kind() {
            Kind::F32 => single_decay(self),
            _ => double_exp(self),
        }
    }

    /// Computes the natural logarithm of the value.
    pub fn logarithm(self) -> Self {
        match self.kind() {
            Kind::F32 => single_ln(self),
            _ => double_ln(self),
        }
    }

    /// Computes the inverse square root of a positive normal number in single precision.
    pub fn inverse_root(self) -> Self {
        debug_assert_eq!(self.kind(), Kind::F32);
        let mut y = (whole(self, 0x5f37_5a86) - (self.as_bits(Kind::U32) >> 1)).as_bits(Kind::F32);
        let half = self.all(-0.5) * self;
        for _ in 0..3 {
            y = y * (y * y).fma(half, y.all(1.5));
        }
        y
    }

    /// Computes the sine and cosine of 2π times the value, in single precision.
    pub fn sin_cos_turns(self) -> [Self; 2] {
        debug_assert_eq!(self.kind(), Kind::F32);
        let size = self.size();
        let round = single_number(self, single::ROUND);
        let shifted = size.fma(self.all(4.0), round);
        let r = (shifted - round).fma(self.all(-0.25), size);
        let z = r * r;
        let tau = single::TAU.map(|part| single_number(self, part));
        let sin = r.fma(tau[0], r * polynomial(&singles_of(self, &single::SIN_TURNS), z).fma(z, tau[1]));
        let cos = polynomial(&singles_of(self, &single::COS_TURNS), z).fma(z, self.all(1.0));
        let quarters = shifted.as_bits(Kind::U32);
        let one = quarters.all(1.0);
        let swapped = (quarters & one).differs(quarters.all(0.0));
        let [sin, cos] = [swapped.choose(cos, sin), swapped.choose(sin, cos)];
        let sign = whole(self, 1 << 31);
        let sin_sign = ((quarters << 30) ^ self.as_bits(Kind::U32)) & sign;
        let cos_sign = ((quarters + one) << 30) & sign;
        let valid = size.at_most(single_number(self, single::LARGEST_TURNS));
        let nan = single_number(self, f32::NAN);
        [(sin, sin_sign), (cos, cos_sign)]
            .map(|(value, sign)| valid.choose((value.as_bits(Kind::U32) ^ sign).as_bits(Kind::F32), nan))
    }
}

/// Returns a 32-bit integer constant.
fn whole(like: Value<'_>, value: u32) -> Value<'_> {
    Value::immediate(like.writer(), Kind::U32, u64::from(value))
}

fn long(like: Value<'_>, value: u64) -> Value<'_> {
    Value::immediate(like.writer(), Kind::U64, value)
}

fn single_number(like: Value<'_>, value: f32) -> Value<'_> {
    Value::immediate(like.writer(), Kind::F32, u64::from(value.to_bits()))
}

fn singles_of<'w>(like: Value<'w>, values: &[f32]) -> Vec<Value<'w>> {
    values.iter().map(|&value| single_number(like, value)).collect()
}

/// Computes the polynomial c₀ + c₁ x + c₂ x² + … by Horner's rule with fused multiply-adds.
fn polynomial<'w>(coefficients: &[Value<'w>], x: Value<'w>) -> Value<'w> {
    let Some((last, rest)) = coefficients.split_last() else { return x.all(0.0) };
    rest.iter().rev().fold(*last, |sum, coefficient| sum.fma(x, *coefficient))
}

/// Computes a polynomial by Horner's rule with separate products and sums, each of which is rounded.
fn plain_polynomial<'w>(coefficients: &[f64], x: Value<'w>) -> Value<'w> {
    let Some((last, rest)) = coefficients.split_last() else { return x.all(0.0) };
    rest.iter().rev().fold(x.all(*last), |sum, coefficient| sum * x + x.all(*coefficient))
}

fn single_power_of_two(k: Value<'_>) -> Value<'_> {
    ((k + whole(k, 127)) << single::FRACTION_BITS).as_bits(Kind::F32)
}

fn single_exp(x: Value<'_>) -> Value<'_> {
    let above = x.below(x.all(-105.0)).choose(x.all(-105.0), x);
    let within = above.above(x.all(89.0)).choose(x.all(89.0), above);
    let round = single_number(x, single::ROUND);
    let shifted = within.fma(single_number(x, singles::LOG2_E), round);
    let k = shifted - round;
    let [high, low] = single::LN_2.map(|part| single_number(x, -part));
    let r = k.fma(low, k.fma(high, within));
    let one = x.all(1.0);
    let value = polynomial(&singles_of(x, &single::EXP), r).fma(r, one).fma(r, one);
    let k = shifted.as_bits(Kind::U32) - whole(x, single::ROUND.to_bits());
    let half = k.signed_shift(1);
    let result = value * single_power_of_two(half) * single_power_of_two(k - half);
    x.differs(x).choose(single_number(x, f32::NAN), result)
}

fn single_decay(x: Value<'_>) -> Value<'_> {
    let lowest = x.all(-86.0);
    let within = x.above(lowest).choose(x, lowest);
    let round = single_number(x, single::ROUND);
    let shifted = within.fma(single_number(x, singles::LOG2_E), round);
    let r = (shifted - round).fma(single_number(x, -singles::LN_2), within);
    let one = x.all(1.0);
    let value = polynomial(&singles_of(x, &single::DECAY), r).fma(r, one).fma(r, one);
    let exponent = shifted.as_bits(Kind::U32) << single::FRACTION_BITS;
    (value.as_bits(Kind::U32) + exponent).as_bits(Kind::F32)
}

fn single_ln(x: Value<'_>) -> Value<'_> {
    let small = x.below(single_number(x, f32::MIN_POSITIVE));
    let normal = small.choose(x * single_number(x, single::NORMALISING), x);
    let shift = small.choose(whole(x, single::NORMALISING_EXPONENT.cast_unsigned()), whole(x, 0));
    let bits = normal.as_bits(Kind::U32);
    let k = (bits - whole(x, single::TWO_THIRDS_BITS)).signed_shift(single::FRACTION_BITS);
    let m = (bits - (k << single::FRACTION_BITS)).as_bits(Kind::F32);
    let f = m - x.all(1.0);
    let series = polynomial(&singles_of(x, &single::LN), f).fma(f, x.all(-0.5)).fma(f * f, f);
    let k = (k - shift).signed_to(Kind::F32);
    let result = k.fma(single_number(x, singles::LN_2), series);
    end_of_logarithm(x, result)
}

/// Replaces the logarithm of special numbers by the right result: 0, negative numbers, infinity and NaN.
fn end_of_logarithm<'w>(x: Value<'w>, result: Value<'w>) -> Value<'w> {
    let zero = x.all(0.0);
    let nan = match x.kind() {
        Kind::F32 => single_number(x, f32::NAN),
        _ => long(x, f64::NAN.to_bits()).as_bits(Kind::F64),
    };
    let below = x.equals(zero).choose(x.all(f64::NEG_INFINITY), nan);
    let finite = x.above(zero).choose(result, below);
    x.equals(x.all(f64::INFINITY)).choose(x, finite)
}

fn double_ln(x: Value<'_>) -> Value<'_> {
    let small = x.below(x.all(f64::MIN_POSITIVE));
    let n = small.choose(x.all(54.0), x.all(0.0));
    let normal = small.choose(x * x.all(double::TWO_54), x);
    let bits = normal.as_bits(Kind::U64);
    let two_52 = long(x, double::TWO_52.to_bits());
    let exponent =
        ((bits >> double::FRACTION_BITS) | two_52).as_bits(Kind::F64) - x.all(double::TWO_52 + 1023.0);
    let fraction = ((bits & long(x, double::FRACTION)) | long(x, 1f64.to_bits())).as_bits(Kind::F64);
    let large = fraction.at_least(x.all(doubles::SQRT_2));
    let m = large.choose(x.all(0.5) * fraction, fraction);
    let k = large.choose(exponent + x.all(1.0), exponent) - n;
    let f = m - x.all(1.0);
    let s = f / (x.all(2.0) + f);
    let z = s * s;
    let series = z * plain_polynomial(&double::ARTANH, z);
    let [high, low] = double::LN_2.map(|part| x.all(part));
    let result = k * high + (f - (s * (f - series) - k * low));
    end_of_logarithm(x, result)
}

fn double_power_of_two(k: Value<'_>) -> Value<'_> {
    ((k + long(k, 1023)) << double::FRACTION_BITS).as_bits(Kind::F64)
}

fn double_exp(x: Value<'_>) -> Value<'_> {
    let above = x.below(x.all(-746.0)).choose(x.all(-746.0), x);
    let within = above.above(x.all(710.0)).choose(x.all(710.0), above);
    let k = (within * x.all(doubles::LOG2_E) + x.all(0.5)).whole();
    let [high, low] = double::LN_2.map(|part| x.all(-part));
    // The product and the sum are rounded separately, like in `times_plus` of f64.
    let r = k * low + (k * high + within);
    let value = x.all(1.0) + ((r * r) * plain_polynomial(&double::EXP, r) + r);
    let shift = x.all(double::TWO_52_AND_HALF);
    let k = (k + shift).as_bits(Kind::U64) - shift.as_bits(Kind::U64);
    let half = k.signed_shift(1);
    let result = value * double_power_of_two(half) * double_power_of_two(k - half);
    x.differs(x).choose(long(x, f64::NAN.to_bits()).as_bits(Kind::F64), result)
}

/// Implements arithmetic operators of kernel values: each operator writes one instruction to the kernel.
impl Operations for Value<'_> {
    fn known(self, value: f64) -> Self {
        self.all(value)
    }

    fn is_double(self) -> bool {
        self.kind() == Kind::F64
    }

    fn root(self) -> Self {
        Value::root(self)
    }

    fn size(self) -> Self {
        Value::size(self)
    }

    fn whole(self) -> Self {
        Value::whole(self)
    }

    fn fma(self, factor: Self, term: Self) -> Self {
        Value::fma(self, factor, term)
    }

    fn exponential(self) -> Self {
        Value::exponential(self)
    }

    fn logarithm(self) -> Self {
        Value::logarithm(self)
    }

    fn smaller(self, other: Self) -> Self {
        Value::smaller(self, other)
    }

    fn larger(self, other: Self) -> Self {
        Value::larger(self, other)
    }

    fn if_above(self, limit: Self, if_true: Self, if_false: Self) -> Self {
        self.above(limit).choose(if_true, if_false)
    }

    fn if_reaches(self, limit: Self, if_true: Self, if_false: Self) -> Self {
        self.at_least(limit).choose(if_true, if_false)
    }
}
