//! Options of commands as values of library types. They are for programs that have their data in memory and
//! not in files.

use arcuate_connect::{Interpolation, Statistic};
use arcuate_core::GradientTable;
use arcuate_phantom::PhantomOptions;

/// How an image is sampled along streamlines.
#[derive(Debug, Clone, Copy)]
pub struct AlongStreamlines {
    /// Statistic for one value per streamline; `None` for one value per point.
    pub statistic: Option<Statistic>,
    /// Interpolation between voxels.
    pub interpolation: Interpolation,
}

/// Options of a simulated brain.
#[derive(Debug, Clone)]
pub struct BrainOptions {
    /// The gradient table, unless it is in a file.
    pub gradients: GradientTable,
    /// Options of the phantom.
    pub phantom: PhantomOptions,
}
