//! Data sets in the brain imaging data structure: which preprocessed diffusion series they have, with their gradient tables, masks and
//! regions; and what becomes of results: derivatives under BIDS's names, and tables of a cohort.

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
