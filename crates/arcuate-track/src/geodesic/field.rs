//! The field of metrics that rays go through: numbers at voxel centres, from which the metric between them is interpolated.

use super::conformal::conformal_factor;
use super::options::{Field, GeodesicOptions, Metric};
use super::real::Real;
use super::repair::{Repair, Repairs, rebuilt};
use super::spline::prefilter;
use arcuate_compute::elementary::double;
use arcuate_core::{DiffusionTensor, Grid, Result, Volume};
use rayon::prelude::*;

/// Nodes beyond the image on each side, mirrored for splines, repeated otherwise: rays may go half a voxel beyond the
/// outermost centres, and splines reach two nodes further.
pub(super) const MARGIN: usize = 2;

/// The numbers of a node, of which the last two are 0: a row is read whole.
pub(super) type Row<T> = [T; 8];

/// Rows of a node for the thesis's field: D and the differences of D⁻¹ in x, y and z, six elements each, in a row.
pub(super) const THESIS_ROWS: usize = 3;

/// Where the image lies in memory, and in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    /// Voxels.
    pub(super) shape: [usize; 3],
    /// Nodes, with the margins.
    pub(super) padded: [usize; 3],
    /// A displacement in voxels in mm along scanner axes, and back.
    pub(super) to_mm: [[f64; 3]; 3],
    pub(super) to_voxels: [[f64; 3]; 3],
    /// RAS mm of the centre of the first voxel.
    pub(super) origin: [f64; 3],
}

impl Frame {
    pub(super) fn of(grid: &Grid) -> Self {
        let linear = |rows: [[f64; 4]; 3]| rows.map(|row| [row[0], row[1], row[2]]);
        Self {
            shape: grid.shape(),
            padded: grid.shape().map(|n| n + 2 * MARGIN),
            to_mm: linear(grid.affine().rows()),
            to_voxels: linear(grid.inverse().rows()),
            origin: grid.affine().rows().map(|row| row[3]),
        }
    }

    pub(super) fn nodes(&self) -> usize {
        self.padded.iter().product()
    }

    /// ‖v‖² in mm² is the sum of products of v in voxels with these.
    pub(super) fn euclidean(&self) -> [f64; 6] {
        congruent(&[1.0, 1.0, 1.0, 0.0, 0.0, 0.0], &self.to_mm)
    }

    /// For each node, the voxel it is a copy of.
    fn voxel_of_node(&self, node: usize, mirrored: bool) -> usize {
        let [a, b, _] = self.padded;
        let place = [node % a, node / a % b, node / (a * b)];
        let mut voxel = [0; 3];
        for axis in 0..3 {
            let n = self.shape[axis] as isize;
            let at = place[axis] as isize - MARGIN as isize;
            voxel[axis] = if !mirrored || n == 1 {
                at.clamp(0, n - 1)
            } else {
                let within = at.rem_euclid(2 * (n - 1));
                within.min(2 * (n - 1) - within)
            } as usize;
        }
        voxel[0] + self.shape[0] * (voxel[1] + self.shape[1] * voxel[2])
    }
}

/// What rays are followed through.
#[derive(Debug)]
pub(super) struct Nodes<T> {
    pub(super) field: Field,
    /// A row each of the metric in voxel coordinates, of spline coefficients of log D in scanner axes, or three of the
    /// thesis's.
    pub(super) rows: Vec<Row<T>>,
    /// The same of the metric that connectivity is measured with, for [`Field::Thesis`] as for [`Field::Trilinear`]; `None`
    /// where it is the rays' own.
    pub(super) plain: Option<Vec<Row<T>>>,
    /// What the rays' own metric is multiplied with to measure connectivity.
    pub(super) scale: f64,
}

/// The nodes for tensors and options, and what had to be repaired.
pub(super) fn prepare<T: Real>(
    tensor: &Volume<f32>,
    options: &GeodesicOptions,
) -> Result<(Nodes<T>, Repairs)> {
    let (repair, repairs) = Repair::of(tensor, options.mask.as_ref(), options.gain, options.sharpening)?;
    let frame = Frame::of(tensor.grid());
    let inputs = Inputs { tensor, repair: &repair, frame: &frame };
    let factors = match options.metric {
        Metric::Conformal => Some(inputs.conformal(options)?),
        _ => None,
    };
    let scale_of = |voxel: usize, tensor: [f64; 6]| match (options.metric, &factors) {
        (Metric::Adjugate, _) => determinant(tensor),
        (_, Some(factors)) => double::exp(factors[voxel]),
        _ => 1.0,
    };
    let metric = |voxel: usize| {
        let tensor = repair.sharpened(tensor.voxel(voxel));
        (tensor, scale_of(voxel, tensor))
    };
    let own = options.metric == Metric::Inverse;
    let scale = repair.is_plain_but_for_gain().filter(|_| own);
    let rows = inputs.rows(options.field, metric);
    let plain = scale.is_none().then(|| {
        let field = if options.field == Field::Thesis { Field::Trilinear } else { options.field };
        inputs.rows(field, |voxel| (repair.plain(tensor.voxel(voxel)), 1.0))
    });
    Ok((Nodes { field: options.field, rows, plain, scale: scale.unwrap_or(1.0) }, repairs))
}

struct Inputs<'a> {
    tensor: &'a Volume<f32>,
    repair: &'a Repair,
    frame: &'a Frame,
}

