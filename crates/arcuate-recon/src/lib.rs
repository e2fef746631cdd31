//! From k-space to images.

mod coils;
mod differences;
mod shape;
mod sums;
mod toeplitz;
mod weights;

pub use coils::{CoilMaps, Sense};
pub use differences::Differences;
pub use shape::Shape;
pub use sums::{Element, FourierSums, ScatteredSums};
pub use toeplitz::{Kernel, Toeplitz, fast_length};
pub use weights::Weights;
