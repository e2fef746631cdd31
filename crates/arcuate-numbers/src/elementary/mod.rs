//! Elementary functions that are bit-identical on every CPU and GPU. Functions of mathematical libraries
//! differ in their last digits. A NaN is a NaN everywhere, but its sign and payload may differ. The modules
//! `double` and `single` have the basic functions of each precision; `transcendental` has further functions,
//! which are generic over the precision.

pub mod double;
pub mod single;
#[cfg(test)]
mod tests;
pub mod transcendental;
