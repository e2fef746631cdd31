//! The metric between voxel centres, and the acceleration of geodesics in this metric, for several rays at a
//! time. `metric.cuh` performs the same operations on GPUs. Always change both files together.
//!
//! A geodesic satisfies ẍ = −Γ(ẋ, ẋ). Without Christoffel symbols this is G ẍ = ½ ∇(ẋᵀGẋ) − Ġẋ, where G is
//! the metric. The gradient is taken at constant ẋ, and Ġ is the derivative of G along ẋ. Positions and
//! velocities are in voxels. Therefore G is Aᵀ D⁻¹ A, where D is the tensor and A is the linear part of the
//! image's transform from voxels to mm.

use super::field::{Frame, MARGIN, Nodes, Row, THESIS_ROWS};
use super::options::Field;
use arcuate_core::Point;
use arcuate_numbers::eigensystem;
use arcuate_numbers::{
    Lanes, Operations, Real, Symmetric, Vector, adjugate, dot, products, times, transformed, weighted,
};
use pulp::{Simd, WithSimd};

/// Positions of rays, in voxels: for each axis, a whole number (the voxel centre below the position) and a
/// remainder from 0 to 1. A single number in single precision would have only four decimal places.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place<T, const W: usize> {
    pub(super) whole: Vector<T, W>,
    pub(super) rest: Vector<T, W>,
}

impl<T: Real, const W: usize> Place<T, W> {
    /// Returns the position after a displacement.
    #[inline(always)]
    pub(super) fn moved(&self, by: Vector<T, W>) -> Self {
        let mut result = *self;
        for axis in 0..3 {
            let rest = self.rest[axis] + by[axis];
            let steps = rest.whole();
            result.whole[axis] = self.whole[axis] + steps;
            result.rest[axis] = rest - steps;
        }
        result
    }
}

/// Acceleration and energy of geodesic rays at their positions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Evaluated<T, const W: usize> {
    /// Acceleration ẍ of each ray, in voxels.
    pub(super) acceleration: Vector<T, W>,
    /// Energy ẋᵀ G ẋ of each ray.
    pub(super) energy: Lanes<T, W>,
}

/// The nodes of the metric field and the geometry of the image, in single or double precision as the rays.
#[derive(Debug)]
pub(super) struct Metrics<'a, T> {
    pub(super) nodes: &'a Nodes<T>,
    shape: [usize; 3],
    strides: [usize; 3],
    to_mm: [[T; 3]; 3],
    origin: [T; 3],
    to_voxels: [[T; 3]; 3],
    /// Transpose of the matrix `to_voxels`.
    to_covectors: [[T; 3]; 3],
    pub(super) euclidean: [T; 6],
}

impl<'a, T: Real> Metrics<'a, T> {
    pub(super) fn new(nodes: &'a Nodes<T>, frame: &Frame) -> Self {
        let numbers = |m: [[f64; 3]; 3]| m.map(|row| row.map(T::of));
        let m = frame.to_voxels;
        let transposed =
            [[m[0][0], m[1][0], m[2][0]], [m[0][1], m[1][1], m[2][1]], [m[0][2], m[1][2], m[2][2]]];
        Self {
            nodes,
            shape: frame.shape,
            strides: [1, frame.padded[0], frame.padded[0] * frame.padded[1]],
            to_mm: numbers(frame.to_mm),
            origin: frame.origin.map(T::of),
            to_voxels: numbers(frame.to_voxels),
            to_covectors: numbers(transposed),
            euclidean: frame.euclidean().map(T::of),
        }
    }

    /// Returns the squared length ‖v‖², in mm², of a displacement v in voxels.
    #[inline(always)]
    pub(super) fn square<const W: usize>(&self, v: Vector<T, W>) -> Lanes<T, W> {
        let mut s = [v[0]; 6];
        for n in 0..6 {
            s[n] = Lanes([self.euclidean[n]; W]);
        }
        weighted(&products(v), &s)
    }

    /// Returns the inner product, in mm², of two displacements in voxels.
    #[inline(always)]
    pub(super) fn inner<const W: usize>(&self, a: Vector<T, W>, b: Vector<T, W>) -> Lanes<T, W> {
        let mut s = [a[0]; 6];
        for n in 0..6 {
            s[n] = Lanes([self.euclidean[n]; W]);
        }
        dot(a, times(&s, b))
    }

