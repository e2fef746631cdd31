//! Tests of arithmetic, comparisons and conversions of PTX kernels written as text, bit for bit against the
//! PTX manual. The same tests run on a real GPU to confirm that the emulation is right.

use crate::common::written::{Shape, Written, kernel, own_element};

/// Type of a result. Results are compared bit for bit, except that all NaNs of a real type count as equal.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Word,
    Long,
    F32,
    F64,
}

type Expected = fn(u64, u64, u64) -> u64;

/// Runs `code` on all triples of the numbers. The code computes `%r4` or `%d4` from the operands in `%r1` to
/// `%r3` or `%d1` to `%d3`.
fn check(written: &Written, numbers: &[u64], rows: &[(&str, Of, Expected)]) {
    let mut triples: Vec<[u64; 3]> = Vec::new();
    for &a in numbers {
        for &b in numbers {
            triples.extend(numbers.iter().map(|&c| [a, b, c]));
        }
    }
    let blocks = triples.len().div_ceil(128) as u32;
    triples.resize(blocks as usize * 128, [0; 3]);
    let words: Vec<u32> = triples
        .iter()
        .flat_map(|&[a, b, c]| [a, b, c, 0].map(|long| [long as u32, (long >> 32) as u32]))
        .flatten()
        .collect();
    for &(code, of, expected) in rows {
        let widened = if matches!(of, Of::Word | Of::F32) { "cvt.u64.u32 %d4, %r4;" } else { "" };
        let text = kernel(&format!(
            "{}ld.global.nc.v2.b64 {{%d1, %d2}}, [%d0]; ld.global.b64 %d3, [%d0+16];\
             cvt.u32.u64 %r1, %d1; cvt.u32.u64 %r2, %d2; cvt.u32.u64 %r3, %d3;\n\
             {code}\n{widened} st.global.b64 [%d0 + 24], %d4;",
            own_element(32)
        ));
        let mut found = words.clone();
        written
            .run(&text, Shape(blocks, 128, 0), &mut found, 0)
            .unwrap_or_else(|why| panic!("{code}: {why:?}"));
        for (&[a, b, c], out) in triples.iter().zip(found.chunks(8)) {
            let out = u64::from(out[6]) | u64::from(out[7]) << 32;
            let expected = expected(a, b, c);
            let nans = match of {
                Of::F32 => f(out).is_nan() && f(expected).is_nan(),
                Of::F64 => d(out).is_nan() && d(expected).is_nan(),
                _ => false,
            };
            assert!(
                nans || out == expected,
                "{code}: {out:#x}, not {expected:#x}, of {a:#x}, {b:#x}, {c:#x}"
            );
        }
    }
}

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// Bits of a result.
trait Bits {
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($from:ty: $value:ident => $bits:expr),*) => {
        $(impl Bits for $from {
            fn bits(self) -> u64 {
                let $value = self;
                $bits
            }
        })*
    };
}

bits!(f32: x => u64::from(x.to_bits()), f64: x => x.to_bits(), u32: x => u64::from(x), i32: x => u64::from(x as u32),
      u64: x => x, i64: x => x as u64, bool: x => u64::from(x));

/// Table rows: code, kind of result, operands with their types, and the expected result.
macro_rules! rows {
    ($($code:expr => $of:ident, |$a:ident: $A:ident, $b:ident: $B:ident, $c:ident: $C:ident| $result:expr;)*) => {
        [$(($code, Of::$of, {
            fn expected(a: u64, b: u64, c: u64) -> u64 {
                let ($a, $b, $c) = (operand!($A, a), operand!($B, b), operand!($C, c));
                let _ = ($a, $b, $c);
                $result.bits()
            }
            expected as Expected
        })),*]
    };
}

macro_rules! operand {
    (f32, $bits:ident) => {
        f($bits)
    };
    (f64, $bits:ident) => {
        d($bits)
    };
    ($integer:ident, $bits:ident) => {
        $bits as $integer
    };
}

