//! Kernels that are written when they are needed: what depends on a model that nobody knew when the program was built becomes
//! text (PTX), which the driver compiles.
//!
//! A [`Writer`] writes one kernel. [`Value`]s are numbers in registers; operators between them write an instruction each and
//! answer with the register of its result, so that code that writes a kernel reads like one. Operations of [`Value`] are each
//! rounded once, as those of [`numbers`](crate::numbers), and `fma` alone joins a product to a sum: what is written with the same
//! operations in the same order has the bits of the processor. Numbers known while writing are part of the instructions, and
//! what is made of such numbers alone is computed at once.
//!
//! ```
//! use arcuate_compute::cuda::writer::{Kind, Space, Writer};
//!
//! // Doubles `count` numbers, a thread for each.
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

pub use flow::{Loop, Variable};
pub use memory::{Pointer, Space};
pub use random::random_block;
pub use text::Writer;
pub use value::{Kind, Value};
