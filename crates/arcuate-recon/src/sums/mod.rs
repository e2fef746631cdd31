//! Exact Fourier sums between images and samples anywhere in k-space.
//!
//! An image ρ has `n` voxels along each axis. Voxel `i` is at r = (i − ⌊n/2⌋) / n of the field of view.
//! Sample positions `k` are in cycles per field of view. The two products are then:
//!
//! - forward: s(k) = N^(−½) Σ_r ρ(r) e^(−2πi k·r), with N the number of voxels;
//! - adjoint: ρ(r) = N^(−½) Σ_k s(k) e^(+2πi k·r).
//!
//! With this factor, a Cartesian scan that samples every wave number once is unitary, and data have the same scale as
//! in BART.

mod checks;
mod constants;
mod cpu;
mod cuda;
mod forward;
mod fourier;
mod kernels;
mod precisions;
mod scattered;
mod table;
#[cfg(test)]
mod tests;
mod tile;

pub use cuda::time_adjoint;
pub use fourier::{Element, FourierSums};
pub use scattered::{Functions, ScatteredSums, time_scattered};
