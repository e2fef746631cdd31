//! The row kernels of the sparse Tucker operator: their memory layout of coefficients, and their launches.
#![allow(unsafe_code)]

use super::super::arrays::TuckerArrays;
use super::super::part::{BRICK, Layout, Place, TuckerPart, mode};
use super::kernels;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, Staged, Stream};
use arcuate_core::{Result, narrow};
use arcuate_numbers::Real;
use arcuate_solve::Products;
use std::ops::Range;

/// Number of voxels per block, and number of threads per block. One warp (32 threads) processes each voxel.
const VOXELS_OF_A_BLOCK: usize = 8;
const THREADS: u32 = 256;

/// The voxels of a GPU in the memory layout of the row kernels. The coefficients have the same layout as in
/// CPU memory.
pub(in super::super) struct Rows<T: Real> {
    /// Number of directions that the kernel processes each time it reads the dictionary rows of a voxel.
    span: u32,
    voxels: Range<usize>,
    tables: Tables<T>,
}

/// Tables that stay in the memory of a GPU as long as the operator is placed on this GPU.
struct Tables<T: Real> {
    order: Buffer<u32>,
    starts: Buffer<u32>,
    runs: Buffer<u32>,
    dictionary: Buffer<T>,
}

impl<T: Real> Rows<T> {
    pub(in super::super) fn place(place: Place<'_, T>) -> Result<TuckerPart<T>> {
        let Place { operator, gpu, stream, voxels, .. } = &place;
        let within = |all: &[usize]| -> Vec<u32> {
            let here = &all[voxels.start..=voxels.end];
            here.iter().map(|&at| narrow::<u32>(at - here[0])).collect()
        };
        let (starts, runs) = (within(&operator.voxel_starts), within(&operator.voxel_runs));
        let mut order: Vec<u32> = (0..narrow::<u32>(voxels.len())).collect();
        let tables = |gpu: &Gpu, order: &[u32]| {
            Ok(Tables {
                order: gpu.upload(stream, order)?,
                starts: gpu.upload(stream, &starts)?,
                runs: gpu.upload(stream, &runs)?,
                dictionary: gpu.upload(stream, &operator.dictionary)?,
            })
        };
        let always = gpu.bytes_of(|gpu| tables(gpu, &order))?;
        let (coefficient, run) = ((size_of::<u32>() + size_of::<T>()) as u64, size_of::<u16>() as u64);
        let chunks = place.cut(voxels.len(), always, |brick| {
            let voxel = place.voxel_of(brick);
            u64::from(starts[voxel]) * coefficient + u64::from(runs[voxel]) * run
        })?;
        let size = |voxel: u32| starts[voxel as usize + 1] - starts[voxel as usize];
        for bricks in chunks.all() {
            // Voxels with many coefficients are processed first, so that the blocks at the end of a launch
            // take little time.
            order[place.voxel_of(bricks.start)..place.voxel_of(bricks.end)]
                .sort_by_key(|&voxel| std::cmp::Reverse(size(voxel) / 128));
        }
        // The kernels are loaded before they are needed. If the GPU cannot run them, this is then reported
        // early.
        gpu.kernels(&kernels::IMAGES)?;
        let layout = Self {
            span: span::<T>(operator.directions),
            voxels: voxels.clone(),
            tables: tables(gpu, &order)?,
        };
        place.with(layout, &chunks)
    }

    /// Converts a range of bricks (128 voxels each) of this GPU to the range of their voxels in the whole
    /// operator.
    fn voxels_of(&self, bricks: &Range<usize>) -> Range<usize> {
        let voxel = |brick: usize| (self.voxels.start + brick * BRICK).min(self.voxels.end);
        voxel(bricks.start)..voxel(bricks.end)
    }
}

impl<T: Real> Layout<T> for Rows<T> {
    fn kernel(&self) -> String {
        format!("sparse_tucker_rows_{}_{}", T::NAME, self.span)
    }

    fn norms(&self, voxels: usize) -> usize {
        voxels
    }

    fn arrays<'a>(&'a self, operator: &'a TuckerArrays<T>) -> [&'a [u8]; 3] {
        [
            bytemuck::cast_slice(&operator.run_atoms),
            bytemuck::cast_slice(&operator.members),
            bytemuck::cast_slice(&operator.values),
        ]
    }

    fn of_bricks<'a>(&'a self, operator: &'a TuckerArrays<T>, bricks: Range<usize>) -> [&'a [u8]; 3] {
        let voxels = self.voxels_of(&bricks);
        let of = |starts: &[usize]| starts[voxels.start]..starts[voxels.end];
        let (coefficients, runs) = (of(&operator.voxel_starts), of(&operator.voxel_runs));
        [
            bytemuck::cast_slice(&operator.run_atoms[runs]),
            bytemuck::cast_slice(&operator.members[coefficients.clone()]),
            bytemuck::cast_slice(&operator.values[coefficients]),
        ]
    }

    fn launch(
        &self,
        operator: &TuckerArrays<T>,
        stream: &Stream,
        bricks: Range<usize>,
        coefficients: &Staged<'_>,
        what: &mut Products<'_, T>,
    ) -> CudaResult<()> {
        let voxels = self.voxels_of(&bricks);
        if voxels.is_empty() {
            return Ok(());
        }
        let before = |starts: &[usize]| narrow::<u32>(starts[voxels.start] - starts[self.voxels.start]);
        let place = |voxel: usize| narrow::<u32>(voxel - self.voxels.start);
        let Tables { order, starts, runs, dictionary } = &self.tables;
        let mode = mode(what);
        let (sums, scale) = what.sums.as_mut().map(|(sums, scale)| (&mut **sums, *scale)).unzip();
        // SAFETY: indices were checked when the operator was created. The chunk begins at the given offsets.
        // The method `products` has checked the lengths of the buffers.
        unsafe {
            kernels::sparse_tucker_rows::<T>(
                [self.span],
                stream,
                Grid::row(narrow::<u32>(voxels.len().div_ceil(VOXELS_OF_A_BLOCK)), THREADS),
                mode,
                place(voxels.start),
                place(voxels.end),
                before(&operator.voxel_starts),
                before(&operator.voxel_runs),
                narrow::<u32>(operator.directions),
                narrow::<u32>(operator.stride),
                order,
                starts,
                runs,
                coefficients.part(0),
                coefficients.part(1),
                coefficients.part(2),
                dictionary,
                what.unknowns,
                what.data.view_mut(),
                sums,
                scale,
                what.norms.as_deref_mut(),
            )
        }
    }
}

/// Returns how many directions the kernel for this number of directions processes at once. If there are more
/// directions, the kernel reads the coefficients of a voxel several times.
fn span<T: Real>(directions: usize) -> u32 {
    let sizes: &[u32] = match T::NAME {
        "f32" => &[32, 64, 96, 128, 256, 384, 512],
        _ => &[32, 64, 96, 128, 256, 512],
    };
    sizes.iter().copied().find(|&size| size as usize >= directions).unwrap_or(512)
}
