//! The field of metrics for geodesic rays: values at voxel centres, between which the metric is interpolated.
//! The CPU and GPUs compute bit-identical values.

mod conformal;
mod constants;
mod elements;
mod kernels;
mod on_gpus;
mod repair;
mod spline;
mod values;

pub use on_gpus::PreparationTimes;
pub(super) use on_gpus::{OnGpu, Rows, fits, of_nodes, on_gpus};
pub(super) use repair::Repair;
pub use repair::{Repairs, SharpenedSide, Sharpening};

use super::options::{Field, GeodesicOptions, Metric};
use arcuate_core::{Error, Grid, Mask, Result, Volume};
use arcuate_numbers::{Lanes, Real, adjugate};
use conformal::conformal_factor;
use elements::ELEMENTS;
use rayon::prelude::*;
use spline::prefilter;
use values::{Counts, Recipe, Scale, Source, VoxelValue, values};

/// Number of extra nodes on each side of the image. If the field is a spline, these nodes mirror the image.
/// If not, they repeat its outermost voxels. Rays can go half a voxel beyond the outermost voxel centres, and
/// splines need two nodes more.
pub(super) const MARGIN: usize = constants::MARGIN as usize;

/// The values of a node of the field: six elements of a symmetric matrix, then two zeros, because kernels
/// read a complete row of eight.
pub(super) type Row<T> = [T; 8];

/// Number of rows of eight values per node in the field of the thesis. They contain D and the differences of
/// D⁻¹ in x, y and z, with six elements each.
pub(super) const THESIS_ROWS: usize = 3;

/// Geometry of the tensor image: its shape in memory and its position in space.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Frame {
    /// Number of voxels along each axis.
    pub(super) shape: [usize; 3],
    /// Number of nodes along each axis, including the extra nodes on both sides.
    pub(super) padded: [usize; 3],
    /// Matrices that convert a displacement in voxels to mm along scanner axes, and back.
    pub(super) to_mm: [[f64; 3]; 3],
    pub(super) to_voxels: [[f64; 3]; 3],
    /// Position of the centre of the first voxel, in RAS mm.
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

    /// Returns the symmetric matrix S, as six elements, for the length of a vector: ‖v‖² = vᵀ S v, with ‖v‖
    /// in mm and v in voxels.
    pub(super) fn euclidean(&self) -> [f64; 6] {
        let a = &self.to_mm;
        ELEMENTS.map(|(r, c)| a[0][r] * a[0][c] + a[1][r] * a[1][c] + a[2][r] * a[2][c])
    }

    /// Returns the voxel whose value a node has. A node beyond the image repeats or mirrors a voxel of the image.
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

/// The metric field for geodesic rays, in host memory.
#[derive(Debug)]
pub(super) struct Nodes<T> {
    pub(super) field: Field,
    /// One row per node: the metric in voxel coordinates, or spline coefficients of log D in scanner axes.
    /// The field of the thesis has three rows per node.
    pub(super) rows: Vec<Row<T>>,
    /// The rows of the metric with which connectivity is measured. For [`Field::Thesis`] they have the form
    /// of [`Field::Trilinear`]. `None` if connectivity is measured with the metric of the rays.
    pub(super) plain: Option<Vec<Row<T>>>,
    /// Factor by which the metric of the rays is multiplied to measure connectivity.
    pub(super) scale: f64,
}

/// The steps that compute the metric field from tensors.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    tensor: &'a Volume<f32>,
    options: &'a GeodesicOptions,
    pub(super) frame: Frame,
    pub(super) repair: Repair,
    /// Steps that compute the metric of the rays.
    own: Recipe,
    /// Steps that compute the metric with which connectivity is measured. `None` if this metric equals the
    /// metric of the rays up to the factor [`scale`](Self::scale).
    plain: Option<Recipe>,
    factors: Option<Vec<f64>>,
    /// Factor by which the metric of the rays is multiplied to measure connectivity.
    pub(super) scale: f64,
}

impl<'a> Plan<'a> {
    /// Creates a plan for computing the metric field with this repair of the tensors.
    pub(super) fn new(tensor: &'a Volume<f32>, options: &'a GeodesicOptions, repair: Repair) -> Result<Self> {
        let scale = match options.metric {
            Metric::Inverse => Scale::One,
            Metric::Adjugate => Scale::Determinant,
            Metric::Conformal => Scale::Factors,
        };
        let own = Recipe { repair, gain: options.gain, sharpening: options.sharpening, scale };
        let same = options.metric == Metric::Inverse && options.sharpening.is_none();
        let plain = Recipe { repair, gain: 1.0, sharpening: None, scale: Scale::One };
        let mut plan = Self {
            tensor,
            options,
            frame: Frame::of(tensor.grid()),
            repair,
            own,
            plain: (!same).then_some(plain),
            factors: None,
            scale: if same { options.gain } else { 1.0 },
        };
        if options.metric == Metric::Conformal {
            plan.factors = Some(plan.conformal()?);
        }
        Ok(plan)
    }

    /// Returns the kind of the field.
    pub(super) fn field(&self) -> Field {
        self.options.field
    }

