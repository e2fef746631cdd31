//! Coefficients of interpolating cubic B-splines (Unser 1999, "Splines: a perfect fit for signal and image processing",
//! doi:10.1109/79.799930). The image is mirrored at its outermost voxel centres.

use super::constants;
use rayon::prelude::*;

/// Pole of the recursive filter for cubic B-splines: √3 − 2.
const POLE: f64 = constants::POLE;

/// Number of mirrored values that contribute to the first spline coefficient of a line. Later values have
/// factors below POLE²⁸, which is below 1e-16.
const HORIZON: usize = constants::HORIZON as usize;

/// Converts values at voxel centres to spline coefficients along all three axes.
pub(super) fn prefilter(values: &mut [[f64; 6]], shape: [usize; 3]) {
    let [nx, ny, nz] = shape;
    if nx > 1 {
        values.par_chunks_mut(nx).for_each(|line| filter(line, nx, 1, 1));
    }
    if ny > 1 {
        values.par_chunks_mut(nx * ny).for_each(|slice| filter(slice, ny, nx, nx));
    }
    if nz > 1 {
        // The values of a line along z are far apart in memory. Therefore this number of neighbouring lines
        // is copied to a contiguous block and filtered together.
        const TOGETHER: usize = 64;
        let stride = nx * ny;
        let turned: Vec<Vec<[f64; 6]>> = (0..stride.div_ceil(TOGETHER))
            .into_par_iter()
            .map(|n| {
                let columns = n * TOGETHER..stride.min((n + 1) * TOGETHER);
                let mut slab: Vec<[f64; 6]> =
                    (0..nz).flat_map(|z| values[z * stride..][columns.clone()].iter().copied()).collect();
                filter(&mut slab, nz, columns.len(), columns.len());
                slab
            })
            .collect();
        values.par_chunks_mut(stride).enumerate().for_each(|(z, slice)| {
            for (columns, slab) in slice.chunks_mut(TOGETHER).zip(&turned) {
                columns.copy_from_slice(&slab[z * columns.len()..][..columns.len()]);
            }
        });
    }
}

/// Filters `lines` lines of `n` values each. Consecutive values of a line are `stride` apart in memory.
fn filter(values: &mut [[f64; 6]], n: usize, stride: usize, lines: usize) {
    for line in 0..lines {
        for c in 0..6 {
            // This sum is over the mirrored values before the first value of the line.
            let mut sum = values[line][c];
            let mut power = POLE;
            for step in 1..=HORIZON {
                let within = step % (2 * (n - 1));
                let mirrored = within.min(2 * (n - 1) - within);
                sum += power * values[mirrored * stride + line][c];
                power *= POLE;
            }
            values[line][c] = 6.0 * sum;
        }
    }
    for k in 1..n {
        for line in 0..lines {
            for c in 0..6 {
                values[k * stride + line][c] =
                    6.0 * values[k * stride + line][c] + POLE * values[(k - 1) * stride + line][c];
            }
        }
    }
    for line in 0..lines {
        for c in 0..6 {
            let (last, before) = (values[(n - 1) * stride + line][c], values[(n - 2) * stride + line][c]);
            values[(n - 1) * stride + line][c] = POLE / (POLE * POLE - 1.0) * (last + POLE * before);
        }
    }
    for k in (0..n - 1).rev() {
        for line in 0..lines {
            for c in 0..6 {
                values[k * stride + line][c] =
                    POLE * (values[(k + 1) * stride + line][c] - values[k * stride + line][c]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spline_interpolates_its_values() {
        for shape in [[1, 1, 1], [2, 3, 5], [7, 1, 2], [40, 9, 3]] {
            let [nx, ny, nz] = shape;
            let count = nx * ny * nz;
            let value = |voxel: usize, c: usize| ((voxel * 37 + c * 11) % 101) as f64 / 50.0 - 1.0;
            let mut spline: Vec<[f64; 6]> =
                (0..count).map(|voxel| std::array::from_fn(|c| value(voxel, c))).collect();
            prefilter(&mut spline, shape);
            let mirrored = |at: isize, n: usize| {
                if n == 1 {
                    return 0;
                }
                let within = at.rem_euclid(2 * (n as isize - 1));
                within.min(2 * (n as isize - 1) - within) as usize
            };
            for voxel in 0..count {
                let place = [voxel % nx, voxel / nx % ny, voxel / (nx * ny)].map(|p| p as isize);
                for c in 0..6 {
                    let mut sum = 0.0;
                    for (x, wx) in [-1, 0, 1].into_iter().zip([1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0]) {
                        for (y, wy) in [-1, 0, 1].into_iter().zip([1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0]) {
                            for (z, wz) in [-1, 0, 1].into_iter().zip([1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0]) {
                                let at = mirrored(place[0] + x, nx)
                                    + nx * (mirrored(place[1] + y, ny) + ny * mirrored(place[2] + z, nz));
                                sum += wx * wy * wz * spline[at][c];
                            }
                        }
                    }
                    assert!((sum - value(voxel, c)).abs() < 1e-13, "{shape:?} {voxel} {c}: {sum}");
                }
            }
        }
    }
}
