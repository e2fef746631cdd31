//! Element types of GPU memory.

/// Element types of device memory: numbers, and plain structures of numbers, for which every bit pattern is
/// valid.
pub trait Plain: bytemuck::Pod + Send + Sync {}

impl<T: bytemuck::Pod + Send + Sync> Plain for T {}
