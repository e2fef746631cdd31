//! What a fit has in the memory of a GPU: the voxels of a lot, and the tables of its models.

use super::cuda::{BeginNumber, begin_number};
use super::plan::ModelPlan;
use super::stage::{LinearRow, StagePlan};
use crate::special::watson::Series;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream};

/// Memory for the voxels of a lot.
pub(super) struct Room<T: Series> {
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

impl<T: Series> Room<T> {
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

/// What a search kept of each voxel of a lot, and, where this is more than one start, what these led to.
pub(super) struct Starts<T: Series> {
    pub(super) kept: Buffer<u32>,
    pub(super) best: Option<BestStart<T>>,
}

/// Where the starts of a lot begin, and the best of what they led to.
pub(super) struct BestStart<T: Series> {
    pub(super) from: Buffer<T>,
    pub(super) from_status: Buffer<u8>,
    pub(super) numbers: Buffer<T>,
    pub(super) status: Buffer<u8>,
    pub(super) costs: Buffer<T>,
}

impl<T: Series> Starts<T> {
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
        let goes_on = keep > 1 && stage + 1 < plan.stages.len();
        Ok(Self { kept: gpu.alloc(voxels * keep)?, best: if goes_on { Some(best()?) } else { None } })
    }

    /// Of all stages of a plan.
    pub(super) fn all(gpu: &Gpu, plan: &ModelPlan<T>, voxels: usize) -> CudaResult<Vec<Self>> {
        (0..plan.stages.len()).map(|stage| Self::new(gpu, plan, stage, voxels)).collect()
    }
}

/// What of a plan is the same for all voxels, in a GPU.
pub(super) struct Tables<T: Series> {
    pub(super) b0: Buffer<u32>,
    pub(super) places: Buffer<u32>,
    pub(super) rows: Buffer<T>,
    pub(super) beginnings: Buffer<BeginNumber<T>>,
    pub(super) stages: Vec<StageTables<T>>,
}

/// What of a stage is the same for all voxels, in a GPU.
pub(super) struct StageTables<T: Series> {
    pub(super) columns: Buffer<T>,
    pub(super) uniforms: Buffer<T>,
    pub(super) bounds: Buffer<T>,
    pub(super) constraints: Buffer<T>,
    pub(super) candidates: Buffer<T>,
    pub(super) groups: Buffer<u32>,
    pub(super) searched: Buffer<u32>,
}

impl<T: Series> Tables<T> {
    pub(super) fn new(gpu: &Gpu, stream: &Stream, plan: &ModelPlan<T>) -> CudaResult<Self> {
        let begin = &plan.begin;
        let b0: Vec<u32> = begin.b0.iter().map(|&m| m as u32).collect();
        let places: Vec<u32> = begin.rows.iter().map(|(m, _)| *m as u32).collect();
        let rows: Vec<T> = begin.rows.iter().flat_map(|(_, row)| *row).collect();
        let beginnings: Vec<BeginNumber<T>> = begin
            .beginnings
            .iter()
            .zip(&begin.bounds)
            .map(|(start, bounds)| begin_number(*start, *bounds))
            .collect();
        let stages: CudaResult<Vec<_>> =
            plan.stages.iter().map(|stage| StageTables::new(gpu, stream, stage)).collect();
        Ok(Self {
            b0: gpu.upload(stream, &b0)?,
            places: gpu.upload(stream, &places)?,
            rows: gpu.upload(stream, &rows)?,
            beginnings: gpu.upload(stream, &beginnings)?,
            stages: stages?,
        })
    }
}

impl<T: Series> StageTables<T> {
    fn new(gpu: &Gpu, stream: &Stream, stage: &StagePlan<T>) -> CudaResult<Self> {
        let columns: Vec<T> = stage.schedule.columns.iter().map(|&value| T::of(value)).collect();
        let uniforms: Vec<T> = stage.schedule.uniforms.iter().map(|&(value, _)| T::of(value)).collect();
        let bounds: Vec<T> = stage.bounds.iter().flatten().copied().collect();
        let row = |row: &LinearRow<T>| {
            let is_equality = T::of(f64::from(u8::from(row.is_equality)));
            row.weights.iter().copied().chain([row.offset, is_equality]).collect::<Vec<T>>()
        };
        let constraints: Vec<T> = stage.constraints.iter().flat_map(row).collect();
        let search = stage.search.as_ref();
        let searched =
            search.map_or(Vec::new(), |search| search.searched.iter().map(|&n| u32::from(n)).collect());
        Ok(Self {
            columns: gpu.upload(stream, &columns)?,
            uniforms: gpu.upload(stream, &uniforms)?,
            bounds: gpu.upload(stream, &bounds)?,
            constraints: gpu.upload(stream, &constraints)?,
            candidates: gpu.upload(stream, search.map_or(&[], |search| &search.values[..]))?,
            groups: gpu.upload(stream, search.map_or(&[], |search| &search.groups[..]))?,
            searched: gpu.upload(stream, &searched)?,
        })
    }
}