    /// Returns the type of field (interpolation) of the metric with which connectivity is measured.
    fn plain_field(&self) -> Field {
        if self.field() == Field::Thesis { Field::Trilinear } else { self.field() }
    }

    fn source(&self) -> Source<'_> {
        Source {
            tensor: self.tensor,
            mask: self.options.mask.as_ref(),
            factors: self.factors.as_deref(),
            to_mm: self.frame.to_mm,
        }
    }

    fn conformal(&self) -> Result<Vec<f64>> {
        let grid = self.tensor.grid();
        let (tensors, _) = values(&self.source(), &self.own, VoxelValue::Tensor);
        // The conformal factor is computed in the voxels of the mask. If there is no mask, it is computed in
        // the voxels with a non-zero tensor.
        let everywhere;
        let inside = if let Some(mask) = &self.options.mask {
            mask.flags()
        } else {
            let moves = |voxel: usize| self.tensor.voxel(voxel).iter().any(|&element| element != 0.0);
            everywhere = (0..grid.len()).map(moves).collect::<Vec<_>>();
            &everywhere
        };
        conformal_factor(&tensors, grid, inside)
    }

    /// Computes the nodes of the metric field. Returns the nodes and the numbers of repaired tensors.
    pub(super) fn nodes<T: Real>(&self) -> (Nodes<T>, Repairs) {
        let (rows, counts) = self.rows(self.field(), &self.own);
        let plain = self.plain.as_ref().map(|plain| self.rows(self.plain_field(), plain).0);
        (Nodes { field: self.field(), rows, plain, scale: self.scale }, self.repairs(counts))
    }

    fn repairs(&self, [zero, indefinite, not_a_number]: Counts) -> Repairs {
        let all = self.tensor.grid().len();
        let voxels = self.options.mask.as_ref().map_or(all, Mask::count) as u64;
        Repairs { voxels, zero, indefinite, not_a_number, mean_diffusivity: self.repair.mean() }
    }

    fn rows<T: Real>(&self, field: Field, recipe: &Recipe) -> (Vec<Row<T>>, Counts) {
        let frame = &self.frame;
        let (mut values, counts) = values(&self.source(), recipe, what(field));
        let nodes = (0..frame.nodes()).into_par_iter();
        let rows = match field {
            Field::Trilinear => nodes.map(|node| row(&values[frame.voxel_of_node(node, false)])).collect(),
            Field::Spline => {
                prefilter(&mut values, frame.shape);
                nodes.map(|node| row(&values[frame.voxel_of_node(node, true)])).collect()
            }
            Field::Thesis => nodes
                .flat_map_iter(|node| thesis_rows(&values, frame.shape, frame.voxel_of_node(node, false)))
                .collect(),
        };
        (rows, counts)
    }
}

/// Returns which quantity a field stores for each voxel.
fn what(field: Field) -> VoxelValue {
    if field == Field::Spline { VoxelValue::Logarithm } else { VoxelValue::Metric }
}

/// Returns an error if the image is not a tensor image with six channels.
pub(super) fn check(tensor: &Volume<f32>) -> Result<()> {
    if tensor.channels() == 6 {
        return Ok(());
    }
    let problem = format!("the tensor image has {} values per voxel", tensor.channels());
    Err(Error::invalid("tensor image", problem, "give six values per voxel: D11 D22 D33 D12 D13 D23"))
}

fn row<T: Real>(elements: &[f64; 6]) -> Row<T> {
    let mut row = [T::of(0.0); 8];
    for n in 0..6 {
        row[n] = T::of(elements[n]);
    }
    row
}

/// Returns for each voxel the tensor D and the central differences of D⁻¹ along each axis in voxels.
/// Differences are one-sided at the borders of the image (equations 3.12 and 3.13 of the thesis).
fn thesis_rows<T: Real>(metrics: &[[f64; 6]], shape: [usize; 3], voxel: usize) -> [Row<T>; THESIS_ROWS] {
    let place = [voxel % shape[0], voxel / shape[0] % shape[1], voxel / (shape[0] * shape[1])];
    let strides = [1, shape[0], shape[0] * shape[1]];
    let (inverse, determinant) = adjugate(&metrics[voxel].map(|element| Lanes([element])));
    let factor = 1.0 / determinant.0[0];
    let mut numbers = [0.0; 8 * THESIS_ROWS];
    for n in 0..6 {
        numbers[n] = inverse[n].0[0] * factor;
    }
    for axis in 0..3 {
        let below = if place[axis] > 0 { voxel - strides[axis] } else { voxel };
        let above = if place[axis] + 1 < shape[axis] { voxel + strides[axis] } else { voxel };
        let steps = (above - below) / strides[axis];
        for n in 0..6 {
            numbers[6 * (axis + 1) + n] =
                if steps == 0 { 0.0 } else { (metrics[above][n] - metrics[below][n]) / steps as f64 };
        }
    }
    let mut rows = [[T::of(0.0); 8]; THESIS_ROWS];
    for (n, &number) in numbers.iter().enumerate() {
        rows[n / 8][n % 8] = T::of(number);
    }
    rows
}
