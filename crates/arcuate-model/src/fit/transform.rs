//! Keeps parameters within bounds by transforms: each parameter is a function of an unbounded variable
//! (`BoundsMethod::Transform`).

use super::stage::INSIDE;
use arcuate_numbers::{Operations, Real};

/// The longest step of a transformed (unbounded) variable in one iteration of the fit.
const LONGEST_STEP: f64 = 4.0;

/// Returns a parameter value with at least a minimum distance from its bounds. A value that is nearer to a
/// bound is moved, because no step of a transformed variable could leave a bound.
#[inline(always)]
pub(super) fn inside<T: Real, N: Operations>(number: N, low: T, high: T) -> N {
    let endless = |end: T| end.size() == T::of(f64::INFINITY);
    let length = if endless(low) || endless(high) { T::of(1.0) } else { high - low };
    let inside = T::of(INSIDE) * length;
    number.within((low + inside).double(), (high - inside).double())
}

/// Returns the derivative dθ/du of a bounded parameter θ with respect to its unbounded variable u. With two
/// bounds, θ = low + (high − low) / (1 + e⁻ᵘ). With one bound, θ is an exponential of u.
#[inline(always)]
pub(super) fn slope<T: Real, N: Operations>(number: N, low: T, high: T) -> N {
    let above = number - number.known(low.double());
    let below = number.known(high.double()) - number;
    match (low > T::of(f64::NEG_INFINITY), high < T::of(f64::INFINITY)) {
        (true, true) => above * below * number.known((T::of(1.0) / (high - low)).double()),
        (true, false) => above,
        (false, true) => below,
        (false, false) => number.known(1.0),
    }
}

/// Returns the new value of a parameter after its transformed (unbounded) variable has moved by `step`.
#[inline(always)]
pub(super) fn moved<T: Real, N: Operations>(number: N, step: N, low: T, high: T) -> N {
    let (lowest, highest) = (number.known(low.double()), number.known(high.double()));
    let step = step.larger(step.known(-LONGEST_STEP)).smaller(step.known(LONGEST_STEP));
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
