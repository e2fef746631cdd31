//! What became of the seeds.

use arcuate_core::StreamlineLengths;

/// What became of the seeds of a run, up to the last one that counted. Independent of the number of threads.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrackSummary {
    /// Seeds tried.
    pub seeds: u64,
    /// Streamlines accepted.
    pub streamlines: u64,
    /// Their points.
    pub points: u64,
    /// How long they are, in their order.
    pub lengths: StreamlineLengths,
    /// Why seeds gave no streamline.
    pub rejected: Rejections,
    /// Why streamlines ended, each end counted, also those of streamlines that were then found too short.
    pub terminated: Terminations,
}

/// Why seeds gave no streamline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rejections {
    /// The seed lies outside the image or the mask.
    pub seed_outside: u64,
    /// The anisotropy at the seed is too low, or there is no tensor.
    pub seed_anisotropy: u64,
    /// The streamline is shorter than the minimum.
    pub too_short: u64,
}

/// Why streamlines ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Terminations {
    /// The next point lies outside the image.
    pub left_image: u64,
    /// The next point lies outside the mask.
    pub left_mask: u64,
    /// The anisotropy there is below the cutoff, or there is no tensor (not a number, or no single direction).
    pub anisotropy: u64,
    /// The direction there differs by more than the largest angle.
    pub angle: u64,
    /// The streamline has its maximum length.
    pub max_length: u64,
}

/// Why one end of a streamline is where it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Termination {
    LeftImage,
    LeftMask,
    Anisotropy,
    Angle,
    MaxLength,
}

/// What became of one seed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) fate: Fate,
    /// Of the one or two ends that were followed.
    pub(crate) ends: [Option<Termination>; 2],
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Fate {
    SeedOutside,
    SeedAnisotropy,
    TooShort,
    Accepted { points: u32, length_mm: f32 },
}

impl TrackSummary {
    pub(crate) fn add(&mut self, outcome: &Outcome) {
        self.seeds += 1;
        match outcome.fate {
            Fate::SeedOutside => self.rejected.seed_outside += 1,
            Fate::SeedAnisotropy => self.rejected.seed_anisotropy += 1,
            Fate::TooShort => self.rejected.too_short += 1,
            Fate::Accepted { points, length_mm } => {
                self.streamlines += 1;
                self.points += u64::from(points);
                self.lengths.push(length_mm);
            }
        }
        for end in outcome.ends.iter().flatten() {
            *match end {
                Termination::LeftImage => &mut self.terminated.left_image,
                Termination::LeftMask => &mut self.terminated.left_mask,
                Termination::Anisotropy => &mut self.terminated.anisotropy,
                Termination::Angle => &mut self.terminated.angle,
                Termination::MaxLength => &mut self.terminated.max_length,
            } += 1;
        }
    }
}
