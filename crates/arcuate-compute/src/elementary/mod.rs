//! Elementary functions with the same bits on every processor and every GPU; those of mathematical libraries differ in
//! their last digits. `double` and `single` are what all else is made of; `transcendental` is written once over their operations.

pub mod double;
pub mod single;
#[cfg(test)]
mod tests;
pub mod transcendental;
