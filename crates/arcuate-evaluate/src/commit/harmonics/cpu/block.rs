//! The signals of sixteen voxels at a time, with one voxel per SIMD lane. The products with the table of
//! harmonics are then products of small matrices, and the table is read once for sixteen voxels.

use super::super::Segment;
use super::super::arrays::HarmonicArrays;
use super::super::basis::Family;
use super::batch::{Batch, Recurrence};
use super::segments::SegmentMoments;
use super::table_products::{add_product, add_products};
use super::vectors::{GROUPS, LANES, Vector, Vectors, zeros};
use arcuate_solve::Real;
use pulp::Simd;
use std::ops::Range;

/// The unknowns of one voxel: those of its axes, and its isotropic unknowns. Each slice has the unknowns of
/// contiguous voxels.
pub(super) struct LocalUnknowns<'a, T> {
    pub(super) extra: &'a mut [T],
    pub(super) isotropic: &'a mut [T],
}

impl<'a, T> LocalUnknowns<'a, T> {
    /// Divides the local unknowns of all voxels into those of contiguous ranges of voxels.
    pub(super) fn of_pieces(m: &HarmonicArrays<T>, unknowns: &'a mut [T]) -> Vec<Self> {
        let local = &mut unknowns[m.layout.extra_unknowns().start..];
        let (mut extra, mut isotropic) = local.split_at_mut(m.layout.extra_unknowns().len());
        let mut pieces = Vec::with_capacity(m.pieces.len());
        for piece in &m.pieces {
            let axes = m.axis_starts[piece.end] - m.axis_starts[piece.start];
            let (own_extra, later_extra) = extra.split_at_mut(axes * m.layout.extra);
            let (own_isotropic, later_isotropic) = isotropic.split_at_mut(piece.len() * m.layout.isotropic);
            pieces.push(Self { extra: own_extra, isotropic: own_isotropic });
            (extra, isotropic) = (later_extra, later_isotropic);
        }
        pieces
    }
}

/// Up to sixteen contiguous voxels, with their signals and the working memory for their products. Lanes
/// without a voxel have no segments, no axes and no data.
///
/// The local unknowns have the same order in all lanes. The isotropic unknowns are first, and the unknowns of
/// the axes follow, one axis after the other. A voxel with fewer axes has no unknowns at the last positions.
pub(super) struct Block<'a, T> {
    m: &'a HarmonicArrays<T>,
    recurrences: &'a [Recurrence<T>],
    voxels: Range<usize>,
    /// Largest number of axes in a voxel of the block.
    axes: usize,
    /// Factor of all matrix rows of a voxel.
    scale: Vector<T>,
    /// Amplitudes of the harmonics of each shell, one for each row of the table.
    pub(super) amplitudes: Vec<Vector<T>>,
    /// Signals, with samples sorted by shell as in the table.
    pub(super) signal: Vec<Vector<T>>,
    /// Moments of the segments or axes. The shape is `harmonics × rank`.
    moments: Vec<Vector<T>>,
    segments: SegmentMoments<'a, T>,
    batch: Batch<T>,
    products: Vec<Vectors<T>>,
    /// Weights of the basis functions of extra-axonal responses. The shape is `responses × rank`.
    extra_weights: Vec<T>,
}

impl<'a, T: Real> Block<'a, T> {
    pub(super) fn new(m: &'a HarmonicArrays<T>, recurrences: &'a [Recurrence<T>]) -> Self {
        let zero = Vector::all(T::zero());
        let (intra, extra) = (m.basis.intra.rank, m.basis.extra.rank);
        Self {
            m,
            recurrences,
            voxels: 0..0,
            axes: 0,
            scale: zero,
            amplitudes: vec![zero; m.tables.rows()],
            signal: vec![zero; m.samples],
            moments: vec![zero; m.functions.count() * intra.max(extra)],
            segments: SegmentMoments::new(m, recurrences),
            batch: Batch::new(extra),
            products: vec![zeros(); extra],
            extra_weights: m.basis.extra.weights.iter().map(|&w| T::of(w)).collect(),
        }
    }

