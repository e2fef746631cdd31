//! The maximum degrees of spherical harmonics for which kernels are compiled.

use super::kernels;
use arcuate_compute::cuda::{CudaResult, Gpu};
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::narrow;
use arcuate_solve::Real;

/// The maximum harmonic degrees for which kernels are compiled.
pub(in super::super) const COMPILED: [usize; 5] = [10, 12, 14, 16, 18];

/// The compiled kernels for one maximum degree of the spherical harmonics and one number of basis functions.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct Compiled {
    order: usize,
    pub(super) rank: usize,
}

impl Compiled {
    /// Returns the compiled kernels for a maximum degree of the spherical harmonics and up to four basis
    /// functions. Returns `None` if no kernels are compiled for these numbers and this precision.
    pub(in super::super) fn new<T: Real>(order: usize, rank: usize) -> Option<Self> {
        (size_of::<T>() == 4 && COMPILED.contains(&order)).then_some(Self { order, rank })
    }

    pub(super) fn harmonics(self) -> usize {
        EvenHarmonics::count_up_to(self.order)
    }

    /// Returns the template parameters of the kernels: the maximum degree of the spherical harmonics and the
    /// number of basis functions.
    pub(super) fn numbers(self) -> [u32; 2] {
        [narrow::<u32>(self.rank), narrow::<u32>(self.order)]
    }
}

/// Loads the kernels before they are needed, so that a GPU that cannot run them reports this early.
pub(in super::super) fn load(gpu: &Gpu) -> CudaResult<()> {
    gpu.kernels(&kernels::IMAGES).map(drop)
}
