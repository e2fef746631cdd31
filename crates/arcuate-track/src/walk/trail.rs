//! What a streamline leaves behind while it is followed: memory that is used for one after the other.

use crate::anatomy::Course;
use crate::constraints::Passage;
use crate::samples::shared::{CELL, CELLS};
use crate::space::nearest;

/// A voxel that a streamline passes, and steps from the seed to there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Visit {
    pub(crate) voxel: u32,
    pub(crate) steps: u32,
}

/// Half after half, as far as it is wanted.
#[derive(Debug, Default)]
pub(crate) struct Trail {
    pub(crate) wants_points: bool,
    pub(crate) points: [Vec<[f32; 3]>; 2],
    /// With which it came to each point of the half that is followed, where points are wanted.
    pub(super) directions: Vec<[f32; 3]>,
    pub(crate) visits: [Vec<Visit>; 2],
    pub(crate) passage: Passage,
    pub(super) course: Course,
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

/// Cells that a half has been in, and its direction when it last was there.
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

    /// Whether a streamline may pass here in this direction.
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
