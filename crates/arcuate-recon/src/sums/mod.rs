//! Exact Fourier sums between images and samples at arbitrary positions in k-space.
//!
//! An image ρ has `n` voxels along each axis. Voxel `i` is at the position r = (i − ⌊n/2⌋) / n, as a fraction
//! of the field of view. The k-space positions `k` of samples are in cycles per field of view. The forward
//! and the adjoint sums are:
//!
//! - forward: s(k) = N^(−½) Σ_r ρ(r) e^(−2πi k·r), with N the number of voxels;
//! - adjoint: ρ(r) = N^(−½) Σ_k s(k) e^(+2πi k·r).
//!
//! With the factor N^(−½), the sums of a Cartesian scan that samples every wave number once are unitary. Data
//! then have the same scale as in BART.

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
