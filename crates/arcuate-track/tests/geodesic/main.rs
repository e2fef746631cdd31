//! Geodesic tractography, by the whole of its interface.

mod common;
mod gpu;
mod processor;
