//! Products: the kinds of results that tracking writes, with one module for each. A product defines its
//! files, its inputs, how it receives streamlines, and what it writes and reports at the end.

mod anatomy;
mod connection_table;
mod connectome;
mod matrix;
mod outlines;
mod streamlines;
mod target_counts;
mod visits;

#[cfg(feature = "samples")]
pub(in crate::stages) use anatomy::ANATOMY;
pub(super) use connectome::{sparse_files, sparse_output_files};
pub(super) use matrix::check_resume;

use super::options::Tracking;
use super::product::Product;
use super::product_names::ProductName;

/// Returns all requested products.
pub(super) fn of(tracking: &Tracking) -> Vec<Box<dyn Product + '_>> {
    let written = tracking.written();
    let mut all: Vec<Box<dyn Product + '_>> = Vec::new();
    if tracking.counts_visits() {
        all.push(Box::new(visits::VisitMaps { tracking }));
    }
    if written.contains(&ProductName::TargetCounts) {
        all.push(Box::new(target_counts::TargetCounts { tracking }));
    }
    if written.iter().any(|product| *product != ProductName::Streamlines) {
        all.push(Box::new(anatomy::Backdrop { tracking }));
    }
    if written.contains(&ProductName::Streamlines) {
        all.push(Box::new(streamlines::Streamlines { tracking }));
    }
    if tracking.connections.is_some() && written.contains(&ProductName::Streamlines) {
        all.push(Box::new(connection_table::ConnectionTable));
    }
    if let Some(request) = &tracking.matrix {
        all.push(Box::new(matrix::Matrix { request, tracking }));
    }
    if let Some(regions) = &tracking.regions {
        all.push(Box::new(connectome::Connectome { regions, tracking }));
    }
    all
}