/// Test values: zeros, subnormal numbers, extreme values, neighbours of 1, halves, limits of integers, and
/// NaN.
const F32: [f32; 26] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.000_000_1,
    0.999_999_94,
    1e-45,
    -1e-45,
    1.175_494_2e-38,
    1.175_494_4e-38,
    f32::MAX,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
    0.1,
    3.0,
    0.5,
    1.5,
    -2.5,
    255.5,
    -129.0,
    65_535.9,
    2_147_483_648.0,
    4_294_967_296.0,
    -9.223_372e18,
    1e-20,
];
const F64: [f64; 26] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    1.000_000_000_000_000_2,
    0.999_999_999_999_999_9,
    5e-324,
    -5e-324,
    2.225_073_858_507_201e-308,
    2.225_073_858_507_201_4e-308,
    f64::MAX,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
    0.1,
    3.0,
    0.5,
    1.5,
    -2.5,
    1.175_494_28e-38,
    7e-46,
    3.402_823_56e38,
    1e39,
    4_294_967_295.5,
    1.844_674_407_370_955_2e19,
    1e-160,
];
const INTEGERS: [u64; 22] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    100,
    0x7f,
    0x80,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0001,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
    0x0123_4567_89ab_cdef,
];

fn numbers_f32() -> Vec<u64> {
    F32.iter().map(|x| u64::from(x.to_bits())).collect()
}

fn numbers_f64() -> Vec<u64> {
    F64.iter().map(|x| x.to_bits()).collect()
}

/// Returns the smaller number, or the larger one if `sign` is -1. If one argument is NaN, returns the other;
/// -0 is smaller than 0.
fn minimum(a: f64, b: f64, sign: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() { b } else { a };
    }
    let first = if a == b { sign * 1_f64.copysign(a) < 0.0 } else { sign * a < sign * b };
    if first { a } else { b }
}

/// Rounds to f32 towards zero.
fn towards_zero(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near).abs() > x.abs() { f32::from_bits(near.to_bits() - 1) } else { near }
}

/// Rounds an integer down to the nearest f32.
fn down(x: u64) -> f32 {
    let near = x as f32;
    if near as u128 > u128::from(x) { f32::from_bits(near.to_bits() - 1) } else { near }
}

/// Converts a real number to an integer. If the real type or the integer type has 64 bits, the GPU converts
/// NaN to the integer with only the top bit set.
fn top_bit(x: f64, bits: u32, to: fn(f64) -> u64) -> u64 {
    if x.is_nan() { 1 << (bits - 1) } else { to(x) }
}

#[test]
fn reals_of_32_bits_round_once_and_keep_subnormal_numbers() {
    let Some(written) = Written::new("reals_of_32_bits_round_once_and_keep_subnormal_numbers") else {
        return;
    };
    let rows = rows! {
        "add.rn.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| a + b;
        "add.rn.f32 %r4, %r1, 0f3DCCCCCD;" => F32, |a: f32, b: f32, c: f32| a + 0.1;
        "sub.rn.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| a - b;
        "mul.rn.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| a * b;
        "mul.rn.f32 %r4, %r1, %r2; add.rn.f32 %r4, %r4, %r3;" => F32, |a: f32, b: f32, c: f32| a * b + c;
        "fma.rn.f32 %r4, %r1, %r2, %r3;" => F32, |a: f32, b: f32, c: f32| a.mul_add(b, c);
        "div.rn.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| a / b;
        "sqrt.rn.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| a.sqrt();
        "rcp.rn.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| 1.0 / a;
        "neg.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| -a;
        "abs.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| a.abs();
        "min.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| minimum(f64::from(a), f64::from(b), 1.0) as f32;
        "max.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| minimum(f64::from(a), f64::from(b), -1.0) as f32;
        "mov.f32 %r4, 0fFF800001;" => Word, |a: f32, b: f32, c: f32| 0xff80_0001_u32;
        "setp.lt.f32 %p1, %r1, %r2; selp.f32 %r4, %r3, %r1, %p1;" => Word, |a: f32, b: f32, c: f32| if a < b { c } else { a };
        "setp.le.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a <= b;
        "setp.gt.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a > b;
        "setp.ge.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a >= b;
        "setp.eq.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a == b;
        "setp.ne.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| matches!(a.partial_cmp(&b), Some(o) if o.is_ne());
        "setp.ltu.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| !matches!(a.partial_cmp(&b), Some(o) if o.is_ge());
        "setp.leu.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| !matches!(a.partial_cmp(&b), Some(o) if o.is_gt());
        "setp.gtu.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| !matches!(a.partial_cmp(&b), Some(o) if o.is_le());
        "setp.geu.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| !matches!(a.partial_cmp(&b), Some(o) if o.is_lt());
        "setp.equ.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| !matches!(a.partial_cmp(&b), Some(o) if o.is_ne());
        "setp.neu.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a != b;
        "setp.num.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| !a.is_nan() && !b.is_nan();
        "setp.nan.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a.is_nan() || b.is_nan();
        "cvt.f64.f32 %d4, %r1;" => F64, |a: f32, b: f32, c: f32| f64::from(a);
        "cvt.rzi.f32.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| a.trunc();
        "cvt.rni.f32.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| a.round_ties_even();
        "cvt.rmi.f32.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| a.floor();
        "cvt.rpi.f32.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| a.ceil();
    };
    check(&written, &numbers_f32(), &rows);
}

