//! Computes the harmonic amplitudes of a voxel's signal from the moments of the voxel (sums of harmonics over
//! its segments and axes). Also computes the adjoint of this operation.

use super::super::Segment;
use super::super::arrays::HarmonicArrays;
use super::batch::{Batch, Recurrence};
use super::reduced::reduced;
use super::vectors::{BATCH, LANES, Vector, Vectors, lanes_sum, zeros};
use arcuate_solve::Real;

/// One of the two kinds of compartments with a direction: intra-axonal (its elements are segments) or
/// extra-axonal (its elements are axes).
pub(super) struct Kind<'a, T> {
    elements: &'a [Segment],
    starts: &'a [usize],
    rank: usize,
    /// Coefficients that convert moments to amplitudes. The shape is `rows × rank`.
    mix: &'a [T],
    /// Index of the first reduced unknown (the weight of a basis function) of this kind of compartment.
    first: usize,
}

pub(super) fn kinds<T: Real>(m: &HarmonicArrays<T>) -> [Kind<'_, T>; 2] {
    [
        Kind {
            elements: &m.segments.pieces,
            starts: &m.segments.voxel_starts,
            rank: m.basis.intra.rank,
            mix: &m.tables.intra,
            first: 0,
        },
        Kind {
            elements: &m.axes,
            starts: &m.axis_starts,
            rank: m.basis.extra.rank,
            mix: &m.tables.extra,
            first: reduced(m).extra,
        },
    ]
}

impl<'a, T> Kind<'a, T> {
    /// Returns the elements (segments or axes) in a voxel. If this kind of compartment has no basis function,
    /// the result is empty.
    fn elements_in(&self, voxel: usize) -> &'a [Segment] {
        if self.rank == 0 { &[] } else { &self.elements[self.starts[voxel]..self.starts[voxel + 1]] }
    }

    /// Returns the index of the first reduced unknown of an element (a segment or axis). An element has one
    /// reduced unknown per basis function.
    fn unknowns_of(&self, element: &Segment) -> usize {
        self.first + element.streamline as usize * self.rank
    }
}

/// Working memory, and the moments M[lm, k] of one kind of compartment in one voxel, for the harmonic Y_lm
/// and the basis function k.
pub(super) struct Moments<'a, T> {
    recurrences: &'a [Recurrence<T>],
    /// For each harmonic amplitude of a voxel, the index of its spherical harmonic.
    harmonic: &'a [u32],
    harmonics: usize,
    values: Vec<T>,
    batch: Batch<T>,
    /// The moments of a voxel, as SIMD vectors with a separate sum in each lane.
    sums: Vec<Vector<T>>,
    /// For each basis function, the sum over harmonics of each segment's harmonic times its projection; one
    /// number per segment of a batch.
    products: Vec<Vectors<T>>,
}

impl<'a, T: Real> Moments<'a, T> {
    pub(super) fn new(m: &'a HarmonicArrays<T>, recurrences: &'a [Recurrence<T>]) -> Self {
        let harmonics = m.functions.count();
        let maximum = m.basis.intra.rank.max(m.basis.extra.rank);
        Self {
            recurrences,
            harmonic: &m.tables.harmonic,
            harmonics,
            values: vec![T::zero(); harmonics * maximum],
            batch: Batch::new(maximum),
            sums: vec![Vector::all(T::zero()); harmonics * maximum],
            products: vec![zeros(); maximum],
        }
    }

    /// Adds the contributions of a voxel's segments or axes to the harmonic amplitudes of the voxel's signal.
    #[inline(always)]
    pub(super) fn add(&mut self, kind: &Kind<'_, T>, voxel: usize, z: &[T], amplitudes: &mut [T]) {
        let elements = kind.elements_in(voxel);
        if elements.is_empty() {
            return;
        }
        let sums = &mut self.sums[..self.harmonics * kind.rank];
        sums.fill(Vector::all(T::zero()));
        let mut any = false;
        for element in elements {
            if self.batch.push(element, &z[kind.unknowns_of(element)..][..kind.rank]) {
                any = true;
                self.batch.add_moments(self.recurrences, kind.rank, sums);
            }
        }
        if self.batch.count > 0 {
            any = true;
            self.batch.fill_up(kind.rank);
            self.batch.add_moments(self.recurrences, kind.rank, sums);
        }
        if !any {
            return;
        }
        let moments = &mut self.values[..self.harmonics * kind.rank];
        for (moment, sum) in moments.iter_mut().zip(sums.iter()) {
            *moment = lanes_sum(sum);
        }
        for (row, amplitude) in amplitudes.iter_mut().enumerate() {
            let moments = &moments[self.harmonic[row] as usize * kind.rank..][..kind.rank];
            for (&moment, &mix) in moments.iter().zip(&kind.mix[row * kind.rank..]) {
                *amplitude += moment * mix;
            }
        }
    }

    /// The adjoint of [`add`](Self::add). Projects the harmonic amplitudes of a voxel on the voxel's segments
    /// or axes, and adds the results to the reduced unknowns z.
    #[inline(always)]
    pub(super) fn project(&mut self, kind: &Kind<'_, T>, voxel: usize, amplitudes: &[T], z: &mut [T]) {
        let elements = kind.elements_in(voxel);
        if elements.is_empty() {
            return;
        }
        let projections = &mut self.values[..self.harmonics * kind.rank];
        projections.fill(T::zero());
        for (row, &amplitude) in amplitudes.iter().enumerate() {
            let to = &mut projections[self.harmonic[row] as usize * kind.rank..][..kind.rank];
            for (to, &mix) in to.iter_mut().zip(&kind.mix[row * kind.rank..]) {
                *to += amplitude * mix;
            }
        }
        for elements in elements.chunks(BATCH) {
            self.batch.load(elements);
            let products = &mut self.products[..kind.rank];
            self.batch.project(self.recurrences, projections, products);
            for (place, element) in elements.iter().enumerate() {
                let (group, lane) = (place / LANES, place % LANES);
                let to = &mut z[kind.unknowns_of(element)..][..kind.rank];
                for (to, products) in to.iter_mut().zip(products.iter()) {
                    *to += products[group][lane] * self.batch.length[group][lane];
                }
            }
        }
    }
}
