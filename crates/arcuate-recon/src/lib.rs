//! Reconstructs images from k-space.

mod coil_maps;
mod coils;
mod differences;
mod first_use;
mod gridding;
mod pipeline;
mod reconstruct;
mod reconstruction;
mod reference;
mod scale;
mod scan;
mod settings;
mod shape;
mod solve_progress;
mod sums;
mod toeplitz;
mod trajectory;
mod transform;
mod verdict;
mod weights;

pub use coil_maps::CoilMaps;
pub use coils::Sense;
pub use differences::Differences;
pub use gridding::{DensityCompensation, Gridding, GriddingOptions, Interpolation};
pub use pipeline::{Reconstruct, adjoint, grid, iterate, toeplitz};
pub use reconstruction::{Ending, Finding, Iterative, Lambda, Reconstruction};
pub use reference::reference_on;
pub(crate) use scale::near_one;
pub use scan::{Names, Scan};
pub use settings::{DensityChoice, Method, Penalty, Settings};
pub use shape::Shape;
pub use sums::{Element, FourierSums, Functions, ScatteredSums, time_adjoint, time_scattered};
pub use toeplitz::{Kernel, Toeplitz, fast_length};
pub use trajectory::{TrajectoryUnit, place, reach};
pub use weights::Weights;
