//! Encoding on a GPU: points become words, the words are sorted, equal neighbours become coefficients.
#![allow(unsafe_code)]

use super::batch::{Batch, Columns};
use super::{Encoding, EncodingOptions, NodeValue};
use arcuate_compute::cuda::{
    Argument, Buffer, CudaResult, Gpu, Grid, KernelImages, Kernels, Stream, Transfer,
};
use arcuate_compute::{arguments, kernel_images, show_bytes};
use arcuate_core::{Error, Mask, NearestOrientation, Result, Tractogram};
use std::ops::Range;

static IMAGES: KernelImages = kernel_images!("kernels");

/// Threads of a block, items of a tile, values of a digit, and the rank of voxels outside, as in `kernels.cu`.
const THREADS: u32 = 256;
const TILE: usize = 2048;
const DIGITS: usize = 256;
const DIGIT_BITS: u32 = DIGITS.ilog2();
const NOWHERE: u32 = u32::MAX;

/// Points of a batch at most: they are numbered in 32 bits, as are the counts of digits in their tiles.
const MOST_POINTS: u64 = 1 << 30;
/// Bytes of a point in the GPU: its word and value, twice; its position, which is gone when an atom, a member and a value
/// take its place, 10 bytes for each of at most as many coefficients.
const BYTES_OF_A_POINT: u64 = 2 * (8 + 4) + 12;

pub(super) fn encode(
    tractogram: &Tractogram,
    mask: &Mask,
    options: &EncodingOptions,
    gpu: &Gpu,
) -> Result<Encoding> {
    let voxels: Vec<u32> = mask.indices().into_iter().map(|voxel| voxel as u32).collect();
    let nearest = NearestOrientation::new(&options.orientations);
    let layout = WordLayout::new(voxels.len(), options.orientations.len());
    let resident = resident_bytes(mask, &nearest, options, voxels.len());
    let offsets = tractogram.offsets();
    let batches = cut(offsets, layout.most_streamlines(), resident, gpu.budget()?)?;

    let points = tractogram.positions().len();
    let mut encoder = Encoder::new(mask, &voxels, &nearest, options, layout, points, gpu)?;
    tracing::debug!("encoding on {gpu}: {} streamlines, batches: {}", tractogram.len(), batches.len());
    let batches =
        batches.iter().map(|batch| encoder.batch(tractogram, batch)).collect::<CudaResult<Vec<_>>>()?;
    Ok(Batch::join(batches, &voxels, tractogram.len(), mask, options))
}

/// Where voxel, orientation and streamline are in a word of 64 bits: the streamline, counted from the first of its batch,
/// in the lowest, the orientation above it, then the voxel, counted among those of the mask.
#[derive(Debug, Clone, Copy, PartialEq)]
struct WordLayout {
    voxel_bits: u32,
    atom_bits: u32,
}

impl WordLayout {
    fn new(voxels: usize, atoms: usize) -> Self {
        let bits = |largest: usize| usize::BITS - largest.leading_zeros();
        // No voxel has only ones: that is a point that is no node.
        Self { voxel_bits: bits(voxels), atom_bits: bits(atoms - 1) }
    }

    /// Streamlines of a batch at most.
    fn most_streamlines(self) -> usize {
        1 << (u64::BITS - self.voxel_bits - self.atom_bits).min(u32::BITS - 1)
    }

    /// The lowest bit of each digit to sort by; streamlines are in order from the start.
    fn shifts(self, streamline_bits: u32) -> impl Iterator<Item = u32> {
        let end = streamline_bits + self.atom_bits + self.voxel_bits;
        (streamline_bits..end).step_by(DIGIT_BITS as usize)
    }
}

/// Bytes that stay in the GPU from batch to batch.
fn resident_bytes(
    mask: &Mask,
    nearest: &NearestOrientation,
    options: &EncodingOptions,
    voxels: usize,
) -> u64 {
    let numbers = mask.grid().len() + voxels + nearest.cell_starts().len() + nearest.candidates().len();
    let doubles = 3 * options.orientations.len() + 12;
    4 * numbers as u64 + 8 * doubles as u64
}

/// Bytes in the GPU for a batch of so many points and streamlines.
fn batch_bytes(points: u64, streamlines: u64) -> u64 {
    let counts = points.div_ceil(TILE as u64) * DIGITS as u64;
    let sums = counts.div_ceil(TILE as u64);
    // Beside the sums: offsets, the two counters, the total.
    points * BYTES_OF_A_POINT + 4 * (counts + sums) + 8 * (streamlines + 1) + 2 * 8 + 4
}