    /// Divides a range of voxels into blocks.
    pub(super) fn ranges(voxels: Range<usize>) -> impl Iterator<Item = Range<usize>> {
        let end = voxels.end;
        voxels.step_by(LANES).map(move |begin| begin..(begin + LANES).min(end))
    }

    /// Selects the voxels of the block, and sets their amplitudes to 0.
    #[inline(always)]
    pub(super) fn begin(&mut self, voxels: Range<usize>) {
        self.axes = voxels.clone().map(|voxel| axes_in(self.m, voxel).len()).max().unwrap_or(0);
        if let Some(scale) = &self.m.voxel_scale {
            self.scale = Vector::all(T::zero());
            for (lane, voxel) in voxels.clone().enumerate() {
                self.scale[lane] = scale[voxel];
            }
        }
        self.voxels = voxels;
        self.clear();
    }

    /// Sets the amplitudes to 0.
    #[inline(always)]
    pub(super) fn clear(&mut self) {
        self.amplitudes.fill(Vector::all(T::zero()));
    }

    /// Returns the number of voxels.
    pub(super) fn len(&self) -> usize {
        self.voxels.len()
    }

    /// Returns the largest number of local unknowns in a voxel of the block.
    pub(super) fn locals(&self) -> usize {
        self.m.layout.isotropic + self.axes * self.m.layout.extra
    }

    /// Returns the number of local unknowns of the voxel in a lane.
    pub(super) fn locals_in(&self, lane: usize) -> usize {
        let axes = axes_in(self.m, self.voxels.start + lane).len();
        self.m.layout.isotropic + axes * self.m.layout.extra
    }

    /// Calls `action` for each local unknown of the block, with the position of the unknown in the lane's
    /// order, the lane, and the unknown itself. `first` is the first voxel of `unknowns`.
    #[inline(always)]
    pub(super) fn for_each_local(
        &self,
        first: usize,
        unknowns: &mut LocalUnknowns<'_, T>,
        mut action: impl FnMut(usize, usize, &mut T),
    ) {
        let layout = &self.m.layout;
        for (lane, voxel) in self.voxels.clone().enumerate() {
            let at = (voxel - first) * layout.isotropic;
            for (n, x) in unknowns.isotropic[at..at + layout.isotropic].iter_mut().enumerate() {
                action(n, lane, x);
            }
            let begin = (self.m.axis_starts[voxel] - self.m.axis_starts[first]) * layout.extra;
            let count = (self.m.axis_starts[voxel + 1] - self.m.axis_starts[voxel]) * layout.extra;
            for (n, x) in unknowns.extra[begin..begin + count].iter_mut().enumerate() {
                action(layout.isotropic + n, lane, x);
            }
        }
    }

    /// Adds the contributions of streamlines to the amplitudes. `z` are the weights of their basis functions.
    #[inline(always)]
    pub(super) fn add_segments<S: Simd>(&mut self, simd: S, z: &[T]) {
        self.moments.fill(Vector::all(T::zero()));
        let mut any = false;
        for (lane, voxel) in self.voxels.clone().enumerate() {
            any |= self.segments.add(voxel, z, &mut self.moments, lane);
        }
        if any {
            self.mix(simd, &self.m.basis.intra, &self.m.tables.intra);
        }
    }

    /// Adds the contributions of local unknowns to the amplitudes. `amounts` has one vector for each position
    /// in the order of local unknowns.
    #[inline(always)]
    pub(super) fn add_locals<S: Simd>(&mut self, simd: S, amounts: &[Vector<T>]) {
        let (isotropic, axes) = amounts.split_at(self.m.layout.isotropic);
        let tables = &self.m.tables;
        let shells = tables.constant_row.len();
        for (j, amounts) in isotropic.iter().enumerate() {
            for (shell, &row) in tables.constant_row.iter().enumerate() {
                let response = tables.isotropic[j * shells + shell];
                add_product(simd, &mut self.amplitudes[row], amounts, response);
            }
        }
        if self.axes == 0 {
            return;
        }
        let (rank, responses) = (self.m.basis.extra.rank, self.m.layout.extra);
        let moments = self.m.functions.count() * rank;
        self.moments[..moments].fill(Vector::all(T::zero()));
        for first in (0..self.axes).step_by(GROUPS) {
            let weights = &self.extra_weights;
            let amount = |axis: usize, lane: usize, k: usize| {
                (0..responses).map(|j| axes[axis * responses + j][lane] * weights[j * rank + k]).sum()
            };
            load_axes(self.m, &mut self.batch, self.voxels.clone(), first, amount);
            self.batch.add_moments(self.recurrences, rank, &mut self.moments[..moments]);
        }
        self.mix(simd, &self.m.basis.extra, &self.m.tables.extra);
    }

