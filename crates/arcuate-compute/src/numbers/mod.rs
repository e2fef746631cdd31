//! Number types for algorithms that are generic over precision. [`Real`] is a single number. [`Lanes`] are
//! several numbers, with operations that GPUs also have. [`Vectors`] and [`Register`] are SIMD vectors of the
//! CPU. [`cuda::Precision`](crate::cuda::Precision) selects the kernels of a precision.
//!
//! Each operation of [`Real`] and [`Lanes`] is rounded once, as IEEE 754 requires. Only [`fma`](Lanes::fma)
//! fuses a product and a sum. The code uses loops instead of closures, although closures would be shorter.
//! The compiler treats a closure as a separate function, and does not compile it for the vector instructions
//! of its caller.

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
