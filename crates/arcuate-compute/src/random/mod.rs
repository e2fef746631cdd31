//! Random numbers that depend on nothing but (seed, purpose, item, draw): Philox4x32-10 of Salmon, Moraes, Dror and
//! Shaw, "Parallel random numbers: as easy as 1, 2, 3" (SC 2011, doi:10.1145/2063384.2063405). Processors and GPUs draw
//! the same values, bit for bit: kernels include `philox.cuh`, which has what [`Random`] has.

#[cfg(test)]
mod statistics;
mod stream;

pub use stream::{Purpose, Random};