    /// Adds the moments of a kind of compartment to the amplitudes. `mix` converts moments to amplitudes.
    #[inline(always)]
    fn mix<S: Simd>(&mut self, simd: S, family: &Family, mix: &[T]) {
        let rank = family.rank;
        for (row, amplitude) in self.amplitudes.iter_mut().enumerate() {
            let moments = &self.moments[self.m.tables.harmonic[row] as usize * rank..][..rank];
            for (moment, &factor) in moments.iter().zip(&mix[row * rank..]) {
                add_product(simd, amplitude, moment, factor);
            }
        }
    }

    /// The adjoint of [`mix`](Self::mix). Sets the moments to the factors of harmonics that follow from the
    /// amplitudes.
    #[inline(always)]
    fn unmix<S: Simd>(&mut self, simd: S, family: &Family, mix: &[T]) {
        let rank = family.rank;
        self.moments[..self.m.functions.count() * rank].fill(Vector::all(T::zero()));
        for (row, amplitude) in self.amplitudes.iter().enumerate() {
            let moments = &mut self.moments[self.m.tables.harmonic[row] as usize * rank..][..rank];
            for (moment, &factor) in moments.iter_mut().zip(&mix[row * rank..]) {
                add_product(simd, moment, amplitude, factor);
            }
        }
    }

    /// The adjoint of [`add_segments`](Self::add_segments). Adds the products with segments to the sums `z` of
    /// the streamlines.
    #[inline(always)]
    pub(super) fn project_segments<S: Simd>(&mut self, simd: S, z: &mut [T]) {
        if self.m.basis.intra.rank == 0 {
            return;
        }
        self.unmix(simd, &self.m.basis.intra, &self.m.tables.intra);
        for (lane, voxel) in self.voxels.clone().enumerate() {
            self.segments.project(voxel, &self.moments, lane, z);
        }
    }

    /// The adjoint of [`add_locals`](Self::add_locals). Sets `sums` to the products with the columns of local
    /// unknowns.
    #[inline(always)]
    pub(super) fn project_locals<S: Simd>(&mut self, simd: S, sums: &mut [Vector<T>]) {
        sums.fill(Vector::all(T::zero()));
        let (isotropic, axes) = sums.split_at_mut(self.m.layout.isotropic);
        let tables = &self.m.tables;
        let shells = tables.constant_row.len();
        for (j, sums) in isotropic.iter_mut().enumerate() {
            for (shell, &row) in tables.constant_row.iter().enumerate() {
                let response = tables.isotropic[j * shells + shell];
                add_product(simd, sums, &self.amplitudes[row], response);
            }
        }
        if self.axes == 0 {
            return;
        }
        let (rank, responses) = (self.m.basis.extra.rank, self.m.layout.extra);
        self.unmix(simd, &self.m.basis.extra, &self.m.tables.extra);
        for first in (0..self.axes).step_by(GROUPS) {
            load_axes(self.m, &mut self.batch, self.voxels.clone(), first, |_, _, _| T::zero());
            let factors = &self.moments[..self.m.functions.count() * rank];
            self.batch.project(self.recurrences, factors, &mut self.products);
            for group in 0..GROUPS.min(self.axes - first) {
                for j in 0..responses {
                    let sums = &mut axes[(first + group) * responses + j];
                    for (products, &weight) in self.products.iter().zip(&self.extra_weights[j * rank..]) {
                        for n in 0..LANES {
                            let product = products[group][n] * self.batch.length[group][n];
                            sums[n] = product.mul_add(weight, sums[n]);
                        }
                    }
                }
            }
        }
    }

