//! The products on the processor: rayon over pieces of voxels, SIMD over segments, no atomics.

use super::{Harmonics, Segment};
use arcuate_core::harmonics::Step;
use arcuate_solve::{LinearOperator, Real};
use pulp::{Simd, WithSimd};
use rayon::prelude::*;
use std::ops::Range;

/// Numbers that are worked on together: one vector of AVX-512, two of AVX2.
const LANES: usize = 16;

/// Vectors of segments that are worked on together: what is read and written of the sums serves all.
const GROUPS: usize = 2;

/// Segments that are worked on together.
const BATCH: usize = GROUPS * LANES;

/// Unknowns summed over all copies by one task.
const COLUMNS: usize = 4096;

/// At most so many private copies of the unknowns in the adjoint product.
const COPIES: usize = 32;

type Vector<T> = [T; LANES];

/// The recurrences in the precision of the products.
struct Recurrence<T> {
    odd: bool,
    first: T,
    steps: Vec<[T; 3]>,
}

fn recurrences<T: Real>(m: &Harmonics<T>) -> Vec<Recurrence<T>> {
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

/// One kind of compartment with an axis.
struct Kind<'a, T> {
    elements: &'a [Segment],
    starts: &'a [usize],
    rank: usize,
    /// Coefficients of the amplitudes, `rows × rank`.
    mix: &'a [T],
    /// The first of the reduced unknowns.
    first: usize,
}

/// The reduced unknowns z: for each streamline and axis one number per function, for each voxel its isotropic ones.
struct Reduced {
    extra: usize,
    isotropic: usize,
    count: usize,
}

fn reduced<T: Real>(m: &Harmonics<T>) -> Reduced {
    let extra = m.shape.streamlines * m.basis.intra.rank;
    let isotropic = extra + m.shape.axes * m.basis.extra.rank;
    Reduced { extra, isotropic, count: isotropic + m.shape.voxels * m.shape.isotropic }
}

fn kinds<T: Real>(m: &Harmonics<T>) -> [Kind<'_, T>; 2] {
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

/// For both kinds with an axis: the family, the first unknown, the first reduced unknown, how many elements.
fn reductions<T: Real>(m: &Harmonics<T>) -> [(&super::basis::Family, usize, usize, usize); 2] {
    [
        (&m.basis.intra, 0, 0, m.shape.streamlines),
        (&m.basis.extra, m.shape.first_extra(), reduced(m).extra, m.shape.axes),
    ]
}

/// z from x.
fn reduce<T: Real>(m: &Harmonics<T>, unknowns: &[T]) -> Vec<T> {
    let layout = reduced(m);
    let mut z = vec![T::zero(); layout.count];
    for (family, first, first_reduced, elements) in reductions(m) {
        if elements * family.rank == 0 {
            continue;
        }
        let weights: Vec<T> = family.weights.iter().map(|&w| T::of(w)).collect();
        let from = unknowns[first..first + elements * family.responses].par_chunks(family.responses);
        let to = z[first_reduced..first_reduced + elements * family.rank].par_chunks_mut(family.rank);
        from.zip(to).for_each(|(x, z)| {
            for (&x, weights) in x.iter().zip(weights.chunks_exact(z.len())) {
                for (z, &weight) in z.iter_mut().zip(weights) {
                    *z += x * weight;
                }
            }
        });
    }
    z[layout.isotropic..].copy_from_slice(&unknowns[m.shape.first_isotropic()..]);
    z
}

/// x from z: the adjoint of [`reduce`].
fn expand<T: Real>(m: &Harmonics<T>, z: &[T], unknowns: &mut [T]) {
    let layout = reduced(m);
    for (family, first, first_reduced, elements) in reductions(m) {
        if elements * family.rank == 0 {
            continue;
        }
        let weights: Vec<T> = family.weights.iter().map(|&w| T::of(w)).collect();
        let to = unknowns[first..first + elements * family.responses].par_chunks_mut(family.responses);
        let from = z[first_reduced..first_reduced + elements * family.rank].par_chunks(family.rank);
        from.zip(to).for_each(|(z, x)| {
            for (x, weights) in x.iter_mut().zip(weights.chunks_exact(z.len())) {
                *x = z.iter().zip(weights).map(|(&z, &weight)| z * weight).sum();
            }
        });
    }
    unknowns[m.shape.first_isotropic()..].copy_from_slice(&z[layout.isotropic..]);
}

pub(super) fn forward<T: Real>(m: &Harmonics<T>, unknowns: &[T], data: &mut [T]) {
    let z = reduce(m, unknowns);
    let recurrences = recurrences(m);
    let mut rest = data;
    let mut work = Vec::with_capacity(m.pieces.len());
    for piece in &m.pieces {
        let (mine, tail) = rest.split_at_mut(piece.len() * m.shape.samples);
        work.push((piece.clone(), mine));
        rest = tail;
    }
    let arch = pulp::Arch::new();
    work.into_par_iter().for_each(|(voxels, data)| {
        arch.dispatch(Forward { m, z: &z, recurrences: &recurrences, voxels, data });
    });
}

struct Forward<'a, T: Real> {
    m: &'a Harmonics<T>,
    z: &'a [T],
    recurrences: &'a [Recurrence<T>],
    voxels: Range<usize>,
    data: &'a mut [T],
}

