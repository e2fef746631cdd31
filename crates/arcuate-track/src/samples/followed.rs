//! What kernels say of a streamline, and of many.

use super::constants;
use crate::summary::{Outcome, Rejection, Termination, TrackSummary};
use bytemuck::{Pod, Zeroable};

/// What became of a streamline: as in `kernels.cu`, and in those of other fields.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Followed {
    what: u32,
    points: [u32; 2],
    steps: u32,
}

/// Reasons by their numbers in kernels; nothing for what is accepted.
const REJECTIONS: [Option<Rejection>; constants::FATES as usize] = {
    let mut all = [None; constants::FATES as usize];
    all[constants::SEED_OUTSIDE as usize] = Some(Rejection::SeedOutside);
    all[constants::AVOIDED as usize] = Some(Rejection::Avoided);
    all[constants::WAYPOINTS as usize] = Some(Rejection::Waypoints);
    all[constants::TOO_SHORT as usize] = Some(Rejection::TooShort);
    all[constants::TOO_LONG as usize] = Some(Rejection::TooLong);
    all
};

/// Ends by their numbers in kernels.
const TERMINATIONS: [Termination; constants::ENDINGS as usize] = {
    let mut all = [Termination::MaxSteps; constants::ENDINGS as usize];
    all[constants::LEFT_MASK as usize] = Termination::LeftMask;
    all[constants::FRACTION as usize] = Termination::Fraction;
    all[constants::ANGLE as usize] = Termination::Angle;
    all[constants::STOP as usize] = Termination::Stop;
    all[constants::EXIT as usize] = Termination::Exit;
    all[constants::LOOP as usize] = Termination::Loop;
    all[constants::AVOID as usize] = Termination::Avoid;
    all
};

impl Followed {
    pub(crate) fn outcome(self) -> Outcome {
        let end = |shift: u32| match self.what >> shift & 0xff {
            0 => None,
            number => Some(TERMINATIONS[number as usize - 1]),
        };
        Outcome {
            rejection: REJECTIONS[(self.what & 0xff) as usize],
            points: self.points,
            ends: [end(8), end(16)],
            steps: self.steps,
            length_mm: None,
        }
    }
}

/// What the counters of a GPU say.
pub(super) fn summary_of(counted: &[u64]) -> TrackSummary {
    let streamlines = counted[constants::STREAMLINES as usize];
    let mut summary = TrackSummary {
        seeds: counted[constants::SEEDS as usize],
        streamlines,
        points: counted[constants::KEPT_STEPS as usize] + streamlines,
        steps_taken: counted[constants::TAKEN_STEPS as usize],
        ..TrackSummary::default()
    };
    for (&why, &count) in REJECTIONS.iter().zip(&counted[constants::FIRST_FATE as usize..]) {
        if let Some(why) = why {
            *summary.rejected.of(why) += count;
        }
    }
    for (&why, &count) in TERMINATIONS.iter().zip(&counted[constants::FIRST_ENDING as usize..]) {
        *summary.terminated.of(why) += count;
    }
    summary
}
