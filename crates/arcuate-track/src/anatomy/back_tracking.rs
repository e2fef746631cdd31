//! Back-tracking: chooses the earlier point from which a half of a streamline that ended implausibly is
//! tracked again.

/// State of the repeated attempts to track one half of a streamline.
#[derive(Debug, Clone)]
pub(crate) struct BackTracking {
    /// Number of points by which each attempt starts further back than the previous attempt.
    unit: u32,
    /// Largest number of points that the half has reached in any attempt so far.
    farthest: u32,
    /// Number of points from the start of the last attempt to the farthest point that the half has reached so
    /// far.
    back: u32,
    /// Number of repeated attempts so far.
    pub(crate) attempts: u32,
}

/// Maximum number of repeated attempts to track a half of a streamline.
const MOST_ATTEMPTS: u32 = 100;

impl BackTracking {
    /// Creates the state before the first repeated attempt. `unit` is the number of points in half a voxel.
    pub(crate) fn new(unit: u32) -> Self {
        Self { unit: unit.max(1), farthest: 0, back: 0, attempts: 0 }
    }

    /// Returns how many points of a half of a streamline to keep before the next attempt. `points` is the
    /// number of points that the last attempt reached. The number to keep decreases by `unit` points with
    /// each attempt, until the half gets farther than before. Returns `None` if no point would be left, or
    /// after too many attempts.
    pub(crate) fn next(&mut self, points: u32) -> Option<u32> {
        if points > self.farthest {
            (self.farthest, self.back) = (points, 0);
        }
        self.back += self.unit;
        self.attempts += 1;
        let kept = self.farthest.checked_sub(self.back)?.min(points.saturating_sub(self.unit));
        (kept > 0 && self.attempts <= MOST_ATTEMPTS).then_some(kept)
    }
}
