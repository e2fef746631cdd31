//! The tables of COMMIT's linear operator, in the memory layout of its GPU kernels.

use super::arrays::HarmonicArrays;
use super::constants;
use super::degrees::{self, Compiled};
use super::kernels::Step;
use super::steps::steps;
use super::units::{GroupShape, Unit, Units};
use super::{Segment, kernels};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Stream};
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::narrow;
use arcuate_solve::Real;
use std::ops::Range;

/// Number of samples, or of table rows, per tile of the matrix products.
pub(super) const TILE: usize = constants::TILE as usize;

/// Tables that stay in the memory of a GPU as long as the operator is placed on this GPU.
pub(super) struct Resident<T: Real> {
    pub(super) tables: Tables<T>,
    pub(super) groups: Vec<Group<T>>,
    pub(super) voxel_units: Buffer<u32>,
    pub(super) voxel_scale: Option<Buffer<T>>,
    pub(super) axes: Buffer<Segment>,
}

/// Tables of the operator that are the same for all voxels.
pub(super) struct Tables<T: Real> {
    pub(super) steps: Buffer<Step<T>>,
    pub(super) harmonic: Buffer<u32>,
    pub(super) row_of: Buffer<u32>,
    pub(super) shell_of: Buffer<u32>,
    pub(super) constant_row: Buffer<u32>,
    pub(super) isotropic: Buffer<T>,
    pub(super) sample: Buffer<u32>,
    pub(super) synthesis: Buffer<T>,
    pub(super) analysis: Buffer<T>,
    pub(super) rows_of_samples: Buffer<u32>,
    pub(super) samples_of_rows: Buffer<u32>,
}

/// A group of at most four basis functions, which approximate the responses of one kind of compartment.
pub(super) struct Group<T: Real> {
    pub(super) shape: GroupShape,
    pub(super) responses: usize,
    pub(super) rank_of_all: usize,
    /// Range of the unknowns x that belong to this group of basis functions. The next field is the range of
    /// the group's sums of reduced unknowns, from which the sums of x are computed.
    pub(super) unknowns: Range<usize>,
    pub(super) raw: Range<usize>,
    pub(super) weights: Buffer<T>,
    pub(super) wide_weights: Buffer<f64>,
    pub(super) mix: Buffer<T>,
    pub(super) units: Buffer<Unit>,
    /// The kernels that are compiled for this maximum degree of the harmonics and this number of basis
    /// functions. `None` if there are none.
    pub(super) compiled: Option<Compiled>,
}

impl<T: Real> Resident<T> {
    pub(super) fn new(
        operator: &HarmonicArrays<T>,
        gpu: &Gpu,
        stream: &Stream,
        voxels: &Range<usize>,
        shapes: &[GroupShape],
        units: &Units,
    ) -> CudaResult<Self> {
        // The kernels are loaded before they are needed. If the GPU cannot run them, this is then reported
        // early.
        gpu.kernels(&kernels::IMAGES)?;
        let mut first_raw = 0;
        let groups = shapes.iter().zip(&units.of_groups).map(|(shape, units)| {
            let raw = first_raw..first_raw + shape.len();
            first_raw = raw.end;
            Group::new(operator, (gpu, stream), *shape, raw, units)
        });
        let scale = operator.voxel_scale.as_ref();
        let axes = operator.axis_starts[voxels.start]..operator.axis_starts[voxels.end];
        Ok(Self {
            tables: Tables::new(operator, gpu, stream)?,
            groups: groups.collect::<CudaResult<_>>()?,
            voxel_units: gpu.upload(stream, &units.places)?,
            voxel_scale: scale.map(|scale| gpu.upload(stream, &scale[voxels.clone()])).transpose()?,
            axes: gpu.upload(stream, &operator.axes[axes])?,
        })
    }
}