    /// Returns positions in voxels converted to RAS mm.
    #[inline(always)]
    pub(super) fn points<const W: usize>(&self, place: &Place<T, W>) -> Vector<T, W> {
        let mut at = place.whole;
        for axis in 0..3 {
            at[axis] = place.whole[axis] + place.rest[axis];
        }
        let mut points = at;
        for axis in 0..3 {
            let [x, y, z] = self.to_mm[axis].map(|element| Lanes([element; W]));
            points[axis] = z.fma(at[2], y.fma(at[1], x.fma(at[0], Lanes([self.origin[axis]; W]))));
        }
        points
    }

    /// Returns a point in voxels converted to RAS mm.
    #[inline(always)]
    pub(super) fn point(&self, at: [T; 3]) -> Point {
        let mut point = [0.0; 3];
        for axis in 0..3 {
            let row = &self.to_mm[axis];
            let sum = row[2].fma(at[2], row[1].fma(at[1], row[0].fma(at[0], self.origin[axis])));
            point[axis] = sum.double() as f32;
        }
        point
    }

    /// Returns the index of the node with the lowest coordinates in the interpolation cell of lane `n`. If
    /// the position is outside all cells, the nearest cell is used.
    #[inline(always)]
    fn corner<const W: usize>(&self, whole: &Vector<T, W>, n: usize) -> usize {
        let mut node = 0;
        for axis in 0..3 {
            // A position that is NaN becomes 0.
            let cell = (whole[axis].0[n].double() as isize).clamp(-1, self.shape[axis] as isize - 1);
            node += (cell + MARGIN as isize) as usize * self.strides[axis];
        }
        node
    }
}

/// Polynomial of the trilinear metric in the interpolation cell of each lane (ray). Each element of the
/// metric has coefficients for 1, x, y, z, xy, xz, yz and xyz.
#[repr(align(64))]
pub(super) struct Cells<T, const W: usize> {
    whole: Vector<T, W>,
    powers: [[Lanes<T, W>; 8]; 6],
}

impl<T: Real, const W: usize> Cells<T, W> {
    pub(super) fn new() -> Self {
        // No cell is loaded yet. The stored position is NaN, which differs from every position.
        let none = Lanes([T::of(f64::NAN); W]);
        Self { whole: [none; 3], powers: [[none; 8]; 6] }
    }

    /// Loads the interpolation cells that contain the positions of the rays.
    #[inline(always)]
    fn enter(&mut self, metrics: &Metrics<T>, whole: &Vector<T, W>) {
        let mut other = [false; W];
        let mut any = false;
        for n in 0..W {
            other[n] = self.whole[0].0[n] != whole[0].0[n]
                || self.whole[1].0[n] != whole[1].0[n]
                || self.whole[2].0[n] != whole[2].0[n];
            any |= other[n];
        }
        if !any {
            return;
        }
        for n in 0..W {
            if other[n] {
                self.read(metrics, metrics.corner(whole, n), n);
            }
        }
        self.whole = *whole;
    }

    #[inline(always)]
    fn read(&mut self, metrics: &Metrics<T>, node: usize, n: usize) {
        let [dx, dy, dz] = metrics.strides;
        let rows = &metrics.nodes.rows;
        let (a, b, c, d) = (&rows[node], &rows[node + dx], &rows[node + dy], &rows[node + dx + dy]);
        let (e, f, g, h) =
            (&rows[node + dz], &rows[node + dx + dz], &rows[node + dy + dz], &rows[node + dx + dy + dz]);
        for element in 0..6 {
            let (a, b, c, d) = (a[element], b[element], c[element], d[element]);
            let (e, f, g, h) = (e[element], f[element], g[element], h[element]);
            let (x, y) = (b - a, c - a);
            let xy = (d - c) - x;
            let above = f - e;
            let powers = &mut self.powers[element];
            powers[0].0[n] = a;
            powers[1].0[n] = x;
            powers[2].0[n] = y;
            powers[3].0[n] = e - a;
            powers[4].0[n] = xy;
            powers[5].0[n] = above - x;
            powers[6].0[n] = (g - e) - y;
            powers[7].0[n] = ((h - g) - above) - xy;
        }
    }
}

