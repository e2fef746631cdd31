//! GPU kernels that are generated for a model when the model is fitted. They have the same operations in the
//! same order as the CPU code, so that both compute the same bits. The operations, bounds, constraints and
//! settings of the model are constants in the instructions of the kernels.

mod begin;
mod evaluation;
mod minimise;
mod search;
mod starts;
mod steps;

pub(super) use begin::begin;
pub(super) use minimise::minimise;
pub(super) use search::search;
pub(super) use starts::next_start;
pub(crate) use steps::{Steps, unsupported};

use arcuate_compute::cuda::writer::Kind;
use arcuate_numbers::Real;

/// Number of threads per block of the kernels that fit models.
pub(super) const THREADS: u32 = 128;

/// Returns the data type that kernels use for a Rust floating-point type.
pub(crate) fn kind<T: Real>() -> Kind {
    if size_of::<T>() == 8 { Kind::F64 } else { Kind::F32 }
}
