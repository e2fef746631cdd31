//! Checks that every linear operator must pass, on any device. The tests of each operator call these checks.

use crate::{LinearOperator, Real, vector};

/// Runs all checks of a linear operator with one relative tolerance.
///
/// # Panics
///
/// Panics if a check fails, because the checks are for tests.
pub fn all<T: Real>(operator: &impl LinearOperator<T>, tolerance: f64) {
    linearity(operator, tolerance);
    adjointness(operator, tolerance);
    normal(operator, tolerance);
    repeatability(operator);
    lengths(operator);
}

/// Checks that the products of an operator reject vectors of a wrong length.
///
/// # Panics
///
/// Panics if a product accepts a vector of a wrong length.
pub fn lengths<T: Real>(operator: &impl LinearOperator<T>) {
    let (rows, columns) = (operator.rows(), operator.columns());
    let check = |name: &str, from: usize, to: usize, product: &dyn Fn(&[T], &mut [T])| {
        for (given, made) in
            [(from + 1, to), (from, to + 1), (from.saturating_sub(1), to), (from, to.saturating_sub(1))]
        {
            let work = || product(&probe(given, 1), &mut vec![T::zero(); made]);
            let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            assert!((given, made) == (from, to) || done.is_err(), "{name} took {given} numbers for {made}");
        }
    };
    check("forward", columns, rows, &|x, out| operator.forward(x, out));
    check("adjoint", rows, columns, &|y, out| operator.adjoint(y, out));
    check("normal", columns, columns, &|x, out| operator.normal(x, out));
}

/// Checks that A(a·x + b·z) = a·Ax + b·Az for an operator A.
///
/// # Panics
///
/// Panics if the two sides of this equation differ by more than the tolerance.
pub fn linearity<T: Real>(operator: &impl LinearOperator<T>, tolerance: f64) {
    let (x, z) = (probe::<T>(operator.columns(), 1), probe::<T>(operator.columns(), 2));
    let (a, b) = (0.75, -1.5);
    let mix = |p: &[T], q: &[T]| -> Vec<T> {
        p.iter().zip(q).map(|(p, q)| T::of(a * p.double() + b * q.double())).collect()
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

/// Checks that ⟨Ax, y⟩ = ⟨x, Aᵀy⟩ for an operator A.
///
/// # Panics
///
/// Panics if the two sides of this equation differ by more than the tolerance.
pub fn adjointness<T: Real>(operator: &impl LinearOperator<T>, tolerance: f64) {
    let (x, y) = (probe::<T>(operator.columns(), 3), probe::<T>(operator.rows(), 4));
    let mut ax = vec![T::of(f64::MAX); operator.rows()];
    let mut aty = vec![T::of(f64::MAX); operator.columns()];
    operator.forward(&x, &mut ax);
    operator.adjoint(&y, &mut aty);
    let (left, right) = (vector::dot(&ax, &y), vector::dot(&x, &aty));
    // The terms of both inner products can cancel each other almost completely. The error is therefore
    // divided by the size of the terms, not by the sum.
    let scale = (vector::dot(&ax, &ax) * vector::dot(&y, &y)).sqrt();
    let error = (left - right).abs() / scale;
    assert!(error <= tolerance, "adjoint: {left} and {right} differ by {error:e} > {tolerance:e}");
}

/// Checks that the method `normal` of an operator gives the same result as `forward` followed by `adjoint`.
///
/// # Panics
///
/// Panics if the two results differ by more than the tolerance.
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

/// Checks that the products of an operator overwrite their output, and that a repeated product is
/// bit-identical.
///
/// # Panics
///
/// Panics if the result of a repeated product differs.
pub fn repeatability<T: Real>(operator: &impl LinearOperator<T>) {
    let (x, y) = (probe::<T>(operator.columns(), 6), probe::<T>(operator.rows(), 7));
    let products = |x: &[T], y: &[T], before: T| {
        let mut image = vec![before; operator.rows()];
        let (mut back, mut both) = (vec![before; operator.columns()], vec![before; operator.columns()]);
        operator.forward(x, &mut image);
        operator.adjoint(y, &mut back);
        operator.normal(x, &mut both);
        [image, back, both].map(|out| out.iter().map(|v| v.double().to_bits()).collect::<Vec<_>>())
    };
    let first = products(&x, &y, T::nan());
    products(&probe(x.len(), 8), &probe(y.len(), 9), T::zero());
    let again = products(&x, &y, T::one());
    for (n, name) in ["forward", "adjoint", "normal"].into_iter().enumerate() {
        assert!(
            first[n] == again[n],
            "{name}: the bits depend on the previous output or on earlier products"
        );
    }
}

/// Checks that A(i x) = i A x for an operator A between complex vectors, and the same for its adjoint.
/// Complex vectors are stored as real numbers (real part, imaginary part, …).
///
/// # Panics
///
/// Panics if the two sides of an equation differ, or if a vector has an odd number of real numbers.
pub fn complex_linearity<T: Real>(operator: &impl LinearOperator<T>, tolerance: f64) {
    let (rows, columns) = (operator.rows(), operator.columns());
    assert!(rows.is_multiple_of(2) && columns.is_multiple_of(2), "a real part without an imaginary one");
    let times_i = |v: &[T]| -> Vec<T> { v.chunks_exact(2).flat_map(|v| [-v[1], v[0]]).collect() };
    let check = |name: &str, from: usize, to: usize, product: &dyn Fn(&[T], &mut [T])| {
        let x = probe::<T>(from, 1);
        let (mut of_turned, mut then_turned) = (vec![T::nan(); to], vec![T::nan(); to]);
        product(&times_i(&x), &mut of_turned);
        product(&x, &mut then_turned);
        let error = relative_difference(&of_turned, &times_i(&then_turned));
        assert!(error <= tolerance, "{name}: i goes in, not out: relative error {error:e} > {tolerance:e}");
    };
    check("forward", columns, rows, &|x, out| operator.forward(x, out));
    check("adjoint", rows, columns, &|y, out| operator.adjoint(y, out));
}

/// Returns the relative difference ‖a − b‖ / ‖b‖ of two vectors.
pub fn relative_difference<T: Real>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len(), "vectors of different length");
    let difference: f64 = a.iter().zip(b).map(|(a, b)| (a.double() - b.double()).powi(2)).sum();
    (difference / vector::dot(b, b)).sqrt()
}