/// Returns the acceleration ẍ, computed from the metric G, the derivative of G along ẋ, and the gradient of
/// ẋᵀGẋ.
#[inline(always)]
fn acceleration<T: Real, const W: usize>(
    metric: &Symmetric<T, W>,
    along: &Symmetric<T, W>,
    gradient: Vector<T, W>,
    v: Vector<T, W>,
) -> Vector<T, W> {
    let half = Lanes::all(-0.5);
    let mut force = times(along, v);
    for axis in 0..3 {
        force[axis] = half.fma(gradient[axis], force[axis]);
    }
    let (inverse, determinant) = adjugate(metric);
    let scale = Lanes::all(-1.0) / determinant;
    let mut result = times(&inverse, force);
    for axis in 0..3 {
        result[axis] = result[axis] * scale;
    }
    result
}

/// Arguments of [`Metrics::evaluate`].
struct Evaluation<'e, 'm, T, const W: usize> {
    metrics: &'e Metrics<'m, T>,
    cells: &'e mut Cells<T, W>,
    place: &'e Place<T, W>,
    v: Vector<T, W>,
}

impl<T: Real, const W: usize> WithSimd for Evaluation<'_, '_, T, W> {
    type Output = Evaluated<T, W>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Evaluated<T, W> {
        let Self { metrics, cells, place, v } = self;
        match metrics.nodes.field {
            Field::Trilinear => metrics.trilinear(cells, place, v),
            Field::Spline => metrics.spline(place, v),
            Field::Thesis => metrics.thesis(place, v),
        }
    }
}

/// Arguments of [`Metrics::plain_energy`], which returns the energy in the metric with which connectivity is
/// measured.
struct PlainEnergy<'e, 'm, T, const W: usize> {
    metrics: &'e Metrics<'m, T>,
    rows: &'e [Row<T>],
    place: &'e Place<T, W>,
    v: Vector<T, W>,
}

impl<T: Real, const W: usize> WithSimd for PlainEnergy<'_, '_, T, W> {
    type Output = Lanes<T, W>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Lanes<T, W> {
        self.metrics.plain_energy_of(self.rows, self.place, self.v)
    }
}

