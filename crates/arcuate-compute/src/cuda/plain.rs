//! What memory of GPUs holds.

/// What device memory can hold: numbers and plain structures of them, of which every pattern of bits is a value.
pub trait Plain: bytemuck::Pod + Send + Sync {}

impl<T: bytemuck::Pod + Send + Sync> Plain for T {}
