//! Amplitudes of FODs in evenly spaced directions of a half sphere.

use super::candidates::{HEMISPHERE, hemisphere};
use super::harmonics::{BASIS, Basis};
use super::partial_sums::PartialSums;
use arcuate_numbers::Arch;
use pulp::{Simd, WithSimd};

/// Directions of a half sphere and the values of all harmonics in these directions.
pub(super) struct Hemisphere {
    pub(super) directions: Vec<[f32; 3]>,
    /// Values of each harmonic in all directions.
    values: Vec<[f32; HEMISPHERE]>,
    arch: Arch,
}

impl Hemisphere {
    pub(super) fn new(basis: &Basis) -> Self {
        let directions = hemisphere();
        let mut values = vec![[0.0; HEMISPHERE]; BASIS];
        for (n, &direction) in directions.iter().enumerate() {
            for (values, value) in values.iter_mut().zip(basis.at(direction)) {
                values[n] = value;
            }
        }
        Self { directions, values, arch: Arch::new() }
    }

    /// Returns the amplitudes of an FOD in all directions. Each amplitude rounds as
    /// [`FodImage::amplitude`](super::FodImage::amplitude) does.
    pub(super) fn amplitudes(&self, row: &[f32; BASIS]) -> [f32; HEMISPHERE] {
        self.arch.dispatch(Amplitudes { values: &self.values, row })
    }
}

/// The amplitudes of one FOD, compiled for the SIMD instructions of the CPU.
struct Amplitudes<'a> {
    values: &'a [[f32; HEMISPHERE]],
    row: &'a [f32; BASIS],
}

impl WithSimd for Amplitudes<'_> {
    type Output = [f32; HEMISPHERE];

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> [f32; HEMISPHERE] {
        let mut amplitudes = [0.0; HEMISPHERE];
        let (out, _) = S::as_mut_simd_f32s(&mut amplitudes);
        for group in 0..HEMISPHERE / S::F32_LANES {
            let mut sums = PartialSums::new(simd);
            for (eight, values) in self.row.as_chunks::<8>().0.iter().zip(self.values.as_chunks::<8>().0) {
                for n in 0..8 {
                    let (values, _) = S::as_simd_f32s(&values[n]);
                    sums.add(simd, n, simd.splat_f32s(eight[n]), values[group]);
                }
            }
            out[group] = sums.total(simd);
        }
        amplitudes
    }
}
