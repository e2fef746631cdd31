//! What a run found of a scan, as derivatives of BIDS: names, sidecars and a description of the whole, so that other programs find and
//! understand it.
//!
//! The standard has no names yet for maps of diffusion models, streamlines and connectomes. They are those of its drafts: BEP016 (pull
//! request 2258 of the specification), BEP046 (2333) and BEP017 (1902), as they stood in July 2026; `.bidsignore` tells validators of them.

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
