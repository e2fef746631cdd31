//! Random numbers that depend only on (seed, purpose, item, draw). Each number can be computed directly,
//! without the numbers before it. The generator is Philox4x32-10 of Salmon, Moraes, Dror and Shaw, "Parallel
//! random numbers: as easy as 1, 2, 3" (SC 2011, doi:10.1145/2063384.2063405). CPUs and GPUs draw
//! bit-identical values: GPU kernels include `philox.cuh`, which performs the same operations as [`Random`].
//! The documentation of [`Random`] explains what an item is and how draws are numbered.

#[cfg(test)]
mod statistics;
mod stream;

pub use stream::{Purpose, Random, random_blocks};