impl<T: Real> WithSimd for Forward<'_, T> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { m, z, recurrences, voxels, data } = self;
        let (tables, layout) = (&m.tables, reduced(m));
        let harmonics = m.functions.count();
        let kinds = kinds(m);
        let mut amplitudes = vec![T::zero(); tables.rows()];
        let mut signal = vec![T::zero(); m.shape.samples];
        let most = kinds.iter().map(|kind| kind.rank).max().unwrap_or(0);
        let mut sums = vec![[T::zero(); LANES]; harmonics * most];
        let mut moments = vec![T::zero(); harmonics * most];
        let mut batch = Batch::new(most);
        for (voxel, out) in voxels.zip(data.chunks_exact_mut(m.shape.samples)) {
            amplitudes.fill(T::zero());
            for kind in &kinds {
                let elements = &kind.elements[kind.starts[voxel]..kind.starts[voxel + 1]];
                if elements.is_empty() || kind.rank == 0 {
                    continue;
                }
                let sums = &mut sums[..harmonics * kind.rank];
                sums.fill([T::zero(); LANES]);
                let mut any = false;
                for element in elements {
                    let amounts = &z[kind.first + element.streamline as usize * kind.rank..][..kind.rank];
                    if batch.push(element, amounts) {
                        any = true;
                        batch.add_moments(recurrences, kind.rank, sums);
                    }
                }
                if batch.count > 0 {
                    any = true;
                    batch.fill_up(kind.rank);
                    batch.add_moments(recurrences, kind.rank, sums);
                }
                if !any {
                    continue;
                }
                let moments = &mut moments[..harmonics * kind.rank];
                for (moment, sum) in moments.iter_mut().zip(sums.iter()) {
                    *moment = lanes_sum(sum);
                }
                for (row, amplitude) in amplitudes.iter_mut().enumerate() {
                    let moments = &moments[tables.harmonic[row] as usize * kind.rank..][..kind.rank];
                    for (&moment, &mix) in moments.iter().zip(&kind.mix[row * kind.rank..]) {
                        *amplitude += moment * mix;
                    }
                }
            }
            let isotropic = &z[layout.isotropic + voxel * m.shape.isotropic..][..m.shape.isotropic];
            let shells = tables.constant_row.len();
            for (shell, &row) in tables.constant_row.iter().enumerate() {
                for (j, &x) in isotropic.iter().enumerate() {
                    amplitudes[row] += x * tables.isotropic[j * shells + shell];
                }
            }
            signal.fill(T::zero());
            for (samples, rows) in &tables.blocks {
                let signal = &mut signal[samples.clone()];
                for row in rows.clone() {
                    let amplitude = amplitudes[row];
                    let functions = &tables.synthesis[row * m.shape.samples..][samples.clone()];
                    for n in 0..signal.len() {
                        signal[n] = functions[n].mul_add(amplitude, signal[n]);
                    }
                }
            }
            let scale = m.voxel_scale.as_ref().map_or(T::one(), |scale| scale[voxel]);
            for (&value, &sample) in signal.iter().zip(&tables.sample) {
                out[sample as usize] = scale * value;
            }
        }
    }
}

