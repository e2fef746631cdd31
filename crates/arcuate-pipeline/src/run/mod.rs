//! A run: the whole pipeline from a diffusion series to evaluated streamlines. This module plans the stages of
//! a run, their inputs and outputs, and executes them.
//!
//! ```
//! use arcuate_pipeline::run::{Evaluation, RunOptions, Stage, Tracking};
//!
//! let mut options = RunOptions { tracking: Tracking::Tensor, ..RunOptions::new("dwi.nii.gz", "results") };
//! let stages = |options: &RunOptions| {
//!     let stages = options.stages()?;
//!     Ok::<Vec<Stage>, arcuate_core::Error>(stages.iter().map(|stage| stage.inputs.stage()).collect())
//! };
//! let usual = [Stage::Mask, Stage::FitTensor, Stage::TrackTensor, Stage::EvaluateLife, Stage::Density];
//! assert_eq!(stages(&options)?, usual);
//!
//! // A given mask needs no mask stage, and a parcellation adds a connectome.
//! options.mask = Some("brain.nii.gz".into());
//! options.labels = Some("labels.nii.gz".into());
//! (options.tracking, options.evaluation) = (Tracking::Samples, Evaluation::None);
//! let others =
//!     [Stage::FitTensor, Stage::SampleFibres, Stage::TrackSamples, Stage::Density, Stage::Connectome];
//! assert_eq!(stages(&options)?, others);
//! # Ok::<(), arcuate_core::Error>(())
//! ```

mod choice;
mod earlier;
mod finish;
mod names;
mod plan;
mod planned_work;
mod stage;
mod stage_work;
mod work;

pub use choice::{Choice, Tracking};
pub use finish::{KEY_FIGURES, TITLE, finish};
pub use names::{
    COMMIT, COMMIT_WEIGHTS, DISTRIBUTIONS, FRACTIONAL_ANISOTROPY, LIFE, LIFE_WEIGHTS, MASK, PEAKS,
    PRINCIPAL_DIRECTION, RAYS, TENSOR, TENSORS, TRACTS, WHITE_MATTER_FOD,
};
pub use plan::{Evaluation, PlannedStage, RunOptions, StageInputs};
pub use planned_work::PlannedWork;
pub use stage::Stage;
pub use stage_work::StageWork;
pub use work::{Filled, RunFolder};
