//! Computes the signal of a voxel from the amplitudes of its spherical harmonics. Also computes the adjoint
//! of this operation.

use super::super::arrays::{HarmonicArrays, Tables};
use super::vectors::dot;
use arcuate_solve::Real;

pub(super) struct Synthesis<'a, T> {
    tables: &'a Tables<T>,
    voxel_scale: Option<&'a [T]>,
    /// Signal of one voxel. Its samples are sorted by shell, as in the tables of the operator.
    signal: Vec<T>,
}

impl<'a, T: Real> Synthesis<'a, T> {
    pub(super) fn new(m: &'a HarmonicArrays<T>) -> Self {
        let signal = vec![T::zero(); m.samples];
        Self { tables: &m.tables, voxel_scale: m.voxel_scale.as_deref(), signal }
    }

    fn scale(&self, voxel: usize) -> T {
        self.voxel_scale.map_or(T::one(), |scale| scale[voxel])
    }

    /// Adds the signals of the isotropic compartments to the harmonic amplitudes of degree 0.
    #[inline(always)]
    pub(super) fn add_isotropic(&self, amounts: &[T], amplitudes: &mut [T]) {
        let shells = self.tables.constant_row.len();
        for (shell, &row) in self.tables.constant_row.iter().enumerate() {
            for (j, &x) in amounts.iter().enumerate() {
                amplitudes[row] += x * self.tables.isotropic[j * shells + shell];
            }
        }
    }

    /// The adjoint of [`add_isotropic`](Self::add_isotropic). Projects the harmonic amplitudes of degree 0 on
    /// the isotropic responses, and adds the results to the isotropic unknowns.
    #[inline(always)]
    pub(super) fn project_isotropic(&self, amplitudes: &[T], amounts: &mut [T]) {
        let shells = self.tables.constant_row.len();
        for (j, x) in amounts.iter_mut().enumerate() {
            for (shell, &row) in self.tables.constant_row.iter().enumerate() {
                *x += amplitudes[row] * self.tables.isotropic[j * shells + shell];
            }
        }
    }

    /// Computes the data of a voxel (one value per sample) from its harmonic amplitudes.
    #[inline(always)]
    pub(super) fn data(&mut self, voxel: usize, amplitudes: &[T], out: &mut [T]) {
        let samples_of_all = self.signal.len();
        self.signal.fill(T::zero());
        for (samples, rows) in &self.tables.blocks {
            let signal = &mut self.signal[samples.clone()];
            for row in rows.clone() {
                let amplitude = amplitudes[row];
                let functions = &self.tables.synthesis[row * samples_of_all..][samples.clone()];
                for n in 0..signal.len() {
                    signal[n] = functions[n].mul_add(amplitude, signal[n]);
                }
            }
        }
        let scale = self.scale(voxel);
        for (&value, &sample) in self.signal.iter().zip(&self.tables.sample) {
            out[sample as usize] = scale * value;
        }
    }

    /// The adjoint of [`data`](Self::data): computes the harmonic amplitudes of a voxel from its data.
    #[inline(always)]
    pub(super) fn amplitudes(&mut self, voxel: usize, data: &[T], amplitudes: &mut [T]) {
        let scale = self.scale(voxel);
        for (value, &sample) in self.signal.iter_mut().zip(&self.tables.sample) {
            *value = scale * data[sample as usize];
        }
        amplitudes.fill(T::zero());
        for (samples, rows) in &self.tables.blocks {
            let signal = &self.signal[samples.clone()];
            for row in rows.clone() {
                let functions = &self.tables.synthesis[row * self.signal.len()..][samples.clone()];
                amplitudes[row] += dot(functions, signal);
            }
        }
    }
}
