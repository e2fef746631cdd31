//! Numbers of Arcuate, and functions of numbers. No other crate of Arcuate is below this one.
//!
//! The trait [`Real`] is a single number, `f32` or `f64`. It has the SIMD vectors of the CPU for matrix
//! products. The type [`Lanes`] is several numbers that are processed together. The trait [`Operations`] has
//! the operations of all number types. Values of GPU kernels that are written at run time also have them.
//!
//! [`Arch`] chooses the instruction set of SIMD loops when the program runs. The feature `one-width` compiles these loops for
//! one instruction set only, AVX2, which halves their compilation.
//!
//! Each operation is rounded once, as IEEE 754 requires. Only [`fma`](Operations::fma) fuses a product and a
//! sum. The code of [`Lanes`] uses loops instead of closures, although closures would be shorter. The
//! compiler treats a closure as a separate function, and does not compile it for the vector instructions of
//! its caller.

#[cfg(all(feature = "one-width", target_arch = "x86_64"))]
mod arch;
mod eigen;
pub mod elementary;
mod lanes;
pub mod legendre;
mod operations;
pub mod quadrature;
mod real;
mod register;
pub mod special;
mod symmetric;
#[cfg(test)]
mod test_numbers;
pub mod vector3;
pub mod vectors;

#[cfg(all(feature = "one-width", target_arch = "x86_64"))]
pub use arch::Arch;
pub use eigen::{Deviator, Eigensystem, eigensystem, fractional_anisotropy, longest_column};
pub use lanes::{Lanes, Symmetric, Vector};
pub use operations::Operations;
#[cfg(not(all(feature = "one-width", target_arch = "x86_64")))]
pub use pulp::Arch;
pub use real::Real;
pub use register::Register;
pub use symmetric::{across, adjugate, dot, products, times, transformed, weighted};
