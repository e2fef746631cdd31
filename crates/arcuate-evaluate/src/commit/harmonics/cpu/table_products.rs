//! Products of a table with the numbers of sixteen voxels, one voxel per SIMD lane.

use super::vectors::{LANES, Vector};
use arcuate_numbers::vectors::count;
use arcuate_solve::Real;
use pulp::Simd;

/// Computes out[i] += Σ_n table[n · stride + i] · factors[n] in each lane.
#[inline(always)]
pub(super) fn add_products<S: Simd, T: Real>(
    simd: S,
    out: &mut [Vector<T>],
    factors: &[Vector<T>],
    table: &[T],
    stride: usize,
) {
    let mut at = 0;
    while at < out.len() {
        let table = &table[at..];
        // The sums of a tile stay in registers. Eight are enough to hide the latency of a multiplication.
        at += match out.len() - at {
            8.. => add_tile::<S, T, 8>(simd, &mut out[at..], factors, table, stride),
            4.. => add_tile::<S, T, 4>(simd, &mut out[at..], factors, table, stride),
            2.. => add_tile::<S, T, 2>(simd, &mut out[at..], factors, table, stride),
            _ => add_tile::<S, T, 1>(simd, &mut out[at..], factors, table, stride),
        };
    }
}

/// Computes the first `ROWS` rows of the product, and returns their number.
#[inline(always)]
fn add_tile<S: Simd, T: Real, const ROWS: usize>(
    simd: S,
    out: &mut [Vector<T>],
    factors: &[Vector<T>],
    table: &[T],
    stride: usize,
) -> usize {
    for part in 0..LANES / count::<S, T>() {
        let mut sums = [T::splat(simd, T::zero()); ROWS];
        for i in 0..ROWS {
            sums[i] = out[i].registers::<S>()[part];
        }
        for (n, factor) in factors.iter().enumerate() {
            let factor = factor.registers::<S>()[part];
            let coefficients = &table[n * stride..][..ROWS];
            for i in 0..ROWS {
                sums[i] = T::multiply_add(simd, T::splat(simd, coefficients[i]), factor, sums[i]);
            }
        }
        for i in 0..ROWS {
            out[i].registers_mut::<S>()[part] = sums[i];
        }
    }
    ROWS
}

/// Computes out += coefficient · factor in each lane.
#[inline(always)]
pub(super) fn add_product<S: Simd, T: Real>(
    simd: S,
    out: &mut Vector<T>,
    factor: &Vector<T>,
    coefficient: T,
) {
    let coefficient = T::splat(simd, coefficient);
    for (out, &factor) in out.registers_mut::<S>().iter_mut().zip(factor.registers::<S>()) {
        *out = T::multiply_add(simd, coefficient, factor, *out);
    }
}
