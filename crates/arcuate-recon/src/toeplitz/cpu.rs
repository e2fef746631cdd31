//! Computes the Toeplitz kernel of a trajectory, and products with this kernel, on the CPU.

use super::Kernel;
use crate::sums::{Element, FourierSums};
use crate::{Shape, Weights};
use arcuate_fourier::Pair;
use num_complex::Complex;
use rayon::prelude::*;

/// Number of rows of the image that are transformed together. The same number of columns of a plane is
/// transformed together. It is at least one cache line.
const GROUP: usize = 16;

/// Returns the Toeplitz kernel q(d) of a trajectory. The lags d are from −(n − 1) to n − 1 along x and z, and
/// from 0 to n − 1 along y. A lag is the difference between two voxel positions. The complex values are pairs
/// of a real and an imaginary part, with x fastest. The values at the remaining lags are conjugate: q(−d) =
/// q(d)*.
pub(super) fn lags<T: Element>(sums: &FourierSums<T>, weights: Option<&Weights>) -> Vec<T> {
    let [nx, _, nz] = sums.shape().lengths();
    let all = sums.shape().lags();
    // The sums are computed on a grid of 2n − 1 voxels along x and z. A voxel is a smaller fraction of this
    // grid than of the image. Wave numbers are therefore multiplied by the ratio of the two sizes. Along y,
    // the grid begins at 0 instead of in its centre, so that each sample needs an additional phase.
    let stretch = |n: usize| (2 * n - 1) as f64 / n as f64;
    let places: Vec<[f64; 3]> =
        sums.samples().iter().map(|k| [k[0] * stretch(nx), k[1], k[2] * stretch(nz)]).collect();
    let factor = (all.voxels() as f64).sqrt() / sums.shape().voxels() as f64;
    let mut data = vec![T::zero(); 2 * places.len()];
    let to_middle = -all.position(1, 0);
    let mut squares = weights.map(Weights::squares);
    if let Some(weights) = weights {
        assert_eq!(weights.values().len(), places.len(), "not one weight for each sample");
    }
    for (value, k) in data.chunks_exact_mut(2).zip(&places) {
        let size = factor * squares.as_mut().and_then(Iterator::next).unwrap_or(1.0);
        let [cos, sin] = T::turned(k[1] * to_middle);
        (value[0], value[1]) = (T::of(size) * cos, T::of(size) * sin);
    }
    let mut lags = vec![T::zero(); 2 * all.voxels()];
    sums.at(all, places).adjoint_all(&data, &mut lags);
    lags
}

/// Computes the spectrum of the kernel q on the doubled grid, which has at least 2n − 1 points along each
/// axis. The spectrum includes the scale factors of the forward and of the inverse Fourier transform.
pub(super) fn spectrum<T: Element>(shape: Shape, lengths: [usize; 3], lags: &[T]) -> Vec<T> {
    let [nx, ny, nz] = shape.lengths();
    let [lx, ly, lz] = lengths;
    let (wx, wz) = (2 * nx - 1, 2 * nz - 1);
    let transforms = Transforms::<T>::new(lengths);
    // Copies q to the periodic grid, which is stored as planes of constant x. The value at lag d has the
    // index d modulo the length of the axis.
    let at = |d: isize, n: usize| (d.rem_euclid(n as isize)) as usize;
    let lag = |x: isize, y: isize, z: isize| -> Complex<T> {
        let (sign, [x, y, z]) = if y < 0 { (-T::one(), [-x, -y, -z]) } else { (T::one(), [x, y, z]) };
        let n = (x + nx as isize - 1) as usize + wx * (y as usize + ny * (z + nz as isize - 1) as usize);
        debug_assert!(n < wx * ny * wz);
        Complex::new(lags[2 * n], sign * lags[2 * n + 1])
    };
    let mut rows = vec![Complex::new(T::zero(), T::zero()); lx * ly * lz];
    let reach = |n: usize| -(n as isize - 1)..n as isize;
    rows.par_chunks_mut(ly * lz).enumerate().for_each(|(place, plane)| {
        let Some(x) = reach(nx).find(|&x| at(x, lx) == place) else { return };
        for y in reach(ny) {
            for z in reach(nz) {
                plane[at(y, ly) * lz + at(z, lz)] = lag(x, y, z);
            }
        }
    });
    // The transforms along z and y process one plane of constant x after the other. The transforms along x
    // follow.
    rows.par_chunks_mut(ly * lz).for_each(|plane| {
        for row in plane.chunks_exact_mut(lz) {
            transforms.axes[2].forward.process(row);
        }
        let mut column = vec![Complex::new(T::zero(), T::zero()); ly];
        for z in 0..lz {
            gather(plane, z, lz, &mut column);
            transforms.axes[1].forward.process(&mut column);
            for (y, &value) in column.iter().enumerate() {
                plane[y * lz + z] = value;
            }
        }
    });
    let factor = T::of(1.0 / (lx * ly * lz) as f64);
    let of_columns: Vec<Vec<T>> = (0..ly * lz)
        .into_par_iter()
        .map(|n| {
            let mut column = vec![Complex::new(T::zero(), T::zero()); lx];
            gather(&rows, n, ly * lz, &mut column);
            transforms.axes[0].forward.process(&mut column);
            column.iter().map(|value| factor * value.re).collect()
        })
        .collect();
    let mut spectrum = vec![T::zero(); lx * ly * lz];
    spectrum.par_chunks_mut(ly * lz).enumerate().for_each(|(x, plane)| {
        for (value, column) in plane.iter_mut().zip(&of_columns) {
            *value = column[x];
        }
    });
    spectrum
}

