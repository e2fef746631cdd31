//! Reasons why a model is fitted on the CPU although the user chose a GPU.

use arcuate_compute::cuda::WrittenKernel;
use std::fmt;

/// Maximum number of PTX instructions in a GPU kernel. If a kernel of a model is longer, the CPU fits the
/// model.
///
/// The limit is about twice the length of the longest kernel of the built-in models. For a model of three
/// rackets, the kernel that samples chains has 41,686 instructions (1.7 MB of text). The GPU driver compiles
/// this kernel in about 8 s, which is half a second per 100 kB. The compile time grows faster than the
/// length. The driver of an H200 did not compile a kernel of 174,000 instructions within 100 s (900 Legendre
/// polynomials of degree 40).
const MAX_INSTRUCTIONS: usize = 80_000;

/// The reason why a model is fitted on the CPU although the user chose a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Obstacle {
    /// The model has the feature with this name, which GPU kernels do not support.
    Unsupported(&'static str),
    /// A GPU kernel of the model has this number of instructions, and the GPU driver would need minutes to
    /// compile it.
    TooLong(usize),
}

impl Obstacle {
    /// Returns an obstacle if a generated kernel is too long for the compiler of the GPU driver.
    pub(super) fn of_length(kernel: &WrittenKernel) -> Option<Self> {
        let instructions = kernel.instructions();
        (instructions > MAX_INSTRUCTIONS).then_some(Self::TooLong(instructions))
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "GPU kernels do not support {what}"),
            Self::TooLong(instructions) => write!(
                f,
                "it needs a GPU kernel of {instructions} instructions, more than the limit of {MAX_INSTRUCTIONS}"
            ),
        }
    }
}
