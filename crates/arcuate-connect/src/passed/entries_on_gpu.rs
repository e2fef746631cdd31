//! Collects the non-zero entries of matrix rows in GPU memory, and copies them to the host.
#![allow(unsafe_code)]

use super::constants::THREADS;
use super::counted_rows::CountedRows;
use super::kernels;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, Stream, Transfer, counted};

/// Size of the GPU memory for non-zero entries: one entry for each four matrix elements (the product of rows
/// and columns, divided by 4). If a single full row needs more, the memory holds this row.
const COLUMNS_EACH: usize = 4;

/// Matrix rows that store all columns, including zeros: for each column the number of streamlines and, if
/// lengths are summed, the number of steps.
#[derive(Clone, Copy)]
pub(super) struct DenseRows<'a> {
    pub(super) columns: u32,
    pub(super) counts: &'a Buffer<u32>,
    pub(super) steps: Option<&'a Buffer<u64>>,
}

/// Memory on a GPU for the non-zero entries of matrix rows.
pub(super) struct EntriesOnGpu {
    /// Number of non-zero entries of each matrix row.
    sizes: Buffer<u32>,
    /// For each matrix row, the index of its first entry in `columns`, `counts` and `steps`.
    begins: Buffer<u64>,
    columns: Buffer<u32>,
    counts: Buffer<u32>,
    steps: Option<Buffer<u64>>,
}

impl EntriesOnGpu {
    /// Allocates memory for the entries of a matrix with this number of rows and columns.
    pub(super) fn new(gpu: &Gpu, rows: usize, columns: usize, with_steps: bool) -> CudaResult<Self> {
        let room = (rows * columns / COLUMNS_EACH).max(columns);
        Ok(Self {
            sizes: gpu.alloc(rows)?,
            begins: gpu.alloc(rows)?,
            columns: gpu.alloc(room)?,
            counts: gpu.alloc(room)?,
            steps: with_steps.then(|| gpu.alloc(room)).transpose()?,
        })
    }

    /// Returns the approximate GPU memory, in bytes, for the non-zero entries of one matrix row with this
    /// number of columns.
    pub(super) fn bytes_of_row(columns: usize, with_steps: bool) -> usize {
        let of_entry = 2 * size_of::<u32>() + if with_steps { size_of::<u64>() } else { 0 };
        columns * of_entry / COLUMNS_EACH
    }

    /// Copies the non-zero entries of the first `rows` rows in GPU memory to the host. If they do not fit in
    /// the memory for entries, they are copied in several parts. `first` is the index in the whole matrix of
    /// the first of these rows.
    pub(super) fn bring(
        &mut self,
        transfer: &mut Transfer,
        stream: &Stream,
        dense: DenseRows<'_>,
        rows: usize,
        first: usize,
        into: &mut CountedRows,
    ) -> CudaResult<()> {
        let sizes = if rows == 0 || dense.columns == 0 {
            vec![0; rows]
        } else {
            let [blocks] = counted("rows", [rows])?;
            let grid = Grid::row(blocks, THREADS);
            // SAFETY: there is one block for each existing row.
            unsafe {
                kernels::met_row_sizes(stream, grid, dense.columns, dense.counts, &mut self.sizes)?;
            }
            transfer.download(stream, self.sizes.range(0..rows))?
        };
        into.begin(first, &sizes, dense.steps.is_some());
        let room = self.columns.len();
        let mut begin = 0;
        while begin < rows {
            let mut begins = Vec::new();
            let mut together = 0;
            for &size in &sizes[begin..] {
                if together + size as usize > room {
                    break;
                }
                begins.push(together as u64);
                together += size as usize;
            }
            let end = begin + begins.len();
            if together > 0 {
                self.bring_part(transfer, stream, dense, begin, &begins, into.room(begin..end))?;
            }
            begin = end;
        }
        Ok(())
    }

    /// Copies the non-zero entries of consecutive rows to the host. `first` is the index of the first of
    /// these rows in GPU memory. `begins` has, for each row, the index of its first entry.
    fn bring_part(
        &mut self,
        transfer: &mut Transfer,
        stream: &Stream,
        dense: DenseRows<'_>,
        first: usize,
        begins: &[u64],
        (columns, counts, steps): (&mut [u32], &mut [u32], &mut [u64]),
    ) -> CudaResult<()> {
        self.begins.range_mut(0..begins.len()).copy_from(stream, begins)?;
        let [first, blocks] = counted("rows", [first, begins.len()])?;
        // SAFETY:
        // The grid has one block for each of these rows. The entries fit in the memory, because
        // `met_row_sizes` has counted them.
        unsafe {
            kernels::met_row_entries(
                stream,
                Grid::row(blocks, THREADS),
                first,
                dense.columns,
                dense.counts,
                dense.steps,
                &self.begins,
                &mut self.columns,
                &mut self.counts,
                self.steps.as_mut(),
            )?;
        }
        transfer.download_into(stream, self.columns.range(0..columns.len()), columns)?;
        transfer.download_into(stream, self.counts.range(0..counts.len()), counts)?;
        if let Some(of_gpu) = &self.steps {
            transfer.download_into(stream, of_gpu.range(0..steps.len()), steps)?;
        }
        Ok(())
    }
}