#[test]
fn reals_of_64_bits_round_once_and_keep_subnormal_numbers() {
    let Some(written) = Written::new("reals_of_64_bits_round_once_and_keep_subnormal_numbers") else {
        return;
    };
    let rows = rows! {
        "add.rn.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| a + b;
        "sub.rn.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| a - b;
        "mul.rn.f64 %d4, %d1, 0d3FB999999999999A;" => F64, |a: f64, b: f64, c: f64| a * 0.1;
        "mul.rn.f64 %d4, %d1, %d2; add.rn.f64 %d4, %d4, %d3;" => F64, |a: f64, b: f64, c: f64| a * b + c;
        "fma.rn.f64 %d4, %d1, %d2, %d3;" => F64, |a: f64, b: f64, c: f64| a.mul_add(b, c);
        "div.rn.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| a / b;
        "sqrt.rn.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| a.sqrt();
        "rcp.rn.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| 1.0 / a;
        "neg.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| -a;
        "abs.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| a.abs();
        "min.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| minimum(a, b, 1.0);
        "max.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| minimum(a, b, -1.0);
        "setp.lt.f64 %p1, %d1, %d2; selp.f64 %d4, %d3, %d1, %p1;" => F64, |a: f64, b: f64, c: f64| if a < b { c } else { a };
        "setp.geu.f64 %p1, %d1, %d2; selp.b64 %d4, 1, 0, %p1;" => Long, |a: f64, b: f64, c: f64| !matches!(a.partial_cmp(&b), Some(o) if o.is_lt());
        "setp.nan.f64 %p1, %d1, %d2; selp.b64 %d4, 1, 0, %p1;" => Long, |a: f64, b: f64, c: f64| a.is_nan() || b.is_nan();
        "cvt.rn.f32.f64 %r4, %d1;" => Word, |a: f64, b: f64, c: f64| a as f32;
        "cvt.rz.f32.f64 %r4, %d1;" => Word, |a: f64, b: f64, c: f64| towards_zero(a);
        "cvt.rni.f64.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| a.round_ties_even();
        "cvt.rmi.f64.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| a.floor();
        "cvt.rzi.s32.f64 %r4, %d1;" => Word, |a: f64, b: f64, c: f64| top_bit(a, 32, |x| u64::from(x as i32 as u32));
        "cvt.rni.u32.f64 %r4, %d1;" => Word, |a: f64, b: f64, c: f64| top_bit(a.round_ties_even(), 32, |x| x as u32 as u64);
        "cvt.rzi.u8.f64 %r4, %d1;" => Word, |a: f64, b: f64, c: f64| top_bit(a, 8, |x| x as u8 as u64);
    };
    check(&written, &numbers_f64(), &rows);
}

