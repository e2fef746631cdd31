//! The layer on a GPU: the emulated one, or with `ARCUATE_TEST_DEVICE=cuda` a real one.
#![allow(unsafe_code)]

mod kernels;
mod memory;
mod streaming;
mod work;
mod written;

use super::{Buffer, Gpu, Grid, Stream};

/// A GPU opened for one test, with accounts of its own; none, with a word to the user, where there can be none.
fn gpu() -> Option<Gpu> {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    arcuate_emulation::available(&test).then(|| Gpu::open(0).unwrap())
}

/// 0, 1, 2, …
fn counting(count: u32) -> Vec<u32> {
    (0..count).collect()
}

/// Adds 1 to every value, `rounds` times over.
fn increment(stream: &Stream, values: &mut Buffer<u32>, rounds: u32) {
    let (grid, count) = (Grid::for_items(values.len(), 64), values.len() as u32);
    // SAFETY: it stays below `count`.
    unsafe { kernels::compute_test_increment(stream, grid, values, count, rounds) }.unwrap();
}
