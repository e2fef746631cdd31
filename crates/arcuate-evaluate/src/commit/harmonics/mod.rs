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

mod basis;
mod bounds;
mod constants;
mod cpu;
mod cuda;
mod degrees;
mod device_tables;
mod kernels;
mod units;

use super::{Axes, Layout, Responses, Segment, Segments};
use crate::precisions::compiled_in_both_precisions;
use arcuate_compute::Device;
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{Error, Result};
use arcuate_solve::{LinearOperator, Placed, Real, SplitOperator};
use basis::Basis;
use cuda::HarmonicsPart;
use device_tables::Step; // of the kernels' parameters, as Unit
use std::ops::Range;
use std::sync::Arc;
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
    /// On GPUs it streams from the segments below: it must be dropped before them.
    placed: Placed<HarmonicsPart<T>>,
    layout: Layout,
    samples: usize,
    segments: Arc<Segments>,
    /// The axes of all voxels, as segments of length 1 that belong to the axis of their number.
    axes: Vec<Segment>,
    axis_starts: Vec<usize>,
    /// What the rows of each voxel are multiplied with; nothing where by 1.
    voxel_scale: Option<Vec<T>>,
    basis: Basis,
    functions: EvenHarmonics,
    tables: Tables<T>,
    pieces: Vec<Range<usize>>,
}

/// The amplitudes of a voxel, and what is made of them. A row is a harmonic of a shell.
#[derive(Debug, Clone)]
struct Tables<T> {
    /// The harmonic of each row.
    harmonic: Vec<u32>,
    /// For each row and function k of a kind, the coefficient: `rows × rank`.
    intra: Vec<T>,
    extra: Vec<T>,
    /// The row of degree 0 of each shell.
    constant_row: Vec<usize>,
    /// Isotropic response j in shell s: `isotropic × shells`.
    isotropic: Vec<T>,
    /// Samples sorted by shell: the place in a voxel's data of each.
    sample: Vec<u32>,
    /// Y_lm(g) for each row and sorted sample, less its mean over samples where demeaned: `rows × samples`.
    synthesis: Vec<T>,
    /// Sorted samples whose rows are the same: samples, rows.
    blocks: Vec<(Range<usize>, Range<usize>)>,
}

