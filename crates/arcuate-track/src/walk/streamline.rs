//! One streamline through a field, from its number alone. `samples/walk.cuh` is the same, operation by operation, for samples:
//! change both or none.
//!
//! Places are in voxels of the field, directions in scanner axes, all in f32 with a rounding after each operation.
//! The order of what happens at a point is that of probtrackx2 (Behrens et al. 2007, doi:10.1016/j.neuroimage.2006.09.018).

use super::beginnings::Beginnings;
use super::options::{Limits, WalkOptions, WalkRule};
use super::trail::{Trail, Visit};
use crate::constraints::{Fixed, Lattices};
use crate::direction_field::{DirectionField, Draws};
use crate::rule::{Arc, Directions, Euler, Look, ModifiedEuler, Rule, RungeKutta4};
use crate::space::{dot, flat};
use crate::summary::{Outcome, Rejection, Termination};
use arcuate_core::{Affine, Result};

/// What streamlines are followed through and by.
pub(crate) struct Walk<'a, F> {
    pub(crate) field: &'a F,
    pub(crate) beginnings: &'a Beginnings,
    pub(crate) lattices: &'a Lattices,
    pub(crate) limits: Limits,
    /// Seeds in the space of surfaces, where these are of that space.
    pub(crate) exact: &'a [Fixed],
    rule: WalkRule,
    seed: u64,
    /// Directions in scanner axes to steps in voxels.
    pub(crate) step: [f32; 9],
    pub(super) to_mm: [f32; 12],
    min_cosine: f32,
    loop_check: bool,
}

/// What one streamline carries from point to point.
struct State {
    place: [f32; 3],
    direction: [f32; 3],
    steps: u32,
}

/// One half: how it ended, its points, and its first direction.
struct Half {
    end: Termination,
    points: u32,
    first: [f32; 3],
}

/// Unit vectors in scanner axes to steps in voxels.
fn step_of(inverse: &Affine, step_mm: f64) -> [f32; 9] {
    let rows = inverse.rows();
    std::array::from_fn(|n| (rows[n / 3][n % 3] * step_mm) as f32)
}

impl<'a, F: DirectionField> Walk<'a, F> {
    pub(crate) fn new(
        field: &'a F,
        beginnings: &'a Beginnings,
        lattices: &'a Lattices,
        options: &WalkOptions,
    ) -> Result<Self> {
        let grid = field.grid();
        Ok(Self {
            field,
            beginnings,
            lattices,
            limits: options.limits()?,
            exact: beginnings.exact(lattices),
            rule: options.rule,
            seed: options.seed,
            step: step_of(grid.inverse(), options.step_mm),
            to_mm: flat(grid.affine()),
            min_cosine: options.min_cosine as f32,
            loop_check: options.loop_check,
        })
    }

    /// Which seed a streamline is of.
    pub(crate) fn seed_of(&self, number: u64) -> usize {
        self.beginnings.seed_of(self.seed, number)
    }

