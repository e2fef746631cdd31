//! Reads and writes datasets in the Brain Imaging Data Structure (BIDS). This crate finds preprocessed
//! diffusion series with their gradient tables, masks and regions. It publishes results as BIDS derivatives,
//! and creates the table and the page of a cohort.

mod addresses;
pub mod dataset;
pub mod derivatives;
pub mod entities;
pub mod group;
pub mod participants;
pub mod scans;
pub mod selection;
pub mod state;
pub mod workflow;