pub(super) fn adjoint<T: Real>(m: &Harmonics<T>, data: &[T], unknowns: &mut [T]) {
    let recurrences = recurrences(m);
    let columns = reduced(m).count;
    // Each group of pieces adds into a copy of its own; copies together stay below half the size of the segments.
    let affordable = (m.segments.len() * 2 / columns.max(1)).clamp(1, COPIES);
    let group = m.pieces.len().div_ceil(affordable).max(1);
    let arch = pulp::Arch::new();
    let copies: Vec<Vec<T>> = m
        .pieces
        .par_chunks(group)
        .map(|pieces| arch.dispatch(Adjoint { m, recurrences: &recurrences, data, pieces }))
        .collect();
    let mut z = vec![T::zero(); columns];
    z.par_chunks_mut(COLUMNS).enumerate().for_each(|(chunk, out)| {
        for copy in &copies {
            for (sum, &part) in out.iter_mut().zip(&copy[chunk * COLUMNS..]) {
                *sum += part;
            }
        }
    });
    debug_assert_eq!(unknowns.len(), m.columns());
    expand(m, &z, unknowns);
}

struct Adjoint<'a, T: Real> {
    m: &'a Harmonics<T>,
    recurrences: &'a [Recurrence<T>],
    data: &'a [T],
    pieces: &'a [Range<usize>],
}

impl<T: Real> WithSimd for Adjoint<'_, T> {
    type Output = Vec<T>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<T> {
        let Self { m, recurrences, data, pieces } = self;
        let (tables, layout) = (&m.tables, reduced(m));
        let harmonics = m.functions.count();
        let kinds = kinds(m);
        let mut z = vec![T::zero(); layout.count];
        let mut signal = vec![T::zero(); m.shape.samples];
        let mut amplitudes = vec![T::zero(); tables.rows()];
        let most = kinds.iter().map(|kind| kind.rank).max().unwrap_or(0);
        let mut projections = vec![T::zero(); harmonics * most];
        let mut batch = Batch::new(most);
        let mut products = vec![zeros(); most];
        for voxel in pieces.iter().cloned().flatten() {
            let measured = &data[voxel * m.shape.samples..(voxel + 1) * m.shape.samples];
            let scale = m.voxel_scale.as_ref().map_or(T::one(), |scale| scale[voxel]);
            for (value, &sample) in signal.iter_mut().zip(&tables.sample) {
                *value = scale * measured[sample as usize];
            }
            amplitudes.fill(T::zero());
            for (samples, rows) in &tables.blocks {
                let signal = &signal[samples.clone()];
                for row in rows.clone() {
                    let functions = &tables.synthesis[row * m.shape.samples..][samples.clone()];
                    amplitudes[row] += dot(functions, signal);
                }
            }
            let isotropic = &mut z[layout.isotropic + voxel * m.shape.isotropic..][..m.shape.isotropic];
            let shells = tables.constant_row.len();
            for (j, x) in isotropic.iter_mut().enumerate() {
                for (shell, &row) in tables.constant_row.iter().enumerate() {
                    *x += amplitudes[row] * tables.isotropic[j * shells + shell];
                }
            }
            for kind in &kinds {
                let elements = &kind.elements[kind.starts[voxel]..kind.starts[voxel + 1]];
                if elements.is_empty() || kind.rank == 0 {
                    continue;
                }
                let projections = &mut projections[..harmonics * kind.rank];
                projections.fill(T::zero());
                for (row, &amplitude) in amplitudes.iter().enumerate() {
                    let to = &mut projections[tables.harmonic[row] as usize * kind.rank..][..kind.rank];
                    for (to, &mix) in to.iter_mut().zip(&kind.mix[row * kind.rank..]) {
                        *to += amplitude * mix;
                    }
                }
                for elements in elements.chunks(BATCH) {
                    batch.load(elements);
                    let products = &mut products[..kind.rank];
                    batch.project(recurrences, projections, products);
                    for (place, element) in elements.iter().enumerate() {
                        let (group, lane) = (place / LANES, place % LANES);
                        let to = &mut z[kind.first + element.streamline as usize * kind.rank..][..kind.rank];
                        for (to, products) in to.iter_mut().zip(products.iter()) {
                            *to += products[group][lane] * batch.length[group][lane];
                        }
                    }
                }
            }
        }
        z
    }
}

