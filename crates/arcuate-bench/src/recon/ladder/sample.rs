//! K-space samples in GPU memory.

/// A k-space sample, with the memory layout of `struct Sample` in the GPU kernels.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct Sample {
    pub(super) place: [f32; 3],
    pub(super) value: [f32; 2],
    pub(super) unused: [f32; 3],
}
