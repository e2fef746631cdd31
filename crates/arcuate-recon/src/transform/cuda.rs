//! Host code of the Fourier transforms on a GPU: parameters and kernel launches.
#![allow(unsafe_code)]

use super::constants;
use super::kernels::{self, TransformPlan};
use super::radices_of;
use crate::Element;
use arcuate_compute::cuda::{Buffer, BufferView, BufferViewMut, CudaResult, Gpu, Grid, Stream, counted};
use arcuate_core::{Error, Result, narrow};
use arcuate_numbers::elementary::double;

/// Number of threads per block, and the flags of a transform's parameters, as in `kernels.cu`.
const THREADS: u32 = constants::THREADS;
const READS_ACROSS: u32 = constants::READS_ACROSS;
const WRITES_ACROSS: u32 = constants::WRITES_ACROSS;
const INVERSE: u32 = constants::INVERSE;
const MAPS_BEHIND: u32 = constants::MAPS_BEHIND;
/// Number of columns that a block transforms, as a power of two. These columns are neighbours in memory and
/// fill a cache line of 128 bytes. If columns are short, a block transforms more columns, so that all its
/// threads have work.
const BLOCK_COLUMNS: u32 = 4;
const MAX_COLUMNS: u32 = 7;
/// Minimum number of blocks per multiprocessor. If there are few columns, each block transforms fewer
/// columns, so that this number is reached.
const BLOCKS: usize = 2;
/// Lengths for which special kernels in single precision exist. In these kernels, the radices of all stages
/// are known at compile time.
const KNOWN: [usize; 5] = [128, 192, 256, 384, 512];
/// Shared memory in bytes that a block uses, if its number of columns can be chosen. With this value, three
/// blocks run at the same time on a multiprocessor.
const SHARED_BYTES: usize = 72 << 10;

/// Positions of the columns of an array in memory. A column is a sequence of complex numbers along the
/// transformed axis. Column `outer · inner_count + inner` begins at `outer · outer_stride + inner ·
/// inner_stride`. All strides are in complex numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lines {
    /// Number of elements along the axis that are stored in memory. The remaining elements are read as 0 and
    /// are not written.
    pub(crate) count: usize,
    /// Distance in memory between neighbouring elements along the axis, in complex numbers.
    pub(crate) stride: usize,
    pub(crate) inner_stride: usize,
    pub(crate) outer_stride: usize,
}

