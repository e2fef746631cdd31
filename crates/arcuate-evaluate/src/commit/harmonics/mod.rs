//! The operator of COMMIT without a table of orientations: each response about its axis is a short sum of even
//! spherical harmonics, so that directions are exact and a segment costs as many numbers as there are harmonics,
//! whatever the number of samples and responses.
//!
//! By the addition theorem R(u · g) = Σ_l r_l P_l(u · g) = Σ_lm r_l Y_lm(u) Y_lm(g). For the segments of a voxel,
//!
//! ```text
//! moments:    M[k, lm]  = Σ_segments ℓ Y_lm(u) z[f, k]           z[f, k] = Σ_j x[f, j] weights[j, k]
//! amplitudes: a[s, lm]  = Σ_k legendre[k][s][l/2] M[k, lm]       (and the isotropic responses at l = 0)
//! signal:     S[g]      = Σ_lm a[s(g), lm] Y_lm(g)
//! ```
//!
//! and the adjoint takes the same steps backwards. The few functions k stand for all responses of a kind (see
//! [`basis`]).

mod arrays;
mod basis;
mod bounds;
mod constants;
mod cpu;
mod cuda;
mod degrees;
mod device_tables;
mod kernels;
mod steps;
mod units;

use super::{Axes, Layout, Responses, Segment, Segments};
use crate::precisions::compiled_in_both_precisions;
use arcuate_compute::Device;
use arcuate_core::Result;
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_solve::{LinearOperator, Placed, Real, SplitOperator, assert_fit};
use arrays::HarmonicArrays;
use basis::Basis;
use cuda::HarmonicsPart;
use std::sync::Arc;
use steps::Step; // of the kernels' parameters, as Unit
use units::Unit;

/// The precisions the operator of exact directions is computed in: `f32` and `f64`. Its functions are the operator's.
pub trait HarmonicElement: Real {
    /// As [`Harmonics::place`], of an operator that is nowhere.
    #[doc(hidden)]
    fn place(operator: &mut Harmonics<Self>, device: &Device, options: ()) -> Result<()>;

    /// A x.
    #[doc(hidden)]
    fn forward(operator: &Harmonics<Self>, unknowns: &[Self], data: &mut [Self]);

    /// Aᵀ y.
    #[doc(hidden)]
    fn adjoint(operator: &Harmonics<Self>, data: &[Self], unknowns: &mut [Self]);

    /// As [`LinearOperator::on_gpus`].
    #[doc(hidden)]
    fn on_gpus(operator: &Harmonics<Self>) -> Option<Box<dyn SplitOperator<Self> + '_>>;
}

compiled_in_both_precisions!(HarmonicElement for Harmonics placed with ());

/// The operator A of COMMIT for exact directions.
///
/// Unknowns, in this order: `x[f · intra + j]` for streamline f and intra-axonal response j (amount per mm of
/// streamline), then `x[p · extra + j]` for the axes p of all voxels in order, then `x[v · isotropic + j]` for the
/// voxels v. The data of a voxel, one value a sample, are together. Both products give the same bits at any number of
/// threads.
#[derive(Debug)]
pub struct Harmonics<T: HarmonicElement> {
    placed: Placed<HarmonicsPart<T>>,
    arrays: Arc<HarmonicArrays<T>>,
}

impl<T: HarmonicElement> Harmonics<T> {
    /// For segments, the axes of the extra-axonal compartments in the same voxels, and responses, each of which errs by
    /// no more than `tolerance`, in its own unit, in any direction. The rows of voxel n are multiplied with
    /// `voxel_scale[n]`.
    ///
    /// Fails where axes or scales are not those of the voxels, and where harmonics up to degree 60 do not reach the
    /// tolerance.
    pub fn new(
        segments: Arc<Segments>,
        axes: &Axes,
        responses: &Responses,
        voxel_scale: Option<&[f64]>,
        tolerance: f64,
    ) -> Result<Self> {
        let arrays = HarmonicArrays::new(segments, axes, responses, voxel_scale, tolerance)?;
        Ok(Self { placed: Placed::default(), arrays: Arc::new(arrays) })
    }

