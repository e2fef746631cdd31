//! Tracking through samples of fibre orientations. The samples are from a posterior distribution, from peaks,
//! or from tensors that were fitted to resampled residuals. The tracking is the same for all three.

mod bootstrap;
mod field;
mod peaks;
mod protocols;
mod rules;
mod samples;

pub use bootstrap::{REFERENCES as OF_BOOTSTRAP, TrackBootstrap, refitted_orientations};
pub use field::{REFERENCES, everywhere, seed_fraction, warn_of_tracks};
pub use peaks::TrackPeaks;
pub use protocols::{REFERENCES as OF_PROTOCOLS, TrackProtocols, TractMap};
pub use rules::SampleRules;
pub use samples::TrackSamples;