/// The coil sensitivity maps by which the columns are multiplied.
#[derive(Clone, Copy)]
pub(crate) enum Maps<'a, T: Element> {
    /// Columns are not multiplied by coil maps.
    None,
    /// The input of the transform is multiplied by coil maps. Columns with consecutive outer indices use
    /// consecutive maps.
    Before(BufferView<'a, T>),
    /// The output of the transform is multiplied by conjugate coil maps, and summed over `volumes` volumes.
    /// Each volume has its own map.
    Behind { maps: BufferView<'a, T>, volumes: usize, volume_stride: usize, adds: bool },
}

/// The Fourier transform along one axis, for one length of this axis.
pub(crate) struct AxisTransform<T: Element> {
    length: usize,
    radices: Vec<usize>,
    twiddles: Buffer<T>,
    /// Base-2 logarithm of the number of columns that a block transforms, if there are enough columns.
    block_columns: u32,
    pitch: usize,
    /// Number of multiprocessors of the GPU.
    multiprocessors: usize,
}

impl<T: Element> AxisTransform<T> {
    /// Prepares Fourier transforms of 2ᵃ3ᵇ5ᶜ complex numbers.
    ///
    /// Returns an error if a column does not fit in the shared memory of the GPU.
    pub(crate) fn new(gpu: &Gpu, stream: &Stream, length: usize) -> Result<Self> {
        let (pitch, radices) = (pitch(length), radices_of(length));
        let limit = gpu.shared_bytes() as usize;
        let minimum = shared_bytes::<T>(length, 0, 2);
        if minimum > limit {
            let problem = format!(
                "a Fourier transform of {length} numbers needs {minimum} bytes of shared memory, but the GPU \
                 has {limit}"
            );
            return Err(Error::device_too_small(format_args!("{gpu}"), problem, "use ‘device’ cpu"));
        }
        let fits = |columns: u32| shared_bytes::<T>(length, columns, 2) <= limit.min(SHARED_BYTES);
        let mut block_columns = (0..=BLOCK_COLUMNS).rev().find(|&n| fits(n)).unwrap_or(0);
        // The number of threads is chosen so that each thread has work even in the stage with the fewest
        // butterflies.
        let butterflies = length / radices.iter().copied().max().unwrap_or(1);
        while block_columns < MAX_COLUMNS
            && butterflies << block_columns < THREADS as usize
            && fits(block_columns + 1)
        {
            block_columns += 1;
        }
        let of_turn = |n: usize| {
            let (sin, cos) = double::sin_cos_turns(n as f64 / length as f64);
            [T::of(cos), T::of(-sin)]
        };
        let twiddles: Vec<T> = (0..length).flat_map(of_turn).collect();
        let twiddles = gpu.upload(stream, &twiddles)?;
        let multiprocessors = gpu.multiprocessors() as usize;
        Ok(Self { length, radices, twiddles, block_columns, pitch, multiprocessors })
    }

    /// Returns the twiddle factors e^(−2πi n / length) for n from 0 to length − 1.
    pub(crate) fn twiddles(&self) -> &Buffer<T> {
        &self.twiddles
    }

    /// Launches the transform of `columns` columns, in groups of `inner_count` columns. If `inverse` is true,
    /// launches the inverse transform, without a scale factor.
    ///
    /// # Safety
    /// All columns and coil maps must be inside their arrays, and columns that are written must not overlap.
    pub(crate) unsafe fn run(
        &self,
        stream: &Stream,
        inverse: bool,
        (columns, inner_count): (usize, usize),
        (from, of_from): (BufferView<'_, T>, &Lines),
        (to, of_to): (BufferViewMut<'_, T>, &Lines),
        maps: Maps<'_, T>,
    ) -> CudaResult<()> {
        let mut plan = self.plan(columns, inner_count, of_from, of_to)?;
        let maps = match maps {
            Maps::None => None,
            Maps::Before(maps) => {
                plan.map_stride = maps.len() as u64 / 2 / columns.div_ceil(inner_count) as u64;
                Some(maps)
            }
            Maps::Behind { maps, volumes, volume_stride, adds } => {
                plan.map_stride = maps.len() as u64 / 2 / volumes as u64;
                [plan.summed] = counted("volumes of a transform", [volumes])?;
                plan.in_summed = volume_stride as u64;
                plan.adds = u32::from(adds);
                plan.flags |= MAPS_BEHIND;
                Some(maps)
            }
        };
        plan.flags |= if inverse { INVERSE } else { 0 };
        let grid = self.grid(columns, if self.radices.len() > 2 { 2 } else { 1 });
        // SAFETY:
        // The caller guarantees that the columns and coil maps are inside their arrays, and that written
        // columns do not overlap.
        unsafe {
            kernels::fourier_transform([self.known()], stream, grid, plan, &self.twiddles, maps, from, to)
        }
    }

    /// Launches one kernel that performs three operations in place: the transform, the multiplication by rows
    /// of `spectrum`, and the inverse transform without a scale factor. Consecutive columns use consecutive
    /// rows of the spectrum. After the last row, the first row follows.
    ///
    /// # Safety
    /// The columns must be inside the array and must not overlap.
    pub(crate) unsafe fn convolve(
        &self,
        stream: &Stream,
        (columns, inner_count): (usize, usize),
        lines: &Lines,
        spectrum: BufferView<'_, T>,
        values: BufferViewMut<'_, T>,
    ) -> CudaResult<()> {
        let mut plan = self.plan(columns, inner_count, lines, lines)?;
        [plan.spectrum_columns] = counted(COLUMNS, [spectrum.len() / self.length])?;
        let out = arcuate_compute::cuda::Output::from(values);
        // SAFETY:
        // A block reads its columns before it writes them. The caller guarantees that the columns are inside
        // the array and do not overlap.
        unsafe {
            kernels::fourier_convolve(
                [self.known()],
                stream,
                self.grid(columns, 2),
                plan,
                &self.twiddles,
                spectrum,
                out.also_read(),
                out,
            )
        }
    }

    /// Returns the parameters of a launch. Returns an error if one of the numbers exceeds the 32-bit range of
    /// the kernels.
    fn plan(
        &self,
        columns: usize,
        inner_count: usize,
        from: &Lines,
        to: &Lines,
    ) -> CudaResult<TransformPlan> {
        let radices = self.radices.iter().rev().fold(0, |all, &radix| all << 4 | (radix as u64 - 1));
        let across = |lines: &Lines, flag: u32| if lines.stride == 1 { 0 } else { flag };
        let [columns_in_all, inner_count, in_inner, in_element, out_inner, out_element] =
            counts(columns, inner_count, from, to)?;
        let [length, count_in, count_out, stages, pitch] = counted(
            "numbers of a column",
            [self.length, from.count, to.count, self.radices.len(), self.pitch],
        )?;
        Ok(TransformPlan {
            radices,
            in_outer: from.outer_stride as u64,
            out_outer: to.outer_stride as u64,
            in_summed: 0,
            map_stride: 0,
            length,
            count_in,
            count_out,
            stages,
            columns: columns_in_all,
            inner_count,
            in_inner,
            in_element,
            out_inner,
            out_element,
            block_columns: self.block_columns(columns),
            pitch,
            summed: 1,
            spectrum_columns: 1,
            flags: across(from, READS_ACROSS) | across(to, WRITES_ACROSS),
            adds: 0,
        })
    }

    /// Returns the base-2 logarithm of the number of columns that a block transforms. If there are few
    /// columns in total, this number is small, so that all multiprocessors have work.
    fn block_columns(&self, columns: usize) -> u32 {
        let enough = |n: &u32| columns >> n >= BLOCKS * self.multiprocessors;
        (0..=self.block_columns).rev().find(enough).unwrap_or(0)
    }

    /// Returns the length if a special kernel exists for this length. If not, returns 0.
    fn known(&self) -> u32 {
        let single = size_of::<T>() == size_of::<f32>();
        if single && KNOWN.contains(&self.length) { narrow::<u32>(self.length) } else { 0 }
    }

    fn grid(&self, columns: usize, buffers: usize) -> Grid {
        let block_columns = self.block_columns(columns);
        let bytes = shared_bytes::<T>(self.length, block_columns, buffers);
        Grid { threads: [THREADS, 1, 1], ..Grid::for_items(columns, 1 << block_columns) }
            .shared(narrow::<u32>(bytes))
    }
}

/// Name of the transformed columns in error messages about their number.
const COLUMNS: &str = "columns of a transform";

/// Returns the number of columns, the number of columns in a group, and the strides of the input and output
/// arrays, between columns and along columns.
pub(super) fn counts<N: TryFrom<usize>>(
    columns: usize,
    inner_count: usize,
    from: &Lines,
    to: &Lines,
) -> CudaResult<[N; 6]> {
    let [in_inner, in_element] = [from.inner_stride, from.stride];
    counted(COLUMNS, [columns, inner_count, in_inner, in_element, to.inner_stride, to.stride])
}

/// Returns the distance between two columns in shared memory. The distance has one additional element for
/// every 16 elements, and is odd. Accesses with a stride of 16 along a column, and accesses to different
/// columns, then use different memory banks.
fn pitch(length: usize) -> usize {
    (length + length / 16) | 1
}

/// Returns the number of bytes of shared memory for the columns of a block and the twiddle factors. If there
/// are stages between the first and the last stage, two buffers are needed for the columns.
fn shared_bytes<T>(length: usize, block_columns: u32, buffers: usize) -> usize {
    (buffers * (pitch(length) << block_columns) + length) * 2 * size_of::<T>()
}
