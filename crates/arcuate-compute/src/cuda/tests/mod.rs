//! Tests that need a GPU. They use the emulated GPU, or a real one if `ARCUATE_TEST_DEVICE=cuda` is set.
#![allow(unsafe_code)]

mod kernels;
mod memory;
mod streaming;
mod work;
mod written;

use super::{Buffer, Gpu, Grid, Stream};

/// Opens a GPU for one test, which counts its memory separately. If there is no GPU, prints a message and
/// returns `None`.
fn gpu() -> Option<Gpu> {
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    arcuate_emulation::available(&test).then(|| Gpu::open(0).unwrap())
}

/// Returns the numbers 0, 1, 2, … below `count`.
fn counting(count: u32) -> Vec<u32> {
    (0..count).collect()
}

/// Queues a kernel that adds 1 to every value `rounds` times.
fn increment(stream: &Stream, values: &mut Buffer<u32>, rounds: u32) {
    let (grid, count) = (Grid::for_items(values.len(), 64), values.len() as u32);
    // SAFETY: the kernel stays below `count`, the number of values.
    unsafe { kernels::compute_test_increment(stream, grid, values, count, rounds) }.unwrap();
}
