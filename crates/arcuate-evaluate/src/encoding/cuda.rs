//! Conversion of streamlines to sparse coefficients on a GPU. Each point of a streamline is converted to a
//! 64-bit word. The words are sorted, and the values of equal words are added up to a coefficient.
#![allow(unsafe_code)]

use super::batch::{Batch, Columns};
use super::constants;
use super::counts::Counts;
use super::kernels::{self, Task};
use super::{Encoding, EncodingOptions, NodeValue};
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, Stream, Transfer, counted};
use arcuate_compute::show_bytes;
use arcuate_compute::sort::Pairs;
use arcuate_core::{
    Error, Mask, NearestOrientation, Result, StreamlineBatch, StreamlineSink, StreamlineSource, Tractogram,
    narrow,
};
use std::ops::Range;

/// Number of threads per block of the kernels. The next constant marks voxels outside the mask in the array
/// of voxel numbers.
const THREADS: u32 = constants::THREADS;
const NOWHERE: u32 = constants::NOWHERE;

/// Maximum number of points in a batch.
const MAX_POINTS: u64 = Pairs::<f32>::MOST;
/// Bytes of the position of a point. After sorting, this memory is reused for the orientation and the
/// streamline of at most as many coefficients, 6 bytes each.
const BYTES_OF_A_POSITION: u64 = 12;

/// Number of points that are gathered in CPU memory before their streamlines are converted on the GPU (1.5
/// GiB of positions). Gathering reduces the number of batches.
const GATHERED: usize = 1 << 27;

pub(super) fn encode(
    source: &dyn StreamlineSource,
    mask: &Mask,
    options: &EncodingOptions,
    gpu: &Gpu,
) -> Result<Encoding> {
    let voxels: Vec<u32> = mask.indices().into_iter().map(narrow::<u32>).collect();
    let nearest = NearestOrientation::new(&options.orientations);
    let layout = WordLayout::new(voxels.len(), options.orientations.len());
    let mut gathering = Gathering {
        begin: &|| Encoder::new(mask, &voxels, &nearest, options, layout, gpu),
        encoder: None,
        layout,
        resident: resident_bytes(mask, &nearest, options, voxels.len()),
        // The GPU memory that is available before the encoder allocates the memory that it keeps between
        // batches.
        budget: gpu.budget()?,
        most_points: GATHERED,
        gathered: Tractogram::new(),
        counts: Counts::default(),
        batches: Vec::new(),
    };
    source.stream(&mut gathering)?;
    gathering.encode_gathered()?;
    let Gathering { batches, counts, .. } = gathering;
    tracing::debug!("encoding on {gpu}: {} streamlines, batches: {}", counts.streamlines, batches.len());
    Ok(Batch::join(batches, &voxels, counts, mask, options))
}

/// Gathers streamlines in CPU memory, and converts them to coefficients in large batches.
struct Gathering<'a> {
    begin: &'a dyn Fn() -> CudaResult<Encoder>,
    /// The encoder on the GPU. It is created with the first batch of streamlines that fits in GPU memory
    /// together with the encoder's own memory.
    encoder: Option<Encoder>,
    layout: WordLayout,
    resident: u64,
    budget: u64,
    most_points: usize,
    gathered: Tractogram,
    counts: Counts,
    batches: Vec<Batch>,
}

impl Gathering<'_> {
    fn encode_gathered(&mut self) -> Result<()> {
        let gathered = std::mem::take(&mut self.gathered);
        let first = self.counts.streamlines - gathered.len();
        self.encode(gathered.as_batch(), first)?;
        self.gathered = gathered;
        self.gathered.clear();
        Ok(())
    }

    /// Converts streamlines to coefficients. `first` is the number of the first streamline in the whole
    /// tractogram.
    fn encode(&mut self, streamlines: StreamlineBatch<'_>, first: usize) -> Result<()> {
        if streamlines.is_empty() {
            return Ok(());
        }
        let maximum = self.layout.most_streamlines();
        let ranges = cut(streamlines.offsets, first, maximum, self.resident, self.budget)?;
        let encoder = match &mut self.encoder {
            Some(encoder) => encoder,
            none => none.insert((self.begin)()?),
        };
        for range in ranges {
            let begin = first + range.start;
            self.batches.push(encoder.batch(streamlines.part(range), begin)?);
        }
        Ok(())
    }
}

