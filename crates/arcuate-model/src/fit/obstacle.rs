//! Why the CPU computes a model although the device is a GPU.

use arcuate_compute::cuda::WrittenKernel;
use std::fmt;

/// The most PTX instructions of a kernel that the driver is asked to compile.
///
/// This is about twice the longest kernel of the built-in models: chains of three rackets have 41,686 instructions, 1.7 MB of text,
/// which take about 8 s at half a second for 100 kB. Compile time grows faster than the length: a kernel of 174,000 instructions
/// (900 Legendre polynomials of degree 40) was not compiled within 100 s by the driver of an H200.
const MOST_INSTRUCTIONS: usize = 80_000;

/// Why the CPU computes a model although the device is a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Obstacle {
    /// GPU kernels do not support this.
    Unsupported(&'static str),
    /// A kernel of the model has this number of instructions. The driver would compile it for minutes.
    TooLong(usize),
}

impl Obstacle {
    /// The obstacle of a kernel that is too long to be compiled.
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