/// Ranges of streamlines that fit `budget` bytes, each as long as can be.
fn cut(offsets: &[u64], most_streamlines: usize, resident: u64, budget: u64) -> Result<Vec<Range<usize>>> {
    let streamlines = offsets.len() - 1;
    let free = budget.saturating_sub(resident);
    let (mut batches, mut start) = (Vec::new(), 0);
    while start < streamlines {
        let longest = (start + most_streamlines).min(streamlines);
        let fits = |end: usize| {
            let points = offsets[end] - offsets[start];
            points <= MOST_POINTS && batch_bytes(points, (end - start) as u64) <= free
        };
        // The number of ends that fit, from the first on: what a batch needs grows with its end.
        let (mut end, mut beyond) = (start, longest + 1);
        while beyond - end > 1 {
            let middle = usize::midpoint(end, beyond);
            if fits(middle) {
                end = middle;
            } else {
                beyond = middle;
            }
        }
        if end == start {
            let points = offsets[start + 1] - offsets[start];
            if points > MOST_POINTS {
                let problem = format!(
                    "streamline {start} has {points} points, and a GPU encodes at most {MOST_POINTS} of one"
                );
                return Err(Error::device("encoding", problem, "use --device cpu"));
            }
            let least = resident + batch_bytes(points, 1);
            let problem = format!(
                "encoding streamline {start} needs {} of GPU memory, and {} may be used",
                show_bytes(least),
                show_bytes(budget)
            );
            let advice = "raise the limit, close other programs that use the GPU, or use --device cpu";
            return Err(Error::device_too_small("--device-memory", problem, advice));
        }
        batches.push(start..end);
        start = end;
    }
    Ok(batches)
}

/// What all batches need.
struct Encoder {
    kernels: Kernels,
    stream: Stream,
    transfer: Transfer,
    layout: WordLayout,
    lengths: bool,
    shape: [u32; 3],
    inverse: Buffer<f64>,
    ranks: Buffer<u8>,
    voxels: usize,
    directions: Buffer<f64>,
    cell_starts: Buffer<u32>,
    candidates: Buffer<u32>,
}

/// What a batch needs beside its positions.
struct Workspace {
    /// Each point's word and value.
    words: Buffer<u64>,
    values: Buffer<f32>,
    /// The same in the order of the next digit.
    sorted_words: Buffer<u64>,
    sorted_values: Buffer<f32>,
    /// What is counted in each tile, its sums and its total.
    counts: Buffer<u32>,
    sums: Buffer<u32>,
    total: Buffer<u32>,
}

impl Workspace {
    fn new(gpu: &Gpu, points: usize) -> CudaResult<Self> {
        let counts = points.div_ceil(TILE) * DIGITS;
        Ok(Self {
            words: gpu.alloc(points)?,
            values: gpu.alloc(points)?,
            sorted_words: gpu.alloc(points)?,
            sorted_values: gpu.alloc(points)?,
            counts: gpu.alloc(counts)?,
            sums: gpu.alloc(counts.div_ceil(TILE))?,
            total: gpu.alloc(1)?,
        })
    }
}

impl Encoder {
    fn new(
        mask: &Mask,
        voxels: &[u32],
        nearest: &NearestOrientation,
        options: &EncodingOptions,
        layout: WordLayout,
        points: usize,
        gpu: &Gpu,
    ) -> CudaResult<Self> {
        let grid = mask.grid();
        let stream = gpu.stream()?;
        let mut ranks = vec![NOWHERE; grid.len()];
        for (rank, &voxel) in (0..).zip(voxels) {
            ranks[voxel as usize] = rank;
        }
        let mut transfer = Transfer::new(gpu, (12 * points).max(4 * ranks.len()))?;
        Ok(Self {
            kernels: gpu.kernels(&IMAGES)?,
            layout,
            lengths: options.node_value == NodeValue::Length,
            shape: grid.shape().map(|voxels| voxels as u32),
            inverse: gpu.upload(&stream, grid.inverse().rows().as_flattened())?,
            ranks: transfer.upload(&stream, &ranks)?,
            voxels: voxels.len(),
            directions: gpu.upload(&stream, options.orientations.directions().as_flattened())?,
            cell_starts: gpu.upload(&stream, nearest.cell_starts())?,
            candidates: gpu.upload(&stream, nearest.candidates())?,
            transfer,
            stream,
        })
    }

