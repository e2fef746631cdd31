//! Tracking of one streamline through a direction field. The streamline depends only on its number.
//! `samples/walk.cuh` implements the same for orientation samples on GPUs, operation by operation. Always
//! change both.
//!
//! Positions are in voxel coordinates of the direction field, and directions are in scanner axes. Both are in
//! single precision, rounded after each operation. The order of the tests at each point is that of FSL
//! probtrackx2 (Behrens et al. 2007, doi:10.1016/j.neuroimage.2006.09.018).

use super::options::{Limits, WalkOptions, WalkRule};
use super::starting_points::StartingPoints;
use super::trail::{Trail, Visit};
use crate::constraints::{Fixed, RegionGrids};
use crate::direction_field::{DirectionField, Draws};
use crate::options::voxel_of;
use crate::rule::{Arc, Directions, Euler, LookAhead, ModifiedEuler, Rule, RungeKutta4};
use crate::space::flat;
use crate::summary::{Outcome, Rejection, Termination};
use arcuate_core::{Affine, Result, saturating};
use arcuate_numbers::vector3::dot;

/// Field, seeds, constraints and settings of tracking.
pub(crate) struct Walk<'a, F> {
    pub(crate) field: &'a F,
    pub(crate) starting_points: &'a StartingPoints,
    pub(crate) region_grids: &'a RegionGrids,
    pub(crate) limits: Limits,
    /// Exact positions of the seeds in the space of the surfaces, if seeds and surfaces are in the same
    /// space.
    pub(crate) exact: &'a [Fixed],
    rule: WalkRule,
    seed: u64,
    /// Matrix that converts unit vectors in scanner axes to steps in voxels.
    pub(crate) step: [f32; 9],
    pub(super) to_mm: [f32; 12],
    min_cosine: f32,
    pub(super) loop_check: bool,
    /// Number of points by which each attempt of back-tracking starts further back.
    pub(crate) points_in_half_a_voxel: u32,
}

/// Current state of a streamline.
pub(super) struct State {
    pub(super) place: [f32; 3],
    pub(super) direction: [f32; 3],
    pub(super) steps: u32,
}

/// Result of tracking one half of a streamline: the reason why it stopped, its number of points, its first
/// direction, and whether its end is anatomically plausible.
pub(super) struct HalfStreamline {
    pub(super) end: Termination,
    pub(super) points: u32,
    pub(super) first: [f32; 3],
    pub(super) is_right: bool,
}

/// Point at which tracking of a half of a streamline starts or resumes: the number of the point, and the
/// first direction of the half.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResumePoint {
    pub(super) point: u32,
    pub(super) first: [f32; 3],
    /// Maximum number of points of the half.
    pub(super) maximum: u32,
}

/// Returns the matrix that converts unit vectors in scanner axes to steps in voxels.
fn step_of(inverse: &Affine, step_mm: f64) -> [f32; 9] {
    let rows = inverse.rows();
    std::array::from_fn(|n| (rows[n / 3][n % 3] * step_mm) as f32)
}

impl<'a, F: DirectionField> Walk<'a, F> {
    pub(crate) fn new(
        field: &'a F,
        starting_points: &'a StartingPoints,
        region_grids: &'a RegionGrids,
        options: &WalkOptions,
    ) -> Result<Self> {
        let grid = field.grid();
        Ok(Self {
            field,
            starting_points,
            region_grids,
            limits: options.limits()?,
            exact: starting_points.exact(region_grids),
            rule: options.rule,
            seed: options.seed,
            step: step_of(grid.inverse(), options.step_mm),
            to_mm: flat(grid.affine()),
            min_cosine: options.min_cosine as f32,
            loop_check: options.loop_check,
            points_in_half_a_voxel: saturating::<u32>((0.5 * voxel_of(grid) / options.step_mm).round()),
        })
    }

    /// Returns the index of the seed of a streamline.
    pub(crate) fn seed_of(&self, number: u64) -> usize {
        self.starting_points.seed_of(self.seed, number)
    }

