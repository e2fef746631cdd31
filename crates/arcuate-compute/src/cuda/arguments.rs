//! Arguments of a kernel launch: numbers, plain structures, and memory that the kernel reads or writes.
//!
//! The macro [`kernels!`](crate::kernels) makes one Rust function for each GPU kernel. The function has
//! parameters of the same types as the kernel, and converts them to [`Argument`]s.

use super::buffer::{Buffer, BufferView, BufferViewMut};
use super::gpu::Gpu;
use super::pinned::Pinned;
use super::plain::Plain;
use arcuate_numbers::Real;
use std::marker::PhantomData;

/// A number type for which kernels exist: `f32` or `f64`. The name of a kernel for this number type ends with
/// [`NAME`](Self::NAME).
pub trait Precision: Plain {
    /// The suffix of the names of kernels for this number type: `f32` or `f64`.
    const NAME: &'static str;
}

impl<T: Real> Precision for T {
    const NAME: &'static str = <T as Real>::NAME;
}

/// GPU memory that a kernel reads: the argument for a kernel parameter of type `const T*`. This argument is
/// created from a [`Buffer`] or a part of a buffer. If the kernel accepts a null pointer, the argument can
/// also be created from an `Option` of a buffer or of a part.
///
/// The compiler rejects memory of another number type, as in this example:
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

/// GPU memory that a kernel writes and may read: the argument for a kernel parameter of type `T*`. This
/// argument is created from a mutable [`Buffer`] or a mutable part of a buffer. If the kernel accepts a null
/// pointer, the argument can also be created from an `Option` of a buffer or of a part.
///
/// The compiler rejects memory that may only be read, as in this example:
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
    /// Creates a null pointer, for kernels that accept null.
    pub fn none() -> Self {
        Self { address: 0, gpu: None, element: PhantomData }
    }
}

impl<'a, T: Plain> Output<'a, T> {
    /// Creates a null pointer, for kernels that accept null.
    pub fn none() -> Self {
        Self { address: 0, gpu: None, element: PhantomData }
    }

    /// Returns the same GPU memory as an argument for another kernel parameter, through which the kernel
    /// reads. Use this only for kernels that are designed for it: neither of the two parameters is
    /// `__restrict__`, and no thread reads a value that another thread writes.
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

/// Passes host memory to a kernel, which reads it over the bus between host and GPU. This is for data that do
/// not fit into GPU memory. The caller must keep the host memory until the kernel is done.
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

/// One untyped argument of a kernel: an address in device memory, a number or a plain structure.
#[derive(Debug, Clone, Copy)]
pub struct Argument<'a> {
    value: Value<'a>,
    pub(super) gpu: Option<&'a Gpu>,
}

/// The bytes of a kernel argument, in the host's byte order.
#[derive(Debug, Clone, Copy)]
enum Value<'a> {
    /// The bytes of the argument, and the number of bytes that are used.
    Held([u8; 8], usize),
    Lent(&'a [u8]),
}

impl<'a> Argument<'a> {
    /// Creates the argument for a number or a structure that the kernel takes by value.
    pub fn plain<T: Plain>(value: &'a T) -> Self {
        Self { value: Value::Lent(bytemuck::bytes_of(value)), gpu: None }
    }

    fn pointer(address: u64, gpu: Option<&'a Gpu>) -> Self {
        Self { value: Value::Held(address.to_ne_bytes(), 8), gpu }
    }

    /// The bytes of a kernel argument. The number of bytes is the size of the kernel's parameter.
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

/// Creates the arguments of a launch. `arguments![&input, &mut output, count as u32]` is an array of
/// [`Argument`](crate::cuda::Argument)s. The types of the arguments are not compared with the types of the
/// kernel's parameters.
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
    fn missing_buffers_are_null_pointers() {
        assert_eq!(Argument::from(Input::from(None::<&Buffer<f32>>)).bytes(), [0; 8]);
        assert_eq!(Argument::from(Output::from(None::<&mut Buffer<f32>>)).bytes(), [0; 8]);
    }
}
