//! COMMIT's linear operator with exact directions instead of a table of orientations. Each response is a
//! short sum of even spherical harmonics about the compartment's axis. A segment costs one operation per
//! harmonic, independent of the numbers of samples and responses.
//!
//! The addition theorem gives R(u · g) = Σ_l r_l P_l(u · g) = Σ_lm r_l Y_lm(u) Y_lm(g). The product A x
//! therefore has three steps for the segments of a voxel, with the equations below.
//!
//! ```text
//! moments:    M[k, lm]  = Σ_segments ℓ Y_lm(u) z[f, k]           z[f, k] = Σ_j x[f, j] weights[j, k]
//! amplitudes: a[s, lm]  = Σ_k legendre[k][s][l/2] M[k, lm]       (and the isotropic responses at l = 0)
//! signal:     S[g]      = Σ_lm a[s(g), lm] Y_lm(g)
//! ```
//!
//! The adjoint has the same steps in reverse order. The few functions k represent all responses of a kind of
//! compartment (see [`basis`]).

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
use steps::Step; // `Step` is a type of kernel parameters, like `Unit`.
use units::Unit;

/// The precisions of the operator with exact directions: `f32` and `f64`. The functions of this trait
/// implement the operator in one precision.
pub trait HarmonicElement: Real {
    /// Implements [`Harmonics::place`] for an operator that is not yet on a device.
    #[doc(hidden)]
    fn place(operator: &mut Harmonics<Self>, device: &Device, options: ()) -> Result<()>;

    /// Computes the product `data` = A x for the unknowns x.
    #[doc(hidden)]
    fn forward(operator: &Harmonics<Self>, unknowns: &[Self], data: &mut [Self]);

    /// Computes the product `unknowns` = Aᵀ y for the data y.
    #[doc(hidden)]
    fn adjoint(operator: &Harmonics<Self>, data: &[Self], unknowns: &mut [Self]);

    /// Implements [`LinearOperator::on_gpus`].
    #[doc(hidden)]
    fn on_gpus(operator: &Harmonics<Self>) -> Option<Box<dyn SplitOperator<Self> + '_>>;
}

compiled_in_both_precisions!(HarmonicElement for Harmonics placed with ());

/// The linear operator A of COMMIT for exact directions of segments and axes.
///
/// The unknowns have three blocks. The first has `x[f · intra + j]` for streamline f and intra-axonal
/// response j (amount per mm of streamline). The second has `x[p · extra + j]` for the axes p of all voxels
/// in order. The third has `x[v · isotropic + j]` for the voxels v. The data of a voxel, one value per
/// sample, are contiguous. Both products are bit-identical for any number of threads.
#[derive(Debug)]
pub struct Harmonics<T: HarmonicElement> {
    placed: Placed<HarmonicsPart<T>>,
    arrays: Arc<HarmonicArrays<T>>,
}

impl<T: HarmonicElement> Harmonics<T> {
    /// Creates the operator from segments, from the axes of the extra-axonal compartments in the same voxels,
    /// and from responses. In any direction, the error of each response is at most `tolerance`, in the unit
    /// of the response. The rows of voxel n are multiplied by `voxel_scale[n]`.
    ///
    /// Returns an error if axes or scales do not match the voxels, or if harmonics up to degree 60 do not reach the
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

    /// Moves the operator to a device, which then computes the products and the vector operations of solvers.
    /// The CPU always keeps the operator. A GPU has a copy of it. If the copy does not fit, the GPU has a
    /// part, and the rest is streamed through its memory. If the memory does not suffice for this either, the
    /// CPU computes the products, with a warning.
    ///
    /// Returns an error if a GPU cannot be used for a reason other than its memory.
    pub fn place(&mut self, device: &Device) -> Result<()> {
        // First frees the memory of the operator's preceding copy on a GPU.
        self.placed = Placed::default();
        let layout = &self.arrays.layout;
        if layout.voxels > 0 && layout.streamlines + layout.axes > 0 {
            HarmonicElement::place(self, device, ())?;
        }
        Ok(())
    }

    /// Returns the name of the device or kernels that compute the products: `the CPU`, or the names of GPU
    /// kernels.
    pub fn computed_by(&self) -> String {
        self.placed.describe()
    }

    /// Returns the highest degree of the harmonics in each shell.
    pub fn orders(&self) -> &[usize] {
        &self.arrays.basis.orders
    }

    /// Returns the number of functions that represent the intra-axonal responses, and the number for the
    /// extra-axonal responses.
    pub fn ranks(&self) -> [usize; 2] {
        [self.arrays.basis.intra.rank, self.arrays.basis.extra.rank]
    }

    /// Returns the largest error of a response in any direction, in the unit of the responses.
    pub fn response_error(&self) -> f64 {
        self.arrays.basis.error
    }

    /// Returns the number of segments.
    pub fn segments(&self) -> usize {
        self.arrays.segments.len()
    }
}

/// Maximum cost of exact directions, divided by the cost of a look-up table of orientations. Above this
/// ratio, the table is used.
const WORTH: f64 = 3.0;

/// Returns whether spherical harmonics with errors up to `tolerance` need at most three times the
/// multiplications of a look-up table. The answer decides between harmonics and table, and is independent of
/// the device. Harmonics are chosen if there are many samples or responses, and many segments per voxel.
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
            // If responses are demeaned over all samples, harmonics of one shell affect the samples of all
            // shells.
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
