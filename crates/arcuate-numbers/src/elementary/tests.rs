//! Tests of single-precision functions: their accuracy, and bit-identical results for single numbers and in
//! vectors of every width.

use super::single::{LARGEST_ANGLE, LARGEST_TURNS, decay, exp, inverse_root, ln, sin_cos, sin_cos_turns};
use pulp::{Arch, WithSimd};
use std::f64::consts::TAU;

/// The function values of one number: exponential, logarithm, sine and cosine of radians, sine and cosine of
/// turns, the exponential of non-positive numbers, and the inverse square root.
type Values = [f32; 8];

/// Names of the errors, in the order of the function values. The exponential has two errors: for results of
/// at least 2⁻¹²⁶, and for smaller results.
const NAMES: [&str; 9] = [
    "exp",
    "exp below 2⁻¹²⁶",
    "ln",
    "sin",
    "cos",
    "sine of turns",
    "cosine of turns",
    "decay",
    "inverse root",
];

/// Maximum errors of the functions over all numbers, in units in the last place (2⁻¹⁴⁹ for subnormal
/// numbers). The test `errors_over_all_numbers` finds them, and `single.rs` states them. They are rounded up
/// to two digits.
const LARGEST: [f64; 9] = [0.90, 0.86, 0.94, 1.16, 1.15, 0.97, 0.88, 5.0, 9.0];

/// Computes the function values of a slice of numbers in a loop, which becomes vector code of the width for
/// which it is compiled.
struct Loop<'a>(&'a [f32]);

impl WithSimd for Loop<'_> {
    type Output = Vec<Values>;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Vec<Values> {
        let mut values = vec![[0.0; 8]; self.0.len()];
        for (values, &x) in values.iter_mut().zip(self.0) {
            *values = of(x);
        }
        values
    }
}

#[inline(always)]
fn of(x: f32) -> Values {
    let ((sin, cos), (sin_turns, cos_turns)) = (sin_cos(x), sin_cos_turns(x));
    [exp(x), ln(x), sin, cos, sin_turns, cos_turns, decay(x), inverse_root(x)]
}

/// Returns every instruction set of this processor.
fn every_width() -> Vec<Arch> {
    #[cfg(target_arch = "x86_64")]
    let narrower = pulp::x86::V3::try_new().map(Arch::V3);
    #[cfg(not(target_arch = "x86_64"))]
    let narrower = None;
    [Arch::Scalar, Arch::new()].into_iter().chain(narrower).collect()
}

/// Returns numbers of both signs whose bits are a multiple of `stride`, and the numbers at which a function's
/// method changes.
fn numbers(stride: usize) -> Vec<f32> {
    let mut numbers: Vec<f32> = (0..=u32::MAX).step_by(stride).map(f32::from_bits).collect();
    let quarters = (0..100).map(|n| n as f32);
    let special = [
        0.0,
        f32::from_bits(1),
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
        f32::from_bits(0x7f80_0001),
        2.0 / 3.0,
        4.0 / 3.0,
        1.0,
        87.33654,
        88.72283,
        88.722_84,
        89.0,
        103.278_93,
        103.972_08,
        103.98,
        105.0,
        f32::EPSILON,
        LARGEST_ANGLE,
        f32::MIN_POSITIVE / 3.0,
    ];
    let special = special
        .into_iter()
        .chain(quarters.clone().map(|n| 0.25 * n))
        .chain(quarters.clone().map(|n| 0.125 * n));
    let special = special.chain(quarters.map(|n| n * std::f32::consts::FRAC_PI_4));
    for x in special {
        numbers.extend([x, x.next_up(), x.next_down(), -x, -x.next_up(), -x.next_down()]);
    }
    numbers
}

fn assert_same_bits(x: &[f32], found: &[Values], expected: &[Values], about: &str) {
    assert_eq!(found.len(), x.len());
    for ((x, found), expected) in x.iter().zip(found).zip(expected) {
        assert_eq!(
            found.map(f32::to_bits),
            expected.map(f32::to_bits),
            "{about}, {x:e} ({:08x})",
            x.to_bits()
        );
    }
}

