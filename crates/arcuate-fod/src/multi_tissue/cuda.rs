//! Host code of multi-tissue deconvolution on a GPU: tables in GPU memory, and kernel launches.
#![allow(unsafe_code)]

use super::MultiTissue;
use super::constants::THREADS;
use super::kernels::{self, MultiTissuePlan};
use crate::cone::{Cone, DEPENDENT, STEPS, TOLERANCE};
use crate::on_gpus::{BlockMemory, DeviceSolver, Voxels};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream};
use arcuate_core::narrow;

/// Maximum number of constraints (rows of the cone) that the GPU kernels support.
const MAX_ROWS: usize = 1 << 16;

/// Data in GPU memory that are the same for all voxels.
pub(crate) struct Tables {
    forward: Buffer<f64>,
    /// The triangular factor U of HᵀH = UᵀU, stored in tiles. The matrix H computes the signals from the
    /// coefficients.
    factor: Buffer<f64>,
    rows: Buffer<f64>,
    columns: Buffer<f64>,
    /// For each row of the cone's matrix, a bit set of the rows that are similar to it.
    alike: Buffer<u32>,
}

/// Returns the number of 32-bit words in a bit set of the cone's rows.
fn words(cone: &Cone) -> usize {
    cone.count.div_ceil(32)
}

/// Returns, for each row of the cone's matrix, a bit set of the rows that are similar to it. Each bit set
/// consists of whole 32-bit words.
fn alike(cone: &Cone) -> Vec<u32> {
    let words = words(cone);
    let mut bits = vec![0; words * cone.count];
    for (bits, list) in bits.chunks_exact_mut(words).zip(cone.alike_from.windows(2)) {
        for &other in &cone.alike[list[0]..list[1]] {
            bits[other / 32] |= 1 << (other % 32);
        }
    }
    bits
}

impl DeviceSolver for MultiTissue {
    type Tables = Tables;

    fn block_memory(&self) -> BlockMemory {
        let (size, cone) = (self.total, &self.cone);
        let vectors = (4 * self.stride + cone.count.max(5 * self.stride)) * size_of::<f64>();
        let lists = (3 * words(cone) + 1) * size_of::<u32>() + 3 * self.stride * size_of::<u16>();
        BlockMemory { bytes: vectors + lists, matrices: size * (self.stride + 1) + size * (size + 3) / 2 }
    }

    fn obstacle(&self) -> Option<String> {
        let rows = self.cone.count;
        (rows > MAX_ROWS).then(|| format!("{rows} constraints are more than its {MAX_ROWS}"))
    }

    fn tables(&self, gpu: &Gpu, stream: &Stream) -> CudaResult<Tables> {
        Ok(Tables {
            forward: gpu.upload(stream, &self.forward)?,
            factor: gpu.upload(stream, &self.factor.tiles())?,
            rows: gpu.upload(stream, &self.cone.rows)?,
            columns: gpu.upload(stream, &self.cone.columns)?,
            alike: gpu.upload(stream, &alike(&self.cone))?,
        })
    }

    fn launch(&self, stream: &Stream, tables: &Tables, voxels: &mut Voxels) -> CudaResult<()> {
        let plan = MultiTissuePlan {
            voxels: narrow::<u32>(voxels.count),
            measurements: narrow::<u32>(self.series),
            count: narrow::<u32>(self.total),
            stride: narrow::<u32>(self.stride),
            rows: narrow::<u32>(self.cone.count),
            steps: narrow::<u32>(STEPS * self.total),
            outside: voxels.placement.outside as u64,
            tolerance: TOLERANCE,
            dependent: DEPENDENT,
        };
        let grid = voxels.grid(THREADS);
        // SAFETY:
        // The tables belong to the plan. The arrays of signals, coefficients and results have an entry for
        // each voxel. If the matrices do not fit in shared memory, the array of matrices has one entry for
        // each block.
        unsafe {
            kernels::multi_tissue_fit(
                stream,
                grid,
                plan,
                &voxels.signals,
                &tables.forward,
                &tables.factor,
                &tables.rows,
                &tables.columns,
                &tables.alike,
                &mut voxels.matrices,
                &mut voxels.coefficients,
                &mut voxels.ends,
            )
        }
    }
}
