//! One streamline on the processor.

use super::principal::{Principal, dot, times, unit};
use crate::field::TensorField;
use crate::options::{Integrator, Method, Settings};
use crate::summary::{Fate, Outcome, Termination};
use arcuate_core::Point;

/// Follows streamlines through a field under fixed settings.
pub(super) struct Tracker<'a> {
    pub(super) field: &'a TensorField,
    pub(super) settings: Settings,
}

type Followed<T> = Result<T, Termination>;

/// How a method turns a tensor and the direction it is entered with into the direction to go on with.
trait Rule: Copy {
    /// A unit vector, or nothing where the way on is not decided.
    fn onwards(self, tensor: &[f64; 6], principal: &Principal, incoming: [f64; 3]) -> Option<[f64; 3]>;
}

#[derive(Clone, Copy)]
struct PrincipalDirection;

impl Rule for PrincipalDirection {
    #[inline]
    fn onwards(self, _: &[f64; 6], principal: &Principal, incoming: [f64; 3]) -> Option<[f64; 3]> {
        principal.towards(incoming)
    }
}

#[derive(Clone, Copy)]
struct Deflection {
    f: f64,
    g: f64,
}

impl Rule for Deflection {
    #[inline]
    fn onwards(self, tensor: &[f64; 6], principal: &Principal, incoming: [f64; 3]) -> Option<[f64; 3]> {
        let straight = (1.0 - self.f) * (1.0 - self.g);
        let mut out = incoming.map(|c| straight * c);
        let mut add = |weight: f64, direction: [f64; 3]| {
            for axis in 0..3 {
                out[axis] += weight * direction[axis];
            }
        };
        // A part without weight need not exist.
        if self.f > 0.0 {
            add(self.f, principal.towards(incoming)?);
        }
        if self.f < 1.0 && self.g > 0.0 {
            add((1.0 - self.f) * self.g, unit(times(tensor, incoming)));
        }
        let out = unit(out);
        // Opposite parts of equal weight, or a zero product: nothing is left to normalise.
        (!out[0].is_nan()).then_some(out)
    }
}

/// One end of a streamline.
struct End {
    why: Termination,
    length: f64,
}

