//! Number types for algorithms that are generic over precision: single numbers ([`Real`]), several numbers
//! with operations that GPUs have too ([`Lanes`]), and vectors of the CPU ([`Vectors`], [`Register`]).
//! [`cuda::Precision`](crate::cuda::Precision) selects the kernels of a precision.
//!
//! Each operation of [`Real`] and [`Lanes`] is rounded once, by IEEE 754; only [`fma`](Lanes::fma) fuses a
//! product and a sum. Code uses loops instead of shorter closures: a closure is a separate function, which is
//! not compiled for its caller's vector instructions.

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
