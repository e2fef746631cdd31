//! Matrices that count the elements (voxels, vertices, regions) that streamlines pass. Streamlines are
//! counted during tracking and need not be stored.

mod constants;
mod counted_rows;
mod elements;
mod entries_on_gpu;
mod finder;
mod kernel_types;
mod kernels;
mod measures;
mod pairs;
mod rows;
mod rows_on_gpu;
mod seed_rows;
mod sorted_pairs;

use arcuate_compute::StreamlineSpan;
use arcuate_compute::surface_cells::ListedTriangle;
use kernel_types::{ElementGrid, Triangle};

pub use elements::PassedElements;
pub use finder::ElementFinder;
pub use pairs::{PairCounter, PairMemory};
pub use rows::RowCounter;
pub use seed_rows::SeedRows;

#[cfg(test)]
mod tests;
