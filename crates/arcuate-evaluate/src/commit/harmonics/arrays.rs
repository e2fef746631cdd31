//! The arrays of COMMIT's linear operator (with spherical harmonics) in CPU memory.

use super::basis::{Basis, Family};
use super::{Axes, Layout, Responses, Segment, Segments};
use arcuate_core::harmonics::EvenHarmonics;
use arcuate_core::{Error, Result, narrow};
use arcuate_solve::Real;
use std::ops::Range;
use std::sync::Arc;

/// The arrays of [`Harmonics`](super::Harmonics), on any device.
#[derive(Debug)]
pub(super) struct HarmonicArrays<T> {
    pub(super) layout: Layout,
    pub(super) samples: usize,
    pub(super) segments: Arc<Segments>,
    /// The axes of the extra-axonal compartments of all voxels. Each axis is stored as a segment of length 1,
    /// and its streamline number is the number of the axis.
    pub(super) axes: Vec<Segment>,
    pub(super) axis_starts: Vec<usize>,
    /// Factor by which all matrix rows of a voxel are multiplied; one per voxel. `None` if all factors are 1.
    pub(super) voxel_scale: Option<Vec<T>>,
    pub(super) basis: Basis,
    pub(super) functions: EvenHarmonics,
    pub(super) tables: Tables<T>,
    pub(super) pieces: Vec<Range<usize>>,
}

/// Tables that convert the harmonic amplitudes of a voxel's signal to the signal itself. A row of these
/// tables belongs to one spherical harmonic Y_lm of one shell.
#[derive(Debug, Clone)]
pub(super) struct Tables<T> {
    /// The index of each row's harmonic.
    pub(super) harmonic: Vec<u32>,
    /// Coefficients that convert the moments of a voxel (sums of harmonics over its segments) to harmonic
    /// amplitudes. There is one coefficient for each table row and each basis function k of the compartment.
    /// The shape is `rows × rank`.
    pub(super) intra: Vec<T>,
    pub(super) extra: Vec<T>,
    /// For each shell, the index of the table row that belongs to the constant harmonic (degree 0).
    pub(super) constant_row: Vec<usize>,
    /// Signal of the isotropic response j in the shell s. The shape is `isotropic × shells`.
    pub(super) isotropic: Vec<T>,
    /// The samples of a voxel, sorted by shell. Each entry is the index of a sample in the voxel's data.
    pub(super) sample: Vec<u32>,
    /// The harmonic Y_lm(g) of each table row at the gradient direction g of each sample, with samples sorted
    /// by shell. If the data are demeaned, the mean over samples is subtracted. The shape is `rows ×
    /// samples`.
    pub(super) synthesis: Vec<T>,
    /// The transposed table `synthesis`. The shape is `samples × rows`.
    pub(super) analysis: Vec<T>,
    /// Blocks of the table `synthesis` that are not zero. Each block is a range of samples (sorted by shell)
    /// and the range of the table rows of these samples.
    pub(super) blocks: Vec<(Range<usize>, Range<usize>)>,
}

/// Approximate number of segments that one CPU task processes.
const PIECE: usize = 1 << 13;

impl<T: Real> HarmonicArrays<T> {
    /// Creates the arrays from the arguments of [`Harmonics::new`](super::Harmonics::new).
    pub(super) fn new(
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
                format!("the {what} do not belong to the same voxels as the segments of the streamlines"),
                "give the values for each voxel that has segments",
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
        let axis = |(n, &piece): (usize, &[f32; 3])| Segment { piece, streamline: narrow::<u32>(n) };
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
        })
    }
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
        let coefficients = |family: &Family| -> Vec<T> {
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
                #[expect(clippy::expect_used, reason = "the rows of each shell begin with degree 0")]
                let row = rows.iter().position(constant).expect("a row of degree 0");
                row
            })
            .collect();
        Self {
            harmonic: rows.iter().map(|&(_, lm)| narrow::<u32>(lm)).collect(),
            intra: coefficients(&basis.intra),
            extra: coefficients(&basis.extra),
            constant_row,
            isotropic: responses.isotropic.iter().flatten().map(|&v| T::of(v)).collect(),
            sample: sorted.iter().map(|&sample| narrow::<u32>(sample)).collect(),
            analysis: transposed(&synthesis, sorted.len()),
            synthesis,
            blocks,
        }
    }

    pub(super) fn rows(&self) -> usize {
        self.harmonic.len()
    }
}

/// Transposes a matrix with `columns` columns, which is stored row by row.
fn transposed<T: Real>(values: &[T], columns: usize) -> Vec<T> {
    (0..columns).flat_map(|column| values.iter().skip(column).step_by(columns.max(1)).copied()).collect()
}

/// Divides the voxels into contiguous ranges with similar numbers of segments, one per CPU task. The ranges
/// depend on the problem only, so that sums are the same for any number of threads.
fn pieces(voxel_starts: &[usize]) -> Vec<Range<usize>> {
    // The cost of processing a voxel in addition to the cost of its segments, expressed as the number of
    // segments that cost as much.
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
