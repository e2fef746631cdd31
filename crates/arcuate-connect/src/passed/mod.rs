//! Matrices that count the elements (voxels, vertices, regions) that streamlines pass. Streamlines are
//! counted during tracking and need not be stored.

mod constants;
mod counted_rows;
mod elements;
mod entries_on_gpu;
mod finder;
mod kernels;
mod measures;
mod pairs;
mod rows;
mod rows_on_gpu;
mod seed_rows;
mod sorted_pairs;

// The names that the table of kernels expects in its parent module.
use arcuate_compute::StreamlineSpan;
use arcuate_compute::element_rows::{ElementGrid, ElementTriangle as Triangle};
use arcuate_compute::surface_cells::ListedTriangle;

pub use elements::PassedElements;
pub use finder::ElementFinder;
pub use pairs::{PairCounter, PairMemory};
pub use rows::RowCounter;
pub use seed_rows::SeedRows;

#[cfg(test)]
mod tests;
