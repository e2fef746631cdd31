//! Tests of commands that use the CPU and an emulated GPU.

#![cfg(test)]

#[path = "../common/mod.rs"]
mod common;
mod devices;
mod fit_requests;
mod probabilistic;
mod probtrackx2;
mod protocols;
mod tracked_matrices;
