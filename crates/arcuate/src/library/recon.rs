//! Images from non-Cartesian k-space data.
//!
//! ```
//! use arcuate::core::Control;
//! use arcuate::recon::{GriddingOptions, Scan, Shape, grid};
//!
//! // Four samples of the k-space of an image with 4 × 4 voxels, of one coil.
//! let samples = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]];
//! let data = vec![1f32, 0.0, 0.5, 0.0, 0.5, 0.0, 0.5, 0.0];
//! let scan = Scan::new(Shape::new([4, 4, 1])?, samples, data)?;
//! let image = grid(&scan, &GriddingOptions::default(), &Control::default())?;
//! assert_eq!(image.image.len(), 2 * 16);
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_recon::{
    CoilMaps, DensityChoice, DensityCompensation, Differences, Ending, Finding, GriddingOptions,
    Interpolation, Iterative, Kernel, Lambda, Method, Names, Penalty, Reconstruction, Scan, Settings, Shape,
    Toeplitz, TrajectoryUnit, Weights, adjoint, grid, iterate, toeplitz,
};
#[doc(inline)]
pub use arcuate_solve::{ChoiceOutcome, CurvePoint, QuadraticPoint};
