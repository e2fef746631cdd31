//! Measured rates of memory and arithmetic on this machine. Lower bounds of run times are computed from them.

use crate::measure::processor_seconds;
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::time::Instant;

/// Rates of all threads of the machine together.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rates {
    /// Number of bytes per second when large arrays are copied in memory. Bytes read and bytes written both
    /// count.
    pub(crate) copy: f64,
    /// Number of bytes per second that each core reads from a table in its cache, row by row in random order;
    /// the sum over all cores.
    pub(crate) rows: f64,
    /// Number of multiplications and additions of f32 values in registers per second.
    pub(crate) operations: f64,
}

impl Rates {
    /// Measures the rates of the CPU in about two seconds. The table for the rate of reading has `rows` rows
    /// of `row` f32 values.
    pub(crate) fn measure(rows: usize, row: usize) -> Self {
        Self { copy: copy(), rows: table(rows, row), operations: operations() }
    }

    /// Returns the measured rates of an NVIDIA H200 GPU: the copy of large buffers, and the operations of an
    /// f32 matrix product. The rate of dictionary rows is infinite, so that it sets no lower bound. GPU
    /// kernels keep these rows in shared memory or do not read them.
    pub(crate) fn h200() -> Self {
        Self { copy: 4.28e12, rows: f64::INFINITY, operations: 47e12 }
    }
}

/// Returns the time of one run of `run` in seconds. It is the minimum over several rounds of many runs,
/// because other load on the machine only makes a round slower. If the system reports CPU time, CPU time is
/// used. A round is long relative to the interval at which the system updates the CPU time.
fn best(mut run: impl FnMut()) -> f64 {
    const ROUND: f64 = 0.1;
    let round = |_| {
        let (started, busy) = (Instant::now(), processor_seconds());
        let mut runs = 0.0;
        while started.elapsed().as_secs_f64() < ROUND {
            run();
            runs += 1.0;
        }
        let wall = started.elapsed().as_secs_f64();
        let seconds = match (busy, processor_seconds()) {
            (Some(before), Some(after)) => wall.min((after - before) / rayon::current_num_threads() as f64),
            _ => wall,
        };
        seconds / runs
    };
    (0..5).map(round).fold(f64::INFINITY, f64::min)
}

fn copy() -> f64 {
    /// Number of f32 values in a buffer that is much larger than the caches.
    const FLOATS: usize = 1 << 26;
    let from = vec![1f32; FLOATS];
    let mut to = vec![0f32; FLOATS];
    let seconds = best(|| {
        to.par_chunks_mut(1 << 16)
            .zip(from.par_chunks(1 << 16))
            .for_each(|(to, from)| to.copy_from_slice(from));
    });
    (2 * size_of_val(&from[..])) as f64 / seconds
}

fn table(rows: usize, row: usize) -> f64 {
    const READS: usize = 1 << 19;
    let row = row.next_multiple_of(16);
    let (arch, threads) = (pulp::Arch::new(), rayon::current_num_threads());
    let table = vec![1f32; rows * row];
    let seconds = best(|| {
        let sums: Vec<f32> = (0..threads)
            .into_par_iter()
            .map(|first| arch.dispatch(SumRows { table: &table, row, reads: READS, first }))
            .collect();
        std::hint::black_box(sums);
    });
    (threads * READS * row * size_of::<f32>()) as f64 / seconds
}

struct SumRows<'a> {
    table: &'a [f32],
    row: usize,
    reads: usize,
    first: usize,
}

impl WithSimd for SumRows<'_> {
    type Output = f32;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> f32 {
        let rows = self.table.len() / self.row;
        let mut sums = [simd.splat_f32s(0.0); 4];
        let mut at = self.first;
        for _ in 0..self.reads {
            // A pseudo-random number selects the next row of the table.
            at = (at.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)) & 0xFFFF_FFFF;
            let n = (at * rows) >> 32;
            let (row, _) = S::as_simd_f32s(&self.table[n * self.row..][..self.row]);
            let (fours, rest) = row.as_chunks::<4>();
            for four in fours {
                for lane in 0..4 {
                    sums[lane] = simd.add_f32s(sums[lane], four[lane]);
                }
            }
            for &vector in rest {
                sums[0] = simd.add_f32s(sums[0], vector);
            }
        }
        simd.reduce_sum_f32s(simd.add_f32s(simd.add_f32s(sums[0], sums[1]), simd.add_f32s(sums[2], sums[3])))
    }
}

fn operations() -> f64 {
    const TURNS: usize = 1 << 22;
    let arch = pulp::Arch::new();
    let threads = rayon::current_num_threads();
    let mut done = 0;
    let seconds = best(|| {
        let sums: Vec<(f32, usize)> =
            (0..threads).into_par_iter().map(|_| arch.dispatch(MultiplyAdd { turns: TURNS })).collect();
        done = std::hint::black_box(sums).iter().map(|(_, count)| count).sum();
    });
    done as f64 / seconds
}

struct MultiplyAdd {
    turns: usize,
}

impl WithSimd for MultiplyAdd {
    type Output = (f32, usize);

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> (f32, usize) {
        // Number of independent sums, which is large enough to hide the latency of an addition.
        const SUMS: usize = 10;
        let (mut sums, factor) = ([simd.splat_f32s(1.0); SUMS], simd.splat_f32s(std::hint::black_box(0.999)));
        for _ in 0..self.turns {
            for sum in &mut sums {
                *sum = simd.mul_add_e_f32s(*sum, factor, factor);
            }
        }
        let lanes = size_of::<S::f32s>() / 4;
        let total = sums.into_iter().fold(simd.splat_f32s(0.0), |a, b| simd.add_f32s(a, b));
        (simd.reduce_sum_f32s(total), 2 * self.turns * SUMS * lanes)
    }
}
