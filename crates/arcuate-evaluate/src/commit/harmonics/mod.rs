//! COMMIT's linear operator, with exact directions instead of a table of orientations. Each response is
//! approximated by a short sum of even spherical harmonics about the compartment's axis. A segment costs one
//! operation per harmonic, for any number of samples and responses.
//!
//! The unit direction of a segment is u, and the unit gradient direction is g. The addition theorem gives R(u
//! · g) = Σ_l r_l P_l(u · g) = Σ_lm r_l Y_lm(u) Y_lm(g). The contribution of a voxel's segments to A x
//! therefore has three steps, with the equations below.
//!
//! ```text
//! moments:    M[k, lm]  = Σ_segments ℓ Y_lm(u) z[f, k]           z[f, k] = Σ_j x[f, j] weights[j, k]
//! amplitudes: a[s, lm]  = Σ_k legendre[k][s][l/2] M[k, lm]       (and the isotropic responses at l = 0)
//! signal:     S[g]      = Σ_lm a[s(g), lm] Y_lm(g)
//! ```
//!
//! The product Aᵀ y has the adjoint steps in reverse order. A few basis functions k approximate all responses
//! of one kind of compartment (see [`basis`]).

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
use arcuate_solve::{LinearOperator, LocalUnknowns, Placed, Real, SolverOperator, SplitOperator};
use arrays::HarmonicArrays;
use basis::Basis;
use cuda::HarmonicsPart;
use std::sync::Arc;
use units::Unit;

/// The precisions of COMMIT's operator with exact directions: `f32` and `f64`. The functions of this trait
/// implement the operator in one precision.
pub trait HarmonicElement: Real {
    /// Implements [`Harmonics::place`] for an operator that is not yet placed on a device.
    #[doc(hidden)]
    fn place(operator: &mut Harmonics<Self>, device: &Device, options: ()) -> Result<()>;

    /// Computes the product `data` = A x for the unknowns x.
    #[doc(hidden)]
    fn forward(operator: &Harmonics<Self>, unknowns: &[Self], data: &mut [Self]);

    /// Computes the product `unknowns` = Aᵀ y for the data y.
    #[doc(hidden)]
    fn adjoint(operator: &Harmonics<Self>, data: &[Self], unknowns: &mut [Self]);

    /// Implements [`SolverOperator::on_gpus`].
    #[doc(hidden)]
    fn on_gpus(operator: &Harmonics<Self>) -> Option<Box<dyn SplitOperator<Self> + '_>>;

    /// Implements [`SolverOperator::local_unknowns`].
    #[doc(hidden)]
    fn local_unknowns(operator: &Harmonics<Self>) -> Option<Box<dyn LocalUnknowns<Self> + '_>>;
}

compiled_in_both_precisions!(HarmonicElement for Harmonics placed with (), local_unknowns);

/// The linear operator A of COMMIT for exact directions of segments and axes.
///
/// The unknowns have three blocks. The first has `x[f · intra + j]` for streamline f and intra-axonal
/// response j (amount per mm of streamline). The second has `x[p · extra + j]` for axis p (counted over all
/// voxels) and extra-axonal response j. The third has `x[v · isotropic + j]` for voxel v and isotropic
/// response j. The data have one value per sample, and those of a voxel are contiguous. The products A x and
/// Aᵀ y are bit-identical for any number of threads.
#[derive(Debug)]
pub struct Harmonics<T: HarmonicElement> {
    placed: Placed<HarmonicsPart<T>>,
    arrays: Arc<HarmonicArrays<T>>,
}

impl<T: HarmonicElement> Harmonics<T> {
    /// Creates the operator from segments, from the axes of the extra-axonal compartments in the same voxels,
    /// and from responses. In any direction, the error of each approximated response is at most `tolerance`,
    /// in the unit of the response. The matrix rows of voxel n are multiplied by `voxel_scale[n]`.
    ///
    /// Returns an error if the axes or the factors `voxel_scale` belong to other voxels than the segments.
    /// Also returns an error if the errors of responses exceed `tolerance` with spherical harmonics up to
    /// degree 60.
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

