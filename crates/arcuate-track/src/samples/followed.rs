//! What kernels say of a streamline.

use super::walk::{Ending, Fate, Outcome};
use bytemuck::{Pod, Zeroable};

/// What became of a streamline: as in `kernels.cu`.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Followed {
    what: u32,
    points: [u32; 2],
    steps: u32,
}

impl Followed {
    pub(super) fn outcome(self) -> Outcome {
        let ending = |shift: u32| match self.what >> shift & 0xff {
            0 => None,
            number => Some(Ending::ALL[number as usize - 1]),
        };
        Outcome {
            fate: Fate::ALL[(self.what & 0xff) as usize],
            points: self.points,
            endings: [ending(8), ending(16)],
            targets: 0,
            steps: self.steps,
        }
    }
}
