//! Record of a streamline during tracking: points, visited voxels, regions and tissues. The memory is reused
//! for the next streamline.

use crate::anatomy::AnatomicalHalf;
use crate::constraints::Passage;
use crate::samples::shared::{CELL, CELLS};
use crate::space::nearest;

/// A voxel that a streamline passes, with the number of steps from the seed to the first point in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Visit {
    pub(crate) voxel: u32,
    pub(crate) steps: u32,
}

/// Points, visited voxels and constraints of the two halves of a streamline. Only the requested parts are
/// recorded.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    pub(crate) wants_points: bool,
    pub(crate) points: [Vec<[f32; 3]>; 2],
    /// Direction with which the current half of the streamline reached each of its points, if points are
    /// recorded.
    pub(super) directions: Vec<[f32; 3]>,
    pub(crate) visits: [Vec<Visit>; 2],
    pub(crate) passage: Passage,
    pub(super) course: AnatomicalHalf,
    pub(super) cells: Cells,
}

impl Trail {
    pub(crate) fn new(wants_points: bool) -> Self {
        Self { wants_points, ..Self::default() }
    }

    pub(super) fn clear(&mut self) {
        for half in 0..2 {
            self.points[half].clear();
            self.visits[half].clear();
        }
    }
}

/// Cells of space that a half of a streamline passed, each with the direction of the last visit, for the
/// detection of loops.
#[derive(Debug, Default)]
pub(super) struct Cells {
    seen: Vec<([f32; 3], [f32; 3])>,
    next: usize,
    last: usize,
}

impl Cells {
    pub(super) fn clear(&mut self) {
        self.seen.clear();
        self.next = 0;
        self.last = 0;
    }

    /// Returns true if the half may pass this position: its direction must not oppose the direction of the
    /// last visit to the same cell. Then records the visit.
    pub(super) fn pass(&mut self, p: [f32; 3], direction: [f32; 3]) -> bool {
        let cell = p.map(|c| nearest(c / CELL));
        if self.seen.get(self.last).is_none_or(|(last, _)| *last != cell) {
            let Some(found) = self.seen.iter().position(|(other, _)| *other == cell) else {
                self.last = self.next;
                if self.seen.len() < CELLS {
                    self.seen.push((cell, direction));
                } else {
                    self.seen[self.next] = (cell, direction);
                }
                self.next = (self.next + 1) % CELLS;
                return true;
            };
            self.last = found;
        }
        let stored = &mut self.seen[self.last].1;
        let [x, y, z] = *stored;
        let passes = direction[0] * x + direction[1] * y + direction[2] * z >= 0.0;
        *stored = direction;
        passes
    }
}
