//! What a streamline through tensors has met, of regions and of tissues.

use crate::anatomy::{Course, Matter, ends_well};
use crate::constraints::{Lattices, Passage};
use crate::summary::Termination;
use arcuate_core::Point;

/// Both halves of a streamline, one after the other.
#[derive(Clone, Default)]
pub(super) struct Journey {
    pub(super) passage: Passage,
    course: Course,
    /// Points of the half that is followed, the seed not counted.
    points: u32,
    has_left: bool,
    in_white: bool,
    wrong: bool,
}

impl Journey {
    /// Begins a streamline at its seed; false where no streamline may begin there.
    pub(super) fn begin(&mut self, lattices: &Lattices, seed: Point) -> bool {
        self.passage.begin(lattices);
        (self.has_left, self.in_white, self.wrong) = (false, false, false);
        let anatomy = lattices.anatomy.as_ref();
        anatomy.is_none_or(|anatomy| !matches!(anatomy.at(seed), Matter::Fluid | Matter::Nothing))
    }

    /// Comes to a point, the first of a half or a later one, whose tissue is that at `exactly`; answers why the half ends there, and
    /// whether the point belongs to it.
    pub(super) fn arrive(
        &mut self,
        lattices: &Lattices,
        point: Point,
        exactly: Point,
        first: bool,
    ) -> Option<(Termination, bool)> {
        let mut tissue = None;
        if let Some(anatomy) = &lattices.anatomy {
            if first {
                self.course.begin(!self.has_left);
            }
            self.points = if first { 0 } else { self.points + 1 };
            tissue = self.course.arrive(anatomy, exactly, self.points);
            if let Some((_, false)) = tissue {
                return tissue;
            }
        }
        self.passage.arrive(lattices, point, first).termination().or(tissue)
    }

    /// Ends a half, whose points begin with its seed at `from`: takes off what does not belong to it. Answers whether it is left out
    /// whatever the other does.
    pub(super) fn end_half(
        &mut self,
        lattices: &Lattices,
        why: Termination,
        points: &mut Vec<Point>,
        from: usize,
    ) -> bool {
        if let Some(anatomy) = &lattices.anatomy {
            self.wrong |= !ends_well(anatomy, why, points.last().copied());
            self.in_white |= self.course.in_white;
            self.has_left |= self.course.has_left;
            let left = self.course.points_left(anatomy, why, &points[from..], |_| None);
            points.truncate(from + left);
            if why == Termination::CorticalGrey
                && anatomy.crop_at_interface
                && let [.., before, last] = &mut points[from..]
            {
                *last = anatomy.crossing(*before, *last);
            }
        }
        self.passage.end_half(lattices, true)
    }

    /// Whether a half has ended wrongly.
    pub(super) fn is_wrong(&self) -> bool {
        self.wrong
    }

    /// Whether no fibre is like what was followed.
    pub(super) fn is_no_fibre(&self, lattices: &Lattices) -> bool {
        self.wrong || lattices.anatomy.is_some() && !self.in_white
    }
}
