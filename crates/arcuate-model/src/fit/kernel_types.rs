//! Structures that kernels of fits take in either precision.
#![allow(unsafe_code)]

use arcuate_compute::cuda::Precision;
use bytemuck::{Pod, Zeroable};

/// Where a number starts: as in `begin.cuh`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct BeginNumber<T> {
    pub(super) value: T,
    pub(super) low: T,
    pub(super) high: T,
    pub(super) what: u32,
    pub(super) component: u32,
}

/// What a fit has in common: as in `minimise.cuh`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct FitPlan<T> {
    pub(super) tolerance: T,
    pub(super) floor: T,
    pub(super) voxels: u64,
    pub(super) resting: u64,
    pub(super) measurements: u32,
    pub(super) evaluations: u32,
    pub(super) transforms: u32,
    pub(super) constraints: u32,
    pub(super) shared_columns: u32,
    pub(super) uniforms: u32,
}

// SAFETY: zeros are numbers of all kinds.
unsafe impl<T: Precision> Zeroable for BeginNumber<T> {}
// SAFETY: three numbers of 4 or 8 bytes and two of 4 leave no gap.
unsafe impl<T: Precision> Pod for BeginNumber<T> {}
// SAFETY: zeros are numbers of all kinds.
unsafe impl<T: Precision> Zeroable for FitPlan<T> {}
// SAFETY: two numbers of 4 or 8 bytes, two of 8 and six of 4 leave no gap.
unsafe impl<T: Precision> Pod for FitPlan<T> {}
