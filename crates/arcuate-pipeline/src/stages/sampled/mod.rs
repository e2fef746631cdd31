//! Streamlines are followed through samples of orientations: of posteriors, of peaks or of refitted tensors. Where these come from
//! differs; seeds, regions, propagation and results do not.

mod bootstrap;
mod following;
mod form;
mod ground;
mod matrices;
mod met;
mod output;
mod part;
mod part_file;
mod part_folder;
mod part_head;
mod part_run;
mod parts;
mod peaks;
mod preset;
mod products;
mod protocols;
mod regions;
mod rules;
mod samples;
mod seeds;
mod target_counts;
mod tracking;

pub use bootstrap::{REFERENCES as OF_BOOTSTRAP, TrackBootstrap, refitted_orientations};
pub use form::Form;
pub use output::SampleMaps;
pub use part::{Extent, PartOf};
pub use part_folder::{PartWords, folder_of_parts};
pub use peaks::TrackPeaks;
pub use preset::Preset;
pub use products::{ProductName, Products};
pub use protocols::{REFERENCES as OF_PROTOCOLS, TrackProtocols, TractMap};
pub use regions::RegionsToJoin;
pub use rules::SampleRules;
pub use samples::TrackSamples;
pub use seeds::{SEED_FRACTION, SampleSeedNumber, SampleSeeds, everywhere};
pub use tracking::{REFERENCES, SampledTracking, warn_of_tracks};
