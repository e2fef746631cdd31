//! The recurrences of spherical harmonics, in the memory layout of GPU kernels.

use arcuate_core::harmonics::{self, EvenHarmonics};
use arcuate_solve::Real;

/// A step of the recurrences of spherical harmonics, as defined in `kernels.cu`. The four numbers are
/// `square`, `constant`, `before`, and an unused number.
pub(super) type Step<T> = [T; 4];

/// Returns the recurrence steps of the harmonics of all orders m. The steps of one order are contiguous, with
/// ascending degrees.
pub(super) fn steps<T: Real>(functions: &EvenHarmonics) -> Vec<Step<T>> {
    let mut steps = Vec::new();
    for (_, first, of_order) in functions.recurrences() {
        steps.push([first, 0.0, 0.0, 0.0].map(T::of));
        let next = |s: &harmonics::Step| [s.square, s.constant, s.before, 0.0].map(T::of);
        steps.extend(of_order.iter().map(next));
    }
    steps
}
