//! Batches of segments, and the recurrences that compute all spherical harmonics of the directions of a
//! batch.

use super::super::Segment;
use super::super::arrays::HarmonicArrays;
use super::vectors::{BATCH, GROUPS, LANES, Vector, Vectors, each, zeros};
use arcuate_core::harmonics::Step;
use arcuate_solve::Real;

/// The recurrences that compute spherical harmonics, with coefficients in the precision of the operator.
pub(super) struct Recurrence<T> {
    odd: bool,
    first: T,
    steps: Vec<[T; 3]>,
}

pub(super) fn recurrences<T: Real>(m: &HarmonicArrays<T>) -> Vec<Recurrence<T>> {
    let step = |s: &Step| [T::of(s.square), T::of(s.constant), T::of(s.before)];
    m.functions
        .recurrences()
        .map(|(order, first, steps)| Recurrence {
            odd: order % 2 == 1,
            first: T::of(first),
            steps: steps.iter().map(step).collect(),
        })
        .collect()
}

/// An action that is called once for each spherical harmonic of a batch of segments, in the order of the
/// harmonics.
trait Visit<T> {
    fn visit(&mut self, value: &Vectors<T>);
}

/// Computes sums[lm · rank + k] += Y_lm · amount k for the basis functions k. Y_lm and the amounts belong to
/// a segment; each SIMD lane has other segments and its own sums. If the number of basis functions is a
/// common one, `RANK` is this number. If not, `RANK` is 0.
struct AddMoments<'a, T, const RANK: usize> {
    amounts: [Vectors<T>; RANK],
    all_amounts: &'a [Vectors<T>],
    sums: std::slice::ChunksExactMut<'a, Vector<T>>,
}

impl<T: Real, const RANK: usize> Visit<T> for AddMoments<'_, T, RANK> {
    #[inline(always)]
    fn visit(&mut self, value: &Vectors<T>) {
        let Some(sums) = self.sums.next() else { return };
        if RANK == 0 {
            for (sum, amount) in sums.iter_mut().zip(self.all_amounts) {
                each!(|g, n| sum[n] = value[g][n].mul_add(amount[g][n], sum[n]));
            }
        } else if let Some(sums) = sums.first_chunk_mut::<RANK>() {
            for k in 0..RANK {
                each!(|g, n| sums[k][n] = value[g][n].mul_add(self.amounts[k][g][n], sums[k][n]));
            }
        }
    }
}

/// Factor of a harmonic in [`Batch::project`].
pub(super) trait Factor<T>: Copy {
    /// Returns the factor in a SIMD lane.
    fn in_lane(self, lane: usize) -> T;
}

/// A factor that is the same in all SIMD lanes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Same<T>(pub(super) T);

impl<T: Real> Factor<T> for Same<T> {
    #[inline(always)]
    fn in_lane(self, _: usize) -> T {
        self.0
    }
}

impl<T: Real> Factor<T> for Vector<T> {
    #[inline(always)]
    fn in_lane(self, lane: usize) -> T {
        self[lane]
    }
}

/// Computes products[k] = Σ_lm Y_lm · factors[lm · rank + k] for each segment of a batch and the basis
/// functions k. Each SIMD lane has other segments, with their harmonics Y_lm. If the number of basis
/// functions is a common one, `RANK` is this number. If not, `RANK` is 0.
struct Project<'a, T, F, const RANK: usize> {
    factors: std::slice::ChunksExact<'a, F>,
    sums: [Vectors<T>; RANK],
    all_sums: &'a mut [Vectors<T>],
}

impl<T: Real, F: Factor<T>, const RANK: usize> Visit<T> for Project<'_, T, F, RANK> {
    #[inline(always)]
    fn visit(&mut self, value: &Vectors<T>) {
        let Some(factors) = self.factors.next() else { return };
        if RANK == 0 {
            for (sum, factor) in self.all_sums.iter_mut().zip(factors) {
                each!(|g, n| sum[g][n] = value[g][n].mul_add(factor.in_lane(n), sum[g][n]));
            }
        } else if let Some(factors) = factors.first_chunk::<RANK>() {
            for k in 0..RANK {
                let sums = &mut self.sums[k];
                each!(|g, n| sums[g][n] = value[g][n].mul_add(factors[k].in_lane(n), sums[g][n]));
            }
        }
    }
}

