//! LiFE and COMMIT: weights of streamlines that explain the measured signal.
//!
//! [`LifeProblem`] evaluates streamlines with LiFE in memory. The stage
//! [`EvaluateCommit`](super::pipeline::stages::EvaluateCommit) evaluates a tractogram file with COMMIT, and returns a
//! [`Commit`].
//!
//! ```
//! use arcuate::compute::Device;
//! use arcuate::evaluate::{LifeOptions, LifeProblem};
//! use arcuate::phantom::{PhantomOptions, default_gradients, simulate};
//!
//! let options = PhantomOptions { voxel_size_mm: 6.0, ..PhantomOptions::default() };
//! let brain = simulate(&default_gradients(12, 1000.0, 1)?, &options)?;
//! let options = LifeOptions::default();
//! let problem = LifeProblem::<f32>::new(
//!     &brain.dwi, &brain.gradients, &brain.brain_mask, &brain.truth, &options, &Device::Cpu,
//! )?;
//! assert_eq!(problem.solve(&options, |_| true).weights.len(), brain.truth.len());
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_evaluate::commit::{Blur, Commit, CommitSolver, GroupWeights, SegmentOptions};
#[doc(inline)]
pub use arcuate_evaluate::encoding::NodeValue;
#[doc(inline)]
pub use arcuate_evaluate::{Life, LifeOptions, LifeProblem, Normalisation, Solver, VirtualLesion};
