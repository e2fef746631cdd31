//! Writes kernels at run time. Code that depends on a model is not known when Arcuate is built. The code is
//! written as PTX text at run time, and the driver compiles the text.
//!
//! A [`Writer`] writes one kernel. [`Value`]s are numbers in registers. An operator writes an instruction and
//! returns the register of its result, so the code that writes a kernel looks like the kernel itself. Each
//! operation of [`Value`] is rounded once, like the operations of [`numbers`](arcuate_numbers). Only `fma`
//! fuses a product and a sum. So the same operations in the same order give the same bits as on the CPU.
//! Numbers that are known when the kernel is written become constants in instructions. Expressions of such
//! numbers are evaluated while the kernel is written.
//!
//! ```
//! use arcuate_compute::cuda::writer::{Kind, Space, Writer};
//!
//! // Doubles `count` numbers; each thread doubles one number.
//! let w = Writer::new("double_all");
//! let count = w.parameter(Kind::U32);
//! let numbers = w.pointer(Space::Global);
//! let n = w.block() * w.constant(Kind::U32, 128.0) + w.thread();
//! w.when(n.below(count), || {
//!     let place = numbers.element(n, Kind::F32);
//!     let number = place.load(Kind::F32);
//!     place.store(number + number);
//! });
//! let kernel = w.finish(128, 1);
//! assert!(kernel.text().contains("add.rn.f32"));
//! ```

mod elementary;
mod flow;
mod memory;
mod random;
#[cfg(test)]
mod tests;
mod text;
mod value;

pub use flow::{Branch, Loop, Variable};
pub use memory::{Pointer, Space};
pub use random::random_block;
pub use text::Writer;
pub use value::{Kind, Value};
