//! Tests on a GPU: the emulated one, or a real one with `ARCUATE_TEST_DEVICE=cuda`.
#![allow(unsafe_code)]

mod kernels;
mod memory;
mod streaming;
mod work;
mod written;

use super::{Buffer, Gpu, Grid, Stream};

/// Opens a GPU for one test, with separate accounting. `None`, with a message, if there is no GPU.
fn gpu() -> Option<Gpu> {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    arcuate_emulation::available(&test).then(|| Gpu::open(0).unwrap())
}

/// 0, 1, 2, …
fn counting(count: u32) -> Vec<u32> {
    (0..count).collect()
}

/// Adds 1 to every value, `rounds` times.
fn increment(stream: &Stream, values: &mut Buffer<u32>, rounds: u32) {
    let (grid, count) = (Grid::for_items(values.len(), 64), values.len() as u32);
    // SAFETY: it stays below `count`.
    unsafe { kernels::compute_test_increment(stream, grid, values, count, rounds) }.unwrap();
}
