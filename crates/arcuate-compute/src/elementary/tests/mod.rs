//! Compares the elementary functions in single precision on a GPU with those of the CPU.

mod cuda;
mod kernels;

use crate::cuda::Gpu;
use arcuate_numbers::elementary::single::{
    LARGEST_ANGLE, decay, exp, inverse_root, ln, sin_cos, sin_cos_turns,
};

/// The function values of one number: exponential, logarithm, sine and cosine of radians, sine and cosine of
/// turns, the exponential of non-positive numbers, and the inverse square root.
type Values = [f32; 8];

fn of(x: f32) -> Values {
    let ((sin, cos), (sin_turns, cos_turns)) = (sin_cos(x), sin_cos_turns(x));
    [exp(x), ln(x), sin, cos, sin_turns, cos_turns, decay(x), inverse_root(x)]
}

/// Returns numbers of both signs that cover all exponents, and the numbers at which a function's method
/// changes.
fn numbers() -> Vec<f32> {
    let mut numbers: Vec<f32> = (0..=u32::MAX).step_by(1 << 16 | 1).map(f32::from_bits).collect();
    let limits = [0.0, f32::MIN_POSITIVE, f32::MAX, f32::INFINITY, f32::NAN, f32::EPSILON, LARGEST_ANGLE];
    let fractions = [2.0 / 3.0, 4.0 / 3.0, f32::MIN_POSITIVE / 3.0];
    let exponents = [87.33654, 88.72283, 88.722_84, 89.0, 103.278_93, 103.972_08, 103.98, 105.0];
    let quarters = (0..100).map(|n| n as f32);
    let turns = quarters.clone().map(|n| 0.125 * n);
    let angles = quarters.map(|n| n * std::f32::consts::FRAC_PI_4);
    for x in limits.into_iter().chain(fractions).chain(exponents).chain(turns).chain(angles) {
        numbers.extend([x, x.next_up(), x.next_down(), -x, -x.next_up(), -x.next_down()]);
    }
    numbers
}

#[test]
fn gpus_give_the_same_bits() -> arcuate_core::Result<()> {
    if !arcuate_emulation::available("gpus_give_the_same_bits") {
        return Ok(());
    }
    let x = numbers();
    // The sign and payload of a NaN are not specified. For an invalid operation, a GPU returns 7fffffff and a
    // CPU ffc00000.
    let bits = |values: Values| values.map(|value| if value.is_nan() { f32::NAN } else { value }.to_bits());
    let found = cuda::values_on(&Gpu::open(0)?, &x)?;
    assert_eq!(found.len(), x.len());
    for (&x, found) in x.iter().zip(found) {
        assert_eq!(bits(found), bits(of(x)), "{x:e} ({:08x})", x.to_bits());
    }
    Ok(())
}
