//! FNIRT displacement fields that are stored as coefficients of cubic B-splines.
//!
//! Let n be the index of a voxel along an axis, counted from 0, and s the distance of the spline knots in
//! voxels. The displacement u and its coefficients c are related by u(n) = Σ cₗ₊ᵢ·bₗ(t) along each axis.
//! Here, i is the integer part of n/s, and t is the rest. The functions b₀ … b₃ are the four pieces of the
//! uniform cubic B-spline (D. Rueckert et al., “Nonrigid registration using free-form deformations”, IEEE
//! Transactions on Medical Imaging 18, 1999, p. 712). A point x is mapped to A⁻¹·x + u(x). A is the affine
//! registration from which FNIRT started.

use arcuate_core::{Error, Grid, Result, Volume};
use arcuate_io::{FnirtCoefficients, read_fnirt_coefficients};
use rayon::prelude::*;
use std::path::Path;

/// NIfTI intent code of images that contain coefficients of cubic splines.
const CUBIC: i64 = 2007;

/// Reads FNIRT coefficients.
///
/// Returns an error if the file does not contain coefficients of cubic splines. Quadratic splines are not
/// supported, because their values between the voxels are not publicly documented.
pub(super) fn read(path: &Path) -> Result<FnirtCoefficients> {
    let coefficients = read_fnirt_coefficients(path)?;
    if coefficients.intent == CUBIC {
        return Ok(coefficients);
    }
    let functions = if coefficients.intent == 2008 { "cosines" } else { "quadratic splines" };
    let problem = format!(
        "the file has coefficients of {functions}; only displacements and cubic splines are supported"
    );
    let advice = "make it a field: fnirtfileutils --in=FILE --ref=IMAGE --out=FIELD --withaff";
    Err(Error::invalid(path.display(), problem, advice))
}

/// Computes the displacements u from the coefficients, in FSL millimetres on the voxel grid `lattice`. The
/// affine part of the transform is not included.
///
/// Returns an error if the spline knots do not cover the grid, or if there is not enough memory.
pub(super) fn expand(path: &Path, of: &FnirtCoefficients, lattice: &Grid) -> Result<Volume<f32>> {
    let knots = of.coefficients.grid().shape();
    let [nx, ny, nz] = lattice.shape();
    let mut axes = [const { Vec::new() }; 3];
    for (axis, pieces) in axes.iter_mut().enumerate() {
        let (voxels, count) = (lattice.shape()[axis], knots[axis]);
        *pieces = (0..voxels).map(|voxel| Piece::at(voxel, of.knot_spacing[axis], count)).collect();
        // FNIRT has one spline knot before the first voxel, and one or two after the last voxel. If the last
        // knot is missing, the effect is negligible.
        let last = ((voxels - 1) as f64 / of.knot_spacing[axis]) as usize;
        if !(last + 3..=last + 6).contains(&count) {
            let spacing = of.knot_spacing[axis];
            let problem = format!(
                "{count} spline knots with a spacing of {spacing} voxels do not cover {voxels} voxels"
            );
            let advice = "give FNIRT's file of coefficients as it was written";
            return Err(Error::invalid(path.display(), problem, advice));
        }
    }
    let [x, y, z] = axes;
    // First, each plane of spline knots is interpolated along x and y. Then each slice of voxels is
    // interpolated along z from four of these planes.
    let coefficients = of.coefficients.values();
    let planes: Vec<Vec<f64>> = coefficients
        .par_chunks_exact(3 * knots[0] * knots[1])
        .map(|plane| {
            let mut along_x = vec![0.0; 3 * nx * knots[1]];
            for (row, out) in plane.chunks_exact(3 * knots[0]).zip(along_x.chunks_exact_mut(3 * nx)) {
                for (piece, out) in x.iter().zip(out.chunks_exact_mut(3)) {
                    piece.add(|knot, channel| f64::from(row[3 * knot + channel]), out);
                }
            }
            let mut along_both = vec![0.0; 3 * nx * ny];
            for (piece, out) in y.iter().zip(along_both.chunks_exact_mut(3 * nx)) {
                piece.add(|knot, place| along_x[3 * nx * knot + place], out);
            }
            along_both
        })
        .collect();
    let count = 3 * nx * ny * nz;
    let mut values: Vec<f32> = Vec::new();
    values.try_reserve_exact(count).map_err(|_| {
        let problem = format!(
            "the displacement field needs {:.1} GB of memory, more than is available",
            count as f64 * 4e-9
        );
        Error::invalid(path.display(), problem, "use a computer with more memory")
    })?;
    values.resize(count, 0.0);
    values.par_chunks_exact_mut(3 * nx * ny).zip(&z).for_each(|(slice, piece)| {
        let mut sums = vec![0.0; slice.len()];
        piece.add(|knot, place| planes[knot][place], &mut sums);
        for (value, sum) in slice.iter_mut().zip(sums) {
            *value = sum as f32;
        }
    });
    Volume::new(*lattice, 3, values)
}

/// The four splines that are nonzero at a voxel: the index of the first of their knots, and the values of the
/// splines.
struct Piece {
    first: usize,
    weights: [f64; 4],
    knots: usize,
}

impl Piece {
    fn at(voxel: usize, spacing: f64, knots: usize) -> Self {
        let at = voxel as f64 / spacing;
        let t = at.fract();
        let weights = [
            (1.0 - t).powi(3) / 6.0,
            (3.0 * t.powi(3) - 6.0 * t.powi(2) + 4.0) / 6.0,
            (-3.0 * t.powi(3) + 3.0 * t.powi(2) + 3.0 * t + 1.0) / 6.0,
            t.powi(3) / 6.0,
        ];
        Self { first: at as usize, weights, knots }
    }

    /// Adds the sum over the four knots, weighted with the spline values, to each number of `out`. The
    /// function `value` returns the value of a knot for a position in `out`.
    fn add(&self, value: impl Fn(usize, usize) -> f64, out: &mut [f64]) {
        for (knot, weight) in (self.first..self.knots).zip(self.weights) {
            for (place, out) in out.iter_mut().enumerate() {
                *out += weight * value(knot, place);
            }
        }
    }
}
