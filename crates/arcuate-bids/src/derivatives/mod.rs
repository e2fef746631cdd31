//! Publishes the results of a scan as BIDS derivatives, with names, sidecars and a dataset description that
//! other programs can interpret.
//!
//! The BIDS standard does not define names for maps of diffusion models, streamlines and connectomes. The
//! names used here follow its drafts as of July 2026: BEP016 (pull request 2258 of the specification), BEP046
//! (2333) and BEP017 (1902). `.bidsignore` makes validators ignore these files.

mod describe;
mod links;
mod maps;
mod matrices;
mod models;
mod publication;
mod publish;
mod results;
mod sidecars;
mod staging;
#[cfg(test)]
mod tests;
mod texts;
mod tissues;
mod tractograms;

pub use describe::begin;
pub use publish::{Prepared, prepare};
