//! Anatomical constraints of the two halves of a streamline. Implausible halves are tracked again, and
//! streamline ends are truncated or moved to the interface of grey and white matter.

use super::streamline::{HalfStreamline, ResumePoint, State, Walk};
use super::trail::Trail;
use crate::anatomy::{BackTracking, Matter, PlacedAnatomy, ends_well};
use crate::direction_field::{DirectionField, Draws};
use crate::rule::Rule;
use crate::summary::Termination;
use arcuate_core::narrow;

impl<F: DirectionField> Walk<'_, F> {
    /// Returns true if the tissue at a position permits that a streamline starts there.
    pub(super) fn may_begin(&self, place: [f32; 3]) -> bool {
        let anatomy = self.region_grids.anatomy.as_ref();
        anatomy.is_none_or(|anatomy| !matches!(anatomy.at(place), Matter::Csf | Matter::Nothing))
    }

    /// Tracks a half of a streamline, with at most `maximum` points. `state` is at the seed. If back-tracking is
    /// enabled, implausible halves are tracked again.
    #[inline]
    pub(super) fn whole_half<R: Rule<[f32; 3]>>(
        &self,
        rule: R,
        draws: &mut Draws,
        sign: u32,
        maximum: u32,
        state: &mut State,
        trail: &mut Trail,
    ) -> HalfStreamline {
        draws.attempt = 0;
        let from = ResumePoint { point: 0, first: [0.0; 3], maximum };
        if self.region_grids.anatomy.is_none() {
            return self.half(rule, draws, sign, from, state, trail);
        }
        self.half_in_anatomy(rule, draws, sign, from, state, trail)
    }

    #[inline(never)]
    fn half_in_anatomy<R: Rule<[f32; 3]>>(
        &self,
        rule: R,
        draws: &mut Draws,
        sign: u32,
        mut from: ResumePoint,
        state: &mut State,
        trail: &mut Trail,
    ) -> HalfStreamline {
        let Some(anatomy) = &self.region_grids.anatomy else {
            return self.half(rule, draws, sign, from, state, trail);
        };
        let of = draws.half as usize;
        let may_leave = of == 0 || !trail.course.has_left;
        trail.course.begin(may_leave);
        trail.directions.clear();
        let mut again = BackTracking::new(self.points_in_half_a_voxel);
        let mut half = loop {
            let mut half = self.half(rule, draws, sign, from, state, trail);
            if is_beyond(self.field.grid().shape(), state.place) {
                half.end = Termination::LeftImage;
            }
            half.is_right = ends_well(anatomy, half.end, trail.points[of].last().copied());
            // A streamline that has the maximum number of steps cannot be improved by tracking its half
            // again.
            if half.is_right || !anatomy.back_track || half.end == Termination::MaxSteps {
                break half;
            }
            let Some(kept) = again.next(half.points) else { break half };
            from = ResumePoint { point: kept, first: half.first, ..from };
            draws.attempt = again.attempts;
            self.go_back(anatomy, kept, state, of, trail);
        };
        let points = &trail.points[of];
        let support = |n: usize| self.field.support(points[n], trail.directions[n]);
        let left = trail.course.points_left(anatomy, half.end, points, support);
        if left < points.len() {
            self.cut(left, of, trail);
            half.points = narrow::<u32>(left);
        }
        if half.end == Termination::CorticalGrey && anatomy.crop_at_interface {
            let points = &mut trail.points[of];
            if let [.., before, last] = &mut points[..] {
                *last = anatomy.crossing(*before, *last);
            }
        }
        half
    }

    /// Resets a half of a streamline to its point number `kept`. This point counts as not yet processed.
    fn go_back(&self, anatomy: &PlacedAnatomy, kept: u32, state: &mut State, of: usize, trail: &mut Trail) {
        let kept = kept as usize;
        state.place = trail.points[of][kept];
        state.direction = trail.directions[kept];
        self.cut(kept, of, trail);
        let may_leave = trail.course.may_leave();
        trail.course.begin(may_leave);
        for (n, &point) in trail.points[of].iter().enumerate() {
            trail.course.arrive(anatomy, point, narrow::<u32>(n));
        }
        if self.loop_check {
            trail.cells.clear();
            for (point, direction) in trail.points[of].iter().zip(&trail.directions) {
                trail.cells.pass(*point, *direction);
            }
        }
    }

    /// Truncates a half of a streamline to its first points. Restores the visits and constraints to their
    /// state at the last of these points.
    fn cut(&self, points: usize, of: usize, trail: &mut Trail) {
        trail.points[of].truncate(points);
        trail.directions.truncate(points);
        let beyond = trail.visits[of].iter().position(|visit| visit.steps as usize >= points);
        trail.visits[of].truncate(beyond.unwrap_or(trail.visits[of].len()));
        if self.region_grids.words > 0 {
            trail.passage.begin_half_again();
            for (n, &point) in trail.points[of].iter().enumerate() {
                let is_spared = self.limits.spares_first_step && n <= 1;
                trail.passage.arrive_exempt(self.region_grids, point, n == 0, is_spared);
            }
        }
    }
}

/// Returns true if the voxel nearest to a position is outside a grid of this shape.
fn is_beyond(shape: [usize; 3], place: [f32; 3]) -> bool {
    // The negation makes NaN count as outside.
    !(0..3).all(|axis| place[axis] >= -0.5 && place[axis] < shape[axis] as f32 - 0.5)
}
