//! GPU kernels that are generated for a model when the model is fitted. They have the same operations in the
//! same order as the CPU code, so that both compute the same bits. The operations, bounds, constraints and
//! settings of the model are constants in the instructions of the kernels.

mod begin;
mod minimise;
mod search;
mod starts;
mod steps;

pub(super) use begin::begin;
pub(super) use minimise::minimise;
pub(super) use search::search;
pub(super) use starts::next_start;
pub(crate) use steps::{Steps, unsupported};

use crate::special::watson::Series;
use arcuate_compute::cuda::writer::{Kind, Pointer, Value, Writer};

/// Number of threads per block of the kernels that fit models.
pub(super) const THREADS: u32 = 128;

/// Returns the data type that kernels use for a Rust floating-point type.
pub(crate) fn kind<T: Series>() -> Kind {
    if size_of::<T>() == 8 { Kind::F64 } else { Kind::F32 }
}

/// Returns a floating-point number as a constant of the kernel.
fn number<T: Series>(w: &Writer, value: T) -> Value<'_> {
    w.constant(kind::<T>(), value.double())
}

/// Generates code that makes the numbers of all measurements (b, g and so on) available to all threads, and
/// returns their address. If these numbers fit into shared memory, they are copied there.
fn table<'w>(
    w: &'w Writer,
    columns: Pointer<'w>,
    length: Value<'w>,
    kind: Kind,
    is_shared: bool,
) -> Pointer<'w> {
    if !is_shared {
        return columns;
    }
    let shared = w.shared();
    w.count_from(w.thread(), length, w.threads(), |n| {
        shared.element(n, kind).store(columns.element(n, kind).load(kind));
    });
    w.wait_for_block();
    shared
}
