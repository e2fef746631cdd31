//! Geodesic tractography, by the whole of its interface.

mod bundles;
mod closed_forms;
mod common;
mod gpu;
mod processor;
