//! What the text of a kernel does, instruction by instruction, against what the PTX manual says. The same tests run on a real
//! GPU, which says whether the emulation is right.

#![allow(unsafe_code)]

mod common;

use common::in_several_orders;
use common::written::{Shape, Written, kernel, own_element};

/// How a result is compared: bit by bit, or with every NaN alike.
#[derive(Clone, Copy, PartialEq)]
enum Of {
    Word,
    Long,
    F32,
    F64,
}

type Expected = fn(u64, u64, u64) -> u64;

/// Runs `code`, which makes `%r4` or `%d4` of the operands in `%r1` to `%r3` or `%d1` to `%d3`, on all triples of the
/// numbers.
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
        written.run(&text, Shape(blocks, 128, 0), &mut found, 0).unwrap_or_else(|why| panic!("{code}: {why:?}"));
        for (&[a, b, c], out) in triples.iter().zip(found.chunks(8)) {
            let out = u64::from(out[6]) | u64::from(out[7]) << 32;
            let expected = expected(a, b, c);
            let nans = match of {
                Of::F32 => f(out).is_nan() && f(expected).is_nan(),
                Of::F64 => d(out).is_nan() && d(expected).is_nan(),
                _ => false,
            };
            assert!(nans || out == expected, "{code}: {out:#x}, not {expected:#x}, of {a:#x}, {b:#x}, {c:#x}");
        }
    }
}

fn f(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// The bits of a result.
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

/// Rows of a table: code, kind of result, the operands as what they are, the result.
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

/// Zeros, subnormal numbers, ends, neighbours of 1, halves, ends of integers, NaN.
const F32: [f32; 26] = [
    0.0, -0.0, 1.0, -1.0, 1.000_000_1, 0.999_999_94, 1e-45, -1e-45, 1.175_494_2e-38, 1.175_494_4e-38, f32::MAX, f32::INFINITY,
    f32::NEG_INFINITY, f32::NAN, 0.1, 3.0, 0.5, 1.5, -2.5, 255.5, -129.0, 65_535.9, 2_147_483_648.0, 4_294_967_296.0,
    -9.223_372e18, 1e-20,
];
const F64: [f64; 26] = [
    0.0, -0.0, 1.0, -1.0, 1.000_000_000_000_000_2, 0.999_999_999_999_999_9, 5e-324, -5e-324, 2.225_073_858_507_201e-308,
    2.225_073_858_507_201_4e-308, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.1, 3.0, 0.5, 1.5, -2.5,
    1.175_494_28e-38, 7e-46, 3.402_823_56e38, 1e39, 4_294_967_295.5, 1.844_674_407_370_955_2e19, 1e-160,
];
const INTEGERS: [u64; 22] = [
    0, 1, 2, 3, 7, 31, 32, 33, 63, 64, 100, 0x7f, 0x80, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, 0x1_0000_0001,
    0x7fff_ffff_ffff_ffff, 0x8000_0000_0000_0000, u64::MAX, 0x0123_4567_89ab_cdef,
];

fn numbers_f32() -> Vec<u64> {
    F32.iter().map(|x| u64::from(x.to_bits())).collect()
}

fn numbers_f64() -> Vec<u64> {
    F64.iter().map(|x| x.to_bits()).collect()
}

/// The smaller one, or with `sign` -1 the larger: a NaN yields to a number, and -0 is smaller than 0.
fn least(a: f64, b: f64, sign: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return if a.is_nan() { b } else { a };
    }
    let first = if a == b { sign * 1_f64.copysign(a) < 0.0 } else { sign * a < sign * b };
    if first { a } else { b }
}