#[test]
fn integers_wrap_around_and_shifts_saturate() {
    let Some(written) = Written::new("integers_wrap_around_and_shifts_saturate") else { return };
    let rows = rows! {
        "add.u32 %r4, %r1, %r2;" => Word, |a: u32, b: u32, c: u32| a.wrapping_add(b);
        "sub.s32 %r4, %r1, -5;" => Word, |a: i32, b: i32, c: i32| a.wrapping_add(5);
        "mul.lo.s32 %r4, %r1, %r2;" => Word, |a: i32, b: i32, c: i32| a.wrapping_mul(b);
        "mul.hi.u32 %r4, %r1, %r2;" => Word, |a: u32, b: u32, c: u32| ((u64::from(a) * u64::from(b)) >> 32) as u32;
        "mul.hi.s32 %r4, %r1, %r2;" => Word, |a: i32, b: i32, c: i32| ((i64::from(a) * i64::from(b)) >> 32) as i32;
        "mul.hi.u64 %d4, %d1, %d2;" => Long, |a: u64, b: u64, c: u64| ((u128::from(a) * u128::from(b)) >> 64) as u64;
        "mul.hi.s64 %d4, %d1, %d2;" => Long, |a: i64, b: i64, c: i64| ((i128::from(a) * i128::from(b)) >> 64) as i64;
        "mul.lo.u64 %d4, %d1, %d2;" => Long, |a: u64, b: u64, c: u64| a.wrapping_mul(b);
        "mul.wide.u32 %d4, %r1, %r2;" => Long, |a: u32, b: u32, c: u32| u64::from(a) * u64::from(b);
        "mul.wide.s32 %d4, %r1, %r2;" => Long, |a: i32, b: i32, c: i32| i64::from(a) * i64::from(b);
        "mad.lo.s32 %r4, %r1, %r2, %r3;" => Word, |a: i32, b: i32, c: i32| a.wrapping_mul(b).wrapping_add(c);
        "mad.wide.u32 %d4, %r1, %r2, %d3;" => Long, |a: u32, b: u32, c: u64| (u64::from(a) * u64::from(b)).wrapping_add(c);
        "mad.wide.s32 %d4, %r1, %r2, %d3;" => Long, |a: i32, b: i32, c: i64| (i64::from(a) * i64::from(b)).wrapping_add(c);
        "or.b32 %r5, %r2, 1; div.u32 %r4, %r1, %r5;" => Word, |a: u32, b: u32, c: u32| a / (b | 1);
        "or.b32 %r5, %r2, 1; div.s32 %r4, %r1, %r5;" => Word, |a: i32, b: i32, c: i32| a.wrapping_div(b | 1);
        "or.b32 %r5, %r2, 1; rem.s32 %r4, %r1, %r5;" => Word, |a: i32, b: i32, c: i32| a.wrapping_rem(b | 1);
        "or.b64 %d5, %d2, 1; div.s64 %d4, %d1, %d5;" => Long, |a: i64, b: i64, c: i64| a.wrapping_div(b | 1);
        "or.b64 %d5, %d2, 1; rem.u64 %d4, %d1, %d5;" => Long, |a: u64, b: u64, c: u64| a % (b | 1);
        "min.s32 %r4, %r1, %r2;" => Word, |a: i32, b: i32, c: i32| a.min(b);
        "max.u64 %d4, %d1, %d2;" => Long, |a: u64, b: u64, c: u64| a.max(b);
        "neg.s32 %r4, %r1;" => Word, |a: i32, b: i32, c: i32| a.wrapping_neg();
        "abs.s64 %d4, %d1;" => Long, |a: i64, b: i64, c: i64| a.wrapping_abs();
        "and.b32 %r4, %r1, %r2;" => Word, |a: u32, b: u32, c: u32| a & b;
        "xor.b64 %d4, %d1, 0xffff0000ffff0000;" => Long, |a: u64, b: u64, c: u64| a ^ 0xffff_0000_ffff_0000;
        "not.b32 %r4, %r1;" => Word, |a: u32, b: u32, c: u32| !a;
        "shl.b32 %r4, %r1, %r2;" => Word, |a: u32, b: u32, c: u32| a.checked_shl(b).unwrap_or(0);
        "shl.b64 %d4, %d1, %r2;" => Long, |a: u64, b: u32, c: u32| a.checked_shl(b).unwrap_or(0);
        "shr.u32 %r4, %r1, %r2;" => Word, |a: u32, b: u32, c: u32| a.checked_shr(b).unwrap_or(0);
        "shr.s32 %r4, %r1, %r2;" => Word, |a: i32, b: u32, c: u32| a >> b.min(31);
        "shr.s64 %d4, %d1, %r2;" => Long, |a: i64, b: u32, c: u32| a >> b.min(63);
        "shr.b64 %d4, %d1, %r2;" => Long, |a: u64, b: u32, c: u32| a.checked_shr(b).unwrap_or(0);
        "popc.b32 %r4, %r1;" => Word, |a: u32, b: u32, c: u32| a.count_ones();
        "clz.b32 %r4, %r1;" => Word, |a: u32, b: u32, c: u32| a.leading_zeros();
        "setp.lo.u32 %p1, %r1, %r2; selp.b32 %r4, %r3, 9, %p1;" => Word, |a: u32, b: u32, c: u32| if a < b { c } else { 9 };
        "setp.lt.s32 %p1, %r1, %r2; selp.b32 %r4, 1, 0, %p1;" => Word, |a: i32, b: i32, c: i32| a < b;
        "setp.hs.u64 %p1, %d1, %d2; selp.b32 %r4, 1, 0, %p1;" => Word, |a: u64, b: u64, c: u64| a >= b;
        "setp.eq.b64 %p1, %d1, %d2; selp.b32 %r4, 1, 0, %p1;" => Word, |a: u64, b: u64, c: u64| a == b;
        "setp.lt.u32 %p1, %r1, %r2; setp.lt.u32 %p2, %r2, %r3; and.pred %p3, %p1, %p2; or.pred %p4, %p1, %p2;\
         xor.pred %p5, %p1, %p2; not.pred %p6, %p1; mov.pred %q, %p2; selp.b32 %r4, 1, 0, %p3; @%p4 add.u32 %r4, %r4, 2;\
         @%p5 add.u32 %r4, %r4, 4; @%p6 add.u32 %r4, %r4, 8; @!%q add.u32 %r4, %r4, 16;"
            => Word, |a: u32, b: u32, c: u32| {
                let (first, second) = (a < b, b < c);
                [first & second, first | second, first ^ second, !first, !second].iter().rev().fold(0, |n, &bit| 2 * n + u32::from(bit))
            };
    };
    check(&written, &INTEGERS, &rows);
}