#[test]
fn every_width_gives_the_same_bits() {
    // The length of this slice leaves a remainder at every vector width.
    let mut x = numbers(1 << 14 | 1);
    x.truncate(x.len() / 32 * 32 + 31);
    let one_by_one: Vec<Values> =
        x.iter().map(|&x| std::hint::black_box(of(std::hint::black_box(x)))).collect();
    for arch in every_width() {
        assert_same_bits(&x, &arch.dispatch(Loop(&x)), &one_by_one, &format!("{arch:?}"));
    }
}

/// Returns the difference between a value and the expected one in units in the last place. For subnormal
/// numbers a unit is 2⁻¹⁴⁹.
#[inline(always)]
fn ulp(found: f32, expected: f64) -> f64 {
    let size = expected.abs().max(f64::from(f32::MIN_POSITIVE));
    // A unit is 2⁻²³ times the largest power of two that does not exceed the number. The power of two has
    // only the number's exponent bits.
    let power = f64::from_bits(size.to_bits() & 0x7ff << 52);
    (f64::from(found) - expected).abs() / (power * f64::from(f32::EPSILON))
}

/// Computes the errors of a number's function values, in the order of [`NAMES`]. The error is 0 if the value
/// is not specified.
#[inline(always)]
fn errors(x: f32) -> [f64; 9] {
    let [e, l, sin, cos, sin_turns, cos_turns, decayed, inverse] = of(x);
    let wide = f64::from(x);
    let mut errors = [0.0; 9];
    let true_exp = wide.exp();
    // Results that exceed the largest number by a quarter of a unit or more are infinite. Another test covers
    // them.
    if true_exp < f64::from(f32::MAX) * (1.0 + 0.25 * f64::from(f32::EPSILON)) {
        errors[usize::from(true_exp < f64::from(f32::MIN_POSITIVE))] = ulp(e, true_exp);
    }
    if x > 0.0 && x < f32::INFINITY {
        errors[2] = ulp(l, wide.ln());
    }
    if x.abs() <= LARGEST_ANGLE {
        errors[3] = ulp(sin, wide.sin());
        errors[4] = ulp(cos, wide.cos());
    }
    if x.abs() <= LARGEST_TURNS {
        let quarters = (4.0 * wide).round();
        let (true_sin, true_cos) = (TAU * (wide - 0.25 * quarters)).sin_cos();
        let quarter = quarters as i64 as usize & 3;
        errors[5] = ulp(sin_turns, [true_sin, true_cos, -true_sin, -true_cos][quarter]);
        errors[6] = ulp(cos_turns, [true_cos, -true_sin, -true_cos, true_sin][quarter]);
    }
    if (-86.0..=0.0).contains(&x) {
        errors[7] = ulp(decayed, true_exp);
    }
    if (f32::MIN_POSITIVE..f32::INFINITY).contains(&x) {
        errors[8] = ulp(inverse, wide.sqrt().recip());
    }
    errors
}

/// Finds the maximum errors over the numbers with the bits `first`, `first` + `step`, …, and the number that
/// has each maximum error.
struct Largest {
    first: u32,
    step: u32,
}

impl WithSimd for Largest {
    type Output = [(f64, f32); 9];

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Self::Output {
        let mut largest = [(0.0, 0.0); 9];
        let mut next = Some(self.first);
        while let Some(bits) = next {
            next = bits.checked_add(self.step);
            let x = f32::from_bits(bits);
            for (largest, error) in largest.iter_mut().zip(errors(x)) {
                // An unexpected NaN counts as the largest error.
                if error > largest.0 || error.is_nan() {
                    *largest = (if error.is_nan() { f64::INFINITY } else { error }, x);
                }
            }
        }
        largest
    }
}

#[test]
fn errors_are_within_the_stated_bounds() {
    // The test uses a million numbers, evenly distributed over the bit patterns of all numbers.
    let largest = Arch::new().dispatch(Largest { first: 0, step: 1 << 12 | 1 });
    for n in 0..NAMES.len() {
        assert!(largest[n].0 <= LARGEST[n], "{}: {:?}", NAMES[n], largest[n]);
    }
}