/// Numbers of the segments that are worked on together.
type Vectors<T> = [Vector<T>; GROUPS];

fn zeros<T: Real>() -> Vectors<T> {
    [[T::zero(); LANES]; GROUPS]
}

/// An action for each number in turn. No closure: one that is not inlined is compiled for any processor.
macro_rules! each {
    (|$group:ident, $lane:ident| $action:expr) => {
        for $group in 0..GROUPS {
            for $lane in 0..LANES {
                $action;
            }
        }
    };
}

/// What is done with each harmonic of a batch, in their order.
trait Visit<T> {
    fn visit(&mut self, value: &Vectors<T>);
}

/// sums[lm · rank + k] += Y_lm · amount k, lane by lane. `RANK` is the rank, or 0 where that is unusual.
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

/// products[k] = Σ_lm Y_lm · projections[lm · rank + k], lane by lane. `RANK` as above.
struct Project<'a, T, const RANK: usize> {
    projections: std::slice::ChunksExact<'a, T>,
    sums: [Vectors<T>; RANK],
    all_sums: &'a mut [Vectors<T>],
}

impl<T: Real, const RANK: usize> Visit<T> for Project<'_, T, RANK> {
    #[inline(always)]
    fn visit(&mut self, value: &Vectors<T>) {
        let Some(projections) = self.projections.next() else { return };
        if RANK == 0 {
            for (sum, &projection) in self.all_sums.iter_mut().zip(projections) {
                each!(|g, n| sum[g][n] = value[g][n].mul_add(projection, sum[g][n]));
            }
        } else if let Some(projections) = projections.first_chunk::<RANK>() {
            for k in 0..RANK {
                each!(|g, n| self.sums[k][g][n] = value[g][n].mul_add(projections[k], self.sums[k][g][n]));
            }
        }
    }
}

/// Segments that are worked on together: directions, lengths, and what they carry.
struct Batch<T> {
    count: usize,
    x: Vectors<T>,
    y: Vectors<T>,
    z: Vectors<T>,
    length: Vectors<T>,
    amounts: Vec<Vectors<T>>,
}

impl<T: Real> Batch<T> {
    fn new(rank: usize) -> Self {
        let zero = zeros();
        Self { count: 0, x: zero, y: zero, z: zero, length: zero, amounts: vec![zero; rank] }
    }

    #[inline(always)]
    fn put(&mut self, place: usize, element: &Segment) -> T {
        let (group, lane) = (place / LANES, place % LANES);
        let [x, y, z] = element.piece.map(|c| T::of(f64::from(c)));
        let length = (x * x + y * y + z * z).sqrt();
        // A segment without length has no direction, and counts nothing in any.
        let inverse = if length > T::zero() { length.recip() } else { T::zero() };
        self.x[group][lane] = x * inverse;
        self.y[group][lane] = y * inverse;
        self.z[group][lane] = z * inverse;
        self.length[group][lane] = length;
        length
    }

    /// Takes a segment that carries something; true where the batch is full then.
    #[inline(always)]
    fn push(&mut self, element: &Segment, amounts: &[T]) -> bool {
        if amounts.iter().all(num_traits::Zero::is_zero) {
            return false;
        }
        let place = self.count;
        let length = self.put(place, element);
        for (to, &amount) in self.amounts.iter_mut().zip(amounts) {
            to[place / LANES][place % LANES] = amount * length;
        }
        self.count += 1;
        self.count == BATCH
    }

    /// Makes a batch full with segments that carry nothing.
    #[inline(always)]
    fn fill_up(&mut self, rank: usize) {
        for amounts in &mut self.amounts[..rank] {
            amounts.as_flattened_mut()[self.count..].fill(T::zero());
        }
    }