#[test]
fn conversions_saturate_at_integer_limits() {
    let Some(written) = Written::new("conversions_saturate_at_integer_limits") else { return };
    let rows = rows! {
        "cvt.rzi.s32.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| a as i32;
        "cvt.rni.s32.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| a.round_ties_even() as i32;
        "cvt.rmi.u32.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| a.floor() as u32;
        "cvt.rpi.s32.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| a.ceil() as i32;
        "cvt.rzi.u8.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| u32::from(a as u8);
        "cvt.rzi.u64.f32 %d4, %r1;" => Long, |a: f32, b: f32, c: f32| top_bit(f64::from(a), 64, |x| x as u64);
        "cvt.rni.s64.f32 %d4, %r1;" => Long, |a: f32, b: f32, c: f32| top_bit(f64::from(a.round_ties_even()), 64, |x| x as i64 as u64);
    };
    check(&written, &numbers_f32(), &rows);
    let rows = rows! {
        "cvt.rn.f32.u32 %r4, %r1;" => F32, |a: u32, b: u32, c: u32| a as f32;
        "cvt.rn.f32.s32 %r4, %r1;" => F32, |a: i32, b: i32, c: i32| a as f32;
        "cvt.rn.f32.u64 %r4, %d1;" => F32, |a: u64, b: u64, c: u64| a as f32;
        "cvt.rz.f32.u64 %r4, %d1;" => F32, |a: u64, b: u64, c: u64| down(a);
        "cvt.rz.f32.s32 %r4, %r1;" => F32, |a: i32, b: i32, c: i32| down(u64::from(a.unsigned_abs())).copysign(a as f32);
        "cvt.rn.f64.s64 %d4, %d1;" => F64, |a: i64, b: i64, c: i64| a as f64;
        "cvt.rn.f64.u32 %d4, %r1;" => F64, |a: u32, b: u32, c: u32| f64::from(a);
        "cvt.rn.f32.u8 %r4, %r1;" => F32, |a: u8, b: u32, c: u32| f32::from(a);
        "cvt.u32.u8 %r4, %r1;" => Word, |a: u8, b: u32, c: u32| u32::from(a);
        "cvt.s32.s8 %r4, %r1;" => Word, |a: i8, b: u32, c: u32| i32::from(a);
        "cvt.u32.u16 %r4, %r1;" => Word, |a: u16, b: u32, c: u32| u32::from(a);
        "cvt.s64.s32 %d4, %r1;" => Long, |a: i32, b: u32, c: u32| i64::from(a);
        "cvt.u64.u32 %d4, %r1;" => Long, |a: u32, b: u32, c: u32| u64::from(a);
        "cvt.u32.u64 %r4, %d1;" => Word, |a: u64, b: u32, c: u32| a as u32;
    };
    check(&written, &INTEGERS, &rows);
}
