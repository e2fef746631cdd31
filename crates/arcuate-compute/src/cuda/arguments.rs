//! What a launch gives to a kernel: numbers, plain structures, and memory that is read or written.
//!
//! The modules `kernels` that `cargo xtask kernels` writes have a function for each kernel, with the types of its
//! parameters; they make [`Argument`]s of what they are given.

use super::buffer::{Buffer, BufferView, BufferViewMut};
use super::gpu::Gpu;
use super::pinned::Pinned;
use super::plain::Plain;
use std::marker::PhantomData;

/// A precision that kernels come in, each under a name that ends alike.
pub trait Precision: Plain {
    /// How kernels of this precision are called: `f32` or `f64`.
    const NAME: &'static str;
}

impl Precision for f32 {
    const NAME: &'static str = "f32";
}

impl Precision for f64 {
    const NAME: &'static str = "f64";
}

/// Memory that a kernel reads: what a parameter `const T*` takes. Made of a [`Buffer`] or a part of one; of an `Option`
/// of those, for kernels that take null as "none".
///
/// What is of another type is refused by the compiler:
///
/// ```compile_fail,E0277
/// # use arcuate_compute::cuda::{Buffer, Input};
/// fn of_doubles(values: &Buffer<f64>) -> Input<'_, f32> {
///     values.into()
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Input<'a, T: Plain> {
    address: u64,
    gpu: Option<&'a Gpu>,
    element: PhantomData<&'a [T]>,
}

/// Memory that a kernel writes, and may read: what a parameter `T*` takes. Made of a [`Buffer`] or a part of one that may
/// be written; of an `Option` of those, for kernels that take null as "none".
///
/// What may only be read is refused by the compiler:
///
/// ```compile_fail,E0277
/// # use arcuate_compute::cuda::{Buffer, Output};
/// fn over_what_is_read(values: &Buffer<f32>) -> Output<'_, f32> {
///     values.into()
/// }
/// ```
#[derive(Debug)]
pub struct Output<'a, T: Plain> {
    address: u64,
    gpu: Option<&'a Gpu>,
    element: PhantomData<&'a mut [T]>,
}

impl<T: Plain> Input<'_, T> {
    /// Null, for kernels that take it as "none".
    pub fn none() -> Self {
        Self { address: 0, gpu: None, element: PhantomData }
    }
}

impl<'a, T: Plain> Output<'a, T> {
    /// Null, for kernels that take it as "none".
    pub fn none() -> Self {
        Self { address: 0, gpu: None, element: PhantomData }
    }

    /// The same memory, for a second parameter of the same launch by which the kernel reads it. Only for kernels that are
    /// written for that: neither parameter is `__restrict__`, and no thread reads what another one writes.
    pub fn also_read(&self) -> Input<'a, T> {
        Input { address: self.address, gpu: self.gpu, element: PhantomData }
    }
}

impl<'a, T: Plain> From<BufferView<'a, T>> for Input<'a, T> {
    fn from(view: BufferView<'a, T>) -> Self {
        Self { address: view.address(), gpu: Some(view.gpu()), element: PhantomData }
    }
}

impl<'a, T: Plain> From<BufferViewMut<'a, T>> for Input<'a, T> {
    fn from(view: BufferViewMut<'a, T>) -> Self {
        Output::from(view).also_read()
    }
}

impl<'a, T: Plain> From<&'a Buffer<T>> for Input<'a, T> {
    fn from(buffer: &'a Buffer<T>) -> Self {
        buffer.view().into()
    }
}

impl<'a, T: Plain> From<&'a mut Buffer<T>> for Input<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        buffer.view_mut().into()
    }
}

/// Memory of the host, which the kernel reads over the bus: for what does not fit the GPU. Who launches it keeps the memory
/// until it is done.
impl<'a, T: Plain> From<&'a Pinned<T>> for Input<'a, T> {
    fn from(pinned: &'a Pinned<T>) -> Self {
        Self { address: pinned.address_of(0) as u64, gpu: None, element: PhantomData }
    }
}

impl<T: Plain, M: Into<Self>> From<Option<M>> for Input<'_, T> {
    fn from(memory: Option<M>) -> Self {
        memory.map_or_else(Self::none, M::into)
    }
}

