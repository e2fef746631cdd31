//! Integration rules of streamlines. The code of each rule works for one streamline or for several in
//! parallel SIMD lanes.

use crate::lanes::Vector;
use arcuate_numbers::vector3;
use std::array::from_fn;

/// Directions of one streamline, or of several in parallel lanes.
pub(crate) trait Directions: Copy {
    fn plus(self, other: Self) -> Self;
    fn times(self, factor: f64) -> Self;
    /// Returns the vectors normalised to unit length.
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
        vector3::unit(self)
    }
}

impl<const W: usize> Directions for Vector<W> {
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        from_fn(|n| self[n] + other[n])
    }

    #[inline(always)]
    fn times(self, factor: f64) -> Self {
        self.map(|c| factor * c)
    }

    #[inline(always)]
    fn unit(self) -> Self {
        crate::lanes::unit(self)
    }
}

/// A step of a streamline: its displacement in units of the nominal step length, and the direction with which
/// the direction of the next step is compared.
pub(crate) type Step<V> = (V, V);

/// Access to the direction field ahead of a streamline. This is a trait and not a closure, so that the
/// compiler inlines its method into the stepping loop.
pub(crate) trait LookAhead<V> {
    /// Returns the current direction of the streamline or, at the seed, its first direction.
    fn before(&self) -> V;

    /// Returns the direction of the field at the point `steps` steps ahead along `along`. It has the sign
    /// that is closest to the first direction. Returns `None` if the field has no direction there.
    /// Integration stages are numbered from 1.
    fn ahead(&mut self, stage: u32, steps: f64, along: V) -> Option<V>;
}

/// An integration rule for one streamline, or for several in parallel SIMD lanes.
pub(crate) trait Rule<V>: Copy + Sync {
    /// Returns the step from a point at which the field has the direction `first`. If the field has no
    /// direction ahead, the step is straight.
    fn step(self, first: V, look: &mut impl LookAhead<V>) -> Step<V>;
}

/// First-order rule: a straight step along the direction of the field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Euler;

impl<V: Directions> Rule<V> for Euler {
    #[inline(always)]
    fn step(self, first: V, _: &mut impl LookAhead<V>) -> Step<V> {
        (first, first)
    }
}

/// Second-order rule: a step along the mean of the directions at both ends of a trial step.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ModifiedEuler;

impl<V: Directions> Rule<V> for ModifiedEuler {
    #[inline(always)]
    fn step(self, first: V, look: &mut impl LookAhead<V>) -> Step<V> {
        let mean = look.ahead(1, 1.0, first).map_or(first, |there| first.plus(there).unit());
        (mean, mean)
    }
}

/// Classical fourth-order Runge–Kutta rule. The displacement is the mean direction (k₁ + 2k₂ + 2k₃ + k₄) / 6.
/// It is shorter than a unit step if the streamline bends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RungeKutta4;

impl<V: Directions> Rule<V> for RungeKutta4 {
    #[inline(always)]
    fn step(self, first: V, look: &mut impl LookAhead<V>) -> Step<V> {
        let Some(k2) = look.ahead(1, 0.5, first) else { return (first, first) };
        let Some(k3) = look.ahead(2, 0.5, k2) else { return (first, first) };
        let Some(k4) = look.ahead(3, 1.0, k3) else { return (first, first) };
        let along = first.plus(k2.plus(k3).times(2.0)).plus(k4).times(1.0 / 6.0);
        (along, first)
    }
}

/// Rule for steps along circular arcs. The field returns the chord of each arc. The rule is of second order
/// if the field chooses the chord by the directions along the arc.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arc;

impl Rule<[f32; 3]> for Arc {
    #[inline(always)]
    fn step(self, chord: [f32; 3], look: &mut impl LookAhead<[f32; 3]>) -> Step<[f32; 3]> {
        let before = look.before();
        let cosine = vector3::dot(chord, before).min(1.0);
        // Let h be half of the angle of the arc and e = 1 − cos h. The chord is `sin h / h` times the length
        // of the arc, with `sin² h = e(2 − e)` and `h² = e(2 + e/3 + 4e²/45 + e³/35 + 16e⁴/1575 + …)`. At h =
        // 45° the truncated series is 3e-6 too small.
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

    impl LookAhead<[f32; 3]> for From {
        fn before(&self) -> [f32; 3] {
            self.0
        }

        fn ahead(&mut self, _: u32, _: f64, _: [f32; 3]) -> Option<[f32; 3]> {
            None
        }
    }

    #[test]
    fn arcs_are_circular() {
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
