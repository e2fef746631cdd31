//! The field of metrics that rays go through: numbers at voxel centres, from which the metric between them is interpolated.
//! They are made by the processor or by GPUs, to the same bits.

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
use arcuate_compute::numbers::{Lanes, Real, adjugate};
use arcuate_core::{Error, Grid, Mask, Result, Volume};
use conformal::conformal_factor;
use elements::ELEMENTS;
use rayon::prelude::*;
use spline::prefilter;
use values::{Counts, Recipe, Scale, Source, What, values};

/// Nodes beyond the image on each side, mirrored for splines, repeated otherwise: rays may go half a voxel beyond the
/// outermost centres, and splines reach two nodes further.
pub(super) const MARGIN: usize = constants::MARGIN as usize;

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
        let a = &self.to_mm;
        ELEMENTS.map(|(r, c)| a[0][r] * a[0][c] + a[1][r] * a[1][c] + a[2][r] * a[2][c])
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

/// What rays are followed through, in memory of the host.
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

/// How the field is made of tensors.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    tensor: &'a Volume<f32>,
    options: &'a GeodesicOptions,
    pub(super) frame: Frame,
    pub(super) repair: Repair,
    /// The metric of the rays.
    own: Recipe,
    /// That of connectivity, where it is another but for [`scale`](Self::scale).
    plain: Option<Recipe>,
    factors: Option<Vec<f64>>,
    /// What the rays' own metric is multiplied with to measure connectivity.
    pub(super) scale: f64,
}

impl<'a> Plan<'a> {
    /// For tensors that are repaired so.
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

    /// The field's kind.
    pub(super) fn field(&self) -> Field {
        self.options.field
    }

    /// The kind of that of connectivity.
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
        let (tensors, _) = values(&self.source(), &self.own, What::Tensor);
        // Outside the head nothing is to be conformed to.
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

    /// The nodes, and what had to be repaired.
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

/// What each voxel gives to a field.
fn what(field: Field) -> What {
    if field == Field::Spline { What::Logarithm } else { What::Metric }
}

/// Fails on what is no image of tensors.
pub(super) fn check(tensor: &Volume<f32>) -> Result<()> {
    if tensor.channels() == 6 {
        return Ok(());
    }
    let problem = format!("it has {} values a voxel", tensor.channels());
    Err(Error::invalid("tensor image", problem, "give six: D11 D22 D33 D12 D13 D23"))
}

fn row<T: Real>(elements: &[f64; 6]) -> Row<T> {
    let mut row = [T::of(0.0); 8];
    for n in 0..6 {
        row[n] = T::of(elements[n]);
    }
    row
}

/// Of a voxel, D and the central differences of D⁻¹ along each axis in voxels, one-sided at the borders (the thesis's
/// equations 3.12 and 3.13).
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
