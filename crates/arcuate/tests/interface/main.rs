//! Tests of the command line itself: help, options, outputs, records, reports, runs of several stages, and FSL's interface.

#![cfg(test)]

mod bedpostx;
mod bids;
#[path = "../common/mod.rs"]
mod common;
mod examples;
mod fsl_tools;
mod help;
mod names_of_fsl;
mod options;
mod outputs;
mod panics;
mod pipes;
mod progress;
mod records;
mod reports;
mod results_page;
mod run;