/// A batch of segments: the direction and length of each segment, and the segment's amount of each basis
/// function.
pub(super) struct Batch<T> {
    pub(super) count: usize,
    x: Vectors<T>,
    y: Vectors<T>,
    z: Vectors<T>,
    pub(super) length: Vectors<T>,
    amounts: Vec<Vectors<T>>,
}

impl<T: Real> Batch<T> {
    pub(super) fn new(rank: usize) -> Self {
        let zero = zeros();
        Self { count: 0, x: zero, y: zero, z: zero, length: zero, amounts: vec![zero; rank] }
    }

    #[inline(always)]
    fn put(&mut self, place: usize, element: &Segment) {
        let (group, lane) = (place / LANES, place % LANES);
        let [x, y, z] = element.piece;
        self.x[group][lane] = T::of(f64::from(x));
        self.y[group][lane] = T::of(f64::from(y));
        self.z[group][lane] = T::of(f64::from(z));
    }

    /// Computes the lengths and the unit directions of all segments. Before this, x, y and z are the vectors of
    /// the segments in mm.
    #[inline(always)]
    fn normalise(&mut self) {
        let zero = T::zero();
        let (x, y, z, length) = (&mut self.x, &mut self.y, &mut self.z, &mut self.length);
        each!(|g, n| {
            let (a, b, c) = (x[g][n], y[g][n], z[g][n]);
            length[g][n] = (a * a + b * b + c * c).sqrt();
            // A segment of length 0 has no direction and does not contribute to the sums.
            let inverse = if length[g][n] > zero { length[g][n].recip() } else { zero };
            (x[g][n], y[g][n], z[g][n]) = (a * inverse, b * inverse, c * inverse);
        });
    }

    /// Adds a segment with its amounts. Returns `true` if the batch is full.
    #[inline(always)]
    pub(super) fn push(&mut self, element: &Segment, amounts: &[T]) -> bool {
        if amounts.iter().all(num_traits::Zero::is_zero) {
            return false;
        }
        let place = self.count;
        self.set(place, element, amounts.iter().copied());
        self.count += 1;
        self.count == BATCH
    }

    /// Fills the free places of the batch with segments whose amounts are 0.
    #[inline(always)]
    pub(super) fn fill_up(&mut self, rank: usize) {
        for amounts in &mut self.amounts[..rank] {
            for place in self.count..BATCH {
                amounts[place / LANES][place % LANES] = T::zero();
            }
        }
    }

    /// Sets the vector and the amounts of a segment at a place in the batch.
    #[inline(always)]
    pub(super) fn set(&mut self, place: usize, element: &Segment, amounts: impl Iterator<Item = T>) {
        self.put(place, element);
        for (to, amount) in self.amounts.iter_mut().zip(amounts) {
            to[place / LANES][place % LANES] = amount;
        }
    }

