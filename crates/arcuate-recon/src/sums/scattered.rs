use super::{Element, check_places};
use arcuate_core::Result;
use arcuate_solve::LinearOperator;
use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;
use std::sync::Arc;

/// Terms that are added up by themselves before they go to the sum of all.
const BLOCK: usize = 128;
/// Sums that a task works on at a time, side by side.
const SIDE: usize = 32;

/// Exact Fourier sums between values at any places and samples: where an image is on no grid. Each pair of them takes a sine
/// and a cosine.
///
/// forward: s(k) = Σ_r ρ(r) e^(−2πi k·r) · factor, adjoint: ρ(r) = Σ_k s(k) e^(+2πi k·r) · factor. The phase k·r is taken in
/// double precision and reduced to a turn before it is rounded; sums are taken in `T` in blocks of 128.
#[derive(Debug, Clone)]
pub struct ScatteredSums<T> {
    positions: Arc<[[f64; 3]]>,
    samples: Arc<[[f64; 3]]>,
    factor: f64,
    precision: std::marker::PhantomData<T>,
}

impl<T: Element> ScatteredSums<T> {
    /// Between values at `positions`, in fields of view, and samples in cycles per field of view; or in mm and 1/mm.
    ///
    /// Fails where there is no position or sample, or one is not finite.
    pub fn new(
        positions: impl Into<Arc<[[f64; 3]]>>,
        samples: impl Into<Arc<[[f64; 3]]>>,
        factor: f64,
    ) -> Result<Self> {
        let (positions, samples) = (positions.into(), samples.into());
        check_places("positions", &positions)?;
        check_places("trajectory", &samples)?;
        Ok(Self { positions, samples, factor, precision: std::marker::PhantomData })
    }
}

impl<T: Element> LinearOperator<T> for ScatteredSums<T> {
    fn rows(&self) -> usize {
        2 * self.samples.len()
    }

    fn columns(&self) -> usize {
        2 * self.positions.len()
    }

    fn forward(&self, unknowns: &[T], data: &mut [T]) {
        assert_eq!((unknowns.len(), data.len()), (self.columns(), self.rows()), "vectors do not fit");
        sum(&self.positions, unknowns, -1.0, &self.samples, data, self.factor);
    }

    fn adjoint(&self, data: &[T], unknowns: &mut [T]) {
        assert_eq!((unknowns.len(), data.len()), (self.columns(), self.rows()), "vectors do not fit");
        sum(&self.samples, data, 1.0, &self.positions, unknowns, self.factor);
    }
}

/// out(b) = factor Σ_a values(a) e^(2πi sign a·b).
fn sum<T: Element>(from: &[[f64; 3]], values: &[T], sign: f64, to: &[[f64; 3]], out: &mut [T], factor: f64) {
    let (arch, factor) = (Arch::new(), T::of(factor));
    out.par_chunks_mut(2 * SIDE).zip(to.par_chunks(SIDE)).for_each(|(out, to)| {
        let mut places = [[0.0; SIDE]; 3];
        for (n, place) in to.iter().enumerate() {
            for axis in 0..3 {
                places[axis][n] = sign * place[axis];
            }
        }
        let all = arch.dispatch(Side { from, values, places: &places });
        for (n, out) in out.chunks_exact_mut(2).enumerate() {
            (out[0], out[1]) = (factor * all[0][n], factor * all[1][n]);
        }
    });
}

/// Sums side by side, real and imaginary parts.
struct Side<'a, T> {
    from: &'a [[f64; 3]],
    values: &'a [T],
    places: &'a [[f64; SIDE]; 3],
}

impl<T: Element> WithSimd for Side<'_, T> {
    type Output = [[T; SIDE]; 2];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        let Self { from, values, places } = self;
        let mut all = [[T::zero(); SIDE]; 2];
        for (from, values) in from.chunks(BLOCK).zip(values.chunks(2 * BLOCK)) {
            let mut block = [[T::zero(); SIDE]; 2];
            for (place, value) in from.iter().zip(values.chunks_exact(2)) {
                for n in 0..SIDE {
                    let turns = place[0] * places[0][n] + place[1] * places[1][n] + place[2] * places[2][n];
                    let [cos, sin] = T::turned(turns);
                    block[0][n] += value[0] * cos - value[1] * sin;
                    block[1][n] += value[0] * sin + value[1] * cos;
                }
            }
            for part in 0..2 {
                for n in 0..SIDE {
                    all[part][n] += block[part][n];
                }
            }
        }
        all
    }
}
