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
    /// The direction in which the streamline comes; at its seed the first one.
    fn before(&self) -> V;

    /// The direction at the point that lies so many steps ahead along a direction, on the side of the first one, if there is
    /// one. Stages number from 1 on.
    fn ahead(&mut self, stage: u32, steps: f64, along: V) -> Option<V>;
}

/// A rule by which streamlines move, one or several side by side.
pub(crate) trait Rule<V>: Copy + Sync {
    /// The step from where the direction is `first`; straight where there is none ahead.
    fn step(self, first: V, look: &mut impl Look<V>) -> Step<V>;
}

/// Straight on: of first order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Euler;

impl<V: Directions> Rule<V> for Euler {
    #[inline(always)]
    fn step(self, first: V, _: &mut impl Look<V>) -> Step<V> {
        (first, first)
    }
}

/// Along the mean of the directions at both ends of a trial step: of second order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModifiedEuler;

impl<V: Directions> Rule<V> for ModifiedEuler {
    #[inline(always)]
    fn step(self, first: V, look: &mut impl Look<V>) -> Step<V> {
        let mean = look.ahead(1, 1.0, first).map_or(first, |there| first.plus(there).unit());
        (mean, mean)
    }
}

/// The classical scheme of fourth order: mean direction (k₁ + 2k₂ + 2k₃ + k₄) / 6, shorter the more a streamline bends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RungeKutta4;

impl<V: Directions> Rule<V> for RungeKutta4 {
    #[inline(always)]
    fn step(self, first: V, look: &mut impl Look<V>) -> Step<V> {
        let Some(k2) = look.ahead(1, 0.5, first) else { return (first, first) };
        let Some(k3) = look.ahead(2, 0.5, k2) else { return (first, first) };
        let Some(k4) = look.ahead(3, 1.0, k3) else { return (first, first) };
        let along = first.plus(k2.plus(k3).times(2.0)).plus(k4).times(1.0 / 6.0);
        (along, first)
    }
}

/// Along arcs of which the field says the chords: of second order where it draws them by what lies along them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arc;

impl Rule<[f32; 3]> for Arc {
    #[inline(always)]
    fn step(self, chord: [f32; 3], look: &mut impl Look<[f32; 3]>) -> Step<[f32; 3]> {
        let before = look.before();
        let cosine = (chord[0] * before[0] + chord[1] * before[1] + chord[2] * before[2]).min(1.0);
        // With h, half of the turn, the chord is sin h / h of the arc. Of e = 1 − cos h: sin² h = e(2 − e), and
        // h² = e(2 + e/3 + 4e²/45 + e³/35 + 16e⁴/1575 + …), which at 45° is 3e-6 too small.
        let e = 1.0 - cosine;
        let square = 2.0 + e * (1.0 / 3.0 + e * (4.0 / 45.0 + e * (1.0 / 35.0 + e * (16.0 / 1575.0))));
        let part = ((2.0 - e) / square).sqrt();
        let end: [f32; 3] = from_fn(|n| 2.0 * cosine * chord[n] - before[n]);
        (chord.map(|c| part * c), end.unit())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct From([f32; 3]);

    impl Look<[f32; 3]> for From {
        fn before(&self) -> [f32; 3] {
            self.0
        }

        fn ahead(&mut self, _: u32, _: f64, _: [f32; 3]) -> Option<[f32; 3]> {
            None
        }
    }

    #[test]
    fn arcs_are_parts_of_circles() {
        for degrees in [0.0f64, 0.01, 10.0, 45.0, 90.0] {
            let turn = degrees.to_radians();
            let half = turn / 2.0;
            let chord = [half.sin() as f32, 0.0, half.cos() as f32];
            let (along, end) = Arc.step(chord, &mut From([0.0, 0.0, 1.0]));
            let length = f64::from(along[0]).hypot(f64::from(along[2]));
            let expected = if half > 0.0 { half.sin() / half } else { 1.0 };
            assert!((length - expected).abs() < 1e-5, "{degrees}: {length} {expected}");
            assert!(
                (f64::from(end[0]) - turn.sin()).abs() < 1e-6
                    && (f64::from(end[2]) - turn.cos()).abs() < 1e-6
            );
        }
    }
}
