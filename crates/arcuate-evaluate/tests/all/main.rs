//! Tests of the evaluation of streamlines on the CPU and on GPUs.

#![cfg(test)]

mod commit_dictionary;
mod commit_fits;
mod commit_philips;
mod dmri_commit;
mod encoding;
#[path = "../encodings/mod.rs"]
mod encodings;
mod life;
mod sparse_tucker_gpu;