    /// Returns the position one step away from position `p` along direction `d`.
    #[inline]
    fn moved(&self, p: [f32; 3], d: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|row| {
            let s = &self.step[3 * row..3 * row + 3];
            p[row] + (s[0] * d[0] + s[1] * d[1] + s[2] * d[2])
        })
    }

    /// Tracks a half of a streamline from one of its points. `state` is at this point.
    #[inline]
    pub(super) fn half<R: Rule<[f32; 3]>>(
        &self,
        rule: R,
        draws: &mut Draws,
        sign: u32,
        from: ResumePoint,
        state: &mut State,
        trail: &mut Trail,
    ) -> HalfStreamline {
        let half = draws.half as usize;
        let mut first = from.first;
        let mut last_visit = trail.visits[half].last().map(|visit| visit.voxel);
        let mut has_direction = state.direction != [0.0; 3];
        if from.point == 0 {
            trail.cells.clear();
        }
        let ended = |end, points, first| HalfStreamline { end, points, first, is_right: true };
        for k in from.point..from.maximum {
            let p = state.place;
            let mut tissue = None;
            if let Some(anatomy) = &self.region_grids.anatomy {
                tissue = trail.course.arrive(anatomy, p, k);
                if let Some((why, false)) = tissue {
                    return ended(why, k, first);
                }
            }
            if self.loop_check && !trail.cells.pass(p, state.direction) {
                return ended(Termination::Loop, k, first);
            }
            let arrival = trail.passage.arrive_exempt(
                self.region_grids,
                p,
                k == 0,
                self.limits.spares_first_step && k <= 1,
            );
            if let Some(why) = arrival.end {
                return ended(why, if why == Termination::Avoid { 0 } else { k }, first);
            }
            if trail.wants_points {
                trail.points[half].push(p);
                trail.directions.push(state.direction);
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
            if let Some((why, _)) = tissue {
                return ended(why, k + 1, first);
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
            let mut ahead = StepLookAhead { walk: self, place: p, before, first: d, draws };
            let (along, direction) = rule.step(d, &mut ahead);
            state.place = self.moved(p, along);
            state.direction = direction;
            state.steps += 1;
            if k == 0 {
                first = direction;
                has_direction = true;
            }
        }
        ended(Termination::MaxSteps, from.maximum, first)
    }

    /// Tracks both halves of streamline `number`.
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
        let mut outcome = Outcome::rejected(Rejection::SeedOutside);
        let Some(begin) = self.starting_points.begin(self.seed, number).filter(|&p| self.field.holds(p))
        else {
            return outcome;
        };
        if !self.may_begin(begin) {
            return outcome;
        }
        let mut draws = Draws { seed: self.seed, number, half: 0, point: 0, stage: 0, attempt: 0 };
        let sign = draws.of_both_halves()[0];
        let mut state = State { place: begin, direction: [0.0; 3], steps: 0 };
        let exact = (!self.exact.is_empty()).then(|| self.exact[self.seed_of(number)]);
        trail.passage.begin_at(self.region_grids, exact);
        let enough = |half: &HalfStreamline| half.points > 0 && half.points > self.limits.half_steps;
        let one = self.whole_half(rule, &mut draws, sign, self.limits.points, &mut state, trail);
        if !one.is_right {
            return Outcome { ends: [Some(one.end), None], steps: state.steps, ..IMPLAUSIBLE };
        }
        let in_white = trail.course.in_white;
        let is_rejected = trail.passage.end_half(self.region_grids, enough(&one));
        let maximum = self.limits.points_of_second(one.points, !is_rejected);
        state.place = begin;
        state.direction = one.first.map(|c| 0.0 - c);
        draws.half = 1;
        let other = self.whole_half(rule, &mut draws, !sign, maximum, &mut state, trail);
        trail.passage.end_half(self.region_grids, enough(&other));
        outcome.steps = state.steps;
        outcome.ends = [Some(one.end), Some(other.end)];
        if !other.is_right || self.region_grids.anatomy.is_some() && !(in_white || trail.course.in_white) {
            return Outcome { ends: outcome.ends, steps: outcome.steps, ..IMPLAUSIBLE };
        }
        let keep = match trail.passage.judge(self.region_grids) {
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

/// Outcome of an anatomically implausible streamline.
const IMPLAUSIBLE: Outcome = Outcome {
    rejection: Some(Rejection::Anatomy),
    points: [0; 2],
    ends: [None; 2],
    steps: 0,
    length_mm: None,
};

/// Access to the direction field ahead of the current point of the streamline.
struct StepLookAhead<'w, 'a, F> {
    walk: &'w Walk<'a, F>,
    place: [f32; 3],
    before: [f32; 3],
    first: [f32; 3],
    draws: &'w mut Draws,
}

impl<F: DirectionField> LookAhead<[f32; 3]> for StepLookAhead<'_, '_, F> {
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
