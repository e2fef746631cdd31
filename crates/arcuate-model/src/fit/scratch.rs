//! Data of a chunk of voxels in GPU memory during a fit.

use super::plan::ModelPlan;
use super::stage::StagePlan;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu};
use arcuate_numbers::Real;

/// Data of the voxels of a chunk.
pub(super) struct Scratch<T: Real> {
    pub(super) factors: Buffer<T>,
    pub(super) squares: Buffer<T>,
    pub(super) numbers: Buffer<T>,
    pub(super) maps: Buffer<T>,
    pub(super) costs: Buffer<T>,
    pub(super) usable: Buffer<u32>,
    pub(super) evaluations: Buffer<u32>,
    pub(super) status: Buffer<u8>,
    pub(super) next: Buffer<u32>,
}

impl<T: Real> Scratch<T> {
    pub(super) fn new(gpu: &Gpu, plan: &ModelPlan<T>, voxels: usize) -> CudaResult<Self> {
        Ok(Self {
            factors: gpu.alloc(voxels)?,
            squares: gpu.alloc(voxels)?,
            numbers: gpu.alloc(voxels * plan.program.free_numbers)?,
            maps: gpu.alloc(voxels * plan.program.map_numbers.max(1))?,
            costs: gpu.alloc(voxels)?,
            usable: gpu.alloc(voxels)?,
            evaluations: gpu.alloc(voxels)?,
            status: gpu.alloc(voxels)?,
            next: gpu.alloc(1)?,
        })
    }
}

/// The starts that a grid search has kept for each voxel of a chunk. If the search keeps several starts, also
/// the best result of the starts that were already tried.
pub(super) struct Starts<T: Real> {
    pub(super) kept: Buffer<u32>,
    pub(super) best: Option<BestStart<T>>,
}

/// The values of a chunk's voxels before the first start is tried, and the best result of the starts so far.
pub(super) struct BestStart<T: Real> {
    pub(super) from: Buffer<T>,
    pub(super) from_status: Buffer<u8>,
    pub(super) numbers: Buffer<T>,
    pub(super) status: Buffer<u8>,
    pub(super) costs: Buffer<T>,
}

impl<T: Real> Starts<T> {
    fn new(gpu: &Gpu, plan: &ModelPlan<T>, stage: usize, voxels: usize) -> CudaResult<Self> {
        let keep = plan.stages[stage].search.as_ref().map_or(0, |tried| tried.keep);
        let numbers = voxels * plan.program.free_numbers;
        let best = || -> CudaResult<BestStart<T>> {
            Ok(BestStart {
                from: gpu.alloc(numbers)?,
                from_status: gpu.alloc(voxels)?,
                numbers: gpu.alloc(numbers)?,
                status: gpu.alloc(voxels)?,
                costs: gpu.alloc(voxels)?,
            })
        };
        let goes_on = keep > 1 && StagePlan::followed(&plan.stages[stage + 1..]) > 0;
        Ok(Self { kept: gpu.alloc(voxels * keep)?, best: if goes_on { Some(best()?) } else { None } })
    }

    /// Allocates GPU memory for the starts of all stages of a model's fit.
    pub(super) fn all(gpu: &Gpu, plan: &ModelPlan<T>, voxels: usize) -> CudaResult<Vec<Self>> {
        (0..plan.stages.len()).map(|stage| Self::new(gpu, plan, stage, voxels)).collect()
    }
}
