//! Tests of evaluation on a GPU that fails or has little memory. The CPU then repeats the work of the GPU, which tests of
//! working GPUs forbid. A fault makes all work on the GPU fail, so one test runs at a time.

#![cfg(test)]

mod encoding;
#[path = "../encodings/mod.rs"]
mod encodings;
mod sparse_tucker;