    /// A step from a place along a direction.
    #[inline]
    fn moved(&self, p: [f32; 3], d: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|row| {
            let s = &self.step[3 * row..3 * row + 3];
            p[row] + (s[0] * d[0] + s[1] * d[1] + s[2] * d[2])
        })
    }

    #[inline]
    fn half<R: Rule<[f32; 3]>>(
        &self,
        rule: R,
        draws: &mut Draws,
        sign: u32,
        state: &mut State,
        trail: &mut Trail,
    ) -> Half {
        let half = draws.half as usize;
        let mut first = [0.0; 3];
        let mut last_visit = None;
        let mut has_direction = state.direction != [0.0; 3];
        trail.cells.clear();
        let ended = |end, points, first| Half { end, points, first };
        for k in 0..self.limits.points {
            let p = state.place;
            if self.loop_check && !trail.cells.pass(p, state.direction) {
                return ended(Termination::Loop, k, first);
            }
            let arrival = trail.passage.arrive_spared(
                self.lattices,
                p,
                k == 0,
                self.limits.spares_first_step && k <= 1,
            );
            if let Some(why) = arrival.end {
                return ended(why, if why == Termination::Avoid { 0 } else { k }, first);
            }
            if trail.wants_points {
                trail.points[half].push(p);
            }
            if let Some(voxel) = arrival.voxel
                && last_visit != Some(voxel)
            {
                trail.visits[half].push(Visit { voxel, steps: k });
                last_visit = Some(voxel);
            }
            if arrival.stops {
                return ended(Termination::Stop, k + 1, first);
            }
            (draws.point, draws.stage) = (k, 0);
            let mut d = match self.field.direction(p, state.direction, draws) {
                Ok(direction) => direction,
                Err(why) => return ended(why, k + 1, first),
            };
            let cosine = dot(d, state.direction);
            if has_direction && cosine.abs() <= self.min_cosine {
                return ended(Termination::Angle, k + 1, first);
            }
            if !self.field.holds(p) {
                return ended(Termination::LeftMask, k + 1, first);
            }
            let turned = if has_direction { cosine < 0.0 } else { sign & 1 != 0 };
            if turned {
                d = d.map(|c| -c);
            }
            let before = if has_direction { state.direction } else { d };
            let mut ahead = Ahead { walk: self, place: p, before, first: d, draws };
            let (along, direction) = rule.step(d, &mut ahead);
            state.place = self.moved(p, along);
            state.direction = direction;
            state.steps += 1;
            if k == 0 {
                first = direction;
                has_direction = true;
            }
        }
        ended(Termination::MaxSteps, self.limits.points, first)
    }

    /// Follows streamline `number` to both its ends.
    pub(crate) fn follow(&self, number: u64, trail: &mut Trail) -> Outcome {
        match self.rule {
            WalkRule::Euler => self.follow_by(Euler, number, trail),
            WalkRule::ModifiedEuler => self.follow_by(ModifiedEuler, number, trail),
            WalkRule::RungeKutta4 => self.follow_by(RungeKutta4, number, trail),
            WalkRule::Arc => self.follow_by(Arc, number, trail),
        }
    }

    fn follow_by<R: Rule<[f32; 3]>>(&self, rule: R, number: u64, trail: &mut Trail) -> Outcome {
        trail.clear();
        let begin = self.beginnings.begin(self.seed, number);
        let mut outcome = Outcome::rejected(Rejection::SeedOutside);
        if !self.field.holds(begin) {
            return outcome;
        }
        let mut draws = Draws { seed: self.seed, number, half: 0, point: 0, stage: 0 };
        let sign = draws.of_both_halves()[0];
        let mut state = State { place: begin, direction: [0.0; 3], steps: 0 };
        let exact = (!self.exact.is_empty()).then(|| self.exact[self.seed_of(number)]);
        trail.passage.begin_at(self.lattices, exact);
        let enough = |half: &Half| half.points > 0 && half.points > self.limits.half_steps;
        let one = self.half(rule, &mut draws, sign, &mut state, trail);
        trail.passage.end_half(self.lattices, enough(&one));
        state.place = begin;
        state.direction = one.first.map(|c| 0.0 - c);
        draws.half = 1;
        let other = self.half(rule, &mut draws, !sign, &mut state, trail);
        trail.passage.end_half(self.lattices, enough(&other));
        outcome.steps = state.steps;
        outcome.ends = [Some(one.end), Some(other.end)];
        let keep = match trail.passage.judge(self.lattices) {
            Ok(keep) => keep,
            Err(why) => return Outcome { rejection: Some(why), ..outcome },
        };
        let points = [if keep[0] { one.points } else { 0 }, if keep[1] { other.points } else { 0 }];
        let steps = points[0].saturating_sub(1) + points[1].saturating_sub(1);
        outcome.rejection = if steps < self.limits.steps[0] {
            Some(Rejection::TooShort)
        } else if steps > self.limits.steps[1] {
            Some(Rejection::TooLong)
        } else {
            outcome.points = points;
            None
        };
        outcome
    }
}

/// What a step sees ahead of where a streamline is.
struct Ahead<'w, 'a, F> {
    walk: &'w Walk<'a, F>,
    place: [f32; 3],
    before: [f32; 3],
    first: [f32; 3],
    draws: &'w mut Draws,
}

impl<F: DirectionField> Look<[f32; 3]> for Ahead<'_, '_, F> {
    #[inline(always)]
    fn before(&self) -> [f32; 3] {
        self.before
    }

    #[inline(always)]
    fn ahead(&mut self, stage: u32, steps: f64, along: [f32; 3]) -> Option<[f32; 3]> {
        self.draws.stage = stage;
        let there = self.walk.moved(self.place, along.times(steps));
        let other = self.walk.field.direction(there, self.before, self.draws).ok()?;
        Some(if dot(other, self.first) <= 0.0 { other.map(|c| -c) } else { other })
    }
}
