//! Compares passes on a GPU with passes on the CPU.

use super::*;
use crate::Dense;
use crate::checks::probe;
use arcuate_compute::cuda::Gpu;

const LAYOUT: Layout = Layout { unknowns: 4, data: 0, sums: 4 };
const A: Vector = Vector::Unknowns(0);
const B: Vector = Vector::Unknowns(1);
const C: Vector = Vector::Unknowns(2);

pass! {
    /// Uses everything that a pass can have.
    fn solver_test(round, [factor], [a, b], [c, d, zero]) {
        let new = round(a + factor * c);
        let other = round(if_zero(d, b, b * new + zero) - is_positive(d));
        let one = a.known(1.0);
    } -> [new, other], sums [new * other, other * one], largest;
}

fn passes_agree<T: Real>(length: usize) {
    let gpu = Gpu::open(0).unwrap();
    let mut there = Device::<T>::for_normal(&gpu, length, LAYOUT).unwrap();
    let operator = Dense::new(length, vec![T::one(); length]);
    let given = probe(length, 4);
    let mut here = CpuEngine::new(&operator, &given, LAYOUT);
    there.vectors.given.copy_from(&there.stream, &given).unwrap();
    for (n, vector) in [A, B, C].into_iter().enumerate() {
        let mut values: Vec<T> = probe(length, n as u32 + 1);
        values[length / 2] = T::zero();
        there.set(vector, &values).unwrap();
        here.set(vector, &values).unwrap();
    }
    for read in [[Vector::Given, C, Vector::Zero], [C, Vector::Given, C]] {
        there.pass(solver_test, [0.3], [A, B], read, Some(1)).unwrap();
        here.pass(solver_test, [0.3], [A, B], read, Some(1)).unwrap();
        for vector in [A, B] {
            assert!(there.get(vector).unwrap() == here.get(vector).unwrap(), "{vector:?} of {length}");
        }
        let (sums, expected) = (there.sums().unwrap(), here.sums().unwrap());
        let last = here.get(B).unwrap();
        let largest = last.iter().fold(0.0, |largest: f64, b| largest.max(b.double().abs()));
        assert_eq!((sums[0], sums[3]), (0.0, largest));
        // The terms are at most 4, and are added in another order.
        let tolerance = 4.0 * length as f64 * f64::EPSILON;
        assert!((1..3).all(|n| (sums[n] - expected[n]).abs() <= tolerance), "{sums:?} {expected:?}");
    }
    // The largest magnitude of a vector with NaN is NaN.
    let mut spoilt = here.get(A).unwrap();
    spoilt[length - 1] = T::nan();
    there.set(A, &spoilt).unwrap();
    there.pass(solver_test, [0.3], [B, A], [Vector::Given, C, C], Some(1)).unwrap();
    assert!(there.sums().unwrap()[3].is_nan());
}

#[test]
fn passes_agree_on_a_gpu() {
    if !arcuate_emulation::available("passes") {
        return;
    }
    // The lengths are below and above a warp, a block and the largest grid.
    for length in [1, 31, 257, 131_500] {
        passes_agree::<f32>(length);
        passes_agree::<f64>(length);
    }
}

#[test]
fn kernels_of_solvers_are_listed() {
    if !arcuate_emulation::available("names of kernels") || !arcuate_emulation::emulated() {
        return;
    }
    let listed = arcuate_emulation::kernels();
    for kernel in [crate::solver_kernels(), kernels::<f32>(), kernels::<f64>()].concat() {
        assert!(listed.iter().any(|[name, _]| name == kernel.name()), "{} is not listed", kernel.name());
    }
}
