//! Host code of single-shell deconvolution on a GPU: tables in GPU memory, and kernel launches.
#![allow(unsafe_code)]

use super::SingleShell;
use super::constants::THREADS;
use super::kernels::{self, SingleShellPlan};
use crate::dense::{SINGULAR, tile_elements, tile_places};
use crate::on_gpus::{BlockMemory, DeviceSolver, Voxels};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream};
use arcuate_core::narrow;

/// Maximum number of constraint directions that the GPU kernels support.
const MAX_CONSTRAINTS: usize = 1 << 15;

/// Data in GPU memory that are the same for all voxels.
pub(crate) struct Tables {
    shell: Buffer<u32>,
    initial: Buffer<f64>,
    forward: Buffer<f64>,
    /// The matrix FᵀF + μ I, stored in tiles, and the positions of the tiles. The matrix F computes the
    /// signals from the coefficients, and μ is the weight of the squared norm.
    normal: Buffer<f64>,
    places: Buffer<u32>,
    constraints: Buffer<f64>,
    constraint_columns: Buffer<f64>,
}

impl SingleShell {
    fn constraint_count(&self) -> usize {
        self.constraints.len() / self.stride
    }
}

impl DeviceSolver for SingleShell {
    type Tables = Tables;

    fn block_memory(&self) -> BlockMemory {
        let constraints = self.constraint_count();
        let vectors = (self.shells[0].len() + 2 * self.stride) * size_of::<f64>();
        let lists = 2 * constraints.div_ceil(32) * size_of::<u32>() + constraints * size_of::<u16>();
        BlockMemory { bytes: vectors + lists, matrices: 2 * tile_elements(self.stride) }
    }

    fn obstacle(&self) -> Option<String> {
        let constraints = self.constraint_count();
        (constraints > MAX_CONSTRAINTS)
            .then(|| format!("{constraints} constraint directions are more than its {MAX_CONSTRAINTS}"))
    }

    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Tables> {
        let shell: Vec<u32> = self.shells[0].iter().map(|&m| narrow::<u32>(m)).collect();
        Ok(Tables {
            shell: gpu.upload(stream, &shell)?,
            initial: gpu.upload(stream, &self.initial)?,
            forward: gpu.upload(stream, &self.forward)?,
            normal: gpu.upload(stream, &self.normal.tiles())?,
            places: gpu.upload(stream, &tile_places(self.stride))?,
            constraints: gpu.upload(stream, &self.constraints)?,
            constraint_columns: gpu.upload(stream, &self.constraint_columns)?,
        })
    }

    fn launch(&self, stream: &Stream, tables: &Tables, voxels: &mut Voxels) -> CudaResult<()> {
        let plan = SingleShellPlan {
            voxels: narrow::<u32>(voxels.count),
            series: narrow::<u32>(self.series),
            shell: narrow::<u32>(self.shells[0].len()),
            count: narrow::<u32>(self.count),
            stride: narrow::<u32>(self.stride),
            beginning_count: narrow::<u32>(self.initial_count),
            constraints: narrow::<u32>(self.constraint_count()),
            iterations: u32::try_from(self.iterations).unwrap_or(u32::MAX),
            outside: voxels.placement.outside as u64,
            threshold: self.threshold,
            singular: SINGULAR,
        };
        let grid = voxels.grid(THREADS);
        // SAFETY:
        // The tables belong to the plan. The arrays of signals, coefficients and results have an entry for
        // each voxel. If the matrices do not fit in shared memory, the array of matrices has one entry for
        // each block.
        unsafe {
            kernels::single_shell_fit(
                stream,
                grid,
                plan,
                &voxels.signals,
                &tables.shell,
                &tables.initial,
                &tables.forward,
                &tables.normal,
                &tables.constraints,
                &tables.constraint_columns,
                &tables.places,
                &mut voxels.matrices,
                &mut voxels.coefficients,
                &mut voxels.ends,
            )
        }
    }
}