    /// Encodes the streamlines `range` of the tractogram.
    fn batch(&mut self, tractogram: &Tractogram, range: &Range<usize>) -> CudaResult<Batch> {
        let gpu = self.stream.gpu().clone();
        let offsets = &tractogram.offsets()[range.start..=range.end];
        let positions = &tractogram.positions()[offsets[0] as usize..offsets[range.len()] as usize];
        if positions.is_empty() {
            return Ok(Batch::empty(self.voxels, 0));
        }
        let streamline_bits = usize::BITS - (range.len() - 1).leading_zeros();
        let mut work = Workspace::new(&gpu, positions.len())?;
        let [nodes_outside, nodes] = {
            let positions = self.transfer.upload(&self.stream, positions)?;
            let offsets = (offsets[0], gpu.upload(&self.stream, offsets)?);
            self.find_nodes(offsets, &positions, streamline_bits, &mut work)?
        };
        if nodes == 0 {
            return Ok(Batch::empty(self.voxels, nodes_outside));
        }
        for shift in self.layout.shifts(streamline_bits) {
            self.sort(shift, &mut work)?;
        }
        let (firsts, columns) = self.collect(nodes as u32, streamline_bits, range.start as u32, &mut work)?;
        Ok(Batch::new(&firsts, columns, nodes_outside))
    }

