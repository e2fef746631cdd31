//! Factors e^(2πi k·r) of one axis, as the innermost loop reads them.

use super::Element;
use super::tile::DEPTH;
use crate::Shape;

/// An axis mirrored at its middle: voxel `i` of `n` lies at (i − c) / n of the field of view from there, c = (n − 1) / 2, so
/// that `i` and `n − 1 − i` are opposite. Of each pair, and of the middle where there is one, there is a cosine, of each pair
/// a sine: `n` rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mirrored {
    pub(super) voxels: usize,
}

impl Mirrored {
    /// Rows of cosines; those of sines follow.
    pub(super) fn cosines(self) -> usize {
        self.voxels.div_ceil(2)
    }

    /// The distance of row `row`'s voxel from the middle, in voxels, and whether it has a sine.
    fn of_row(self, row: usize) -> (f64, bool) {
        let middle = (self.voxels - 1) as f64 / 2.0;
        // The pairs from the outermost on; the middle is the last cosine.
        let sine = row >= self.cosines();
        let voxel = if sine { row - self.cosines() } else { row };
        (middle - voxel as f64, sine)
    }

    /// Both voxels of the `n`-th pair, the one on the side of larger coordinates first.
    pub(super) fn pair(self, n: usize) -> [usize; 2] {
        [self.voxels - 1 - n, n]
    }

    /// Pairs, without the middle.
    pub(super) fn pairs(self) -> usize {
        self.voxels / 2
    }

    /// How far the middle is from where the field of view has its origin, in fields of view.
    pub(super) fn shift(self) -> f64 {
        let n = self.voxels as f64;
        ((self.voxels / 2) as f64 - (n - 1.0) / 2.0) / n
    }

    /// Cosines and sines of the rows at `k`, each `stride` behind the last; zeros behind the last row up to `rows`.
    #[inline(always)]
    pub(super) fn fill<T: Element>(self, k: f64, rows: usize, stride: usize, out: &mut [T]) {
        let (n, cosines) = (self.voxels, self.cosines());
        for row in 0..cosines {
            let (distance, _) = self.of_row(row);
            let [cos, sin] = T::turned(k * distance / n as f64);
            out[row * stride] = cos;
            if row < self.pairs() {
                out[(cosines + row) * stride] = sin;
            }
        }
        for row in n..rows {
            out[row * stride] = T::zero();
        }
    }
}

/// e^(2πi k·r) of one axis for a block of samples: real and imaginary parts of `DEPTH` samples for each voxel.
pub(super) type Factors<T> = [[T; DEPTH]; 2];

/// The factors of every voxel of `axis` for a block of samples; those behind the last sample are 0.
#[inline(always)]
pub(super) fn factors<T: Element>(shape: Shape, axis: usize, samples: &[[f64; 3]], out: &mut [Factors<T>]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = factors_at(samples, |k| k[axis] * shape.position(axis, i));
    }
}

/// e^(2πi turns) for a block of samples.
#[inline(always)]
pub(super) fn factors_at<T: Element>(samples: &[[f64; 3]], turns: impl Fn(&[f64; 3]) -> f64) -> Factors<T> {
    let mut out = [[T::zero(); DEPTH]; 2];
    for (n, k) in samples.iter().enumerate().take(DEPTH) {
        let [cos, sin] = T::turned(turns(k));
        (out[0][n], out[1][n]) = (cos, sin);
    }
    out
}
