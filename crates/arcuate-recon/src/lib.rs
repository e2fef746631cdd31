//! From k-space to images.

mod shape;
mod sums;

pub use shape::Shape;
pub use sums::{Element, FourierSums, ScatteredSums};