impl StreamlineSink for Gathering<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let batch = batch.without_data();
        if self.gathered.positions().len() + batch.points().len() > self.most_points {
            self.encode_gathered()?;
        }
        let first = self.counts.add(batch)?;
        // If a batch already has many points, it is converted without gathering further streamlines.
        if batch.points().len() > self.most_points / 2 && self.gathered.is_empty() {
            return self.encode(batch, first);
        }
        self.gathered.take(batch)
    }
}

/// The layout of a 64-bit word that represents a point of a streamline. The lowest bits are the number of the
/// streamline, counted from the first streamline of the batch. The next bits are the number of the
/// orientation. The highest bits are the number of the voxel, counted among the voxels of the mask.
#[derive(Debug, Clone, Copy, PartialEq)]
struct WordLayout {
    voxel_bits: u32,
    atom_bits: u32,
}

impl WordLayout {
    fn new(voxels: usize, atoms: usize) -> Self {
        let bits = |largest: usize| usize::BITS - largest.leading_zeros();
        // The bits of a voxel number in a word are never all 1. If all bits are 1, the word belongs to a
        // point without a node (a point outside the mask or without a direction).
        Self { voxel_bits: bits(voxels), atom_bits: bits(atoms - 1) }
    }

    /// Returns the maximum number of streamlines per batch, so that their numbers fit in 64-bit words.
    fn most_streamlines(self) -> usize {
        1 << (u64::BITS - self.voxel_bits - self.atom_bits).min(u32::BITS - 1)
    }

    /// Returns the range of the word's bits by which words are sorted. The bits of the streamline are not
    /// included, because the words are already in the order of streamlines.
    fn sorted_bits(self, streamline_bits: u32) -> Range<u32> {
        streamline_bits..streamline_bits + self.atom_bits + self.voxel_bits
    }
}

/// Returns the number of bytes of GPU memory that the encoder keeps between batches.
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

/// Returns the number of bytes of GPU memory that a batch with these numbers of points and streamlines needs.
fn batch_bytes(points: u64, streamlines: u64) -> u64 {
    // In addition to the data of its points, a batch needs memory for the offsets of its streamlines and for
    // two counters.
    Pairs::<f32>::bytes(points) + points * BYTES_OF_A_POSITION + 8 * (streamlines + 1) + 2 * 8
}

/// Divides streamlines into ranges, each as long as the GPU memory (`budget`, in bytes) allows. `number` is
/// the number of the first streamline in the whole tractogram.
fn cut(
    offsets: &[u64],
    number: usize,
    most_streamlines: usize,
    resident: u64,
    budget: u64,
) -> Result<Vec<Range<usize>>> {
    let streamlines = offsets.len() - 1;
    let free = budget.saturating_sub(resident);
    let (mut batches, mut start) = (Vec::new(), 0);
    while start < streamlines {
        let longest = (start + most_streamlines).min(streamlines);
        let fits = |end: usize| {
            let points = offsets[end] - offsets[start];
            points <= MAX_POINTS && batch_bytes(points, (end - start) as u64) <= free
        };
        // Bisection finds the largest range of streamlines that fits in GPU memory, because the needed memory
        // grows with the number of streamlines.
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
            if points > MAX_POINTS {
                let problem = format!(
                    "streamline {} has {points} points, but on a GPU a streamline can have at most \
                     {MAX_POINTS}",
                    number + start
                );
                return Err(Error::device("encoding", problem, "use ‘device’ cpu"));
            }
            let minimum = resident + batch_bytes(points, 1);
            let problem = format!(
                "finding the voxels of streamline {} needs {} of GPU memory, but only {} may be used",
                number + start,
                show_bytes(minimum),
                show_bytes(budget)
            );
            let advice = "raise the limit, close other programs that use the GPU, or use ‘device’ cpu";
            return Err(Error::device_too_small("‘device_memory’", problem, advice));
        }
        batches.push(start..end);
        start = end;
    }
    Ok(batches)
}

