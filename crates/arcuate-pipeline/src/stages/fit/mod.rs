//! Models of the signal are fitted in every voxel, or their posteriors sampled by Markov chains.

mod chain_state;
mod chains;
mod criteria;
mod example;
mod group_examples;
mod measured;
mod models;
mod names;
mod notes;
mod predictions;
mod sampled;
mod sampling;
mod traces;
mod wishes;

pub use criteria::ModelCriterion;
pub use models::{FitMethod, FitModels, REFERENCES};
pub use names::MapNames;
pub use notes::warn_of_diffusivities;
pub use sampling::{ChainOptions, NoiseKind, warn_of_short_chains};
pub use traces::TracedVoxels;
pub use wishes::ModelWishes;
