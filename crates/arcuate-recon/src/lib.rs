//! From k-space to images.

mod shape;
mod sums;
mod toeplitz;
mod weights;

pub use shape::Shape;
pub use sums::{Element, FourierSums, ScatteredSums};
pub use toeplitz::{Kernel, Toeplitz, fast_length};
pub use weights::Weights;
