//! What became of the streamlines through samples.

use super::walk::{ENDINGS, Ending, FATES, Fate, Outcome};

/// What became of the streamlines of a run, up to the last one that counted. Independent of the number of threads and of the
/// device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SampleSummary {
    /// Streamlines followed.
    pub seeds: u64,
    /// Streamlines accepted: what probtrackx2 calls the way total.
    pub streamlines: u64,
    /// Steps of the accepted ones, together.
    pub steps: u64,
    /// Steps taken in all, those of rejected streamlines among them.
    pub steps_taken: u64,
    pub(super) fates: [u64; FATES],
    pub(super) endings: [u64; ENDINGS],
}

impl SampleSummary {
    /// Why streamlines were rejected, in words, and how many.
    pub fn rejections(&self) -> [(&'static str, u64); FATES - 1] {
        let words = |fate| match fate {
            Fate::Accepted => "accepted",
            Fate::SeedOutside => "seeds outside the voxels with orientations",
            Fate::Avoided => "entered a region to avoid in both directions",
            Fate::Waypoints => "did not pass the waypoints",
            Fate::TooShort => "shorter than the minimum",
            Fate::TooLong => "longer than the maximum",
        };
        std::array::from_fn(|n| (words(Fate::ALL[n + 1]), self.fates[n + 1]))
    }

    /// Why the two ends of streamlines are where they are, in words, and how many; those of rejected ones among them.
    pub fn endings(&self) -> [(&'static str, u64); ENDINGS] {
        let words = |ending| match ending {
            Ending::LeftMask => "no orientation there",
            Ending::Fraction => "the sampled fraction was too low, or its voxel has none",
            Ending::Angle => "too sharp a turn",
            Ending::Stop => "in a region to stop in",
            Ending::Exit => "left a region to stop on leaving",
            Ending::Loop => "came back against its direction",
            Ending::Avoid => "entered a region to avoid",
            Ending::MaxSteps => "most steps",
        };
        std::array::from_fn(|n| (words(Ending::ALL[n]), self.endings[n]))
    }

    /// Share of the followed streamlines that were accepted.
    pub fn acceptance(&self) -> f64 {
        if self.seeds == 0 { 0.0 } else { self.streamlines as f64 / self.seeds as f64 }
    }

    /// Steps of an accepted streamline on average.
    pub fn mean_steps(&self) -> f64 {
        if self.streamlines == 0 { 0.0 } else { self.steps as f64 / self.streamlines as f64 }
    }

    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.seeds += 1;
        self.steps_taken += u64::from(outcome.steps);
        self.fates[outcome.fate as usize] += 1;
        for ending in outcome.endings.into_iter().flatten() {
            self.endings[ending as usize] += 1;
        }
        if outcome.fate == Fate::Accepted {
            self.streamlines += 1;
            self.steps +=
                outcome.points.iter().map(|&points| u64::from(points.saturating_sub(1))).sum::<u64>();
        }
    }

    /// Of the counters of a GPU, in their order there.
    pub(super) fn of_counters(counted: &[u64]) -> Self {
        let (sums, rest) = counted.split_at(4);
        Self {
            seeds: sums[0],
            streamlines: sums[1],
            steps: sums[2],
            steps_taken: sums[3],
            fates: std::array::from_fn(|n| rest[n]),
            endings: std::array::from_fn(|n| rest[FATES + n]),
        }
    }

    /// All of several parts of a run.
    pub(super) fn of_all(parts: &[Self]) -> Self {
        let mut all = Self::default();
        for part in parts {
            all.merge(part);
        }
        all
    }

    /// Adds what another part of a run, or another run, came to.
    pub fn merge(&mut self, other: &Self) {
        self.seeds += other.seeds;
        self.streamlines += other.streamlines;
        self.steps += other.steps;
        self.steps_taken += other.steps_taken;
        for n in 0..FATES {
            self.fates[n] += other.fates[n];
        }
        for n in 0..ENDINGS {
            self.endings[n] += other.endings[n];
        }
    }
}