fn gather<T: Copy>(from: &[T], first: usize, stride: usize, to: &mut [T]) {
    for (n, to) in to.iter_mut().enumerate() {
        *to = from[first + n * stride];
    }
}

/// Fourier transforms along each axis of the doubled grid.
#[derive(Clone)]
pub(super) struct Transforms<T> {
    axes: [Pair<T>; 3],
}

impl<T: Element> Transforms<T> {
    pub(super) fn new(lengths: [usize; 3]) -> Self {
        Self { axes: T::plan(lengths) }
    }
}

impl<T> std::fmt::Debug for Transforms<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Transforms")
    }
}

/// Computes out = FᴴF · image. Rows of the doubled grid that contain only zeros, or whose result is not
/// needed, are not transformed.
pub(super) fn normal<T: Element>(kernel: &Kernel<T>, transforms: &Transforms<T>, image: &[T], out: &mut [T]) {
    let [nx, ny, nz] = kernel.shape.lengths();
    let [lx, ly, lz] = kernel.lengths;
    let zero = Complex::new(T::zero(), T::zero());
    let image: &[Complex<T>] = bytemuck::cast_slice(image);
    let out: &mut [Complex<T>] = bytemuck::cast_slice_mut(out);
    // The buffer contains one plane for each x, with rows along y in each plane. The image is first
    // transformed along x and transposed into this buffer.
    let mut planes = vec![zero; lx * ny * nz];
    let groups = ny.div_ceil(GROUP);
    let mut pieces: Vec<Vec<&mut [Complex<T>]>> = (0..nz * groups).map(|_| Vec::with_capacity(lx)).collect();
    for plane in planes.chunks_exact_mut(ny * nz) {
        for (z, row) in plane.chunks_exact_mut(ny).enumerate() {
            for (group, piece) in row.chunks_mut(GROUP).enumerate() {
                pieces[z * groups + group].push(piece);
            }
        }
    }
    let scratch_of = |axis: &Pair<T>| {
        vec![zero; axis.forward.get_inplace_scratch_len().max(axis.inverse.get_inplace_scratch_len())]
    };
    let [along_x, along_y, along_z] = &transforms.axes;
    pieces.into_par_iter().enumerate().for_each_init(
        || (vec![zero; GROUP * lx], scratch_of(along_x)),
        |(rows, scratch), (piece, mut to)| {
            let (z, first) = (piece / groups, piece % groups * GROUP);
            let here = GROUP.min(ny - first);
            for (y, row) in rows.chunks_exact_mut(lx).enumerate().take(here) {
                row[..nx].copy_from_slice(&image[((z * ny) + first + y) * nx..][..nx]);
                row[nx..].fill(zero);
            }
            along_x.forward.process_with_scratch(&mut rows[..here * lx], scratch);
            for (x, to) in to.iter_mut().enumerate() {
                gather(rows, x, lx, to);
            }
        },
    );
    planes.par_chunks_exact_mut(ny * nz).zip(kernel.spectrum.par_chunks_exact(ly * lz)).for_each_init(
        || (vec![zero; nz * ly], vec![zero; GROUP * lz], scratch_of(along_y), scratch_of(along_z)),
        |(rows, columns, of_y, of_z), (plane, spectrum)| {
            for (row, from) in rows.chunks_exact_mut(ly).zip(plane.chunks_exact(ny)) {
                row[..ny].copy_from_slice(from);
                row[ny..].fill(zero);
            }
            along_y.forward.process_with_scratch(rows, of_y);
            if lz == 1 {
                for (value, &factor) in rows.iter_mut().zip(spectrum) {
                    *value = value.scale(factor);
                }
            } else {
                for first in (0..ly).step_by(GROUP) {
                    let here = GROUP.min(ly - first);
                    let columns = &mut columns[..here * lz];
                    for (y, column) in columns.chunks_exact_mut(lz).enumerate() {
                        gather(rows, first + y, ly, &mut column[..nz]);
                        column[nz..].fill(zero);
                    }
                    along_z.forward.process_with_scratch(columns, of_z);
                    for (value, &factor) in columns.iter_mut().zip(&spectrum[first * lz..]) {
                        *value = value.scale(factor);
                    }
                    along_z.inverse.process_with_scratch(columns, of_z);
                    for z in 0..nz {
                        for y in 0..here {
                            rows[z * ly + first + y] = columns[y * lz + z];
                        }
                    }
                }
            }
            along_y.inverse.process_with_scratch(rows, of_y);
            for (row, to) in rows.chunks_exact(ly).zip(plane.chunks_exact_mut(ny)) {
                to.copy_from_slice(&row[..ny]);
            }
        },
    );
    out.par_chunks_mut(GROUP * nx).enumerate().for_each_init(
        || (vec![zero; GROUP * lx], scratch_of(along_x)),
        |(rows, scratch), (group, out)| {
            let here = out.len() / nx;
            for (x, plane) in planes.chunks_exact(ny * nz).enumerate() {
                for (y, &value) in plane[group * GROUP..][..here].iter().enumerate() {
                    rows[y * lx + x] = value;
                }
            }
            let rows = &mut rows[..here * lx];
            along_x.inverse.process_with_scratch(rows, scratch);
            for (out, row) in out.chunks_exact_mut(nx).zip(rows.chunks_exact(lx)) {
                out.copy_from_slice(&row[..nx]);
            }
        },
    );
}
