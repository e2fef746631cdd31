//! The numbers that algorithms are written with, once for both precisions: alone ([`Real`]), several side by side whose operations
//! GPUs have too ([`Lanes`]), and as vectors of the processor ([`Vectors`], [`Register`]). What kernels there are of a precision is
//! [`cuda::Precision`](crate::cuda::Precision)'s to say.
//!
//! Operations of [`Real`] and [`Lanes`] are each rounded once, as IEEE 754 says, and products are joined to sums only where
//! [`fma`](Lanes::fma) says so. Loops stand where closures would be shorter: a closure is a function of its own, which is not
//! compiled for the vector instructions of its caller.

mod eigen;
mod lanes;
mod operations;
mod real;
mod register;
pub mod vectors;

pub use eigen::{eigensystem, fractional_anisotropy};
pub use lanes::{Lanes, Symmetric, Vector, adjugate, dot, products, times, transformed, weighted};
pub use operations::{Operations, across};
pub use real::Real;
pub use register::Register;
pub use vectors::Vectors;
