//! FNIRT's fields as coefficients of cubic B-splines.
//!
//! With n voxels of the field numbered from 0 and knots s voxels apart, u(n) = Σ cₗ₊ᵢ·bₗ(t) along each axis, where n/s = i + t, and b₀ …
//! b₃ are the four pieces of the uniform cubic B-spline (D. Rueckert et al., “Nonrigid registration using free-form deformations”,
//! IEEE Transactions on Medical Imaging 18, 1999, p. 712). Points go to A⁻¹·x + u(x), with A the registration that FNIRT began with.

use arcuate_core::{Error, Grid, Result, Volume};
use arcuate_io::{FnirtCoefficients, read_fnirt_coefficients};
use rayon::prelude::*;
use std::path::Path;

/// NIfTI's intent of coefficients of cubic splines.
const CUBIC: i64 = 2007;

/// Reads coefficients.
///
/// Fails where they are of other functions than cubic splines: nothing public says where quadratic splines lie between voxels.
pub(super) fn read(path: &Path) -> Result<FnirtCoefficients> {
    let coefficients = read_fnirt_coefficients(path)?;
    if coefficients.intent == CUBIC {
        return Ok(coefficients);
    }
    let functions = if coefficients.intent == 2008 { "cosines" } else { "quadratic splines" };
    let problem = format!("it holds coefficients of {functions}; displacements and cubic splines are read");
    let advice = "make it a field: fnirtfileutils --in=FILE --ref=IMAGE --out=FIELD --withaff";
    Err(Error::invalid(path.display(), problem, advice))
}

/// Displacements in FSL's mm, without the affine part, on the lattice of the field.
///
/// Fails where the knots do not reach over the lattice, and where there is no memory for it.
pub(super) fn expand(path: &Path, of: &FnirtCoefficients, lattice: &Grid) -> Result<Volume<f32>> {
    let knots = of.coefficients.grid().shape();
    let [nx, ny, nz] = lattice.shape();
    let mut axes = [const { Vec::new() }; 3];
    for (axis, pieces) in axes.iter_mut().enumerate() {
        let (voxels, count) = (lattice.shape()[axis], knots[axis]);
        *pieces = (0..voxels).map(|voxel| Piece::at(voxel, of.knot_spacing[axis], count)).collect();
        // FNIRT has a knot before the first voxel and one or two behind the last; where one is missing, its spline is hardly met.
        let last = ((voxels - 1) as f64 / of.knot_spacing[axis]) as usize;
        if !(last + 3..=last + 6).contains(&count) {
            let spacing = of.knot_spacing[axis];
            let problem = format!("{count} knots {spacing} voxels apart are not those of {voxels} voxels");
            let advice = "give FNIRT's file of coefficients as it was written";
            return Err(Error::invalid(path.display(), problem, advice));
        }
    }
    let [x, y, z] = axes;
    // Each plane of knots along both of its axes, then each slice of voxels from four of these.
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
        let problem =
            format!("its field needs {:.1} GB of memory, more than this computer gives", count as f64 * 4e-9);
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

/// The four splines that are not 0 at a voxel: the first of their knots, and their values.
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

    /// Adds the splines times what `value` has of each knot at each place.
    fn add(&self, value: impl Fn(usize, usize) -> f64, out: &mut [f64]) {
        for (knot, weight) in (self.first..self.knots).zip(self.weights) {
            for (place, out) in out.iter_mut().enumerate() {
                *out += weight * value(knot, place);
            }
        }
    }
}
