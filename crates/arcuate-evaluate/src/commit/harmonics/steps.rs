//! The recurrences of spherical harmonics, in the memory layout of GPU kernels.

use super::kernels::Step;
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_solve::Real;

/// Returns the recurrence steps of the harmonics of all orders m. The steps of one order are contiguous, with
/// ascending degrees.
pub(super) fn steps<T: Real>(functions: &EvenHarmonics) -> Vec<Step<T>> {
    let step = |numbers: [f64; 3]| {
        let [square, constant, before] = numbers.map(T::of);
        Step { square, constant, before, unused: T::of(0.0) }
    };
    let mut steps = Vec::new();
    for (_, first, of_order) in functions.recurrences() {
        steps.push(step([first, 0.0, 0.0]));
        steps.extend(of_order.iter().map(|s| step([s.square, s.constant, s.before])));
    }
    steps
}
