//! The products M w and Mᵀ y of the sparse Tucker operator on GPUs. The voxels are divided among the GPUs.
//! The coefficients of a GPU's voxels are in its memory. If the memory is too small, coefficients are copied
//! to the GPU chunk by chunk during each product.

use super::arrays::TuckerArrays;
use super::part::{BRICK, Place, TuckerPart};
use super::row_kernels::Rows;
use super::runs::RUN_BEGINS;
use super::tiles::{self, TileShape, Tiles};
use crate::column_sums::largest_column_sum;
use arcuate_compute::cuda::{CudaError, Gpu, Stream};
use arcuate_core::{Error, Result};
use arcuate_numbers::Real;
use arcuate_solve::{Bounds, Part, Products, split_bricks};
use rayon::prelude::*;
use std::ops::Range;

/// The name of the linear operator at the start of messages.
const NAME: &str = "sparse Tucker operator";
/// The kernels that compute the products M w and Mᵀ y on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProductKernels {
    /// Selects the kernels that are expected to be faster. The choice depends on the problem and the GPU
    /// model only. It never depends on a measured time, so that results are bit-identical.
    #[default]
    Auto,
    /// Row kernels. A run is a group of coefficients with the same voxel and dictionary row (atom). For each
    /// run, these kernels read one row of the dictionary, through the caches. They support any dictionary and
    /// both precisions.
    Rows,
    /// Tile kernels. For each pair of voxel and dictionary row (atom), they sum weights in shared memory, and
    /// multiply the sums by the dictionary on tensor cores. They support single precision and up to 96
    /// directions. They are faster if the dictionary has up to about a thousand atoms and a pair of voxel and
    /// atom has about one coefficient.
    Tiles,
}

impl<T: Real> Part for TuckerPart<T> {
    type Real = T;
    type Operator = TuckerArrays<T>;
    type Options = ProductKernels;

    fn name(_: &TuckerArrays<T>) -> &str {
        NAME
    }

    /// Divides the voxels into one range per GPU, with similar numbers of coefficients. A range consists of
    /// whole bricks (128 successive voxels).
    fn split(operator: &TuckerArrays<T>, gpus: usize) -> Vec<Range<usize>> {
        let voxel_of = |brick: usize| (brick * BRICK).min(operator.voxels());
        split_bricks(operator.voxels().div_ceil(BRICK), gpus, |brick| operator.voxel_starts[voxel_of(brick)])
            .map(|bricks| voxel_of(bricks.start)..voxel_of(bricks.end))
            .collect()
    }

    fn place(
        operator: &TuckerArrays<T>,
        gpu: &Gpu,
        gpus: usize,
        voxels: Range<usize>,
        kernels: ProductKernels,
    ) -> Result<Self> {
        // Kernels use 32-bit indices of coefficients. The segments of the tile kernels are padded, by less
        // than 64 coefficients per voxel.
        let coefficients = operator.voxel_starts[voxels.end] - operator.voxel_starts[voxels.start];
        let counted = (coefficients + voxels.len() * 64).max(operator.dictionary.len());
        if u32::try_from(counted).is_err() {
            let problem = format!(
                "one GPU has {counted} coefficients, too many for the 32-bit indices of a GPU kernel"
            );
            return Err(Error::device(NAME, problem, "use more GPUs, or ‘device’ cpu"));
        }
        let place = Place { operator, gpu, gpus, stream: gpu.stream()?, voxels };
        match tile_shape(operator, gpu, kernels)? {
            Some(shape) => Tiles::place(place, shape),
            None => Rows::place(place),
        }
    }

    fn rows(&self, operator: &TuckerArrays<T>) -> Range<usize> {
        self.voxels.start * operator.directions..self.voxels.end * operator.directions
    }

    fn norms(&self, _: &TuckerArrays<T>) -> usize {
        self.layout.norms(self.voxels.len())
    }

