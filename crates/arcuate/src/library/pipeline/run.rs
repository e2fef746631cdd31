//! All stages of `arcuate run`, one after the other.
//!
//! ```
//! use arcuate::pipeline::run::{Evaluation, RunOptions, Stage, Tracking};
//!
//! let run = RunOptions {
//!     tracking: Tracking::Tensor,
//!     evaluation: Evaluation::Life,
//!     ..RunOptions::new("dwi.nii.gz", "results")
//! };
//! let stages: Vec<Stage> = run.stages()?.iter().map(|stage| stage.inputs.stage()).collect();
//! let expected = [Stage::Mask, Stage::FitTensor, Stage::TrackTensor, Stage::EvaluateLife, Stage::Density];
//! assert_eq!(stages, expected);
//! # Ok::<(), arcuate::core::Error>(())
//! ```

#[doc(inline)]
pub use arcuate_pipeline::run::{
    Choice, Evaluation, PlannedStage, PlannedWork, RunOptions, Stage, StageInputs, Tracking,
};
