//! Tests of spherical deconvolution and of its responses.

mod gpu;
mod mrtrix;
mod responses;
#[path = "../simulated/mod.rs"]
mod simulated;