impl Inputs<'_> {
    fn conformal(&self, options: &GeodesicOptions) -> Result<Vec<f64>> {
        let grid = self.tensor.grid();
        let tensors: Vec<[f64; 6]> = (0..grid.len())
            .into_par_iter()
            .map(|voxel| self.repair.sharpened(self.tensor.voxel(voxel)))
            .collect();
        // Outside the head nothing is to be conformed to.
        let everywhere;
        let inside = if let Some(mask) = &options.mask {
            mask.flags()
        } else {
            let moves = |voxel: usize| self.tensor.voxel(voxel).iter().any(|&element| element != 0.0);
            everywhere = (0..grid.len()).map(moves).collect::<Vec<_>>();
            &everywhere
        };
        conformal_factor(&tensors, grid, inside)
    }

    /// The rows of all nodes, where `metric` says of a voxel D and s of the metric s D⁻¹.
    fn rows<T: Real>(&self, field: Field, metric: impl Fn(usize) -> ([f64; 6], f64) + Sync) -> Vec<Row<T>> {
        let frame = self.frame;
        let in_voxels = |voxel: usize| {
            let (tensor, scale) = metric(voxel);
            congruent(&inverse(tensor).map(|element| scale * element), &frame.to_mm)
        };
        match field {
            Field::Trilinear => {
                let node = |node: usize| row(in_voxels(frame.voxel_of_node(node, false)));
                (0..frame.nodes()).into_par_iter().map(node).collect()
            }
            Field::Spline => {
                let logarithm = |voxel: usize| {
                    let (tensor, scale) = metric(voxel);
                    let system = DiffusionTensor(tensor).eigensystem();
                    let shift = double::ln(scale);
                    rebuilt(system.values.map(|value| double::ln(value) - shift), &system.vectors)
                };
                let mut values: Vec<[f64; 6]> =
                    (0..frame.shape.iter().product()).into_par_iter().map(logarithm).collect();
                prefilter(&mut values, frame.shape);
                let node = |node: usize| row(values[frame.voxel_of_node(node, true)]);
                (0..frame.nodes()).into_par_iter().map(node).collect()
            }
            Field::Thesis => {
                let metrics: Vec<[f64; 6]> =
                    (0..frame.shape.iter().product()).into_par_iter().map(in_voxels).collect();
                let thesis = |node: usize| {
                    let voxel = frame.voxel_of_node(node, false);
                    thesis_rows(inverse(metrics[voxel]), &differences(&metrics, frame.shape, voxel))
                };
                (0..frame.nodes()).into_par_iter().flat_map_iter(thesis).collect()
            }
        }
    }
}

fn row<T: Real>(elements: [f64; 6]) -> Row<T> {
    let mut row = [T::of(0.0); 8];
    for n in 0..6 {
        row[n] = T::of(elements[n]);
    }
    row
}

fn thesis_rows<T: Real>(tensor: [f64; 6], differences: &[[f64; 6]; 3]) -> [Row<T>; THESIS_ROWS] {
    let mut rows = [[T::of(0.0); 8]; THESIS_ROWS];
    for (n, &value) in tensor.iter().chain(differences.iter().flatten()).enumerate() {
        rows[n / 8][n % 8] = T::of(value);
    }
    rows
}

/// Central differences along each axis in voxels, one-sided at the borders (the thesis's equations 3.12 and 3.13).
fn differences(metrics: &[[f64; 6]], shape: [usize; 3], voxel: usize) -> [[f64; 6]; 3] {
    let place = [voxel % shape[0], voxel / shape[0] % shape[1], voxel / (shape[0] * shape[1])];
    let strides = [1, shape[0], shape[0] * shape[1]];
    let mut result = [[0.0; 6]; 3];
    for axis in 0..3 {
        let below = if place[axis] > 0 { voxel - strides[axis] } else { voxel };
        let above = if place[axis] + 1 < shape[axis] { voxel + strides[axis] } else { voxel };
        let steps = (above - below) / strides[axis];
        for n in 0..6 {
            result[axis][n] =
                if steps == 0 { 0.0 } else { (metrics[above][n] - metrics[below][n]) / steps as f64 };
        }
    }
    result
}

fn determinant([xx, yy, zz, xy, xz, yz]: [f64; 6]) -> f64 {
    xx * (yy * zz - yz * yz) + xy * (yz * xz - xy * zz) + xz * (xy * yz - yy * xz)
}

/// The inverse of a tensor.
fn inverse(tensor: [f64; 6]) -> [f64; 6] {
    let [xx, yy, zz, xy, xz, yz] = tensor;
    let factor = 1.0 / determinant(tensor);
    [
        (yy * zz - yz * yz) * factor,
        (xx * zz - xz * xz) * factor,
        (xx * yy - xy * xy) * factor,
        (xz * yz - xy * zz) * factor,
        (xy * yz - xz * yy) * factor,
        (xy * xz - yz * xx) * factor,
    ]
}

/// Aᵀ S A.
fn congruent(s: &[f64; 6], a: &[[f64; 3]; 3]) -> [f64; 6] {
    let full = [[s[0], s[3], s[4]], [s[3], s[1], s[5]], [s[4], s[5], s[2]]];
    let mut right = [[0.0; 3]; 3];
    for r in 0..3 {
        for c in 0..3 {
            right[r][c] = full[r][0] * a[0][c] + full[r][1] * a[1][c] + full[r][2] * a[2][c];
        }
    }
    let element = |r: usize, c: usize| a[0][r] * right[0][c] + a[1][r] * right[1][c] + a[2][r] * right[2][c];
    [element(0, 0), element(1, 1), element(2, 2), element(0, 1), element(0, 2), element(1, 2)]
}
