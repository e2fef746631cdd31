//! The factors e^(2πi k·r) of one axis, in the memory layout that the innermost loop reads.

use super::Element;
use super::tile::DEPTH;
use crate::Shape;

/// An axis of the image whose voxels are paired by mirroring at the centre c = (n − 1) / 2 of the axis. Voxel
/// `i` of `n` is at (i − c) / n of the field of view from this centre, so that the voxels `i` and `n − 1 − i`
/// are opposite. In the matrix of factors, each pair has a cosine row and a sine row. If the centre is a
/// voxel, it has a cosine row. There are `n` rows in total.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mirrored {
    pub(super) voxels: usize,
}

impl Mirrored {
    /// Returns the number of cosine rows in the matrix of factors. They are ordered from the outermost pair
    /// of voxels to the centre. The sine rows follow in the same order.
    pub(super) fn cosines(self) -> usize {
        self.voxels.div_ceil(2)
    }

    /// Returns, for each cosine row, the distance between the voxels of its pair and the centre of the axis,
    /// as a fraction of the field of view.
    pub(super) fn distances(self) -> Vec<f64> {
        let middle = (self.voxels - 1) as f64 / 2.0;
        (0..self.cosines()).map(|row| (middle - row as f64) / self.voxels as f64).collect()
    }

    /// Returns the indices of the two voxels of the `n`-th pair. The voxel with the larger coordinate is
    /// first.
    pub(super) fn pair(self, n: usize) -> [usize; 2] {
        [self.voxels - 1 - n, n]
    }

    /// Returns the number of pairs of voxels. A voxel in the centre is not counted.
    pub(super) fn pairs(self) -> usize {
        self.voxels / 2
    }

    /// Returns the distance between the centre of the axis and the origin, as a fraction of the field of
    /// view.
    pub(super) fn shift(self) -> f64 {
        let n = self.voxels as f64;
        ((self.voxels / 2) as f64 - (n - 1.0) / 2.0) / n
    }
}

/// Computes the cosines and sines of all pairs of voxels, for the wave number `k`. `distances` has the
/// distance of each pair from the centre (see [`distances`](Mirrored::distances)). `out` need not have space
/// for the sine of the centre, which is 0.
#[inline(always)]
pub(super) fn rows_at<T: Element>(distances: &[f64], k: f64, out: &mut [T]) {
    let (cosines, sines) = out.split_at_mut(distances.len());
    for (cosine, distance) in cosines.iter_mut().zip(distances) {
        *cosine = T::turned(k * distance)[0];
    }
    for (sine, distance) in sines.iter_mut().zip(distances) {
        *sine = T::turned(k * distance)[1];
    }
}

/// Computes the cosines and sines of all pairs of voxels for several samples. In each row of the matrix, the
/// values of all `k.len()` samples are contiguous.
#[inline(always)]
pub(super) fn samples_at<T: Element>(distances: &[f64], k: &[f64], out: &mut [T]) {
    let (cosines, sines) = out.split_at_mut(distances.len() * k.len());
    let mut sines = sines.chunks_exact_mut(k.len());
    for (cosines, distance) in cosines.chunks_exact_mut(k.len()).zip(distances) {
        // If `out` has no space for the sine of the centre, this sine is discarded.
        let sines = sines.next().unwrap_or_default();
        for (cosine, k) in cosines.iter_mut().zip(k) {
            *cosine = T::turned(k * distance)[0];
        }
        for (sine, k) in sines.iter_mut().zip(k) {
            *sine = T::turned(k * distance)[1];
        }
    }
}

/// The k-space positions of a block of samples, along each axis. After the last sample, the positions are 0.
pub(super) type Places = [[f64; DEPTH]; 3];

/// Returns the k-space positions of a block of samples, axis by axis.
pub(super) fn places(samples: &[[f64; 3]]) -> Places {
    let mut out = [[0.0; DEPTH]; 3];
    for (n, k) in samples.iter().enumerate() {
        for axis in 0..3 {
            out[axis][n] = k[axis];
        }
    }
    out
}

/// The factors e^(2πi k·r) of one axis for a block of samples. For each voxel, there are the real and the
/// imaginary parts of `DEPTH` samples.
pub(super) type Factors<T> = [[T; DEPTH]; 2];

/// Computes the factors e^(2πi k·r) of every voxel along `axis`, for a block of samples.
#[inline(always)]
pub(super) fn factors<T: Element>(shape: Shape, axis: usize, places: &Places, out: &mut [Factors<T>]) {
    for (i, out) in out.iter_mut().enumerate() {
        let position = shape.position(axis, i);
        let k = &places[axis];
        *out = factors_at(|n| k[n] * position);
    }
}

/// Returns e^(2πi turns) for each sample of a block. `turns` is a function that returns the phase of a
/// sample.
#[inline(always)]
pub(super) fn factors_at<T: Element>(turns: impl Fn(usize) -> f64) -> Factors<T> {
    let mut out = [[T::zero(); DEPTH]; 2];
    for n in 0..DEPTH {
        let [cos, sin] = T::turned(turns(n));
        (out[0][n], out[1][n]) = (cos, sin);
    }
    out
}
