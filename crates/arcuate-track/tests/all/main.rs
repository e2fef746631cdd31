//! Tests of tracking on the CPU and on GPUs, through the public interface.

#![cfg(test)]

mod anatomy;
mod cancelling;
#[path = "../common/mod.rs"]
mod common;
mod constraints;
mod fod;
mod geodesic;
mod idle;
mod new_field;
mod real_scan;
mod samples;
mod tensor_tracking;
