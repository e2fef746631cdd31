//! Tests of missing, damaged, unusual and changed input files. Each command reads them or reports the problem.

#![cfg(test)]

mod bad_inputs;
mod changed_inputs;
mod commit_bad_inputs;
#[path = "../common/mod.rs"]
mod common;
mod edges;
mod gradient_tables;
mod hostile_records;
mod left_out_inputs;
mod little_memory;
mod odd_files;
mod text_inputs;