/// Run this test with `cargo test --release -p arcuate-numbers --lib errors_over -- --ignored --nocapture`.
#[test]
#[ignore = "goes through all 2³² numbers: 10 minutes of processor time"]
fn errors_over_all_numbers() {
    let threads = std::thread::available_parallelism().map_or(1, usize::from) as u32;
    let parts: Vec<_> = std::thread::scope(|scope| {
        let start = |first| scope.spawn(move || Arch::new().dispatch(Largest { first, step: threads }));
        let running: Vec<_> = (0..threads).map(start).collect();
        running.into_iter().map(|thread| thread.join().expect("it does not panic")).collect()
    });
    let worst =
        |n: usize| parts.iter().map(|part| part[n]).max_by(|a, b| a.0.total_cmp(&b.0)).expect("a part");
    let largest: [(f64, f32); 9] = std::array::from_fn(worst);
    for n in 0..NAMES.len() {
        println!("{:<16} {:.4} ulp at {:e}", NAMES[n], largest[n].0, largest[n].1);
    }
    for n in 0..NAMES.len() {
        // The stated errors are the maximum errors, rounded up.
        assert!(largest[n].0 <= LARGEST[n] && largest[n].0 > LARGEST[n] - 0.01, "{}", NAMES[n]);
    }
}

#[test]
fn exponentials_handle_extreme_arguments() {
    assert_eq!([exp(0.0), exp(-0.0), exp(f32::NEG_INFINITY)], [1.0, 1.0, 0.0]);
    assert_eq!([exp(f32::INFINITY), exp(1e30), exp(-1e30)], [f32::INFINITY, f32::INFINITY, 0.0]);
    // The arguments are near the logarithms of the largest number and of half the smallest number.
    assert!(exp(88.722_83) < f32::INFINITY && exp(88.722_84) == f32::INFINITY);
    assert!(exp(-103.972_07) == f32::from_bits(1) && exp(-103.972_09) == 0.0);
    assert_eq!(exp(-f32::NAN).to_bits(), f32::NAN.to_bits());
}

#[test]
fn logarithms_handle_extreme_arguments() {
    assert_eq!([ln(0.0), ln(-0.0), ln(1.0)], [f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0]);
    assert_eq!(ln(f32::INFINITY), f32::INFINITY);
    for x in [-1.0, -f32::from_bits(1), -f32::MIN_POSITIVE, f32::NEG_INFINITY, f32::NAN, -f32::NAN] {
        assert_eq!(ln(x).to_bits(), f32::NAN.to_bits(), "{x:e}");
    }
    // The numbers are the smallest number, 2⁻¹⁴⁹, and the largest subnormal number.
    for x in [f32::from_bits(1), f32::MIN_POSITIVE.next_down()] {
        assert!(ulp(ln(x), f64::from(x).ln()) <= LARGEST[2], "{x:e}");
    }
}

#[test]
fn sines_and_cosines_handle_extreme_arguments() {
    for function in [sin_cos, sin_cos_turns] {
        assert_eq!(function(0.0), (0.0, 1.0));
        assert!(function(-0.0).0.is_sign_negative() && function(0.0).0.is_sign_positive());
        let beyond = LARGEST_ANGLE.next_up();
        for x in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN, beyond, -beyond, f32::MAX] {
            let (sin, cos) = function(x);
            assert_eq!([sin.to_bits(), cos.to_bits()], [f32::NAN.to_bits(); 2], "{x:e}");
        }
        let (sin, cos) = function(LARGEST_ANGLE);
        assert!(sin.abs() <= 1.0 && cos.abs() <= 1.0);
    }
    // The sine of a subnormal number is the number itself, since π/2 is not involved.
    let minimum = f32::from_bits(1);
    assert_eq!(sin_cos(minimum), (minimum, 1.0));
    assert_eq!(sin_cos_turns(minimum).0, 6.0 * minimum);
    for (turns, expected) in
        [(0.25, (1.0, 0.0)), (0.5, (0.0, -1.0)), (0.75, (-1.0, 0.0)), (-0.25, (-1.0, 0.0))]
    {
        assert_eq!(sin_cos_turns(turns), expected);
        assert_eq!(sin_cos_turns(turns + 1000.0), expected);
    }
    // Among small numbers, this one is nearest to a multiple of π/2. The remainder is about 2.5e-9 radians,
    // and all of it comes from the second and third parts of π/2.
    for n in 1..100_000 {
        let x = (f64::from(n) * std::f64::consts::FRAC_PI_2) as f32;
        let (sin, cos) = sin_cos(x);
        let small = if n & 1 == 0 { (sin, f64::from(x).sin()) } else { (cos, f64::from(x).cos()) };
        assert!(ulp(small.0, small.1) <= LARGEST[3], "{x:e}");
    }
}
