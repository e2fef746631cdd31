//! Types of the elements of GPU memory.

/// A type of the elements of GPU memory: a number, or a plain structure of numbers, for which every bit
/// pattern is valid.
pub trait Plain: bytemuck::Pod + Send + Sync {}

impl<T: bytemuck::Pod + Send + Sync> Plain for T {}
