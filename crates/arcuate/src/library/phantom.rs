//! Simulated brains with known connections, and the comparison of a result with the truth.
//!
//! ```
//! use arcuate::phantom::{PhantomOptions, default_gradients, simulate};
//!
//! // A brain of 6 mm voxels, one measurement at b = 0, and 6 directions at b = 1000 s/mm².
//! let options = PhantomOptions { voxel_size_mm: 6.0, ..PhantomOptions::default() };
//! let brain = simulate(&default_gradients(6, 1000.0, 1)?, &options)?;
//! assert_eq!(brain.dwi.channels(), brain.gradients.len());
//! assert!(brain.brain_mask.count() > 0 && !brain.bundles.is_empty());
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_phantom::{
    Bundle, BundleScore, Comparison, ComparisonOptions, FalseConnection, Phantom, PhantomOptions, Score,
    TissueResponse, TissueTruth, compare_with_truth, default_gradients, multi_shell_gradients, simulate,
};
