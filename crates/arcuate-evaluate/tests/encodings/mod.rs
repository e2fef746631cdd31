//! Difficult tractograms, which are encoded on a GPU and on the CPU. They are used by tests of working GPUs
//! and of failing GPUs.

#![allow(dead_code, reason = "each test program uses a part of it")]

use arcuate_compute::cuda::{Gpu, Gpus};
use arcuate_compute::{Device, Random};
use arcuate_core::{Affine, Grid, Mask, Orientations, Point, Tractogram};
use arcuate_evaluate::encoding::{Encoding, EncodingOptions, NodeValue};
use arcuate_test_support::with_captured_log;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns a lock that lets only one test run at a time. Memory limits count the memory of all tests of this
/// process, and a requested fault affects the next test that uses the GPU.
pub(crate) fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

pub(crate) fn device(gpu: &Gpu, cap: Option<u64>) -> Device {
    Device::Cuda(Gpus::new(vec![gpu.with_memory_cap(cap)]).unwrap())
}

/// Creates a mask with oblique axes. A fifth of its voxels are outside.
pub(crate) fn mask(random: &mut Random) -> Mask {
    let affine = Affine::from_rows([[-1.9, 0.3, 0.2, 9.0], [0.25, 1.8, -0.5, -5.0], [0.15, 0.45, 2.4, -6.0]]);
    let grid = Grid::new([9, 7, 6], affine.unwrap()).unwrap();
    let inside = (0..grid.len()).map(|_| random.below(5) > 0).collect();
    Mask::new(grid, inside).unwrap()
}

/// Creates a streamline of one of eight difficult kinds. Most of it is in the image.
pub(crate) fn streamline(random: &mut Random, grid: &Grid) -> Vec<Point> {
    let mut uniform = || random.uniform();
    let kind = (uniform() * 8.0) as usize;
    let points = match kind {
        0 => 0,
        1 => 1,
        2 => 2,
        _ => 3 + (uniform() * 90.0) as usize,
    };
    let [nx, ny, nz] = grid.shape().map(|n| n as f64);
    let mut place = [nx * uniform(), ny * uniform(), nz * uniform()];
    let mut direction = [0.0; 3];
    let mut line: Vec<Point> = Vec::new();
    for n in 0..points {
        let point = grid.affine().apply(place).map(|c| c as f32);
        // In kind 3, points are repeated. In kind 4, the streamline reverses.
        match kind {
            3 if n % 4 == 1 => line.push(*line.last().unwrap_or(&point)),
            4 if n % 5 == 4 => line.push(line[n - 2]),
            _ => line.push(point),
        }
        for axis in 0..3 {
            // A streamline of kind 5 stays in one voxel, and has the same orientations many times.
            let step = if kind == 5 { 0.02 } else { 0.3 };
            direction[axis] = 0.8 * direction[axis] + step * (2.0 * uniform() - 1.0);
            place[axis] += direction[axis];
        }
    }
    line
}

pub(crate) fn tractogram(random: &mut Random, streamlines: usize, grid: &Grid) -> Tractogram {
    let mut tractogram = Tractogram::new();
    for _ in 0..streamlines {
        tractogram.push(&streamline(random, grid));
    }
    tractogram
}

pub(crate) fn options(orientations: usize, node_value: NodeValue) -> EncodingOptions {
    EncodingOptions { orientations: Orientations::half_sphere(orientations), node_value }
}

/// Returns all coefficients of an encoding with the bits of their values, and the number of points outside
/// the mask. All NaN values have the same bits.
pub(crate) fn told(encoding: &Encoding) -> (Vec<(u32, u16, u32, u32)>, u64) {
    let bits = |value: f32| if value.is_nan() { f32::NAN.to_bits() } else { value.to_bits() };
    let of_voxel = |(n, &voxel): (usize, &u32)| {
        encoding
            .coefficients_of(n)
            .map(move |(atom, streamline, value)| (voxel, atom, streamline, bits(value)))
    };
    (encoding.voxels().iter().enumerate().flat_map(of_voxel).collect(), encoding.nodes_outside())
}

/// Encodes a tractogram on the CPU and on `device`, and compares the results. Returns the log messages of the
/// encoding on `device`.
pub(crate) fn compare(
    tractogram: &Tractogram,
    mask: &Mask,
    options: &EncodingOptions,
    device: &Device,
) -> String {
    let expected = Encoding::new(tractogram, mask, options, &Device::Cpu);
    let (found, log) = logged(|| Encoding::new(tractogram, mask, options, device));
    match (expected, found) {
        (Ok(expected), Ok(found)) => {
            assert_eq!(told(&found), told(&expected));
            assert_eq!(found.grid(), expected.grid());
            assert_eq!(found.orientations(), expected.orientations());
            assert_eq!(found.streamlines(), expected.streamlines());
        }
        (Err(expected), Err(found)) => assert_eq!(found.to_string(), expected.to_string()),
        (expected, found) => panic!("{found:?} and not {expected:?}"),
    }
    log
}

/// Returns the result of `work`, and its log messages.
pub(crate) fn logged<R>(work: impl FnOnce() -> R) -> (R, String) {
    with_captured_log(tracing::Level::DEBUG, work)
}

/// Returns the number of batches that the log states for the GPU. Panics if the log has a warning.
pub(crate) fn batches(log: &str) -> usize {
    assert!(!log.contains("WARN"), "{log}");
    let number_text =
        log.split("streamlines, batches: ").nth(1).and_then(|rest| rest.split_whitespace().next());
    number_text.and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no work of a GPU in: {log}"))
}

pub(crate) fn set_order(order: u64) {
    if arcuate_emulation::emulated() {
        arcuate_emulation::set_order(order);
    }
}
