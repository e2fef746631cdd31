//! What streamlines say of an image, and an image of them: track density and other maps, label connectomes, streamlines
//! chosen by lengths, weights and what else is asked, and values sampled along them; and what the rows of a connectivity matrix
//! say of what they are of ([`biggest_columns`], [`cluster_rows`]).
//!
//! [`TrackMap`], [`TrackDensity`], [`Selection`], [`Connectomes`] and [`ConnectomeBuilder`] take streamlines as they come
//! ([`StreamlineSink`](arcuate_core::StreamlineSink)), so that a tractogram need not be held in memory; [`connectome`] is the
//! short way for one that is. [`ConnectionCounter`] counts streamlines in the GPU that makes them
//! ([`DeviceStreamlineSink`](arcuate_compute::DeviceStreamlineSink)). Sums are taken in the order of the streamlines: results
//! have the same bits at any number of threads and any batch size.

mod connections;
mod connectomes;
mod density;
mod labels;
mod met;
mod regions;
mod row_labels;
mod sample;
mod selection;
mod sums;
mod track_map;
mod weights;

pub use connections::ConnectionCounter;
pub use connectomes::{Assignments, Connectomes, PassedRegions, RegionConnectome};
pub use density::TrackDensity;
pub use labels::{ConnectomeBuilder, LabelConnectome, between_and_within, connectome, warn_of_none};
pub use met::{ElementFinder, MetElements, PairCounter, PairMemory, RowCounter, SeedRows};
pub use regions::{Assignment, ConnectomeOptions, LabelledVertices, Parcellation};
pub use row_labels::{ClusterOptions, RowClusters, Similarity, biggest_columns, cluster_rows};
pub use sample::{Interpolation, Sampler, Samples, Statistic};
pub use selection::{Criteria, Filter, Selection};
pub use sums::{EntrySum, MatrixSums, Summand, SumsMemory};
pub use track_map::{TrackContrast, TrackMap, TrackMapOptions};
