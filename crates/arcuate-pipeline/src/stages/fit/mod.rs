//! Fits signal models in every voxel, or samples their posterior distributions with Markov chains.

mod chain_state;
mod chains;
mod criteria;
mod example;
mod group_examples;
mod measured;
mod models;
mod names;
mod notes;
mod overrides;
mod predictions;
mod sampled;
mod sampling;
mod traces;

pub use crate::figures::COMPARISON;
pub use criteria::{ModelCriterion, SEPARATION};
pub use models::{FitMethod, FitModels, REFERENCES};
pub use names::MapNames;
pub use notes::{VOXELS_FITTED, warn_of_diffusivities};
pub use overrides::ModelOverrides;
pub use sampling::{APART, ChainOptions, INDEPENDENT, NoiseKind, UNMIXED, warn_of_short_chains};
pub use traces::TracedVoxels;