    /// Moves the operator to a device. The device then computes its products and the vector operations of
    /// solvers. The operator always stays in CPU memory, and a GPU has a copy. If the copy does not fit in
    /// GPU memory, a part of it stays there, and the rest is copied to the GPU during each product. If GPU
    /// memory does not suffice for this either, the CPU computes the products, and a warning is logged.
    ///
    /// Returns an error if a GPU cannot be used for another reason than too little memory.
    pub fn place(&mut self, device: &Device) -> Result<()> {
        // First frees the GPU memory of an earlier copy of this operator.
        self.placed = Placed::default();
        let layout = &self.arrays.layout;
        if layout.voxels > 0 && layout.streamlines + layout.axes > 0 {
            HarmonicElement::place(self, device, ())?;
        }
        Ok(())
    }

    /// Returns what computes the products A x and Aᵀ y: the words `the CPU`, or the names of the GPU kernels.
    pub fn computed_by(&self) -> String {
        self.placed.describe()
    }

    /// Returns the highest degree of the spherical harmonics, for each shell.
    pub fn orders(&self) -> &[usize] {
        &self.arrays.basis.orders
    }

    /// Returns the number of basis functions for the intra-axonal responses, and the number of basis
    /// functions for the extra-axonal responses. The basis functions approximate the responses.
    pub fn ranks(&self) -> [usize; 2] {
        [self.arrays.basis.intra.rank, self.arrays.basis.extra.rank]
    }

    /// Returns the largest error of an approximated response in any direction, in the unit of the responses.
    pub fn response_error(&self) -> f64 {
        self.arrays.basis.error
    }

    /// Returns the number of segments.
    pub fn segments(&self) -> usize {
        self.arrays.segments.len()
    }
}

/// Maximum cost of a product with exact directions, divided by the cost with a look-up table of orientations.
/// If the ratio is larger, the table is used.
const WORTH: f64 = 3.0;

/// Returns true if a product with spherical harmonics needs at most three times the multiplications of a
/// product with a look-up table. The errors of responses are at most `tolerance`. The caller chooses between
/// harmonics and table by this result, which does not depend on the device. Harmonics are usually chosen if
/// there are many samples or responses, and many segments per voxel.
pub fn harmonics_are_worth_it(
    responses: &Responses,
    segments: &Segments,
    axes: &Axes,
    tolerance: f64,
) -> bool {
    // The cost of computing one harmonic, as a number of multiplications.
    const HARMONIC: usize = 3;
    let Ok(basis) = Basis::new(responses, tolerance) else { return false };
    let harmonics = EvenHarmonics::count_up_to(basis.order());
    let of_element = |rank: usize| harmonics * (HARMONIC + rank);
    let of_voxel: usize = (basis.orders.iter().enumerate())
        .map(|(shell, &order)| {
            // If the mean over all samples is subtracted from the responses, the harmonics of one shell
            // affect the samples of all shells.
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

    fn apply_forward(&self, unknowns: &[T], data: &mut [T]) {
        HarmonicElement::forward(self, unknowns, data);
    }

    fn apply_adjoint(&self, data: &[T], unknowns: &mut [T]) {
        HarmonicElement::adjoint(self, data, unknowns);
    }
}

impl<T: HarmonicElement> SolverOperator<T> for Harmonics<T> {
    fn on_gpus(&self) -> Option<Box<dyn SplitOperator<T> + '_>> {
        HarmonicElement::on_gpus(self)
    }

    fn local_unknowns(&self) -> Option<Box<dyn LocalUnknowns<T> + '_>> {
        HarmonicElement::local_unknowns(self)
    }
}

#[cfg(test)]
mod tests;