    /// Queues a kernel of the family.
    ///
    /// # Safety
    /// As for [`Stream::launch`].
    unsafe fn launch(&self, kernel: &str, grid: Grid, arguments: &[Argument<'_>]) -> CudaResult<()> {
        // SAFETY: promised by the caller.
        unsafe { self.stream.launch(&self.kernels.get(kernel)?, grid, arguments) }
    }

    /// Words and values of all points; how many lie outside the mask and how many are nodes.
    fn find_nodes(
        &self,
        (first_point, offsets): (u64, Buffer<u64>),
        positions: &Buffer<u8>,
        streamline_bits: u32,
        work: &mut Workspace,
    ) -> CudaResult<[u64; 2]> {
        let mut counters = self.stream.gpu().alloc::<u64>(2)?;
        let points = work.words.len();
        let [voxels_x, voxels_y, voxels_z] = self.shape;
        let arguments = arguments![
            points as u32,
            (offsets.len() - 1) as u32,
            first_point,
            &offsets,
            positions,
            &self.inverse,
            voxels_x,
            voxels_y,
            voxels_z,
            &self.ranks,
            NearestOrientation::CELLS as u32,
            &self.directions,
            &self.cell_starts,
            &self.candidates,
            self.layout.atom_bits,
            streamline_bits,
            u32::from(self.lengths),
            &mut work.words,
            &mut work.values,
            &mut counters,
        ];
        // SAFETY: positions and words of `points` points; offsets ascend from the first of them to their end; a rank for
        // each voxel of the shape; a table with that many cells whose candidates number directions.
        unsafe { self.launch("encoding_nodes", Grid::for_items(points, THREADS), &arguments) }?;
        let mut counted = [0; 2];
        counters.copy_to(&self.stream, &mut counted)?;
        Ok(counted)
    }

    /// Sorts words and values by the digit that begins at bit `shift`, those of one digit in the order they had.
    fn sort(&self, shift: u32, work: &mut Workspace) -> CudaResult<()> {
        let count = work.words.len();
        let grid = tiles_of(count);
        let arguments = arguments![count as u32, shift, &work.words, &mut work.counts];
        // SAFETY: `count` words; a count for each digit of each tile.
        unsafe { self.launch("encoding_digits", grid, &arguments) }?;
        self.sum_counts(work.counts.len(), work)?;
        let arguments = arguments![
            count as u32,
            shift,
            &work.words,
            &work.values,
            &work.counts,
            &mut work.sorted_words,
            &mut work.sorted_values,
        ];
        // SAFETY: `count` words and values on both sides; the counts before each digit of each tile name every place
        // once.
        unsafe { self.launch("encoding_sort", grid, &arguments) }?;
        std::mem::swap(&mut work.words, &mut work.sorted_words);
        std::mem::swap(&mut work.values, &mut work.sorted_values);
        Ok(())
    }

    /// Makes each of the first `count` counts the sum of those before it; their sum becomes the total.
    fn sum_counts(&self, count: usize, work: &mut Workspace) -> CudaResult<()> {
        let Workspace { counts, sums, total, .. } = work;
        let grid = tiles_of(count);
        // SAFETY: `count` counts, and a sum for each tile of them.
        unsafe { self.launch("encoding_tile_sums", grid, &arguments![count as u32, &*counts, &mut *sums]) }?;
        let arguments = arguments![grid.blocks[0], &mut *sums, total];
        // SAFETY: one block, as many sums as there are tiles, and one total.
        unsafe { self.launch("encoding_sums_before", Grid::row(1, THREADS), &arguments) }?;
        // SAFETY: as at first.
        unsafe { self.launch("encoding_values_before", grid, &arguments![count as u32, counts, &*sums]) }
    }

    /// Makes coefficients of the first `nodes` words, which are sorted; what follows is no node. Answers, for each voxel,
    /// one more than its first coefficient, or 0; then atoms, members and values.
    fn collect(
        &mut self,
        nodes: u32,
        streamline_bits: u32,
        first_streamline: u32,
        work: &mut Workspace,
    ) -> CudaResult<(Vec<u32>, Columns)> {
        let grid = tiles_of(nodes as usize);
        // SAFETY: `nodes` words; a count for each tile of them.
        unsafe { self.launch("encoding_firsts", grid, &arguments![nodes, &work.words, &mut work.counts]) }?;
        self.sum_counts(grid.blocks[0] as usize, work)?;
        let mut coefficients = [0];
        work.total.copy_to(&self.stream, &mut coefficients)?;
        let coefficients = coefficients[0] as usize;
        let gpu = self.stream.gpu();
        let (mut atoms, mut members) = (gpu.alloc::<u16>(coefficients)?, gpu.alloc::<u32>(coefficients)?);
        let mut values = gpu.alloc::<f32>(coefficients)?;
        let mut firsts = gpu.alloc::<u32>(self.voxels)?;
        let arguments = arguments![
            nodes,
            self.layout.atom_bits,
            streamline_bits,
            first_streamline,
            &work.words,
            &work.values,
            &work.counts,
            &mut atoms,
            &mut members,
            &mut values,
            &mut firsts,
        ];
        // SAFETY: `nodes` words and values, the numbers of different words before each tile, room for as many
        // coefficients as there are different words, and a start for each voxel that words name.
        unsafe { self.launch("encoding_coefficients", grid, &arguments) }?;
        let Self { transfer, stream, .. } = self;
        let firsts = transfer.download(stream, firsts.view())?;
        let atoms = transfer.download(stream, atoms.view())?;
        let members = transfer.download(stream, members.view())?;
        Ok((firsts, (atoms, members, transfer.download(stream, values.view())?)))
    }
}

/// A block for each tile of `items` items.
fn tiles_of(items: usize) -> Grid {
    Grid { threads: [THREADS, 1, 1], ..Grid::for_items(items, TILE as u32) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_room_for_everything() {
        // The largest problem: 2³² − 1 voxels, 65,536 orientations.
        let largest = WordLayout::new(u32::MAX as usize, 1 << 16);
        assert_eq!(largest, WordLayout { voxel_bits: 32, atom_bits: 16 });
        assert_eq!(largest.most_streamlines(), 1 << 16);
        // Three voxels are 0, 1, 2: the third pattern of two bits is no node's.
        let small = WordLayout::new(3, 1);
        assert_eq!(small, WordLayout { voxel_bits: 2, atom_bits: 0 });
        assert_eq!(WordLayout::new(4, 5), WordLayout { voxel_bits: 3, atom_bits: 3 });
        assert_eq!(small.most_streamlines(), 1 << 31);
        assert_eq!(small.shifts(0).collect::<Vec<_>>(), [0]);
        assert_eq!(largest.shifts(16).collect::<Vec<_>>(), [16, 24, 32, 40, 48, 56]);
        let usual = WordLayout::new(250_000, 1057);
        assert_eq!(usual.shifts(19).count(), 4);
    }

    #[test]
    fn batches_are_whole_in_order_and_as_long_as_fits() {
        let offsets = [0, 100, 100, 250, 1250, 1260, 1270];
        let least = batch_bytes(1000, 1);
        let all: Vec<Range<usize>> = std::iter::once(0..6).collect();
        assert_eq!(cut(&offsets, 10, 7, 1 << 30).unwrap(), all);
        assert_eq!(cut(&offsets, 4, 7, 1 << 30).unwrap(), [0..4, 4..6]);
        assert_eq!(cut(&offsets, 10, 7, least + 7).unwrap(), [0..3, 3..4, 4..6]);
        let error = cut(&offsets, 10, 7, least + 6).unwrap_err();
        assert_eq!(error.kind(), arcuate_core::ErrorKind::DeviceTooSmall);
        assert!(error.to_string().starts_with("--device-memory: encoding streamline 3 needs"), "{error}");
        assert_eq!(cut(&[0], 10, 7, 1 << 30).unwrap(), []);
        // More points than 32 bits count.
        let long = [0, MOST_POINTS, 2 * MOST_POINTS];
        assert_eq!(cut(&long, 10, 0, u64::MAX).unwrap(), [0..1, 1..2]);
        let error = cut(&[0, 5, 6 + MOST_POINTS], 10, 0, u64::MAX).unwrap_err();
        assert_eq!(error.kind(), arcuate_core::ErrorKind::Device);
        let said =
            "encoding: streamline 1 has 1073741825 points, and a GPU encodes at most 1073741824 of one";
        assert!(error.to_string().starts_with(said), "{error}");
    }
}
