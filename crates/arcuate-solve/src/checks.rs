//! What every operator must satisfy, whatever it computes and wherever it runs: one suite for all of them, called
//! from the tests of each.

use crate::{LinearOperator, Real, vector};

/// All checks, with one relative tolerance.
///
/// # Panics
/// Where a check fails: this is for tests.
pub fn all<T: Real>(operator: &impl LinearOperator<T>, tolerance: f64) {
    linearity(operator, tolerance);
    adjointness(operator, tolerance);
    normal(operator, tolerance);
}

/// A(a·x + b·z) = a·Ax + b·Az.
///
/// # Panics
/// Where it does not hold.
pub fn linearity<T: Real>(operator: &impl LinearOperator<T>, tolerance: f64) {
    let (x, z) = (probe::<T>(operator.columns(), 1), probe::<T>(operator.columns(), 2));
    let (a, b) = (0.75, -1.5);
    let mix = |p: &[T], q: &[T]| -> Vec<T> {
        p.iter().zip(q).map(|(p, q)| T::of(a * p.wide() + b * q.wide())).collect()
    };
    let forward = |v: &[T]| {
        let mut out = vec![T::of(f64::MAX); operator.rows()];
        operator.forward(v, &mut out);
        out
    };
    let (together, apart) = (forward(&mix(&x, &z)), mix(&forward(&x), &forward(&z)));
    let error = relative_difference(&together, &apart);
    assert!(error <= tolerance, "not linear: relative error {error:e} > {tolerance:e}");
}

/// ⟨Ax, y⟩ = ⟨x, Aᵀy⟩.
///
/// # Panics
/// Where it does not hold.
pub fn adjointness<T: Real>(operator: &impl LinearOperator<T>, tolerance: f64) {
    let (x, y) = (probe::<T>(operator.columns(), 3), probe::<T>(operator.rows(), 4));
    let mut ax = vec![T::of(f64::MAX); operator.rows()];
    let mut aty = vec![T::of(f64::MAX); operator.columns()];
    operator.forward(&x, &mut ax);
    operator.adjoint(&y, &mut aty);
    let (left, right) = (vector::dot(&ax, &y), vector::dot(&x, &aty));
    // Both sums can cancel to almost nothing: the scale is that of their terms.
    let scale = (vector::dot(&ax, &ax) * vector::dot(&y, &y)).sqrt();
    let error = (left - right).abs() / scale;
    assert!(error <= tolerance, "adjoint: {left} and {right} differ by {error:e} > {tolerance:e}");
}

/// `normal` is `adjoint` after `forward`.
///
/// # Panics
/// Where it is not.
pub fn normal<T: Real>(operator: &impl LinearOperator<T>, tolerance: f64) {
    let x = probe::<T>(operator.columns(), 5);
    let mut ax = vec![T::zero(); operator.rows()];
    let mut expected = vec![T::zero(); operator.columns()];
    let mut direct = vec![T::of(f64::MAX); operator.columns()];
    operator.forward(&x, &mut ax);
    operator.adjoint(&ax, &mut expected);
    operator.normal(&x, &mut direct);
    let error = relative_difference(&direct, &expected);
    assert!(error <= tolerance, "normal: relative error {error:e} > {tolerance:e}");
}

/// ‖a − b‖ / ‖b‖.
pub fn relative_difference<T: Real>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors of different length");
    let difference: f64 = a.iter().zip(b).map(|(a, b)| (a.wide() - b.wide()).powi(2)).sum();
    (difference / vector::dot(b, b)).sqrt()
}

/// Numbers in (−1, 1) without pattern: the fractional parts of multiples of the golden ratio.
fn probe<T: Real>(length: usize, seed: u32) -> Vec<T> {
    let golden = 0.618_033_988_749_894_9;
    (0..length).map(|n| T::of(2.0 * ((n as f64 + 1.0) * golden * f64::from(seed)).fract() - 1.0)).collect()
}
