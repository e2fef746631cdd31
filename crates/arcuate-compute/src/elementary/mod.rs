//! Elementary functions that are bit-identical on every CPU and GPU. Functions of mathematical libraries
//! differ in their last digits. A NaN is a NaN everywhere, but its sign and payload may differ. `double` and
//! `single` are the basis; `transcendental` is generic over their operations.

pub mod double;
pub mod single;
#[cfg(test)]
mod tests;
pub mod transcendental;