    /// Puts the operator on a device: the products, and the vectors of solvers, are computed there from now on. On the
    /// processor it always is; a GPU holds it beside, or as much of it as fits, the rest being streamed through it.
    /// Where memory does not suffice it stays on the processor, with a warning.
    ///
    /// Fails where a GPU cannot be used for other reasons.
    pub fn place(&mut self, device: &Device) -> Result<()> {
        // What lay on a GPU before makes room first.
        self.placed = Placed::default();
        let layout = &self.arrays.layout;
        if layout.voxels > 0 && layout.streamlines + layout.axes > 0 {
            HarmonicElement::place(self, device, ())?;
        }
        Ok(())
    }

    /// What computes the products: `the CPU`, or kernels by name.
    pub fn computed_by(&self) -> String {
        self.placed.describe()
    }

    /// The highest degree in each shell.
    pub fn orders(&self) -> &[usize] {
        &self.arrays.basis.orders
    }

    /// Functions that stand for the intra- and the extra-axonal responses.
    pub fn ranks(&self) -> [usize; 2] {
        [self.arrays.basis.intra.rank, self.arrays.basis.extra.rank]
    }

    /// The largest error of a response in any direction, in the responses' unit.
    pub fn response_error(&self) -> f64 {
        self.arrays.basis.error
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.arrays.segments.len()
    }
}

/// How much more exact directions may cost than a look-up table before the table is chosen.
const WORTH: f64 = 3.0;

/// Whether harmonics with errors up to `tolerance` take at most three times the multiplications of a look-up table: the
/// choice between them, the same on any device. They do where samples or responses are many, and segments in a voxel.
pub fn harmonics_are_worth_it(
    responses: &Responses,
    segments: &Segments,
    axes: &Axes,
    tolerance: f64,
) -> bool {
    // A harmonic takes about as many to compute.
    const HARMONIC: usize = 3;
    let Ok(basis) = Basis::new(responses, tolerance) else { return false };
    let harmonics = EvenHarmonics::count_up_to(basis.order());
    let of_element = |rank: usize| harmonics * (HARMONIC + rank);
    let of_voxel: usize = (basis.orders.iter().enumerate())
        .map(|(shell, &order)| {
            // A mean taken from all samples joins the shells.
            let with = |&&s: &&usize| responses.demean || s == shell;
            EvenHarmonics::count_up_to(order) * responses.shells.iter().filter(with).count()
        })
        .sum();
    let product = |a: usize, b: usize| a as f64 * b as f64;
    let exact = product(segments.len(), of_element(basis.intra.rank))
        + product(axes.len(), of_element(basis.extra.rank))
        + product(segments.voxels().len(), of_voxel);
    let table = product(segments.len(), responses.samples() * responses.intra())
        + product(axes.len(), responses.samples() * responses.extra());
    exact <= WORTH * table
}

impl<T: HarmonicElement> LinearOperator<T> for Harmonics<T> {
    fn rows(&self) -> usize {
        self.arrays.rows()
    }

    fn columns(&self) -> usize {
        self.arrays.columns()
    }

    fn forward(&self, unknowns: &[T], data: &mut [T]) {
        assert_fit(self, unknowns, data);
        HarmonicElement::forward(self, unknowns, data);
    }

    fn adjoint(&self, data: &[T], unknowns: &mut [T]) {
        assert_fit(self, unknowns, data);
        HarmonicElement::adjoint(self, data, unknowns);
    }

    fn on_gpus(&self) -> Option<Box<dyn SplitOperator<T> + '_>> {
        HarmonicElement::on_gpus(self)
    }
}

#[cfg(test)]
mod tests;