/// Segments in one piece of work, about.
const PIECE: usize = 1 << 13;

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
        let voxels = segments.voxels().len();
        let fail = |what: &str| {
            Err(Error::invalid(
                "COMMIT's operator",
                format!("its {what} are of other voxels"),
                "give one for each",
            ))
        };
        if axes.voxels() != voxels {
            return fail("axes");
        }
        if voxel_scale.is_some_and(|scale| scale.len() != voxels) {
            return fail("voxel scales");
        }
        let basis = Basis::new(responses, tolerance)?;
        let harmonics = EvenHarmonics::new(basis.order());
        let layout = Layout {
            voxels,
            streamlines: segments.streamlines(),
            axes: axes.len(),
            intra: responses.intra(),
            extra: responses.extra(),
            isotropic: responses.isotropic(),
        };
        let tables = Tables::new(responses, &basis, &harmonics);
        let axis = |(n, &piece): (usize, &[f32; 3])| Segment { piece, streamline: n as u32 };
        Ok(Self {
            layout,
            samples: responses.samples(),
            pieces: pieces(&segments.voxel_starts),
            segments,
            axes: axes.directions.iter().enumerate().map(axis).collect(),
            axis_starts: axes.voxel_starts.clone(),
            voxel_scale: voxel_scale.map(|scale| scale.iter().map(|&s| T::of(s)).collect()),
            basis,
            functions: harmonics,
            tables,
            placed: Placed::default(),
        })
    }

    /// Puts the operator on a device: the products, and the vectors of solvers, are computed there from now on. On the
    /// processor it always is; a GPU holds it beside, or as much of it as fits, the rest being streamed through it.
    /// Where memory does not suffice it stays on the processor, with a warning.
    ///
    /// Fails where a GPU cannot be used for other reasons.
    pub fn place(&mut self, device: &Device) -> Result<()> {
        // What lay on a GPU before makes room first.
        self.placed = Placed::default();
        if self.layout.voxels > 0 && self.layout.streamlines + self.layout.axes > 0 {
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
        &self.basis.orders
    }

    /// Functions that stand for the intra- and the extra-axonal responses.
    pub fn ranks(&self) -> [usize; 2] {
        [self.basis.intra.rank, self.basis.extra.rank]
    }

    /// The largest error of a response in any direction, in the responses' unit.
    pub fn response_error(&self) -> f64 {
        self.basis.error
    }

    /// Number of segments.
    pub fn segments(&self) -> usize {
        self.segments.len()
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

impl<T: Real> Tables<T> {
    fn new(responses: &Responses, basis: &Basis, harmonics: &EvenHarmonics) -> Self {
        let degrees = harmonics.degrees();
        let rows: Vec<(usize, usize)> = basis
            .orders
            .iter()
            .enumerate()
            .flat_map(|(shell, &order)| {
                let degrees = &degrees;
                (0..degrees.len()).filter(move |&lm| degrees[lm] <= order).map(move |lm| (shell, lm))
            })
            .collect();
        let coefficients = |family: &basis::Family| -> Vec<T> {
            let of_row = |&(shell, lm): &(usize, usize)| {
                let degree = degrees[lm];
                family.legendre.iter().map(move |shells| T::of(shells[shell][degree / 2]))
            };
            rows.iter().flat_map(of_row).collect()
        };
        let mut sorted: Vec<usize> = (0..responses.samples()).collect();
        sorted.sort_by_key(|&sample| responses.shells[sample]);
        let functions: Vec<Vec<f64>> =
            sorted.iter().map(|&sample| harmonics.evaluate(responses.directions[sample])).collect();
        let mut synthesis = Vec::with_capacity(rows.len() * sorted.len());
        for &(shell, lm) in &rows {
            let value = |(n, &sample): (usize, &usize)| {
                if responses.shells[sample] == shell { functions[n][lm] } else { 0.0 }
            };
            let row: Vec<f64> = sorted.iter().enumerate().map(value).collect();
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            synthesis.extend(row.iter().map(|v| T::of(if responses.demean { v - mean } else { *v })));
        }
        let shell_of_row = |row: usize| rows[row].0;
        let blocks = if responses.demean {
            vec![(0..sorted.len(), 0..rows.len())]
        } else {
            let shell_of = |n: usize| responses.shells[sorted[n]];
            (0..responses.shell_count())
                .map(|shell| {
                    let samples: Vec<usize> = (0..sorted.len()).filter(|&n| shell_of(n) == shell).collect();
                    let of_shell: Vec<usize> =
                        (0..rows.len()).filter(|&row| shell_of_row(row) == shell).collect();
                    (
                        samples[0]..samples[samples.len() - 1] + 1,
                        of_shell[0]..of_shell[of_shell.len() - 1] + 1,
                    )
                })
                .collect()
        };
        let constant_row = (0..responses.shell_count())
            .map(|shell| {
                let constant = |&(s, lm): &(usize, usize)| s == shell && degrees[lm] == 0;
                rows.iter().position(constant).expect("every shell has its degree 0")
            })
            .collect();
        Self {
            harmonic: rows.iter().map(|&(_, lm)| lm as u32).collect(),
            intra: coefficients(&basis.intra),
            extra: coefficients(&basis.extra),
            constant_row,
            isotropic: responses.isotropic.iter().flatten().map(|&v| T::of(v)).collect(),
            sample: sorted.iter().map(|&sample| sample as u32).collect(),
            synthesis,
            blocks,
        }
    }

    fn rows(&self) -> usize {
        self.harmonic.len()
    }
}

/// Voxels cut into pieces of about equal numbers of segments: by the problem alone, so that sums are the same at any
/// number of threads.
fn pieces(voxel_starts: &[usize]) -> Vec<Range<usize>> {
    // A voxel costs as much as some segments, even without any.
    const VOXEL: usize = 16;
    let voxels = voxel_starts.len() - 1;
    let mut pieces = Vec::new();
    let (mut begin, mut held) = (0, 0);
    for voxel in 0..voxels {
        held += voxel_starts[voxel + 1] - voxel_starts[voxel] + VOXEL;
        if held >= PIECE || voxel + 1 == voxels {
            pieces.push(begin..voxel + 1);
            (begin, held) = (voxel + 1, 0);
        }
    }
    pieces
}

impl<T: HarmonicElement> LinearOperator<T> for Harmonics<T> {
    fn rows(&self) -> usize {
        self.layout.voxels * self.samples
    }

    fn columns(&self) -> usize {
        self.layout.len()
    }

    fn forward(&self, unknowns: &[T], data: &mut [T]) {
        assert_eq!((unknowns.len(), data.len()), (self.columns(), self.rows()), "vectors do not fit");
        HarmonicElement::forward(self, unknowns, data);
    }

    fn adjoint(&self, data: &[T], unknowns: &mut [T]) {
        assert_eq!((unknowns.len(), data.len()), (self.columns(), self.rows()), "vectors do not fit");
        HarmonicElement::adjoint(self, data, unknowns);
    }

    fn on_gpus(&self) -> Option<Box<dyn SplitOperator<T> + '_>> {
        HarmonicElement::on_gpus(self)
    }
}

#[cfg(test)]
mod tests;
