//! Tests of spherical deconvolution and of its responses.

#![cfg(test)]

mod gpu;
mod mrtrix;
mod responses;
#[path = "../simulated/mod.rs"]
mod simulated;
