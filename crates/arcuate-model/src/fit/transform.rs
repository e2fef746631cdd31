//! Bounds kept by transforms: numbers as functions of others without bounds (`BoundsMethod::Transform`).

use super::interpreter::{Row, WIDTH};
use super::stage::INSIDE;
use arcuate_compute::numbers::{Lanes, Real};

/// The longest step of a transformed number.
pub(super) const LONGEST_STEP: f64 = 4.0;

/// The number itself, or the nearest that is not at a bound: from there no step leads away.
pub(super) fn inside<T: Real>(number: T, low: T, high: T) -> T {
    let endless = |end: T| end.size() == T::of(f64::INFINITY);
    let length = if endless(low) || endless(high) { T::of(1.0) } else { high - low };
    let inside = T::of(INSIDE) * length;
    number.larger(low + inside).smaller(high - inside)
}

/// dθ/du of a number between bounds: of θ = low + (high − low) / (1 + e⁻ᵘ), or of an exponential beside one bound.
#[inline(always)]
pub(super) fn slope<T: Real>(number: Row<T>, low: T, high: T) -> Row<T> {
    let above = number - Lanes([low; WIDTH]);
    let below = Lanes([high; WIDTH]) - number;
    match (low > T::of(f64::NEG_INFINITY), high < T::of(f64::INFINITY)) {
        (true, true) => above * below * Lanes([T::of(1.0) / (high - low); WIDTH]),
        (true, false) => above,
        (false, true) => below,
        (false, false) => Lanes::all(1.0),
    }
}

/// The number whose transformed one is further by `step`.
#[inline(always)]
pub(super) fn moved<T: Real>(number: Row<T>, step: Row<T>, low: T, high: T) -> Row<T> {
    let (lowest, highest) = (Lanes([low; WIDTH]), Lanes([high; WIDTH]));
    let step = step.larger(Lanes::all(-LONGEST_STEP)).smaller(Lanes::all(LONGEST_STEP));
    let (above, below) = (number - lowest, highest - number);
    match (low > T::of(f64::NEG_INFINITY), high < T::of(f64::INFINITY)) {
        (true, true) => {
            let share = above * step.exponential();
            (share * highest + below * lowest) / (share + below)
        }
        (true, false) => above.fma(step.exponential(), lowest),
        (false, true) => (-below).fma((-step).exponential(), highest),
        (false, false) => number + step,
    }
}