    /// Replaces all by these segments; lanes without one keep what they have.
    #[inline(always)]
    fn load(&mut self, elements: &[Segment]) {
        for (place, element) in elements.iter().enumerate() {
            self.put(place, element);
        }
    }

    /// Adds what the segments carry to the moments, lane by lane; the batch is empty afterwards.
    #[inline(always)]
    fn add_moments(&mut self, recurrences: &[Recurrence<T>], rank: usize, sums: &mut [Vector<T>]) {
        self.count = 0;
        // The usual ranks as constants, so that the sums of a harmonic are written out.
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
        &self,
        recurrences: &[Recurrence<T>],
        rank: usize,
        sums: &mut [Vector<T>],
    ) {
        let mut amounts = [zeros(); RANK];
        amounts.copy_from_slice(&self.amounts[..RANK]);
        let sums = sums.chunks_exact_mut(rank);
        let mut moments = AddMoments { amounts, all_amounts: &self.amounts[..rank], sums };
        self.for_each_harmonic(recurrences, &mut moments);
    }

    /// products[k] = Σ_lm Y_lm · projections[lm · rank + k], lane by lane.
    #[inline(always)]
    fn project(&self, recurrences: &[Recurrence<T>], projections: &[T], products: &mut [Vectors<T>]) {
        match products.len() {
            1 => self.project_of::<1>(recurrences, projections, products),
            2 => self.project_of::<2>(recurrences, projections, products),
            3 => self.project_of::<3>(recurrences, projections, products),
            4 => self.project_of::<4>(recurrences, projections, products),
            _ => self.project_of::<0>(recurrences, projections, products),
        }
    }

    #[inline(always)]
    fn project_of<const RANK: usize>(
        &self,
        recurrences: &[Recurrence<T>],
        projections: &[T],
        products: &mut [Vectors<T>],
    ) {
        products.fill(zeros());
        let projections = projections.chunks_exact(products.len());
        let mut project = Project { projections, sums: [zeros(); RANK], all_sums: products };
        self.for_each_harmonic(recurrences, &mut project);
        let sums = project.sums;
        products[..RANK].copy_from_slice(&sums);
    }

    /// All harmonics in their order.
    #[inline(always)]
    fn for_each_harmonic(&self, recurrences: &[Recurrence<T>], visitor: &mut impl Visit<T>) {
        let (x, y, z) = (&self.x, &self.y, &self.z);
        let mut square = zeros();
        each!(|g, n| square[g][n] = z[g][n] * z[g][n]);
        let (mut cosine, mut sine) = ([[T::one(); LANES]; GROUPS], zeros());
        let orders = recurrences.len() - 1;
        for (order, recurrence) in recurrences.iter().enumerate() {
            // The last is m = 0.
            let zonal = order == orders;
            if !zonal {
                each!(|g, n| {
                    let (c, s): (T, T) = (cosine[g][n], sine[g][n]);
                    cosine[g][n] = c.mul_add(x[g][n], -(s * y[g][n]));
                    sine[g][n] = c.mul_add(y[g][n], s * x[g][n]);
                });
            }
            let mut before = zeros();
            let mut q = [[recurrence.first; LANES]; GROUPS];
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

#[inline(always)]
fn lanes_sum<T: Real>(values: &Vector<T>) -> T {
    let mut sum = *values;
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            sum[lane] += sum[lane + width];
        }
        width /= 2;
    }
    sum[0]
}

/// ⟨a, b⟩ in as many running sums as there are lanes.
#[inline(always)]
fn dot<T: Real>(a: &[T], b: &[T]) -> T {
    let (mut a, mut b) = (a.chunks_exact(LANES), b.chunks_exact(LANES));
    let mut sums = [T::zero(); LANES];
    for (a, b) in a.by_ref().zip(b.by_ref()) {
        for lane in 0..LANES {
            sums[lane] = a[lane].mul_add(b[lane], sums[lane]);
        }
    }
    for (lane, (&a, &b)) in a.remainder().iter().zip(b.remainder()).enumerate() {
        sums[lane] = a.mul_add(b, sums[lane]);
    }
    lanes_sum(&sums)
}