impl<T: Real> Metrics<'_, T> {
    /// Returns the acceleration and the energy of rays at their positions. The function is compiled
    /// separately for each set of SIMD instructions. It is not inlined: a step calls it several times, and
    /// inlining all calls would take minutes to compile.
    #[inline(always)]
    pub(super) fn evaluate<S: Simd, const W: usize>(
        &self,
        simd: S,
        cells: &mut Cells<T, W>,
        place: &Place<T, W>,
        v: Vector<T, W>,
    ) -> Evaluated<T, W> {
        simd.vectorize(Evaluation { metrics: self, cells, place, v })
    }

    #[inline(always)]
    fn trilinear<const W: usize>(
        &self,
        cells: &mut Cells<T, W>,
        place: &Place<T, W>,
        v: Vector<T, W>,
    ) -> Evaluated<T, W> {
        cells.enter(self, &place.whole);
        let [x, y, z] = place.rest;
        let weights = products(v);
        let mut metric = weights;
        let mut along = weights;
        let mut gradient = v;
        let mut energy = v[0];
        for n in 0..6 {
            let c = &cells.powers[n];
            let xy = c[7].fma(z, c[4]);
            let from_y = c[6].fma(z, c[2]);
            let from_x = c[5].fma(z, c[1]);
            let dx = xy.fma(y, from_x);
            let dy = xy.fma(x, from_y);
            let dz = c[7].fma(y, c[5]).fma(x, c[6].fma(y, c[3]));
            let g = dx.fma(x, from_y.fma(y, c[3].fma(z, c[0])));
            metric[n] = g;
            along[n] = dz.fma(v[2], dy.fma(v[1], dx * v[0]));
            let w = weights[n];
            if n == 0 {
                gradient = [w * dx, w * dy, w * dz];
                energy = w * g;
            } else {
                gradient = [w.fma(dx, gradient[0]), w.fma(dy, gradient[1]), w.fma(dz, gradient[2])];
                energy = w.fma(g, energy);
            }
        }
        Evaluated { acceleration: acceleration(&metric, &along, gradient, v), energy }
    }

    #[inline(always)]
    fn thesis<const W: usize>(&self, place: &Place<T, W>, v: Vector<T, W>) -> Evaluated<T, W> {
        let mut values = [v[0]; 24];
        for n in 0..W {
            let weights = corner_weights(lane(&place.rest, n));
            let node = self.corner(&place.whole, n);
            let mut sum = [T::of(0.0); 24];
            for corner in 0..8 {
                let at = (node + self.corner_offset(corner)) * THESIS_ROWS;
                for k in 0..24 {
                    sum[k] = weights[corner].fma(self.nodes.rows[at + k / 8][k % 8], sum[k]);
                }
            }
            for k in 0..24 {
                values[k].0[n] = sum[k];
            }
        }
        let weights = products(v);
        let mut tensor = weights;
        let mut slopes = [weights; 3];
        for n in 0..6 {
            tensor[n] = values[n];
            for axis in 0..3 {
                slopes[axis][n] = values[6 * (axis + 1) + n];
            }
        }
        let mut force = v;
        let mut along = weights;
        for n in 0..6 {
            along[n] = slopes[2][n].fma(v[2], slopes[1][n].fma(v[1], slopes[0][n] * v[0]));
        }
        let turned = times(&along, v);
        for axis in 0..3 {
            force[axis] = Lanes::all(0.5).fma(weighted(&weights, &slopes[axis]), -turned[axis]);
        }
        let (inverse, determinant) = adjugate(&tensor);
        Evaluated { acceleration: times(&tensor, force), energy: weighted(&weights, &inverse) / determinant }
    }

    #[inline(always)]
    fn corner_offset(&self, corner: usize) -> usize {
        (corner & 1) * self.strides[0] + (corner >> 1 & 1) * self.strides[1] + (corner >> 2) * self.strides[2]
    }

    #[inline(always)]
    fn spline<const W: usize>(&self, place: &Place<T, W>, v: Vector<T, W>) -> Evaluated<T, W> {
        let zero = Lanes::all(0.0);
        let mut logarithm = [zero; 6];
        let mut slopes = [[zero; 6]; 3];
        for n in 0..W {
            let found = self.interpolate::<true>(
                &self.nodes.rows,
                self.corner(&place.whole, n),
                lane(&place.rest, n),
            );
            for k in 0..6 {
                logarithm[k].0[n] = found[0][k];
                slopes[0][k].0[n] = found[1][k];
                slopes[1][k].0[n] = found[2][k];
                slopes[2][k].0[n] = found[3][k];
            }
        }
        self.exponential(&logarithm, &slopes, v)
    }

    /// Returns the spline values of all matrix elements at a point of an interpolation cell, and their slopes
    /// in x, y and z if `SLOPES` is true.
    #[inline(always)]
    fn interpolate<const SLOPES: bool>(&self, rows: &[Row<T>], corner: usize, rest: [T; 3]) -> [Row<T>; 4] {
        let zero = [T::of(0.0); 8];
        let [(wx, dx), (wy, dy), (wz, dz)] =
            [spline_weights(rest[0]), spline_weights(rest[1]), spline_weights(rest[2])];
        let first = corner - self.strides[0] - self.strides[1] - self.strides[2];
        let mut result = [zero; 4];
        for z in 0..4 {
            let mut plane = [zero; 3];
            for y in 0..4 {
                let begin = first + y * self.strides[1] + z * self.strides[2];
                let line = &rows[begin..begin + 4];
                for k in 0..8 {
                    let value = wx[3]
                        .fma(line[3][k], wx[2].fma(line[2][k], wx[1].fma(line[1][k], wx[0] * line[0][k])));
                    plane[0][k] = wy[y].fma(value, plane[0][k]);
                    if SLOPES {
                        let slope = dx[3].fma(
                            line[3][k],
                            dx[2].fma(line[2][k], dx[1].fma(line[1][k], dx[0] * line[0][k])),
                        );
                        plane[1][k] = wy[y].fma(slope, plane[1][k]);
                        plane[2][k] = dy[y].fma(value, plane[2][k]);
                    }
                }
            }
            for k in 0..8 {
                result[0][k] = wz[z].fma(plane[0][k], result[0][k]);
                if SLOPES {
                    result[1][k] = wz[z].fma(plane[1][k], result[1][k]);
                    result[2][k] = wz[z].fma(plane[2][k], result[2][k]);
                    result[3][k] = dz[z].fma(plane[0][k], result[3][k]);
                }
            }
        }
        result
    }

    /// Returns acceleration and energy of rays for the metric G = exp(−L), from L and its slopes. Let q and λ
    /// be the eigenvectors and eigenvalues of L, and h = exp(−λ/2). Then the derivative of G along E is `−Σ
    /// ψᵢⱼ (qᵢᵀ E qⱼ) qᵢ qⱼᵀ` with `ψᵢⱼ = (hᵢ² − hⱼ²) / (λⱼ − λᵢ)` (Daleckii and Krein 1965).
    #[inline(always)]
    fn exponential<const W: usize>(
        &self,
        logarithm: &Symmetric<T, W>,
        slopes: &[Symmetric<T, W>; 3],
        v: Vector<T, W>,
    ) -> Evaluated<T, W> {
        let velocity = transformed(&self.to_mm, v);
        let mut along = *logarithm;
        for n in 0..6 {
            along[n] = slopes[2][n].fma(v[2], slopes[1][n].fma(v[1], slopes[0][n] * v[0]));
        }
        let (values, q) = eigensystem(logarithm);
        let minus_half = Lanes::all(-0.5);
        let h = [
            (values[0] * minus_half).exponential(),
            (values[1] * minus_half).exponential(),
            (values[2] * minus_half).exponential(),
        ];
        let w = [dot(q[0], velocity), dot(q[1], velocity), dot(q[2], velocity)];
        let turned = [times(&along, q[0]), times(&along, q[1]), times(&along, q[2])];
        let squares = [h[0] * h[0], h[1] * h[1], h[2] * h[2]];
        let psi = [
            squares[0],
            squares[1],
            squares[2],
            divided_difference(values[0], values[1], h[0], h[1]),
            divided_difference(values[0], values[2], h[0], h[2]),
            divided_difference(values[1], values[2], h[1], h[2]),
        ];
        // The matrix ψ ∘ wwᵀ, and its rows times the eigenvectors.
        let k = [
            psi[0] * w[0] * w[0],
            psi[1] * w[1] * w[1],
            psi[2] * w[2] * w[2],
            psi[3] * w[0] * w[1],
            psi[4] * w[0] * w[2],
            psi[5] * w[1] * w[2],
        ];
        let mut rows = q;
        for axis in 0..3 {
            let column = [q[0][axis], q[1][axis], q[2][axis]];
            let turned = times(&k, column);
            for n in 0..3 {
                rows[n][axis] = turned[n];
            }
        }
        let mut kernel = k;
        for (n, (a, b)) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].into_iter().enumerate() {
            let element = dot([q[0][a], q[1][a], q[2][a]], [rows[0][b], rows[1][b], rows[2][b]]);
            kernel[n] = if n < 3 { element } else { element + element };
        }
        let half = Lanes::all(0.5);
        let gradient = [
            half * weighted(&kernel, &slopes[0]),
            half * weighted(&kernel, &slopes[1]),
            half * weighted(&kernel, &slopes[2]),
        ];
        let gradient = transformed(&self.to_covectors, gradient);
        // The rows of the matrix ψ ∘ (qᵢᵀ L̇ qⱼ).
        let s = [
            psi[0] * dot(q[0], turned[0]),
            psi[1] * dot(q[1], turned[1]),
            psi[2] * dot(q[2], turned[2]),
            psi[3] * dot(q[0], turned[1]),
            psi[4] * dot(q[0], turned[2]),
            psi[5] * dot(q[1], turned[2]),
        ];
        let change = times(&s, w);
        let mut result = [Lanes::all(0.0); 3];
        for n in 0..3 {
            let push = (change[n] - dot(q[n], gradient)) / squares[n];
            for axis in 0..3 {
                result[axis] = push.fma(q[n][axis], result[axis]);
            }
        }
        let energy = (squares[2] * w[2]).fma(w[2], (squares[1] * w[1]).fma(w[1], squares[0] * w[0] * w[0]));
        Evaluated { acceleration: transformed(&self.to_voxels, result), energy }
    }

    /// Returns ẋᵀ G₀ ẋ, where G₀ is the metric with which connectivity is measured. Returns `None` if this
    /// metric is that of the rays.
    #[inline(always)]
    pub(super) fn plain_energy<S: Simd, const W: usize>(
        &self,
        simd: S,
        rows: &[Row<T>],
        place: &Place<T, W>,
        v: Vector<T, W>,
    ) -> Lanes<T, W> {
        simd.vectorize(PlainEnergy { metrics: self, rows, place, v })
    }

    #[inline(always)]
    fn plain_energy_of<const W: usize>(
        &self,
        rows: &[Row<T>],
        place: &Place<T, W>,
        v: Vector<T, W>,
    ) -> Lanes<T, W> {
        let mut values = [v[0]; 6];
        for n in 0..W {
            let node = self.corner(&place.whole, n);
            let rest = lane(&place.rest, n);
            let found = if self.nodes.field == Field::Spline {
                self.interpolate::<false>(rows, node, rest)[0]
            } else {
                let weights = corner_weights(rest);
                let mut sum = [T::of(0.0); 8];
                for corner in 0..8 {
                    for k in 0..8 {
                        sum[k] = weights[corner].fma(rows[node + self.corner_offset(corner)][k], sum[k]);
                    }
                }
                sum
            };
            for k in 0..6 {
                values[k].0[n] = found[k];
            }
        }
        if self.nodes.field != Field::Spline {
            return weighted(&products(v), &values);
        }
        let velocity = transformed(&self.to_mm, v);
        let (eigenvalues, q) = eigensystem(&values);
        let mut energy = Lanes::all(0.0);
        for n in 0..3 {
            let w = (eigenvalues[n] * Lanes::all(-0.5)).exponential() * dot(q[n], velocity);
            energy = w.fma(w, energy);
        }
        energy
    }
}

