//! Back-tracking: chooses the earlier point from which a half of a streamline that ended implausibly is
//! tracked again.

/// State of the repeated attempts at one half.
#[derive(Debug, Clone)]
pub(crate) struct BackTracking {
    /// Number of points by which each attempt goes back further than the previous one.
    unit: u32,
    /// Largest number of points that the half reached so far.
    farthest: u32,
    /// Number of points before that farthest point at which the last attempt started.
    back: u32,
    /// Number of attempts so far.
    pub(crate) attempts: u32,
}

/// Maximum number of attempts at a half.
const MOST_ATTEMPTS: u32 = 100;

impl BackTracking {
    /// Creates the state. `unit` is the number of points in half a voxel.
    pub(crate) fn new(unit: u32) -> Self {
        Self { unit: unit.max(1), farthest: 0, back: 0, attempts: 0 }
    }

    /// Returns how many points of a half to keep before the next attempt. The number decreases by one unit
    /// with each attempt, until the half gets farther than before. Returns `None` if no point before the seed
    /// is left, or after too many attempts.
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
