//! Matrices of what streamlines meet on their way: counted while these are made, streamline by streamline, so that none need be
//! stored.

mod constants;
mod elements;
mod kernels;
mod measures;
mod pairs;
mod rows;
mod rows_on_gpu;

pub use elements::MetElements;
pub use pairs::PairCounter;
pub use rows::{RowCounter, SeedRows};

#[cfg(test)]
mod tests;
