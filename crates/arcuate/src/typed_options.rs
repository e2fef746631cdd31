//! Options of commands as values of the library, for programs that have data in the place of files.

use arcuate_connect::{Interpolation, Statistic};
use arcuate_core::GradientTable;
use arcuate_phantom::PhantomOptions;

/// How an image is sampled along streamlines.
#[derive(Debug, Clone, Copy)]
pub struct AlongStreamlines {
    /// The value of a streamline; none for a value per point.
    pub statistic: Option<Statistic>,
    /// How values between voxels are found.
    pub interpolation: Interpolation,
}

/// A brain to be simulated.
#[derive(Debug, Clone)]
pub struct BrainOptions {
    /// The measurements, unless they are in a file.
    pub gradients: GradientTable,
    /// The brain.
    pub phantom: PhantomOptions,
}