#[test]
fn reals_of_32_bits_round_once_and_keep_subnormal_numbers() {
    let Some(written) = Written::new("reals_of_32_bits_round_once_and_keep_subnormal_numbers") else { return };
    let rows = rows! {
        "add.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| a + b;
        "add.rn.f32 %r4, %r1, 0f3DCCCCCD;" => F32, |a: f32, b: f32, c: f32| a + 0.1;
        "sub.rn.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| a - b;
        "mul.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| a * b;
        "mul.f32 %r4, %r1, %r2; add.f32 %r4, %r4, %r3;" => F32, |a: f32, b: f32, c: f32| a * b + c;
        "fma.rn.f32 %r4, %r1, %r2, %r3;" => F32, |a: f32, b: f32, c: f32| a.mul_add(b, c);
        "div.rn.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| a / b;
        "sqrt.rn.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| a.sqrt();
        "rcp.rn.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| 1.0 / a;
        "neg.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| -a;
        "abs.f32 %r4, %r1;" => F32, |a: f32, b: f32, c: f32| a.abs();
        "min.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| least(f64::from(a), f64::from(b), 1.0) as f32;
        "max.f32 %r4, %r1, %r2;" => F32, |a: f32, b: f32, c: f32| least(f64::from(a), f64::from(b), -1.0) as f32;
        "mov.f32 %r4, 0fFF800001;" => Word, |a: f32, b: f32, c: f32| 0xff80_0001_u32;
        "setp.lt.f32 %p1, %r1, %r2; selp.f32 %r4, %r3, %r1, %p1;" => F32, |a: f32, b: f32, c: f32| if a < b { c } else { a };
        "setp.le.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a <= b;
        "setp.gt.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a > b;
        "setp.ge.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a >= b;
        "setp.eq.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a == b;
        "setp.ne.f32 %p1, %r1, %r2; selp.u32 %r4, 1, 0, %p1;" => Word, |a: f32, b: f32, c: f32| a < b || a > b;
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
    let Some(written) = Written::new("reals_of_64_bits_round_once_and_keep_subnormal_numbers") else { return };
    // Towards zero: the nearest one of 32 bits, or the one before it.
    fn towards_zero(x: f64) -> f32 {
        let near = x as f32;
        if f64::from(near).abs() > x.abs() { f32::from_bits(near.to_bits() - 1) } else { near }
    }
    let rows = rows! {
        "add.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| a + b;
        "sub.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| a - b;
        "mul.rn.f64 %d4, %d1, 0d3FB999999999999A;" => F64, |a: f64, b: f64, c: f64| a * 0.1;
        "mul.f64 %d4, %d1, %d2; add.f64 %d4, %d4, %d3;" => F64, |a: f64, b: f64, c: f64| a * b + c;
        "fma.rn.f64 %d4, %d1, %d2, %d3;" => F64, |a: f64, b: f64, c: f64| a.mul_add(b, c);
        "div.rn.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| a / b;
        "sqrt.rn.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| a.sqrt();
        "rcp.rn.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| 1.0 / a;
        "neg.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| -a;
        "abs.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| a.abs();
        "min.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| least(a, b, 1.0);
        "max.f64 %d4, %d1, %d2;" => F64, |a: f64, b: f64, c: f64| least(a, b, -1.0);
        "setp.lt.f64 %p1, %d1, %d2; selp.f64 %d4, %d3, %d1, %p1;" => F64, |a: f64, b: f64, c: f64| if a < b { c } else { a };
        "setp.geu.f64 %p1, %d1, %d2; selp.b64 %d4, 1, 0, %p1;" => Long, |a: f64, b: f64, c: f64| !matches!(a.partial_cmp(&b), Some(o) if o.is_lt());
        "setp.nan.f64 %p1, %d1, %d2; selp.b64 %d4, 1, 0, %p1;" => Long, |a: f64, b: f64, c: f64| a.is_nan() || b.is_nan();
        "cvt.rn.f32.f64 %r4, %d1;" => F32, |a: f64, b: f64, c: f64| a as f32;
        "cvt.rz.f32.f64 %r4, %d1;" => F32, |a: f64, b: f64, c: f64| towards_zero(a);
        "cvt.rni.f64.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| a.round_ties_even();
        "cvt.rmi.f64.f64 %d4, %d1;" => F64, |a: f64, b: f64, c: f64| a.floor();
        "cvt.rzi.s32.f64 %r4, %d1;" => Word, |a: f64, b: f64, c: f64| a as i32;
        "cvt.rni.u32.f64 %r4, %d1;" => Word, |a: f64, b: f64, c: f64| a.round_ties_even() as u32;
    };
    check(&written, &numbers_f64(), &rows);
}

#[test]
fn integers_wrap_around_and_shifts_end() {
    let Some(written) = Written::new("integers_wrap_around_and_shifts_end") else { return };
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
fn conversions_end_at_the_ends_of_integers() {
    let Some(written) = Written::new("conversions_end_at_the_ends_of_integers") else { return };
    // Of 64 bits the GPU makes the top bit alone of a NaN.
    fn long(x: f64, to: fn(f64) -> u64) -> u64 {
        if x.is_nan() { 1 << 63 } else { to(x) }
    }
    let rows = rows! {
        "cvt.rzi.s32.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| a as i32;
        "cvt.rni.s32.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| a.round_ties_even() as i32;
        "cvt.rmi.u32.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| a.floor() as u32;
        "cvt.rpi.s32.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| a.ceil() as i32;
        "cvt.rzi.u8.f32 %r4, %r1;" => Word, |a: f32, b: f32, c: f32| u32::from(a as u8);
        "cvt.rzi.u64.f32 %d4, %r1;" => Long, |a: f32, b: f32, c: f32| long(f64::from(a), |x| x as u64);
        "cvt.rni.s64.f32 %d4, %r1;" => Long, |a: f32, b: f32, c: f32| long(f64::from(a.round_ties_even()), |x| x as i64 as u64);
    };
    check(&written, &numbers_f32(), &rows);
    // The nearest one of 32 bits that is no farther from zero.
    fn down(x: u64) -> f32 {
        let near = x as f32;
        if near as u128 > u128::from(x) { f32::from_bits(near.to_bits() - 1) } else { near }
    }
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

/// Words of a launch of `body` on `words`, in several orders.
fn each_order(written: &Written, body: &str, shape: Shape, words: &[u32], count: u32, check: impl Fn(&[u32])) {
    in_several_orders(|| {
        let mut found = words.to_vec();
        written.run(&kernel(body), shape, &mut found, count).unwrap();
        check(&found);
    });
}

#[test]
fn every_thread_knows_its_place() {
    let Some(written) = Written::new("every_thread_knows_its_place") else { return };
    let body = own_element(16)
        + "mov.u32 %r1, %tid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %ctaid.x; mov.u32 %r4, %nctaid.x; mov.b32 %r5, %laneid;
           mad.lo.u32 %r4, %r4, 100, %r5; /* two in one
           word */ st.global.v4.u32 [%d0], {%r1, %r2, %r3, %r4};";
    each_order(&written, &body, Shape(3, 70, 0), &[0; 4 * 210], 0, |found| {
        for (at, own) in (0_u32..).zip(found.chunks(4)) {
            assert_eq!(own, [at % 70, 70, at / 70, 300 + at % 70 % 32]);
        }
    });
}

#[test]
fn lanes_part_in_loops_and_meet_again() {
    let Some(written) = Written::new("lanes_part_in_loops_and_meet_again") else { return };
    // The steps of 3 n + 1 down to 1; then all lanes must be together, and some have ended.
    let body = own_element(4)
        + "ld.global.u32 %r1, [%d0]; mov.u32 %r2, 0; .pragma \"nounroll\";
        AGAIN: setp.eq.u32 %p1, %r1, 1; @%p1 bra DONE;
        add.u32 %r2, %r2, 1; and.b32 %r3, %r1, 1; setp.eq.u32 %p2, %r3, 0; @!%p2 bra ODD;
        shr.u32 %r1, %r1, 1; bra AGAIN;
        ODD: mad.lo.u32 %r1, %r1, 3, 1; bra.uni AGAIN;
        DONE: shfl.sync.bfly.b32 %r4, %r2, 1, 31, -1; setp.gt.u32 %p3, %r2, 40; @%p3 st.global.u32 [%d0], %r2; @%p3 exit;
        mad.lo.u32 %r5, %r4, 1000, %r2; st.global.u32 [%d0], %r5;";
    let numbers: Vec<u32> = (0..96).map(|n| 1 + n * 37 % 200).collect();
    let steps = |mut n: u32| {
        let mut count = 0;
        while n != 1 {
            n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
            count += 1;
        }
        count
    };
    each_order(&written, &body, Shape(1, 96, 0), &numbers, 0, |found| {
        for (at, &out) in found.iter().enumerate() {
            let (own, other) = (steps(numbers[at]), steps(numbers[at ^ 1]));
            assert_eq!(out, if own > 40 { own } else { 1000 * other + own }, "{at}");
        }
    });
}

#[test]
fn blocks_sum_in_shared_memory() {
    let Some(written) = Written::new("blocks_sum_in_shared_memory") else { return };
    let before = ".extern .shared .align 16 .b8 dynamic[];";
    let body = ".shared .align 4 .b8 total[4];
        ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;
        mad.lo.u32 %r4, %r2, %r3, %r1; mul.wide.u32 %d2, %r4, 4; add.u64 %d3, %d1, %d2; ld.global.u32 %r5, [%d3];
        shl.b32 %r6, %r1, 2; mov.u32 %r7, dynamic; add.u32 %r6, %r6, %r7; st.shared.u32 [%r6], %r5;
        setp.eq.u32 %p1, %r1, 0; mov.u32 %r8, 0; @%p1 st.shared.u32 [total], %r8; shr.u32 %r9, %r3, 1;
        HALVE: bar.sync 0; setp.lt.u32 %p2, %r1, %r9; @!%p2 bra NOT;
        shl.b32 %r10, %r9, 2; add.u32 %r10, %r10, %r6; ld.shared.u32 %r11, [%r10]; ld.shared.u32 %r12, [%r6];
        add.u32 %r12, %r12, %r11; st.shared.u32 [%r6], %r12;
        NOT: shr.u32 %r9, %r9, 1; setp.ne.u32 %p3, %r9, 0; @%p3 bra HALVE;
        bar.sync 0; atom.shared.add.u32 %r20, [total], %r5; bar.sync 0;
        setp.gt.u32 %p4, %r1, 1; @%p4 ret; @%p1 ld.shared.u32 %r13, [dynamic]; @!%p1 ld.shared.u32 %r13, [total];
        st.global.u32 [%d3], %r13;";
    let text = common::written::kernel_with(".maxntid 128, 1, 1 .minnctapersm 2", before, body);
    let numbers: Vec<u32> = (0..512).map(|n| n * n % 1009).collect();
    in_several_orders(|| {
        let mut found = numbers.clone();
        written.run(&text, Shape(4, 128, 512), &mut found, 0).unwrap();
        for (own, out) in numbers.chunks(128).zip(found.chunks(128)) {
            let sum: u32 = own.iter().sum();
            assert_eq!(out[..3], [sum, sum, own[2]]);
        }
    });
}

#[test]
fn lanes_shuffle_within_their_segments() {
    let Some(written) = Written::new("lanes_shuffle_within_their_segments") else { return };
    for (width, by) in [(32_u32, 1_u32), (32, 7), (16, 3), (8, 5), (4, 1), (2, 1), (8, 20)] {
        // Bits 8 to 12 say where segments are; upwards the low bits are the first lane.
        let segment = (32 - width) << 8;
        let body = own_element(32)
            + &format!(
                "ld.global.u32 %r1, [%d0]; mov.u32 %r9, {by};
                shfl.sync.idx.b32 %r2, %r1, %r9, {c}, 0xffffffff; shfl.sync.up.b32 %r3|%p1, %r1, %r9, {segment}, -1;
                shfl.sync.down.b32 %r4|%p2, %r1, {by}, {c}, -1; shfl.sync.bfly.b32 %r5, %r1, %r9, {c}, -1;
                st.global.v4.b32 [%d0+16], {{%r2, %r3, %r4, %r5}}; selp.b32 %r6, 1, 0, %p1; selp.b32 %r7, 1, 0, %p2;
                st.global.v2.u32 [%d0+8], {{%r6, %r7}};",
                c = segment | 31
            );
        let values: Vec<u32> = (0..64).map(|lane| lane * lane + 5).collect();
        let words: Vec<u32> = values.iter().flat_map(|&value| [value, 0, 0, 0, 0, 0, 0, 0]).collect();
        each_order(&written, &body, Shape(1, 64, 0), &words, 0, |found| {
            for (at, own) in (0_u32..).zip(found.chunks(8)) {
                let (start, inner, step) = (at / width * width, at % width, by % 32);
                let up = inner >= step;
                let down = inner + step < width;
                let across = at ^ step;
                let expected = [
                    u32::from(up),
                    u32::from(down),
                    values[(start + by % width) as usize],
                    values[if up { at - step } else { at } as usize],
                    values[if down { at + step } else { at } as usize],
                    values[if across < start + width { across } else { at } as usize],
                ];
                assert_eq!(own[2..], expected, "lane {at}, width {width}, by {by}");
            }
        });
    }
}

#[test]
fn parts_of_a_warp_vote_and_meet_by_themselves() {
    let Some(written) = Written::new("parts_of_a_warp_vote_and_meet_by_themselves") else { return };
    let body = own_element(16)
        + "mov.u32 %r1, %laneid; and.b32 %r2, %r1, 3; setp.eq.u32 %p1, %r2, 1; setp.lt.u32 %p2, %r1, 8;
        vote.sync.ballot.b32 %r3, %p1, -1; mov.u32 %r10, 0xffffff00; @%p2 mov.u32 %r10, 0xff;
        vote.sync.any.pred %p3, %p1, %r10; vote.sync.all.pred %p4, %p2, %r10; selp.u32 %r4, 1, 0, %p3; selp.u32 %r5, 1, 0, %p4;
        @%p2 bra FEW;
        bar.warp.sync 0xffffff00; shfl.sync.idx.b32 %r6, %r1, 9, 31, 0xffffff00; bra ALL;
        FEW: shfl.sync.idx.b32 %r6, %r1, 3, 31, 0xff;
        ALL: st.global.v4.u32 [%d0], {%r3, %r4, %r5, %r6};";
    each_order(&written, &body, Shape(1, 64, 0), &[0; 256], 0, |found| {
        for (at, own) in (0_u32..).zip(found.chunks(4)) {
            let few = at % 32 < 8;
            assert_eq!(own, [0x2222_2222, 1, u32::from(few), if few { 3 } else { 9 }], "{at}");
        }
    });
}

#[test]
fn atomic_operations_lose_nothing() {
    let Some(written) = Written::new("atomic_operations_lose_nothing") else { return };
    // A count, a ticket for each, a long and a real sum, a maximum by compare and swap, a sum under a lock.
    let body = "ld.param.u64 %d1, [data]; mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mad.lo.u32 %r1, %r2, 96, %r1;
        add.u32 %r2, %r1, 1; cvt.rn.f32.u32 %r3, %r2; mul.wide.u32 %d2, %r2, -1;
        red.global.add.u32 [%d1], 1; atom.global.add.u32 %r4, [%d1+4], 1; atom.global.add.u64 %d3, [%d1+8], %d2;
        atom.global.add.f32 %r5, [%d1+16], %r3;
        ld.global.u32 %r6, [%d1+20];
        AGAIN: max.u32 %r7, %r6, %r2; atom.global.cas.b32 %r8, [%d1+20], %r6, %r7; setp.ne.u32 %p1, %r8, %r6;
        mov.u32 %r6, %r8; @%p1 bra AGAIN;
        LOCK: atom.global.cas.b32 %r9, [%d1+24], 0, 1; setp.ne.u32 %p2, %r9, 0; @%p2 bra LOCK;
        membar.gl; atom.global.add.u32 %r10, [%d1+28], 0; add.u32 %r10, %r10, %r2; st.global.u32 [%d1+28], %r10; membar.gl;
        atom.global.cas.b32 %r11, [%d1+24], 1, 0;
        mul.wide.u32 %d4, %r4, 4; add.u64 %d4, %d4, %d1; membar.cta; st.global.u32 [%d4+32], %r1;";
    each_order(&written, body, Shape(2, 96, 0), &[0; 8 + 192], 0, |found| {
        let sum = 192 * 193 / 2;
        let long = u64::from(sum) * 0xffff_ffff;
        let expected = [192, 192, long as u32, (long >> 32) as u32, (sum as f32).to_bits(), 192, 0, sum];
        assert_eq!(found[..8], expected);
        let mut tickets = found[8..].to_vec();
        tickets.sort_unstable();
        assert!(tickets.iter().copied().eq(0..192), "{tickets:?}");
    });
}

#[test]
fn memory_holds_narrow_numbers_vectors_and_arrays_of_threads() {
    let Some(written) = Written::new("memory_holds_narrow_numbers_vectors_and_arrays_of_threads") else { return };
    // Turns 32 bytes round by way of an array of the thread's; bytes are widened with and without sign.
    let body = ".local .align 16 .b8 own[32]; .local .align 8 .b8 other[8];".to_owned()
        + &own_element(64)
        + "ld.global.v4.f32 {%r1, %r2, %r3, %r4}, [%d0]; ld.global.nc.v2.f64 {%d1, %d2}, [%d0+16];
        st.local.v4.f32 [own], {%r1, %r2, %r3, %r4}; mov.u32 %r10, own; st.local.v2.b64 [%r10+16], {%d1, %d2};
        st.local.b64 [other], 0x1122334455667788; mov.u32 %r11, 0; mov.u64 %d5, %d0; add.u32 %r12, %r10, 28;
        NEXT: ld.local.b32 %r13, [%r12]; st.global.b32 [%d5+32], %r13; add.u64 %d5, %d5, 4; add.u32 %r12, %r12, -4;
        add.u32 %r11, %r11, 1; setp.lt.u32 %p1, %r11, 8; @%p1 bra NEXT;
        ld.global.s8 %r20, [%d0+3]; ld.global.u8 %r21, [%d0+3]; ld.global.s16 %r22, [%d0+2]; ld.local.u16 %r23, [other+4];
        st.global.v4.s32 [%d0], {%r20, %r21, %r22, %r23}; st.global.u16 [%d0+16], %r1; st.global.u8 [%d0+18], 0xab;";
    let words: Vec<u32> = (0..40 * 16_u32).map(|n| (n + 1).wrapping_mul(0x9e37_79b9)).collect();
    each_order(&written, &body, Shape(1, 40, 0), &words, 0, |found| {
        for (before, after) in words.chunks(16).zip(found.chunks(16)) {
            let top = before[0];
            assert_eq!(after[..4], [(top as i32 >> 24) as u32, top >> 24, (top as i32 >> 16) as u32, 0x3344]);
            assert_eq!(after[4], before[4] & 0xff00_0000 | 0xab_0000 | before[0] & 0xffff);
            assert!(after[8..].iter().eq(before[..8].iter().rev()));
        }
    });
}
