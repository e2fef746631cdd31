//! Computes statistics of streamlines and images: track density and other maps, connectomes of labels, and
//! values sampled along streamlines. The crate also selects streamlines by length, weight and other criteria.
//! It assigns a label to each row of a connectivity matrix ([`biggest_columns`], [`cluster_rows`]).
//!
//! [`TrackMap`], [`TrackDensity`], [`Selection`], [`Connectomes`] and [`ConnectomeBuilder`] process
//! streamlines one batch at a time ([`StreamlineSink`](arcuate_core::StreamlineSink)), so that not all
//! streamlines must fit in memory. [`connectome`] processes a tractogram in memory. [`ConnectionCounter`]
//! counts streamlines on the GPU that generates them
//! ([`DeviceStreamlineSink`](arcuate_compute::DeviceStreamlineSink)). Values of streamlines are added in the
//! order of the streamlines, so that results are bit-identical for any number of threads and any batch size.

mod connections;
mod connectomes;
mod density;
mod labels;
mod passed;
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
pub use passed::{ElementFinder, PairCounter, PairMemory, PassedElements, RowCounter, SeedRows};
pub use regions::{Assignment, ConnectomeOptions, LabelledVertices, Parcellation};
pub use row_labels::{ClusterOptions, RowClusters, Similarity, biggest_columns, cluster_rows};
pub use sample::{Interpolation, Sampler, Samples, Statistic};
pub use selection::{Criteria, Filter, Selection};
pub use sums::{EntrySum, MatrixSums, Summand, SumsMemory};
pub use track_map::{TrackContrast, TrackMap, TrackMapOptions};