    /// Computes the signals from the amplitudes.
    #[inline(always)]
    pub(super) fn synthesise<S: Simd>(&mut self, simd: S) {
        let tables = &self.m.tables;
        let count = self.signal.len();
        self.signal.fill(Vector::all(T::zero()));
        for (samples, rows) in &tables.blocks {
            let table = &tables.synthesis[rows.start * count + samples.start..];
            let amplitudes = &self.amplitudes[rows.clone()];
            add_products(simd, &mut self.signal[samples.clone()], amplitudes, table, count);
        }
        self.multiply_by_scale();
    }

    /// The adjoint of [`synthesise`](Self::synthesise). Computes the amplitudes from the signals, and changes
    /// the signals.
    #[inline(always)]
    pub(super) fn analyse<S: Simd>(&mut self, simd: S) {
        self.multiply_by_scale();
        let tables = &self.m.tables;
        let count = self.amplitudes.len();
        self.clear();
        for (samples, rows) in &tables.blocks {
            let table = &tables.analysis[samples.start * count + rows.start..];
            let signal = &self.signal[samples.clone()];
            add_products(simd, &mut self.amplitudes[rows.clone()], signal, table, count);
        }
    }

    #[inline(always)]
    fn multiply_by_scale(&mut self) {
        if self.m.voxel_scale.is_some() {
            for signal in &mut self.signal {
                for n in 0..LANES {
                    signal[n] *= self.scale[n];
                }
            }
        }
    }

    /// Stores the signals in the data of the block's voxels.
    #[inline(always)]
    pub(super) fn store(&self, data: &mut [T]) {
        for (lane, out) in data.chunks_exact_mut(self.m.samples).enumerate() {
            for (signal, &sample) in self.signal.iter().zip(&self.m.tables.sample) {
                out[sample as usize] = signal[lane];
            }
        }
    }

    /// Sets the signals to the data of the block's voxels.
    #[inline(always)]
    pub(super) fn load(&mut self, data: &[T]) {
        if self.len() < LANES {
            self.signal.fill(Vector::all(T::zero()));
        }
        for (lane, data) in data.chunks_exact(self.m.samples).enumerate() {
            for (signal, &sample) in self.signal.iter_mut().zip(&self.m.tables.sample) {
                signal[lane] = data[sample as usize];
            }
        }
    }

    /// Subtracts the data of the block's voxels from the signals.
    #[inline(always)]
    pub(super) fn subtract(&mut self, data: &[T]) {
        for (lane, data) in data.chunks_exact(self.m.samples).enumerate() {
            for (signal, &sample) in self.signal.iter_mut().zip(&self.m.tables.sample) {
                signal[lane] -= data[sample as usize];
            }
        }
    }
}

/// Returns the axes in a voxel.
fn axes_in<T>(m: &HarmonicArrays<T>, voxel: usize) -> &[Segment] {
    if m.layout.extra == 0 { &[] } else { &m.axes[m.axis_starts[voxel]..m.axis_starts[voxel + 1]] }
}

/// Loads a batch with the axes of each voxel from axis `first` on, one voxel per SIMD lane. `amount` returns
/// the amount of a basis function for an axis in a lane.
#[inline(always)]
fn load_axes<T: Real>(
    m: &HarmonicArrays<T>,
    batch: &mut Batch<T>,
    voxels: Range<usize>,
    first: usize,
    amount: impl Fn(usize, usize, usize) -> T,
) {
    batch.clear();
    for (lane, voxel) in voxels.enumerate() {
        for (n, axis) in axes_in(m, voxel).iter().enumerate().skip(first).take(GROUPS) {
            let amounts = (0..m.basis.extra.rank).map(|k| amount(n, lane, k));
            batch.set((n - first) * LANES + lane, axis, amounts);
        }
    }
}
