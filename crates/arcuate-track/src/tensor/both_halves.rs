//! Regions and tissues that a streamline through a tensor field met in its two halves.

use crate::anatomy::{AnatomicalHalf, Matter, ends_well};
use crate::constraints::{Passage, RegionGrids};
use crate::summary::Termination;
use arcuate_core::Point;

/// State of a streamline with respect to regions and tissues. Its halves are processed one after the other.
#[derive(Clone, Default)]
pub(super) struct BothHalves {
    pub(super) passage: Passage,
    course: AnatomicalHalf,
    /// Number of points of the current half of the streamline, without the seed.
    points: u32,
    has_left: bool,
    in_white: bool,
    wrong: bool,
}

impl BothHalves {
    /// Begins a streamline at its seed. Returns false if the tissue at the seed permits no streamline.
    pub(super) fn begin(&mut self, region_grids: &RegionGrids, seed: Point) -> bool {
        self.passage.begin(region_grids);
        (self.has_left, self.in_white, self.wrong) = (false, false, false);
        let anatomy = region_grids.anatomy.as_ref();
        anatomy.is_none_or(|anatomy| !matches!(anatomy.at(seed), Matter::Csf | Matter::Nothing))
    }

    /// Processes a point of the current half; `first` is true at the seed. Regions are tested at `point`, and
    /// tissues at `exactly`. If the half stops here, returns the reason and whether the point still belongs
    /// to the half.
    pub(super) fn arrive(
        &mut self,
        region_grids: &RegionGrids,
        point: Point,
        exactly: Point,
        first: bool,
    ) -> Option<(Termination, bool)> {
        let mut tissue = None;
        if let Some(anatomy) = &region_grids.anatomy {
            if first {
                self.course.begin(!self.has_left);
            }
            self.points = if first { 0 } else { self.points + 1 };
            tissue = self.course.arrive(anatomy, exactly, self.points);
            if let Some((_, false)) = tissue {
                return tissue;
            }
        }
        self.passage.arrive(region_grids, point, first).termination().or(tissue)
    }

    /// Ends a half of the streamline, and removes points that do not belong to it. The half begins with the
    /// seed, which has the index `from` in `points`. Returns true if the half is rejected, whatever the other
    /// half is.
    pub(super) fn end_half(
        &mut self,
        region_grids: &RegionGrids,
        why: Termination,
        points: &mut Vec<Point>,
        from: usize,
    ) -> bool {
        if let Some(anatomy) = &region_grids.anatomy {
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
        self.passage.end_half(region_grids, true)
    }

    /// Returns true if a half ended implausibly.
    pub(super) fn is_wrong(&self) -> bool {
        self.wrong
    }

    /// Returns true if the streamline is anatomically implausible.
    pub(super) fn is_no_fibre(&self, region_grids: &RegionGrids) -> bool {
        self.wrong || region_grids.anatomy.is_some() && !self.in_white
    }
}
