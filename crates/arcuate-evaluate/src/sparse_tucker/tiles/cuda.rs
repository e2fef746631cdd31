//! The tile kernels of the sparse Tucker operator: their memory layout of coefficients on a GPU, and their
//! launches.
#![allow(unsafe_code)]

use super::super::arrays::TuckerArrays;
use super::super::part::{Layout, Place, TuckerPart, mode};
use super::kernels::{self, Launch};
use super::{Fragments, Sorted, THREADS, TileLayout, TileShape, VOXELS};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, Staged, Stream};
use arcuate_core::{Result, narrow};
use arcuate_numbers::Real;
use arcuate_solve::Products;
use std::ops::Range;

/// Coefficients and dictionary in the memory layout of the tile kernels. A brick is one tile (128 successive
/// voxels).
pub(in super::super) struct Tiles {
    shape: TileShape,
    voxels: usize,
    tables: Tables,
    unit: f32,
    /// The index of the first coefficient of each tile, and at the end the number of coefficients.
    coefficients: Vec<u32>,
    /// The layout of the coefficients in CPU memory. It is only kept if coefficients are streamed to the GPU
    /// from this memory.
    host: TileLayout,
}

/// Tables that stay in the memory of a GPU as long as the operator is placed on this GPU.
struct Tables {
    order: Buffer<u32>,
    segments: Buffer<u32>,
    starts: Buffer<u32>,
    facts: Buffer<u32>,
    forward: Buffer<[u32; 4]>,
    adjoint: Buffer<[u32; 4]>,
}

impl Tiles {
    pub(in super::super) fn place<T: Real>(place: Place<'_, T>, shape: TileShape) -> Result<TuckerPart<T>> {
        let Place { operator, gpu, stream, voxels, .. } = &place;
        // This code runs in single precision only. `T` is therefore `f32`, and the values can be read as
        // `f32`.
        let values: &[f32] = bytemuck::cast_slice(&operator.values);
        let dictionary: &[f32] = bytemuck::cast_slice(&operator.dictionary);
        let sorted = Sorted {
            voxel_starts: &operator.voxel_starts,
            voxel_runs: &operator.voxel_runs,
            run_atoms: &operator.run_atoms,
            members: &operator.members,
            values,
        };
        let host = TileLayout::new(operator.atoms(), &sorted, voxels.clone());
        let fragments = Fragments::new(shape, dictionary, operator.stride, operator.directions);
        let coefficients: Vec<u32> =
            host.tile_segments.iter().map(|&segment| host.segment_starts[segment as usize]).collect();
        let mut order: Vec<u32> = (0..narrow::<u32>(place.bricks())).collect();
        let tables = |gpu: &Gpu, order: &[u32]| {
            Ok(Tables {
                order: gpu.upload(stream, order)?,
                segments: gpu.upload(stream, &host.tile_segments)?,
                starts: gpu.upload(stream, &host.segment_starts)?,
                facts: gpu.upload(stream, &host.segment_facts)?,
                forward: gpu.upload(stream, &fragments.forward)?,
                adjoint: gpu.upload(stream, &fragments.adjoint)?,
            })
        };
        let always = gpu.bytes_of(|gpu| tables(gpu, &order))?;
        let coefficient = (size_of::<u16>() + size_of::<u32>() + size_of::<f32>()) as u64;
        let norms = place.bricks();
        let chunks = place.cut(norms, always, |tile| u64::from(coefficients[tile]) * coefficient)?;
        let size = |tile: u32| host.tile_segments[tile as usize + 1] - host.tile_segments[tile as usize];
        for tiles in chunks.all() {
            order[tiles].sort_by_key(|&tile| std::cmp::Reverse(size(tile)));
        }
        // The kernels are loaded before they are needed. If the GPU cannot run them, this is then reported
        // early.
        gpu.kernels(&kernels::IMAGES)?;
        let tables = tables(gpu, &order)?;
        let layout = Self { shape, voxels: voxels.len(), tables, unit: fragments.unit, coefficients, host };
        place.with(layout, &chunks)
    }
}

impl<T: Real> Layout<T> for Tiles {
    fn kernel(&self) -> String {
        format!("sparse_tucker_tiles_{}", self.shape.directions)
    }

    fn norms(&self, voxels: usize) -> usize {
        voxels.div_ceil(VOXELS)
    }

    fn arrays<'a>(&'a self, _: &'a TuckerArrays<T>) -> [&'a [u8]; 3] {
        [
            bytemuck::cast_slice(&self.host.cells),
            bytemuck::cast_slice(&self.host.members),
            bytemuck::cast_slice(&self.host.values),
        ]
    }

    fn of_bricks<'a>(&'a self, _: &'a TuckerArrays<T>, tiles: Range<usize>) -> [&'a [u8]; 3] {
        let within = self.coefficients[tiles.start] as usize..self.coefficients[tiles.end] as usize;
        [
            bytemuck::cast_slice(&self.host.cells[within.clone()]),
            bytemuck::cast_slice(&self.host.members[within.clone()]),
            bytemuck::cast_slice(&self.host.values[within]),
        ]
    }

    fn forget_host(&mut self) {
        self.host = TileLayout::default();
    }

    fn launch(
        &self,
        operator: &TuckerArrays<T>,
        stream: &Stream,
        tiles: Range<usize>,
        coefficients: &Staged<'_>,
        what: &mut Products<'_, T>,
    ) -> CudaResult<()> {
        if tiles.is_empty() {
            return Ok(());
        }
        let Tables { order, segments, starts, facts, forward, adjoint } = &self.tables;
        let launch = Launch {
            mode: mode(what),
            first_place: narrow::<u32>(tiles.start),
            first_coefficient: self.coefficients[tiles.start],
            voxels: narrow::<u32>(self.voxels),
            directions: narrow::<u32>(operator.directions),
            atoms: narrow::<u32>(operator.atoms()),
            unit_of_dictionary: self.unit,
        };
        let (sums, scale) = what.sums.as_mut().map(|(sums, scale)| (&mut **sums, *scale)).unzip();
        assert_eq!(size_of::<T>(), size_of::<f32>(), "kernels of single precision");
        let unknowns = what.unknowns.map(|unknowns| unknowns.view().cast::<f32>());
        // SAFETY: indices were checked when the operator was created, and cells are in the tile described by the shape.
        // The arrays of this chunk of coefficients begin at the given offset. The method `products` has
        // checked the lengths of the buffers.
        unsafe {
            kernels::sparse_tucker_tiles(
                [narrow::<u32>(self.shape.directions)],
                stream,
                Grid::row(narrow::<u32>(tiles.len()), THREADS).shared(self.shape.shared_bytes()),
                launch,
                order,
                segments,
                starts,
                facts,
                coefficients.part(0),
                coefficients.part(1),
                coefficients.part(2),
                forward,
                adjoint,
                unknowns,
                what.data.view_mut().cast(),
                sums,
                scale,
                what.norms.as_deref_mut(),
            )
        }
    }
}
