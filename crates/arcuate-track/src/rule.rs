//! How streamlines move along the directions that they find: the rules, once for one streamline and for several side by side.

use crate::lanes::{Lanes, Vector};
use std::array::from_fn;

/// Directions, of one streamline or of several.
pub(crate) trait Directions: Copy {
    fn plus(self, other: Self) -> Self;
    fn times(self, factor: f64) -> Self;
    /// Brought to unit length.
    fn unit(self) -> Self;
}

impl Directions for [f32; 3] {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        from_fn(|n| self[n] + other[n])
    }

    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        self.map(|c| factor as f32 * c)
    }

    #[inline(always)]
    fn unit(self) -> Self {
        let length = (self[0] * self[0] + self[1] * self[1] + self[2] * self[2]).sqrt();
        self.map(|c| c / length)
    }
}

impl<const W: usize> Directions for Vector<W> {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        from_fn(|n| self[n] + other[n])
    }

    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        self.map(|c: Lanes<W>| factor * c)
    }

    #[inline(always)]
    fn unit(self) -> Self {
        crate::lanes::unit(self)
    }
}

/// A step: how far it leads, in parts of its nominal length, and the direction that the next one is compared with.
pub(crate) type Step<V> = (V, V);

/// What a rule looks ahead with: a trait and no closure, so that all of it is compiled into the loop that steps.
pub(crate) trait Look<V> {
    /// The direction at the point that lies so many steps ahead along a direction, on the side of the first one, if there is
    /// one. Stages number from 1 on.
    fn ahead(&mut self, stage: u32, steps: f64, along: V) -> Option<V>;
}

/// A rule by which streamlines move.
pub(crate) trait Rule: Copy + Sync {
    /// The step from where the direction is `first`; straight where there is none ahead.
    fn step<V: Directions>(self, first: V, look: &mut impl Look<V>) -> Step<V>;
}

/// Straight on: of first order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Euler;

impl Rule for Euler {
    #[inline(always)]
    fn step<V: Directions>(self, first: V, _: &mut impl Look<V>) -> Step<V> {
        (first, first)
    }
}

/// Along the mean of the directions at both ends of a trial step: of second order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModifiedEuler;

impl Rule for ModifiedEuler {
    #[inline(always)]
    fn step<V: Directions>(self, first: V, look: &mut impl Look<V>) -> Step<V> {
        let mean = look.ahead(1, 1.0, first).map_or(first, |there| first.plus(there).unit());
        (mean, mean)
    }
}

/// The classical scheme of fourth order: mean direction (k₁ + 2k₂ + 2k₃ + k₄) / 6, shorter the more a streamline bends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RungeKutta4;

impl Rule for RungeKutta4 {
    #[inline(always)]
    fn step<V: Directions>(self, first: V, look: &mut impl Look<V>) -> Step<V> {
        let Some(k2) = look.ahead(1, 0.5, first) else { return (first, first) };
        let Some(k3) = look.ahead(2, 0.5, k2) else { return (first, first) };
        let Some(k4) = look.ahead(3, 1.0, k3) else { return (first, first) };
        let along = first.plus(k2.plus(k3).times(2.0)).plus(k4).times(1.0 / 6.0);
        (along, first)
    }
}
