//! The way of a step: how long it is, how sharply it turns, and whether it leads back to where the ray has been.

use super::constants;
use super::metric::{Metrics, Place};
use super::options::Settings;
use super::steps::Step;
use arcuate_compute::numbers::{Lanes, Real, Vector};

/// The square of the cosine between directions that count as the same, 25 degrees.
const SAME_DIRECTION: f64 = constants::SAME_DIRECTION;

/// A place and a velocity that rays had, which they remember to know when they come back.
#[derive(Debug, Clone, Copy)]
pub(super) struct Anchor<T, const W: usize> {
    pub(super) place: Place<T, W>,
    pub(super) velocity: Vector<T, W>,
}

/// What decides whether rays take their step.
pub(super) struct Ways<T, const W: usize> {
    /// In mm.
    pub(super) chord: Lanes<T, W>,
    /// The cosine of the turn times both speeds, and its limit times both.
    pub(super) cosine: Lanes<T, W>,
    pub(super) least_cosine: Lanes<T, W>,
    /// The square of the distance to the place remembered, in mm²; above 0, where the direction is that from there.
    pub(super) distance: Lanes<T, W>,
    pub(super) same_direction: Lanes<T, W>,
}

impl<T: Real, const W: usize> Ways<T, W> {
    /// From velocity and speed here to where a step leads.
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
        let mut ways = Self { chord, cosine: zero, least_cosine: zero, distance: zero, same_direction: zero };
        // In the precision of the rays, as GPUs compare it.
        if T::of(settings.min_cosine) > T::of(-1.0) {
            let ahead = metrics.square(there.velocity).root();
            ways.cosine = metrics.inner(there.velocity, velocity);
            ways.least_cosine = Lanes::all(settings.min_cosine) * (speed * ahead);
        }
        if settings.end_loops {
            let mut offset = there.displacement;
            for axis in 0..3 {
                offset[axis] = (there.place.whole[axis] - anchor.place.whole[axis])
                    + (there.place.rest[axis] - anchor.place.rest[axis]);
            }
            ways.distance = metrics.square(offset);
            let along = metrics.inner(there.velocity, anchor.velocity);
            let both = metrics.square(there.velocity) * metrics.square(anchor.velocity);
            let same = along * along - Lanes::all(SAME_DIRECTION) * both;
            ways.same_direction = along.if_above(zero, same, -Lanes::all(1.0));
        }
        ways
    }
}