/// Returns pseudo-random numbers in (−1, 1). They are computed from the fractional parts of multiples of the
/// golden ratio.
pub(crate) fn probe<T: Real>(length: usize, seed: u32) -> Vec<T> {
    let golden = 0.618_033_988_749_894_9;
    (0..length).map(|n| T::of(2.0 * ((n as f64 + 1.0) * golden * f64::from(seed)).fract() - 1.0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    /// The identity operator for vectors of two numbers, with one deliberate defect that a check must find.
    struct Faulty {
        fault: Fault,
        last: Mutex<f64>,
    }

    #[derive(Clone, Copy, PartialEq)]
    enum Fault {
        Adds,
        Remembers,
        Conjugates,
    }

    impl LinearOperator<f64> for Faulty {
        fn rows(&self) -> usize {
            2
        }

        fn columns(&self) -> usize {
            2
        }

        fn apply_forward(&self, unknowns: &[f64], data: &mut [f64]) {
            let mut last = self.last.lock().unwrap();
            match self.fault {
                Fault::Adds => data.iter_mut().zip(unknowns).for_each(|(y, x)| *y += x),
                Fault::Remembers => data.copy_from_slice(&[unknowns[0], *last]),
                Fault::Conjugates => data.copy_from_slice(&[unknowns[0], -unknowns[1]]),
            }
            *last = unknowns[1];
        }

        fn apply_adjoint(&self, data: &[f64], unknowns: &mut [f64]) {
            self.apply_forward(data, unknowns);
        }

        fn forward(&self, unknowns: &[f64], data: &mut [f64]) {
            // One of the defects is that lengths are not checked.
            if self.fault != Fault::Adds {
                assert_eq!((unknowns.len(), data.len()), (2, 2));
            }
            self.apply_forward(unknowns, data);
        }
    }

    fn faulty(fault: Fault) -> Faulty {
        Faulty { fault, last: Mutex::new(0.0) }
    }

    #[test]
    #[should_panic(expected = "forward: the bits depend on the previous output or on earlier products")]
    fn products_that_accumulate_are_detected() {
        repeatability(&faulty(Fault::Adds));
    }

    #[test]
    #[should_panic(expected = "forward: the bits depend on the previous output or on earlier products")]
    fn products_with_state_are_detected() {
        repeatability(&faulty(Fault::Remembers));
    }

    #[test]
    #[should_panic(expected = "forward took 3 numbers for 2")]
    fn products_that_accept_wrong_lengths_are_detected() {
        lengths(&faulty(Fault::Adds));
    }

    #[test]
    #[should_panic(expected = "forward: i goes in, not out")]
    fn conjugation_is_detected_as_not_complex_linear() {
        let operator = faulty(Fault::Conjugates);
        all(&operator, 1e-15);
        complex_linearity(&operator, 1e-15);
    }
}