impl<'a, T: Plain> From<BufferViewMut<'a, T>> for Output<'a, T> {
    fn from(view: BufferViewMut<'a, T>) -> Self {
        Self { address: view.address(), gpu: Some(view.gpu()), element: PhantomData }
    }
}

impl<'a, T: Plain> From<&'a mut Buffer<T>> for Output<'a, T> {
    fn from(buffer: &'a mut Buffer<T>) -> Self {
        buffer.view_mut().into()
    }
}

impl<T: Plain, M: Into<Self>> From<Option<M>> for Output<'_, T> {
    fn from(memory: Option<M>) -> Self {
        memory.map_or_else(Self::none, M::into)
    }
}

/// One argument of a kernel, without its type: an address in device memory, a number or a plain structure.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a> {
    value: Value<'a>,
    pub(super) gpu: Option<&'a Gpu>,
}

/// The bytes of an argument, in the host's order.
#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    /// The first so many of these.
    Held([u8; 8], usize),
    Lent(&'a [u8]),
}

impl<'a> Argument<'a> {
    /// A number or a structure, which the kernel takes by value.
    pub fn plain<T: Plain>(value: &'a T) -> Self {
        Self { value: Value::Lent(bytemuck::bytes_of(value)), gpu: None }
    }

    fn pointer(address: u64, gpu: Option<&'a Gpu>) -> Self {
        Self { value: Value::Held(address.to_ne_bytes(), 8), gpu }
    }

    /// As many bytes as the parameter has.
    pub(super) fn bytes(&self) -> &[u8] {
        match &self.value {
            Value::Held(bytes, count) => &bytes[..*count],
            Value::Lent(bytes) => bytes,
        }
    }
}

impl<'a, T: Plain> From<Input<'a, T>> for Argument<'a> {
    fn from(memory: Input<'a, T>) -> Self {
        Self::pointer(memory.address, memory.gpu)
    }
}

impl<'a, T: Plain> From<Output<'a, T>> for Argument<'a> {
    fn from(memory: Output<'a, T>) -> Self {
        Self::pointer(memory.address, memory.gpu)
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for Argument<'_> {
            fn from(number: $number) -> Self {
                let mut value = [0; 8];
                let bytes = size_of::<$number>();
                value[..bytes].copy_from_slice(&number.to_ne_bytes());
                Self { value: Value::Held(value, bytes), gpu: None }
            }
        }
    )*};
}

numbers!(u32, i32, f32, u64, i64, f64);

macro_rules! memory {
    ($($memory:ty => $direction:ident),* $(,)?) => {$(
        impl<'a, T: Plain> From<$memory> for Argument<'a> {
            fn from(memory: $memory) -> Self {
                $direction::from(memory).into()
            }
        }
    )*};
}

memory! {
    &'a Buffer<T> => Input,
    &'a mut Buffer<T> => Output,
    BufferView<'a, T> => Input,
    BufferViewMut<'a, T> => Output,
}

/// The arguments of a launch: `arguments![&input, &mut output, count as u32]` is an array of
/// [`Argument`](crate::cuda::Argument)s, whose types nobody compares with the kernel's.
#[macro_export]
macro_rules! arguments {
    ($($argument:expr),* $(,)?) => {
        [$($crate::cuda::Argument::from($argument)),*]
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_structures_keep_their_bits() {
        assert_eq!(Argument::from(-2_i32).bytes(), (-2_i32).to_ne_bytes());
        assert_eq!(Argument::from(1.5_f32).bytes(), [0, 0, 192, 63].map(u8::from_le));
        assert_eq!(Argument::from(u64::MAX).bytes(), [255; 8]);
        assert_eq!(Argument::plain(&[1_u8; 64]).bytes(), [1; 64]);
    }

    #[test]
    fn none_is_null() {
        assert_eq!(Argument::from(Input::from(None::<&Buffer<f32>>)).bytes(), [0; 8]);
        assert_eq!(Argument::from(Output::from(None::<&mut Buffer<f32>>)).bytes(), [0; 8]);
    }
}
