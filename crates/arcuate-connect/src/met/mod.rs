//! Matrices of what streamlines meet on their way: counted while these are made, streamline by streamline, so that none need be
//! stored.

mod elements;
mod measures;
mod pairs;
mod rows;

pub use elements::{MetElements, ToElements};
pub use pairs::PairCounter;
pub use rows::{RowCounter, SeedRows};

#[cfg(test)]
mod tests;
