//! Checks of a step of a geodesic ray: its length, its change of direction, and whether it returns to an
//! earlier position of the ray.

use super::constants;
use super::metric::{Metrics, Place};
use super::options::Settings;
use super::steps::Step;
use arcuate_numbers::{Lanes, Operations, Real, Vector};

/// Square of the cosine of 25°, the maximum angle between directions that count as the same.
const SAME_DIRECTION: f64 = constants::SAME_DIRECTION;

/// An earlier position and velocity of each ray, stored to detect that the ray returns there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Anchor<T, const W: usize> {
    pub(super) place: Place<T, W>,
    pub(super) velocity: Vector<T, W>,
}

/// Quantities that decide whether the rays accept their last step.
pub(super) struct StepChecks<T, const W: usize> {
    /// Length of the step, in mm.
    pub(super) chord: Lanes<T, W>,
    /// Cosine of the angle between the directions before and after the step, and its minimum. Both are
    /// multiplied by the speeds before and after the step.
    pub(super) cosine: Lanes<T, W>,
    pub(super) least_cosine: Lanes<T, W>,
    /// Squared distance from the new position to the stored position, in mm². `same_direction` is above 0 if
    /// the ray has the same direction as at the stored position.
    pub(super) distance: Lanes<T, W>,
    pub(super) same_direction: Lanes<T, W>,
}

impl<T: Real, const W: usize> StepChecks<T, W> {
    /// Computes the checks of a step. `here` contains velocity and speed before the step, and `there` is the
    /// step.
    #[inline(always)]
    pub(super) fn of(
        metrics: &Metrics<T>,
        settings: &Settings,
        anchor: &Anchor<T, W>,
        here: (Vector<T, W>, Lanes<T, W>),
        there: &Step<T, W>,
    ) -> Self {
        let (velocity, speed) = here;
        let zero = Lanes::all(0.0);
        let chord = metrics.square(there.displacement).root();
        let mut checks =
            Self { chord, cosine: zero, least_cosine: zero, distance: zero, same_direction: zero };
        // The limit of the angle is compared in the precision of the rays, as on GPUs.
        if T::of(settings.min_cosine) > T::of(-1.0) {
            let ahead = metrics.square(there.velocity).root();
            checks.cosine = metrics.inner(there.velocity, velocity);
            checks.least_cosine = Lanes::all(settings.min_cosine) * (speed * ahead);
        }
        if settings.end_loops {
            let mut offset = there.displacement;
            for axis in 0..3 {
                offset[axis] = (there.place.whole[axis] - anchor.place.whole[axis])
                    + (there.place.rest[axis] - anchor.place.rest[axis]);
            }
            checks.distance = metrics.square(offset);
            let along = metrics.inner(there.velocity, anchor.velocity);
            let both = metrics.square(there.velocity) * metrics.square(anchor.velocity);
            let same = along * along - Lanes::all(SAME_DIRECTION) * both;
            checks.same_direction = along.if_above(zero, same, -Lanes::all(1.0));
        }
        checks
    }
}