/// The memory that the encoder keeps on the GPU for all batches.
struct Encoder {
    stream: Stream,
    transfer: Transfer,
    layout: WordLayout,
    lengths: bool,
    shape: [u32; 3],
    inverse: Buffer<f64>,
    ranks: Buffer<u32>,
    voxels: usize,
    directions: Buffer<f64>,
    cell_starts: Buffer<u32>,
    candidates: Buffer<u32>,
}

impl Encoder {
    fn new(
        mask: &Mask,
        voxels: &[u32],
        nearest: &NearestOrientation,
        options: &EncodingOptions,
        layout: WordLayout,
        gpu: &Gpu,
    ) -> CudaResult<Self> {
        let grid = mask.grid();
        let stream = gpu.stream()?;
        let mut ranks = vec![NOWHERE; grid.len()];
        for (rank, &voxel) in (0..).zip(voxels) {
            ranks[voxel as usize] = rank;
        }
        let mut transfer = Transfer::new(gpu, usize::MAX)?;
        Ok(Self {
            layout,
            lengths: options.node_value == NodeValue::Length,
            shape: grid.shape().map(narrow::<u32>),
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

    /// Converts streamlines to coefficients as one batch. `first` is the number of the first streamline in
    /// the whole tractogram.
    fn batch(&mut self, streamlines: StreamlineBatch<'_>, first: usize) -> CudaResult<Batch> {
        let (offsets, positions) = (streamlines.offsets, streamlines.points());
        if positions.is_empty() {
            return Ok(Batch::empty(self.voxels, 0));
        }
        let counts = [positions.len(), streamlines.len(), first];
        let [points, count, first_streamline] = counted("points and streamlines of a batch", counts)?;
        let task = Task {
            first_point: offsets[0],
            points,
            streamlines: count,
            first_streamline,
            shape: self.shape,
            cells: narrow::<u32>(NearestOrientation::CELLS),
            atom_bits: self.layout.atom_bits,
            streamline_bits: usize::BITS - (streamlines.len() - 1).leading_zeros(),
            lengths: u32::from(self.lengths),
        };
        let mut words = Pairs::new(self.stream.gpu(), positions.len())?;
        let [nodes_outside, nodes] = self.find_nodes(task, offsets, positions, &mut words)?;
        if nodes == 0 {
            return Ok(Batch::empty(self.voxels, nodes_outside));
        }
        words.sort(&self.stream, self.layout.sorted_bits(task.streamline_bits))?;
        // The array's entries after the last node's word are not used.
        let coefficients = words.add_up(&self.stream, nodes as usize)?;
        let (firsts, columns) = self.collect(task, coefficients, &words)?;
        Ok(Batch::new(&firsts, columns, nodes_outside))
    }

    /// Computes the 64-bit word and the value of each point. Returns the number of points outside the mask
    /// and the number of nodes (points with a voxel and an orientation).
    fn find_nodes(
        &mut self,
        task: Task,
        offsets: &[u64],
        positions: &[[f32; 3]],
        words: &mut Pairs<f32>,
    ) -> CudaResult<[u64; 2]> {
        let (stream, gpu) = (&self.stream, self.stream.gpu());
        let (grid, offsets) = (Grid::for_items(positions.len(), THREADS), gpu.upload(stream, offsets)?);
        let positions = self.transfer.upload(stream, positions)?;
        let mut counters = gpu.alloc::<u64>(2)?;
        let (words, values) = words.both_mut();
        // SAFETY: positions and words have an entry for each point. Offsets ascend from the first point to the end.
        // The array `ranks` has an entry for each voxel of the image. The table of directions has the stated
        // number of cells, and its candidates are numbers of orientations.
        unsafe {
            kernels::encoding_nodes(
                stream,
                grid,
                task,
                &offsets,
                positions.view().cast(),
                &self.inverse,
                &self.ranks,
                &self.directions,
                &self.cell_starts,
                &self.candidates,
                words,
                values,
                &mut counters,
            )
        }?;
        let mut counted = [0; 2];
        counters.copy_to(stream, &mut counted)?;
        Ok(counted)
    }

    /// Converts the first `count` words, which are sorted and all different, to coefficients. The first
    /// result has an entry for each voxel of the mask. The entry is the index of the voxel's first
    /// coefficient plus one, or 0 if the voxel has none. The other results are the atoms (orientation
    /// numbers), members (streamline numbers) and values of the coefficients.
    fn collect(&mut self, task: Task, count: usize, words: &Pairs<f32>) -> CudaResult<(Vec<u32>, Columns)> {
        let Self { transfer, stream, voxels, .. } = self;
        let (gpu, grid) = (stream.gpu(), Grid::for_items(count, THREADS));
        let (mut atoms, mut members) = (gpu.alloc::<u16>(count)?, gpu.alloc::<u32>(count)?);
        let mut firsts = gpu.alloc::<u32>(*voxels)?;
        let [coefficients] = counted("coefficients of a batch", [count])?;
        // SAFETY: there are `count` words, memory for `count` coefficients, and a start for each voxel that a
        // word has.
        unsafe {
            let words = words.keys();
            kernels::encoding_coefficients(
                stream,
                grid,
                task,
                coefficients,
                words,
                &mut atoms,
                &mut members,
                &mut firsts,
            )
        }?;
        let firsts = transfer.download(stream, firsts.view())?;
        let atoms = transfer.download(stream, atoms.view())?;
        let members = transfer.download(stream, members.view())?;
        Ok((firsts, (atoms, members, transfer.download(stream, words.values().range(0..count))?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn word_layouts_fit_the_largest_problem() {
        // The word layout for the largest possible problem: 2³² − 1 voxels and 65,536 orientations.
        let largest = WordLayout::new(u32::MAX as usize, 1 << 16);
        assert_eq!(largest, WordLayout { voxel_bits: 32, atom_bits: 16 });
        assert_eq!(largest.most_streamlines(), 1 << 16);
        // The three voxels have the numbers 0, 1 and 2. The fourth pattern of two bits marks points that are
        // not nodes.
        let small = WordLayout::new(3, 1);
        assert_eq!(small, WordLayout { voxel_bits: 2, atom_bits: 0 });
        assert_eq!(WordLayout::new(4, 5), WordLayout { voxel_bits: 3, atom_bits: 3 });
        assert_eq!(small.most_streamlines(), 1 << 31);
        assert_eq!(small.sorted_bits(0), 0..2);
        assert_eq!(largest.sorted_bits(16), 16..64);
        assert_eq!(WordLayout::new(250_000, 1057).sorted_bits(19), 19..48);
    }

    #[test]
    fn batches_are_ordered_and_as_long_as_memory_permits() {
        let offsets = [0, 100, 100, 250, 1250, 1260, 1270];
        let minimum = batch_bytes(1000, 1);
        let all: Vec<Range<usize>> = std::iter::once(0..6).collect();
        assert_eq!(cut(&offsets, 0, 10, 7, 1 << 30).unwrap(), all);
        assert_eq!(cut(&offsets, 0, 4, 7, 1 << 30).unwrap(), [0..4, 4..6]);
        assert_eq!(cut(&offsets, 0, 10, 7, minimum + 7).unwrap(), [0..3, 3..4, 4..6]);
        let error = cut(&offsets, 0, 10, 7, minimum + 6).unwrap_err();
        assert_eq!(error.kind(), arcuate_core::ErrorKind::DeviceTooSmall);
        assert!(
            error.to_string().starts_with("‘device_memory’: finding the voxels of streamline 3 needs"),
            "{error}"
        );
        assert_eq!(cut(&[0], 0, 10, 7, 1 << 30).unwrap(), []);
        // The streamlines have more points than a 32-bit number can represent.
        let long = [0, MAX_POINTS, 2 * MAX_POINTS];
        assert_eq!(cut(&long, 0, 10, 0, u64::MAX).unwrap(), [0..1, 1..2]);
        let error = cut(&[0, 5, 6 + MAX_POINTS], 0, 10, 0, u64::MAX).unwrap_err();
        assert_eq!(error.kind(), arcuate_core::ErrorKind::Device);
        let expected = "encoding: streamline 1 has 1073741825 points, but on a GPU a streamline can have at most \
                    1073741824";
        assert!(error.to_string().starts_with(expected), "{error}");
    }
}