impl Tracker<'_> {
    /// Follows the streamline of a seed (RAS mm), first to the side of `hemisphere`, then, where both directions are
    /// asked for, to the other. Its points are added to `points`, unless it is rejected: from the far end of the first
    /// half through the seed to the far end of the second, or, in one direction, from the seed on.
    pub(super) fn track(&self, seed: [f64; 3], hemisphere: [f64; 3], points: &mut Vec<Point>) -> Outcome {
        match self.settings.method {
            Method::Fact => self.both_halves(seed, hemisphere, points, |start, first, budget, points| {
                self.follow_voxels(start, first, budget, points)
            }),
            Method::Tensor => self.stepping(seed, hemisphere, points, PrincipalDirection),
            Method::TensorDeflection { f, g } => self.stepping(seed, hemisphere, points, Deflection { f, g }),
        }
    }

    fn stepping(
        &self,
        seed: [f64; 3],
        hemisphere: [f64; 3],
        points: &mut Vec<Point>,
        rule: impl Rule,
    ) -> Outcome {
        self.both_halves(seed, hemisphere, points, |start, first, budget, points| {
            match self.settings.integrator {
                Integrator::Euler => self.follow(start, first, budget, points, rule, |_, v| Ok(v)),
                Integrator::RungeKutta4 => {
                    self.follow(start, first, budget, points, rule, |x, v| self.runge_kutta(x, v, rule))
                }
            }
        })
    }

    /// Both halves, whatever the method; `follow` gets the start, the first direction and the length left.
    fn both_halves(
        &self,
        seed: [f64; 3],
        hemisphere: [f64; 3],
        points: &mut Vec<Point>,
        follow: impl Fn([f64; 3], [f64; 3], f64, &mut Vec<Point>) -> End,
    ) -> Outcome {
        let settings = &self.settings;
        let first = match self.first_direction(seed, hemisphere) {
            Ok(direction) => direction,
            Err(Termination::LeftImage | Termination::LeftMask) => {
                return Outcome { fate: Fate::SeedOutside, ends: [None; 2] };
            }
            Err(_) => return Outcome { fate: Fate::SeedAnisotropy, ends: [None; 2] },
        };
        let begin = points.len();
        points.push(seed.map(|c| c as f32));
        let one = follow(seed, first, settings.max_length, points);
        let mut length = one.length;
        let mut ends = [Some(one.why), None];
        if settings.both_directions {
            // What was found so far comes before the seed.
            points[begin..].reverse();
            let other = follow(seed, first.map(|c| -c), settings.max_length - length, points);
            length += other.length;
            ends[1] = Some(other.why);
        }
        // A thousandth of a step or voxel edge forgives the rounding of sums, as 5 × 2.0 mm in steps of 0.2 mm.
        if points.len() - begin < 2 || length < settings.min_length - 1e-3 * settings.step {
            points.truncate(begin);
            return Outcome { fate: Fate::TooShort, ends };
        }
        let fate = Fate::Accepted { points: (points.len() - begin) as u32, length_mm: length };
        Outcome { fate, ends }
    }

    fn first_direction(&self, seed: [f64; 3], hemisphere: [f64; 3]) -> Followed<[f64; 3]> {
        let tensor = if self.settings.method == Method::Fact {
            let at = self.field.voxel_coordinates(seed);
            self.field.in_voxel(self.field.voxel_around(at).ok_or(Termination::LeftImage)?)?
        } else {
            self.field.at(seed)?
        };
        let principal = Principal::of(&tensor, self.settings.seed_fa).ok_or(Termination::Anisotropy)?;
        Ok(principal.on_side_of(hemisphere))
    }

    /// Steps of equal length. `displacement` makes the mean direction of a step from the one it begins with.
    #[inline]
    fn follow(
        &self,
        start: [f64; 3],
        first: [f64; 3],
        budget: f64,
        points: &mut Vec<Point>,
        rule: impl Rule,
        displacement: impl Fn([f64; 3], [f64; 3]) -> Followed<[f64; 3]>,
    ) -> End {
        let Settings { step, min_cosine, .. } = self.settings;
        // As for the shortest length: a thousandth of a step is rounding.
        let most = (budget / step + 1e-3) as usize;
        let (mut x, mut v) = (start, first);
        for taken in 0..most {
            let end = |why| End { why, length: taken as f64 * step };
            let along = match displacement(x, v) {
                Ok(along) => along,
                Err(why) => return end(why),
            };
            let next: [f64; 3] = std::array::from_fn(|axis| x[axis] + step * along[axis]);
            let direction = match self.direction(next, v, rule) {
                Ok(direction) => direction,
                Err(why) => return end(why),
            };
            if dot(direction, v) < min_cosine {
                return end(Termination::Angle);
            }
            (x, v) = (next, direction);
            points.push(x.map(|c| c as f32));
        }
        End { why: Termination::MaxLength, length: most as f64 * step }
    }

    /// The direction at a point that is entered with `incoming`.
    #[inline]
    fn direction(&self, point: [f64; 3], incoming: [f64; 3], rule: impl Rule) -> Followed<[f64; 3]> {
        let tensor = self.field.at(point)?;
        let principal = Principal::of(&tensor, self.settings.fa_cutoff).ok_or(Termination::Anisotropy)?;
        rule.onwards(&tensor, &principal, incoming).ok_or(Termination::Angle)
    }

    /// Mean direction of a Runge–Kutta step: (k₁ + 2k₂ + 2k₃ + k₄) / 6 with k₁ = v.
    fn runge_kutta(&self, x: [f64; 3], v: [f64; 3], rule: impl Rule) -> Followed<[f64; 3]> {
        let step = self.settings.step;
        let from = |k: [f64; 3], part: f64| std::array::from_fn(|axis| x[axis] + part * step * k[axis]);
        let k2 = self.direction(from(v, 0.5), v, rule)?;
        let k3 = self.direction(from(k2, 0.5), v, rule)?;
        let k4 = self.direction(from(k3, 1.0), v, rule)?;
        Ok(std::array::from_fn(|axis| (v[axis] + 2.0 * (k2[axis] + k3[axis]) + k4[axis]) / 6.0))
    }

    /// FACT: straight from face to face, each voxel with its own direction.
    ///
    /// Where two neighbours point at their common face from both sides, the streamline slides along that face, as
    /// the line between ever shorter steps would.
    fn follow_voxels(&self, start: [f64; 3], first: [f64; 3], budget: f64, points: &mut Vec<Point>) -> End {
        let mut at = self.field.voxel_coordinates(start);
        let mut length = 0.0;
        let Some(mut voxel) = self.field.voxel_around(at) else {
            return End { why: Termination::LeftImage, length };
        };
        let mut direction = first;
        let mut entered: Option<(usize, bool)> = None;
        // Crossings since the streamline last moved. Three take it through a corner; more only turn around an edge.
        let mut standing = 0;
        loop {
            let mut velocity = self.field.voxel_displacement(direction);
            let mut speed = 1.0;
            if let Some((axis, forward)) = entered {
                let back = if forward { velocity[axis] < 0.0 } else { velocity[axis] > 0.0 };
                if back {
                    velocity[axis] = 0.0;
                    let along_face = self.field.scanner_displacement(velocity);
                    speed = dot(along_face, along_face).sqrt();
                }
            }
            // Where the line leaves the voxel: the nearest of the faces ahead.
            let (mut axis, mut time) = (0, f64::INFINITY);
            for n in 0..3 {
                let face = voxel[n] as f64 + 0.5f64.copysign(velocity[n]);
                let ahead = ((face - at[n]) / velocity[n]).max(0.0);
                if velocity[n] != 0.0 && ahead < time {
                    (axis, time) = (n, ahead);
                }
            }
            standing = if time > 0.0 { 0 } else { standing + 1 };
            if time == f64::INFINITY || standing > 3 {
                return End { why: Termination::Angle, length };
            }
            if length + time * speed > budget * (1.0 + 1e-12) {
                return End { why: Termination::MaxLength, length };
            }
            let forward = velocity[axis] > 0.0;
            for n in 0..3 {
                at[n] += time * velocity[n];
            }
            at[axis] = voxel[axis] as f64 + if forward { 0.5 } else { -0.5 };
            length += time * speed;
            if time > 0.0 {
                points.push(self.field.point(at).map(|c| c as f32));
            }
            let Some(next) = self.field.neighbour(voxel, axis, forward) else {
                return End { why: Termination::LeftImage, length };
            };
            let tensor = match self.field.in_voxel(next) {
                Ok(tensor) => tensor,
                Err(why) => return End { why, length },
            };
            let Some(principal) = Principal::of(&tensor, self.settings.fa_cutoff) else {
                return End { why: Termination::Anisotropy, length };
            };
            let Some(onwards) = principal.towards(direction) else {
                return End { why: Termination::Angle, length };
            };
            if dot(onwards, direction) < self.settings.min_cosine {
                return End { why: Termination::Angle, length };
            }
            (voxel, direction, entered) = (next, onwards, Some((axis, forward)));
        }
    }
}
