//! Structures that the GPU kernels of fits use in single and in double precision.
#![allow(unsafe_code)]

use arcuate_compute::cuda::Precision;
use bytemuck::{Pod, Zeroable};

/// How a parameter value starts. `begin.cuh` declares the same structure.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct BeginNumber<T> {
    pub(super) value: T,
    pub(super) low: T,
    pub(super) high: T,
    pub(super) what: u32,
    pub(super) component: u32,
}

// SAFETY: all-zero bytes are valid for all fields.
unsafe impl<T: Precision> Zeroable for BeginNumber<T> {}
// SAFETY: three numbers of 4 or 8 bytes and two of 4 bytes leave no padding.
unsafe impl<T: Precision> Pod for BeginNumber<T> {}
