//! Reasons why the CPU fits a model although the device is a GPU.

use arcuate_compute::cuda::WrittenKernel;
use std::fmt;

/// Maximum number of PTX instructions in a kernel that the driver compiles.
///
/// The limit is about twice the length of the longest kernel of the built-in models. For a model of three
/// rackets, the kernel of chains has 41,686 instructions (1.7 MB of text). It compiles in about 8 s, which is
/// half a second per 100 kB. Compile time grows faster than the length. The driver of an H200 did not compile
/// a kernel of 174,000 instructions (900 Legendre polynomials of degree 40) within 100 s.
const MOST_INSTRUCTIONS: usize = 80_000;

/// The reason why the CPU fits a model although the device is a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// The model has this feature, which GPU kernels do not support.
    Unsupported(&'static str),
    /// A kernel of the model has this number of instructions, and the GPU driver would need minutes to
    /// compile it.
    TooLong(usize),
}

impl Obstacle {
    /// Returns an obstacle if a kernel is too long for the GPU driver's compiler.
    pub(super) fn of_length(kernel: &WrittenKernel) -> Option<Self> {
        let instructions = kernel.instructions();
        (instructions > MOST_INSTRUCTIONS).then_some(Self::TooLong(instructions))
    }
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unsupported(what) => write!(f, "GPU kernels do not support {what}"),
            Self::TooLong(instructions) => write!(
                f,
                "it needs a GPU kernel of {instructions} instructions, more than the limit of {MOST_INSTRUCTIONS}"
            ),
        }
    }
}