impl<T: Real> Group<T> {
    fn new(
        operator: &HarmonicArrays<T>,
        (gpu, stream): (&Gpu, &Stream),
        shape: GroupShape,
        raw: Range<usize>,
        units: &[Unit],
    ) -> CudaResult<Self> {
        let family = if shape.intra { &operator.basis.intra } else { &operator.basis.extra };
        let all = if shape.intra { &operator.tables.intra } else { &operator.tables.extra };
        let functions = shape.first_function..shape.first_function + shape.rank;
        // Compiled kernels are used for the segments of streamlines only. Voxels have few axes of
        // extra-axonal compartments, and the warps of a block would wait for the first warp.
        let compiled = shape.intra.then(|| Compiled::new::<T>(operator.basis.order(), shape.rank)).flatten();
        let leading = operator.functions.leading();
        if compiled.is_some() {
            degrees::load(gpu)?;
        }
        let factor = |row: usize| match compiled {
            Some(_) => leading[operator.tables.harmonic[row] as usize],
            None => 1.0,
        };
        let mix: Vec<T> = all
            .chunks_exact(family.rank)
            .enumerate()
            .flat_map(|(row, all)| all[functions.clone()].iter().map(move |&c| (row, c)))
            .map(|(row, coefficient)| T::of(factor(row) * coefficient.double()))
            .collect();
        let weights: Vec<T> = family.weights.iter().map(|&w| T::of(w)).collect();
        let first_unknown = if shape.intra { 0 } else { operator.layout.extra_unknowns().start };
        Ok(Self {
            shape,
            responses: family.responses,
            rank_of_all: family.rank,
            unknowns: first_unknown..first_unknown + shape.elements * family.responses,
            raw,
            weights: gpu.upload(stream, &weights)?,
            wide_weights: gpu.upload(stream, &family.weights)?,
            mix: gpu.upload(stream, &mix)?,
            units: gpu.upload(stream, units)?,
            compiled,
        })
    }

    /// Returns the description of this group of basis functions, in the memory layout of the kernels.
    pub(super) fn of_functions(&self) -> kernels::Group {
        kernels::Group {
            elements: narrow::<u32>(self.shape.elements),
            responses: narrow::<u32>(self.responses),
            rank_of_all: narrow::<u32>(self.rank_of_all),
            first_function: narrow::<u32>(self.shape.first_function),
            rank: narrow::<u32>(self.shape.rank),
        }
    }
}

impl<T: Real> Tables<T> {
    fn new(operator: &HarmonicArrays<T>, gpu: &Gpu, stream: &Stream) -> CudaResult<Self> {
        /// Marks a missing row or shell.
        const NONE: u32 = constants::NONE;
        let tables = &operator.tables;
        let (rows, samples) = (tables.rows(), operator.samples);
        let harmonics = operator.functions.count();
        let shells = tables.constant_row.len();
        let mut row_of = vec![NONE; shells * harmonics];
        let mut shell_of = vec![NONE; rows];
        let mut row = 0;
        for (shell, &order) in operator.basis.orders.iter().enumerate() {
            for _ in 0..EvenHarmonics::count_up_to(order) {
                row_of[shell * harmonics + tables.harmonic[row] as usize] = narrow::<u32>(row);
                row += 1;
            }
            shell_of[tables.constant_row[shell]] = narrow::<u32>(shell);
        }
        let mut analysis = vec![T::zero(); tables.synthesis.len()];
        for row in 0..rows {
            for sample in 0..samples {
                analysis[sample * rows + row] = tables.synthesis[row * samples + sample];
            }
        }
        let transposed: Vec<_> = tables.blocks.iter().map(|(s, r)| (r.clone(), s.clone())).collect();
        let constant_row: Vec<u32> = tables.constant_row.iter().map(|&row| narrow::<u32>(row)).collect();
        Ok(Self {
            steps: gpu.upload(stream, &steps(&operator.functions))?,
            harmonic: gpu.upload(stream, &tables.harmonic)?,
            row_of: gpu.upload(stream, &row_of)?,
            shell_of: gpu.upload(stream, &shell_of)?,
            constant_row: gpu.upload(stream, &constant_row)?,
            isotropic: gpu.upload(stream, &tables.isotropic)?,
            sample: gpu.upload(stream, &tables.sample)?,
            synthesis: gpu.upload(stream, &tables.synthesis)?,
            analysis: gpu.upload(stream, &analysis)?,
            rows_of_samples: gpu.upload(stream, &tile_ranges(samples, &tables.blocks))?,
            samples_of_rows: gpu.upload(stream, &tile_ranges(rows, &transposed))?,
        })
    }
}

/// Returns the non-zero range of a matrix for each tile of its columns. The range consists of inner indices
/// (the indices that the matrix product sums over). `blocks` has pairs of a column range and a range of inner
/// indices. Outside these blocks, the matrix is 0.
fn tile_ranges(columns: usize, blocks: &[(Range<usize>, Range<usize>)]) -> Vec<u32> {
    let mut ranges = Vec::new();
    for first in (0..columns).step_by(TILE) {
        let touched = blocks.iter().filter(|(of, _)| of.start < first + TILE && of.end > first);
        let (begin, end) = touched
            .fold((usize::MAX, 0), |(begin, end), (_, inner)| (begin.min(inner.start), end.max(inner.end)));
        ranges.extend([narrow::<u32>(begin.min(end)), narrow::<u32>(end)]);
    }
    ranges
}
