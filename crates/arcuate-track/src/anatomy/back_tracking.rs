//! From where a half that is wrong is followed again.

/// Attempts at one half.
#[derive(Debug, Clone)]
pub(crate) struct BackTracking {
    /// Points between one attempt and a farther one.
    unit: u32,
    /// The farthest point so far, and how far before it the last attempt began.
    farthest: u32,
    back: u32,
    /// How many there were.
    pub(crate) attempts: u32,
}

/// Attempts after which a half is given up.
const MOST_ATTEMPTS: u32 = 100;

impl BackTracking {
    /// With steps of so many points in half a voxel.
    pub(crate) fn new(unit: u32) -> Self {
        Self { unit: unit.max(1), farthest: 0, back: 0, attempts: 0 }
    }

    /// How many of the points of a half that has ended wrongly to keep: one more step back each time, until it gets farther than
    /// before. Nothing where that leads back to its seed, or after too many attempts.
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