/// Returns (a² − b²) / (μ − λ) with a = exp(−λ/2) and b = exp(−μ/2). If λ and μ are close, the result is
/// computed as a b sinh(z) / z with z = (λ − μ) / 2.
#[inline(always)]
fn divided_difference<T: Real, const W: usize>(
    lambda: Lanes<T, W>,
    mu: Lanes<T, W>,
    a: Lanes<T, W>,
    b: Lanes<T, W>,
) -> Lanes<T, W> {
    let one = Lanes::all(1.0);
    let difference = mu - lambda;
    let square = difference * difference * Lanes::all(0.25);
    let mut series = one;
    for n in (1..=T::SINE_TERMS).rev() {
        series = (square * Lanes::all(1.0 / (2 * n * (2 * n + 1)) as f64)).fma(series, one);
    }
    let far = difference.size().if_above(one, difference, one);
    difference.size().if_above(one, (a * a - b * b) / far, a * b * series)
}

/// Returns one lane of a vector.
#[inline(always)]
fn lane<T: Real, const W: usize>(v: &Vector<T, W>, n: usize) -> [T; 3] {
    [v[0].0[n], v[1].0[n], v[2].0[n]]
}

/// Returns the trilinear weights of the eight corners of a cell. The index of a corner along x varies
/// fastest.
#[inline(always)]
fn corner_weights<T: Real>([x, y, z]: [T; 3]) -> [T; 8] {
    let one = T::of(1.0);
    let (x0, y0, z0) = (one - x, one - y, one - z);
    let low = [x0 * y0, x * y0, x0 * y, x * y];
    [low[0] * z0, low[1] * z0, low[2] * z0, low[3] * z0, low[0] * z, low[1] * z, low[2] * z, low[3] * z]
}

/// Returns the weights of the four surrounding nodes along an axis, for the value of a cubic B-spline and for
/// its slope.
#[inline(always)]
fn spline_weights<T: Real>(t: T) -> ([T; 4], [T; 4]) {
    let s = T::of(1.0) - t;
    let (sixth, half, two_thirds) = (T::of(1.0 / 6.0), T::of(0.5), T::of(2.0 / 3.0));
    let (s2, t2) = (s * s, t * t);
    let near = t2.fma(t.fma(half, T::of(-1.0)), two_thirds);
    let far = s2.fma(s.fma(half, T::of(-1.0)), two_thirds);
    let near_slope = t * t.fma(T::of(1.5), T::of(-2.0));
    let far_slope = s * s.fma(T::of(1.5), T::of(-2.0));
    ([s2 * s * sixth, near, far, t2 * t * sixth], [-(half * s2), near_slope, -far_slope, half * t2])
}
