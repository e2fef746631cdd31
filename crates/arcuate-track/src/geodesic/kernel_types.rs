//! Data types of geodesic rays that the CPU code shares with the GPU kernels.
#![allow(unsafe_code)]

use super::starts::Start;
use arcuate_compute::cuda::Precision;
use arcuate_numbers::Real;
use bytemuck::{Pod, Zeroable};

/// Value that denotes "no voxel" or "no points", as in `kernels.cu`.
pub(super) const NOWHERE: u64 = u64::MAX;

/// Data that all rays of a run share, in the layout of `metric.cuh`.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(8))]
pub(super) struct Course<T> {
    pub(super) to_mm: [T; 9],
    pub(super) to_voxels: [T; 9],
    pub(super) euclidean: [T; 6],
    pub(super) origin: [T; 3],
    pub(super) step: T,
    pub(super) shortest: T,
    pub(super) min_cosine: T,
    pub(super) tolerance: T,
    pub(super) scale: T,
    pub(super) shape: [i32; 3],
    pub(super) connectivity: u32,
    pub(super) ends_at_target: u32,
    pub(super) end_loops: u32,
    pub(super) max_length: f64,
}

/// Start of a ray, in the layout of `kernels.cu`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Begin<T> {
    voxel: u64,
    steps: u64,
    numbers: [T; 10],
}

/// State of a ray during tracking. Only GPU kernels read it. Its size is that of the same structure in
/// `kernels.cu`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct State<T> {
    before: [u64; 3],
    numbers: [T; 24],
    behind: [u32; 10],
}

// SAFETY: zero is a valid value of every field.
unsafe impl<T: Precision> Zeroable for Course<T> {}

// SAFETY:
// The structure has 32 numbers of 4 or 8 bytes, six of 4 bytes and one of 8 bytes. It has no padding, and
// every byte belongs to a number.
unsafe impl<T: Precision> Pod for Course<T> {}

// SAFETY: zero is a valid value of every field.
unsafe impl<T: Precision> Zeroable for Begin<T> {}

// SAFETY: two numbers of 8 bytes and ten of 4 or 8 bytes have no padding.
unsafe impl<T: Precision> Pod for Begin<T> {}

// SAFETY: zero is a valid value of every field.
unsafe impl<T: Precision> Zeroable for State<T> {}

// SAFETY: three numbers of 8 bytes, 24 of 4 or 8 bytes and ten of 4 bytes have no padding.
unsafe impl<T: Precision> Pod for State<T> {}

impl<T: Real> Begin<T> {
    pub(super) fn of(start: &Start, shape: [usize; 3]) -> Self {
        let mut numbers = [T::of(0.0); 10];
        for axis in 0..3 {
            let whole = start.at[axis].floor();
            numbers[axis] = T::of(whole);
            numbers[3 + axis] = T::of(start.at[axis] - whole);
            numbers[6 + axis] = T::of(start.velocity[axis]);
        }
        let voxel = start.voxel(shape).map_or(NOWHERE, |voxel| voxel as u64);
        Self { voxel, steps: u64::from(start.steps), numbers }
    }
}