    /// Sets the vectors and the amounts of all segments of the batch to 0.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        (self.x, self.y, self.z) = (zeros(), zeros(), zeros());
        self.amounts.fill(zeros());
    }

    /// Replaces the segments of the batch. If there are fewer segments than SIMD lanes, the unused lanes keep
    /// their old directions.
    #[inline(always)]
    pub(super) fn load(&mut self, elements: &[Segment]) {
        for (place, element) in elements.iter().enumerate() {
            self.put(place, element);
        }
    }

    /// Adds the contributions of the segments to the moments of the voxel, separately for each SIMD lane.
    /// Then empties the batch.
    #[inline(always)]
    pub(super) fn add_moments(&mut self, recurrences: &[Recurrence<T>], rank: usize, sums: &mut [Vector<T>]) {
        self.count = 0;
        self.normalise();
        // If the number of basis functions is a common one, it is a compile-time constant. The compiler can
        // then unroll the sums over the functions.
        match rank {
            1 => self.add_moments_of::<1>(recurrences, rank, sums),
            2 => self.add_moments_of::<2>(recurrences, rank, sums),
            3 => self.add_moments_of::<3>(recurrences, rank, sums),
            4 => self.add_moments_of::<4>(recurrences, rank, sums),
            _ => self.add_moments_of::<0>(recurrences, rank, sums),
        }
    }

    #[inline(always)]
    fn add_moments_of<const RANK: usize>(
        &mut self,
        recurrences: &[Recurrence<T>],
        rank: usize,
        sums: &mut [Vector<T>],
    ) {
        let length = self.length;
        for amounts in &mut self.amounts[..rank] {
            each!(|g, n| amounts[g][n] *= length[g][n]);
        }
        let mut amounts = [zeros(); RANK];
        amounts.copy_from_slice(&self.amounts[..RANK]);
        let sums = sums.chunks_exact_mut(rank);
        let mut moments = AddMoments { amounts, all_amounts: &self.amounts[..rank], sums };
        self.for_each_harmonic(recurrences, &mut moments);
    }

    /// Computes products[k] = Σ_lm Y_lm · factors[lm · rank + k] for each segment of the batch and the basis
    /// functions k, with one segment per SIMD lane.
    #[inline(always)]
    pub(super) fn project<F: Factor<T>>(
        &mut self,
        recurrences: &[Recurrence<T>],
        factors: &[F],
        products: &mut [Vectors<T>],
    ) {
        self.normalise();
        match products.len() {
            1 => self.project_of::<F, 1>(recurrences, factors, products),
            2 => self.project_of::<F, 2>(recurrences, factors, products),
            3 => self.project_of::<F, 3>(recurrences, factors, products),
            4 => self.project_of::<F, 4>(recurrences, factors, products),
            _ => self.project_of::<F, 0>(recurrences, factors, products),
        }
    }

    #[inline(always)]
    fn project_of<F: Factor<T>, const RANK: usize>(
        &self,
        recurrences: &[Recurrence<T>],
        factors: &[F],
        products: &mut [Vectors<T>],
    ) {
        products.fill(zeros());
        let factors = factors.chunks_exact(products.len());
        let mut project = Project { factors, sums: [zeros(); RANK], all_sums: products };
        self.for_each_harmonic(recurrences, &mut project);
        let sums = project.sums;
        products[..RANK].copy_from_slice(&sums);
    }

    /// Calls `visitor` once for each spherical harmonic, in order. Each call has the values of this harmonic
    /// for all segments of the batch.
    #[inline(always)]
    fn for_each_harmonic(&self, recurrences: &[Recurrence<T>], visitor: &mut impl Visit<T>) {
        let (x, y, z) = (&self.x, &self.y, &self.z);
        let mut square = zeros();
        each!(|g, n| square[g][n] = z[g][n] * z[g][n]);
        let (mut cosine, mut sine) = ([Vector::all(T::one()); GROUPS], zeros());
        let orders = recurrences.len() - 1;
        for (order, recurrence) in recurrences.iter().enumerate() {
            // The recurrences process the order m = 0 of the harmonics last.
            let zonal = order == orders;
            if !zonal {
                each!(|g, n| {
                    let (c, s): (T, T) = (cosine[g][n], sine[g][n]);
                    cosine[g][n] = c.mul_add(x[g][n], -(s * y[g][n]));
                    sine[g][n] = c.mul_add(y[g][n], s * x[g][n]);
                });
            }
            let mut before = zeros();
            let mut q = [Vector::all(recurrence.first); GROUPS];
            if recurrence.odd {
                each!(|g, n| q[g][n] *= z[g][n]);
            }
            let mut steps = recurrence.steps.iter();
            loop {
                if zonal {
                    visitor.visit(&q);
                } else {
                    let mut value = zeros();
                    each!(|g, n| value[g][n] = q[g][n] * cosine[g][n]);
                    visitor.visit(&value);
                    each!(|g, n| value[g][n] = q[g][n] * sine[g][n]);
                    visitor.visit(&value);
                }
                let Some(&[factor, constant, back]) = steps.next() else { break };
                each!(|g, n| {
                    let rise = factor.mul_add(square[g][n], -constant);
                    let next = rise.mul_add(q[g][n], -(back * before[g][n]));
                    before[g][n] = q[g][n];
                    q[g][n] = next;
                });
            }
        }
    }
}
