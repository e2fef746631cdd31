//! Results of streamlines as kernels encode them.

use super::constants;
use crate::fod::shared as tissues;
use crate::summary::{Outcome, Rejection, Termination, TrackSummary};
use bytemuck::{Pod, Zeroable};

/// Result of a streamline, in the same layout as in `kernels.cu` and in the GPU kernels of other direction
/// fields.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct KernelOutcome {
    what: u32,
    points: [u32; 2],
    steps: u32,
}

/// Reasons for the rejection of a streamline, indexed by the numbers that kernels use; `None` for accepted
/// streamlines.
const REJECTIONS: [Option<Rejection>; tissues::ANATOMY as usize + 1] = {
    let mut all = [None; tissues::ANATOMY as usize + 1];
    all[constants::SEED_OUTSIDE as usize] = Some(Rejection::SeedOutside);
    all[constants::AVOIDED as usize] = Some(Rejection::Avoided);
    all[constants::WAYPOINTS as usize] = Some(Rejection::Waypoints);
    all[constants::TOO_SHORT as usize] = Some(Rejection::TooShort);
    all[constants::TOO_LONG as usize] = Some(Rejection::TooLong);
    all[tissues::ANATOMY as usize] = Some(Rejection::Anatomy);
    all
};

/// Reasons to stop a streamline, indexed by the numbers that kernels use.
const TERMINATIONS: [Termination; tissues::LEFT_IMAGE as usize + 1] = {
    let mut all = [Termination::MaxSteps; tissues::LEFT_IMAGE as usize + 1];
    all[constants::LEFT_MASK as usize] = Termination::LeftMask;
    all[constants::FRACTION as usize] = Termination::Fraction;
    all[constants::ANGLE as usize] = Termination::Angle;
    all[constants::STOP as usize] = Termination::Stop;
    all[constants::EXIT as usize] = Termination::Exit;
    all[constants::LOOP as usize] = Termination::Loop;
    all[constants::AVOID as usize] = Termination::Avoid;
    all[tissues::CORTICAL_GREY as usize] = Termination::CorticalGrey;
    all[tissues::SUB_CORTICAL_GREY as usize] = Termination::SubCorticalGrey;
    all[tissues::CSF as usize] = Termination::Csf;
    all[tissues::LEFT_BRAIN as usize] = Termination::LeftBrain;
    all[tissues::LEFT_IMAGE as usize] = Termination::LeftImage;
    all
};

impl KernelOutcome {
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

/// Converts the counters of outcomes from a GPU to a summary of the run.
pub(super) fn summary_of(counted: &[u64]) -> TrackSummary {
    let streamlines = counted[constants::STREAMLINES as usize];
    let mut summary = TrackSummary {
        seeds: counted[constants::SEEDS as usize],
        streamlines,
        points: counted[constants::KEPT_STEPS as usize] + streamlines,
        steps_taken: counted[constants::TAKEN_STEPS as usize],
        ..TrackSummary::default()
    };
    // The kernels that track samples do not count stops and rejections that tissues cause.
    let (fates, endings) = (constants::FATES as usize, constants::ENDINGS as usize);
    for (&why, &count) in REJECTIONS[..fates].iter().zip(&counted[constants::FIRST_FATE as usize..]) {
        if let Some(why) = why {
            *summary.rejected.of(why) += count;
        }
    }
    for (&why, &count) in TERMINATIONS[..endings].iter().zip(&counted[constants::FIRST_ENDING as usize..]) {
        *summary.terminated.of(why) += count;
    }
    summary
}
