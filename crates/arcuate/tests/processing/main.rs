//! Tests of the commands that process data, each on the CPU.

#![cfg(test)]

mod commit;
mod commit_dictionary;
mod commit_orders;
mod commit_phantoms;
#[path = "../common/mod.rs"]
mod common;
mod connectome;
mod crossing_fibres;
mod fit_models;
mod five_tissues;
mod geodesic;
mod left_and_right;
mod phantom;
mod philips;
mod recon;
mod small_commands;
mod surfaces;
