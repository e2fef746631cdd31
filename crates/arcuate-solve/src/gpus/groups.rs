//! The penalty on groups of unknowns on one GPU.
#![allow(unsafe_code)]

use super::cuda::{THREADS, Totals};
use super::kernels;
use crate::{GroupPenalty, Real};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream};
use arcuate_core::narrow;

/// The groups of unknowns on a GPU. All buffers are empty if there are no groups.
pub(crate) struct Groups {
    starts: Buffer<u32>,
    members: Buffer<u32>,
    weights: Buffer<f64>,
}

impl Groups {
    /// Allocates buffers for these numbers of groups and of their members.
    pub(crate) fn alloc(gpu: &Gpu, groups: usize, members: usize) -> CudaResult<Self> {
        let starts = gpu.alloc(if groups > 0 { groups + 1 } else { 0 })?;
        Ok(Self { starts, members: gpu.alloc(members)?, weights: gpu.alloc(groups)? })
    }

    /// Copies the groups to the GPU.
    pub(crate) fn new(stream: &Stream, penalty: Option<&GroupPenalty>) -> CudaResult<Self> {
        let Some(penalty) = penalty else { return Self::alloc(stream.gpu(), 0, 0) };
        let mut groups = Self::alloc(stream.gpu(), penalty.len(), penalty.members().len())?;
        // The members of groups are different unknowns. The number of unknowns has 32 bits.
        let starts: Vec<u32> = penalty.starts().iter().map(|&start| narrow::<u32>(start)).collect();
        groups.starts.copy_from(stream, &starts)?;
        groups.members.copy_from(stream, penalty.members())?;
        groups.weights.copy_from(stream, penalty.weights())?;
        Ok(groups)
    }

    /// Shrinks the norm of x in each group, like [`GroupPenalty::shrink`]. The penalty of the result becomes
    /// the total at position `at`.
    pub(crate) fn shrink<T: Real>(
        &self,
        stream: &Stream,
        x: &mut Buffer<T>,
        length: f64,
        (totals, at): (&mut Totals, usize),
    ) -> CudaResult<()> {
        let Self { starts, members, weights } = self;
        let (count, threads) = (narrow::<u32>(weights.len()), weights.len().saturating_mul(THREADS as usize));
        // SAFETY: the members of groups were checked to be different unknowns, which x has.
        totals.of(stream, threads, (1, 0, at), |grid, partials| unsafe {
            kernels::solver_groups(stream, grid, count, length, starts, members, weights, x, partials)
        })
    }
}