    fn products(&self, operator: &TuckerArrays<T>, stream: &Stream, mut what: Products<'_, T>) -> Result<()> {
        if !what.fit(self.rows(operator).len(), operator.columns, operator.columns, self.norms(operator)) {
            let problem = "a buffer does not have the length that the operator's shape asks for".to_owned();
            return Err(CudaError::Misuse { about: NAME.to_owned(), problem }.into());
        }
        // The coefficients are read from CPU memory only if they are streamed to the GPU in chunks. If not,
        // they may be in GPU memory only.
        let of_bricks = |bricks| self.layout.of_bricks(operator, bricks).to_vec();
        self.chunks.each(stream, of_bricks, |chunk, coefficients| {
            let bricks = self.chunks.items()[chunk].clone();
            Ok(self.layout.launch(operator, stream, bricks, coefficients, &mut what)?)
        })
    }

    /// Computes upper bounds of the elements of M w and Mᵀ y from the magnitudes of the coefficients. The
    /// bounds are the same for any number of threads.
    fn bounds(operator: &TuckerArrays<T>) -> Bounds {
        let rows: Vec<(f64, f64)> = operator
            .dictionary
            .chunks_exact(operator.stride)
            .map(|row| {
                row.iter().fold((0.0, 0.0), |(largest, sum), d| {
                    (d.double().abs().max(largest), sum + d.double().abs())
                })
            })
            .collect();
        let largest = rows.iter().fold(0.0, |all: f64, row| all.max(row.0));
        let longest = rows.iter().fold(0.0, |all: f64, row| all.max(row.1));
        let of_voxel =
            |pair: &[usize]| operator.values[pair[0]..pair[1]].iter().map(|v| v.double().abs()).sum::<f64>();
        let voxel = operator.voxel_starts.par_windows(2).map(of_voxel).reduce(|| 0.0, f64::max);
        let entries = operator.members.par_iter().zip(&operator.values);
        let column = largest_column_sum(
            operator.columns,
            entries.map(|(&member, v)| ((member & !RUN_BEGINS) as usize, v.double())),
        );
        // The bounds are increased by 0.1 %, because rounding affects these sums as well as the products M w
        // and Mᵀ y.
        Bounds { image: 1.001 * voxel * largest, adjoint: 1.001 * column * longest }
    }

    fn streamed_from<'a>(&'a self, operator: &'a TuckerArrays<T>) -> Vec<&'a [u8]> {
        if self.chunks.are_streamed() { self.layout.arrays(operator).to_vec() } else { Vec::new() }
    }

    fn describe(&self) -> String {
        match self.chunks.len() {
            0 | 1 => self.layout.kernel(),
            chunks => format!("{} in {chunks} chunks", self.layout.kernel()),
        }
    }
}

/// Returns the shape of the tile kernels if they compute the products. Returns `None` if the row kernels
/// compute the products.
fn tile_shape<T: Real>(
    operator: &TuckerArrays<T>,
    gpu: &Gpu,
    kernels: ProductKernels,
) -> Result<Option<TileShape>> {
    let single = T::NAME == "f32";
    let shape = TileShape::for_directions(operator.directions)
        .filter(|shape| single && shape.shared_bytes() <= gpu.shared_bytes());
    match (kernels, shape) {
        (ProductKernels::Rows, _) | (ProductKernels::Auto, None) => Ok(None),
        (ProductKernels::Tiles, Some(shape)) => Ok(Some(shape)),
        (ProductKernels::Tiles, None) => Err(Error::invalid(
            NAME,
            format!(
                "the GPU kernels that process tiles of the data cannot process {} directions in {} precision \
                 on {gpu}",
                operator.directions,
                if single { "single" } else { "double" }
            ),
            "use the row kernels",
        )),
        (ProductKernels::Auto, Some(shape)) => {
            // Estimated time in nanoseconds of the products M s and Mᵀ M s together, on one H200 GPU. The
            // formulas are fitted to the measurements in docs/src/developers/life.md.
            let (coefficients, runs) = (operator.coefficients() as f64, operator.runs() as f64);
            let cells = tiles::cells(operator.voxels(), operator.atoms()) as f64;
            let rows = 0.022 * coefficients + 0.032 * runs * operator.directions as f64 / 96.0;
            let tiles = 0.020 * coefficients + (0.0011 + 0.0035 * shape.directions as f64 / 96.0) * cells;
            Ok((tiles < rows).then_some(shape))
        }
    }
}
