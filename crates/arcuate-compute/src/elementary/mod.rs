//! Elementary functions with the same bits on every processor and every GPU. Those of mathematical libraries differ in
//! their last digits. A NaN is a NaN everywhere, but its sign and payload may differ. `double` and `single` are the basis, and
//! `transcendental` is written once over their operations.

pub mod double;
pub mod single;
#[cfg(test)]
mod tests;
pub mod transcendental;
