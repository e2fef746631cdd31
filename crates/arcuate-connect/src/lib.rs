//! Track density and label connectomes.
//!
//! [`TrackDensity`] and [`ConnectomeBuilder`] take streamlines as they come ([`VisitSink`](arcuate_core::VisitSink)),
//! so that a tractogram need not be held in memory; [`connectome`] is the short way for one that is. Sums are taken in
//! the order of the streamlines: results have the same bits at any number of threads and any batch size.

mod density;
mod labels;
mod table;

pub use density::TrackDensity;
pub use labels::{Assignment, ConnectomeBuilder, ConnectomeOptions, connectome};
pub use table::{Measure, regions_from_csv, regions_to_csv, to_csv};
