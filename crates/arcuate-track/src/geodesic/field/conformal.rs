//! The conformal factor that makes integral curves of the principal eigenvectors geodesics as nearly as can be (Hao,
//! Whitaker and Fletcher 2011, doi:10.1007/978-3-642-22092-0_2).
//!
//! With g = D⁻¹ and V = √λ₁ e₁, so that g(V, V) = 1, the connection of e^α g is ∇̃_X Y = ∇_X Y + ½ (dα(X) Y + dα(Y) X −
//! g(X, Y) grad α). So ∇̃_V V = ∇_V V + dα(V) V − ½ grad α, and integral curves of V are geodesics but for their speed where
//! this has no part across V. As ∇_V V itself lies across V, grad α = 2 ∇_V V is enough; that α does not change along the
//! curves is more than needed, and keeps it from changing there at will. No α may do all of it everywhere: the one with
//! the least ∫ g(grad α − 2 ∇_V V, grad α − 2 ∇_V V) dμ, dμ = √det g dx, solves
//!
//! ∫ g(grad α − 2 ∇_V V, grad φ) dμ = 0 for all φ, or Δα = 2 div ∇_V V, at the border g(grad α − 2 ∇_V V, n) = 0.
//!
//! No derivative of the metric is needed: with the covector v = g V = e₁ / √λ₁ and dv its curl, g ∇_V V = dv(V, ·), as
//! v(V) = 1. All of it keeps its form in voxel coordinates, where D is A⁻¹ D A⁻ᵀ, V is A⁻¹ V and v is Aᵀ v.
//!
//! Elements are the cells between eight voxels of the mask: α is trilinear there, and products of its derivatives are
//! integrated exactly, which leaves no free mode but the constant; D √det g is the mean of the corners, ∇_V V is taken at
//! the middle. So the error of α is of second order in the size of voxels.

use super::elements::ELEMENTS;
use arcuate_core::{DiffusionTensor, Error, Grid, Result, narrow};
use rayon::prelude::*;
use std::array::from_fn;

/// Conjugate gradients end where the residual, in the norm of the preconditioner, has this size to its first one.
const TOLERANCE: f64 = 1e-8;
/// Or after so many steps, with a warning.
const STEPS: usize = 2000;
/// Unknowns in a part of the work of a step: sums are of parts, in order, however many threads there are.
const PIECE: usize = if cfg!(test) { 64 } else { 2048 };
/// No cell.
const NONE: u32 = u32::MAX;

/// α of each voxel. In each part of the mask that hangs together through cells of 2 × 2 × 2 voxels its mean is 0, and so
/// it is for every voxel outside and in no such cell.
///
/// `tensors` have the elements D11 D22 D33 D12 D13 D23 in scanner axes, in any unit, x fastest. Fails where those in the
/// mask are not positive definite.
pub(super) fn conformal_factor(tensors: &[[f64; 6]], grid: &Grid, mask: &[bool]) -> Result<Vec<f64>> {
    let system = System::new(tensors, grid, mask);
    if system.voxels.is_empty() {
        tracing::warn!(
            "no 2 × 2 × 2 voxels lie in the mask together: the conformal metric is the inverse one"
        );
    }
    let mut alpha = vec![0.0; grid.len()];
    for (&voxel, value) in system.voxels.iter().zip(system.solve()?) {
        alpha[voxel] = value;
    }
    system.centre(&mut alpha);
    Ok(alpha)
}

/// The part of a cell in the equations, in voxel coordinates.
struct Cell {
    /// D √det g, but for the volume of a voxel, which is the same everywhere.
    weight: [f64; 6],
    /// The same times 2 g ∇_V V.
    flux: [f64; 3],
}

impl Cell {
    fn new(corners: [&[f64; 6]; 8], grid: &Grid) -> Self {
        let eigen = corners.map(|&tensor| DiffusionTensor(tensor).eigensystem());
        // Eigenvectors have no sign: they get that of the direction closest to all of them.
        let mut sum = [0.0; 6];
        for e in eigen.map(|eigen| eigen.vectors[0]) {
            for (n, (a, b)) in ELEMENTS.into_iter().enumerate() {
                sum[n] += e[a] * e[b];
            }
        }
        let common = DiffusionTensor(sum).eigensystem().vectors[0];

        let (affine, inverse) = (grid.affine().rows(), grid.inverse().rows());
        let mut cell = Self { weight: [0.0; 6], flux: [0.0; 3] };
        let mut direction = [0.0; 3];
        // ∂_a v_b.
        let mut slopes = [[0.0; 3]; 3];
        for (corner, eigen) in eigen.into_iter().enumerate() {
            let e = eigen.vectors[0];
            let along = e[0] * common[0] + e[1] * common[1] + e[2] * common[2];
            let length = eigen.values[0].sqrt().copysign(along);
            let volume: f64 = eigen.values.iter().map(|value| value.sqrt()).product();
            let tensor = DiffusionTensor(*corners[corner]);
            for (n, (a, b)) in ELEMENTS.into_iter().enumerate() {
                let [row, column] = [a, b].map(|n| [inverse[n][0], inverse[n][1], inverse[n][2]]);
                let image = tensor.times(column);
                cell.weight[n] += (0..3).map(|m| row[m] * image[m]).sum::<f64>() / (8.0 * volume);
            }
            for b in 0..3 {
                direction[b] += (0..3).map(|m| inverse[b][m] * e[m]).sum::<f64>() * length / 8.0;
                let covector = (0..3).map(|m| affine[m][b] * e[m]).sum::<f64>() / length;
                for a in 0..3 {
                    slopes[a][b] += sign(corner, a) * covector / 4.0;
                }
            }
        }
        let curvature: [f64; 3] =
            from_fn(|b| 2.0 * (0..3).map(|a| direction[a] * (slopes[a][b] - slopes[b][a])).sum::<f64>());
        cell.flux = DiffusionTensor(cell.weight).times(curvature);
        cell
    }
}

/// Which end of an axis a corner of a cell lies at: −1 or 1. Bits of its number are x, y and z.
fn sign(corner: usize, axis: usize) -> f64 {
    if corner >> axis & 1 == 1 { 1.0 } else { -1.0 }
}

/// What multiplies the elements of the weight in ∫ dφᵀ W dψ over a cell, where φ and ψ are the trilinear functions that are
/// 1 at one corner and 0 at the others.
fn products(i: usize, j: usize) -> [f64; 6] {
    // ∫ φψ, ∫ φ′ψ′ and ∫ φ′ψ = φ's sign / 2, along an axis.
    let mass = |axis| if sign(i, axis) == sign(j, axis) { 1.0 / 3.0 } else { 1.0 / 6.0 };
    ELEMENTS.map(|(a, b)| {
        if a == b {
            return sign(i, a) * sign(j, a) * mass((a + 1) % 3) * mass((a + 2) % 3);
        }
        (sign(i, a) * sign(j, b) + sign(i, b) * sign(j, a)) * mass(3 - a - b) / 4.0
    })
}

/// The equations of the voxels that have a cell.
struct System {
    /// Their indices in the image, in ascending order.
    voxels: Vec<usize>,
    /// The coefficients of their 3 × 3 × 3 neighbours, x fastest; 0 of those with which they share no cell.
    rows: Vec<[f64; 27]>,
    right: Vec<f64>,
    /// From one voxel to the next along each axis.
    strides: [usize; 3],
    /// Voxels of the image.
    len: usize,
}

impl System {
    fn new(tensors: &[[f64; 6]], grid: &Grid, mask: &[bool]) -> Self {
        let shape = grid.shape();
        let strides = [1, shape[0], shape[0] * shape[1]];
        let offsets: [usize; 8] =
            from_fn(|corner| (0..3).map(|axis| (corner >> axis & 1) * strides[axis]).sum());
        // Cells have the index of their first corner.
        let whole = |&first: &usize| {
            let voxel = grid.coordinates(first);
            mask[first]
                && (0..3).all(|axis| voxel[axis] + 1 < shape[axis])
                && offsets.iter().all(|offset| mask[first + offset])
        };
        let firsts: Vec<usize> = (0..grid.len()).into_par_iter().filter(whole).collect();
        let mut numbers = vec![NONE; grid.len()];
        for (number, &first) in firsts.iter().enumerate() {
            numbers[first] = narrow::<u32>(number);
        }
        let cells: Vec<Cell> = firsts
            .par_iter()
            .map(|first| Cell::new(offsets.map(|offset| &tensors[first + offset]), grid))
            .collect();
        // The cell of which a voxel is a given corner. Where that would begin on the line before, there is none.
        let cell = |voxel: usize, corner: usize| {
            let number = numbers[voxel.checked_sub(offsets[corner])?];
            (number != NONE).then(|| &cells[number as usize])
        };

        let voxels: Vec<usize> = (0..grid.len())
            .into_par_iter()
            .filter(|&voxel| mask[voxel] && (0..8).any(|corner| cell(voxel, corner).is_some()))
            .collect();
        let products: [[[f64; 6]; 8]; 8] = from_fn(|i| from_fn(|j| products(i, j)));
        let (rows, right) = voxels
            .par_iter()
            .map(|&voxel| {
                let (mut row, mut right) = ([0.0; 27], 0.0);
                for i in 0..8 {
                    let Some(cell) = cell(voxel, i) else { continue };
                    for j in 0..8 {
                        let step = |axis: usize| (j >> axis & 1) + 1 - (i >> axis & 1);
                        row[step(0) + 3 * step(1) + 9 * step(2)] +=
                            (0..6).map(|n| products[i][j][n] * cell.weight[n]).sum::<f64>();
                    }
                    right += (0..3).map(|axis| sign(i, axis) * cell.flux[axis]).sum::<f64>() / 4.0;
                }
                (row, right)
            })
            .unzip();
        Self { voxels, rows, right, strides, len: grid.len() }
    }

    /// Conjugate gradients with the diagonal as preconditioner. Constants, which the matrix takes to 0, do no harm, as the
    /// right-hand side has no part of them.
    fn solve(&self) -> Result<Vec<f64>> {
        let count = self.voxels.len();
        let margin = self.margin();
        let mut solution = vec![0.0; count];
        let mut residual = self.right.clone();
        let mut image = vec![0.0; count];
        // The direction has a place for every voxel and each of its neighbours, also beyond the image.
        let mut direction = vec![0.0; self.len + 2 * margin];
        let first = self.norm(&residual);
        let (mut norm, mut turn) = (first, 0.0);
        for _ in 0..STEPS {
            if norm <= TOLERANCE * TOLERANCE * first {
                return Ok(solution);
            }
            let pieces = self.pieces(&mut direction[margin..]).into_par_iter();
            let from =
                (self.voxels.par_chunks(PIECE), self.rows.par_chunks(PIECE), residual.par_chunks(PIECE));
            (pieces, from).into_par_iter().for_each(|((start, piece), (voxels, rows, residual))| {
                for ((voxel, row), residual) in voxels.iter().zip(rows).zip(residual) {
                    let place = &mut piece[voxel - start];
                    *place = residual / row[13] + turn * *place;
                }
            });
            let to =
                (self.voxels.par_chunks(PIECE), self.rows.par_chunks(PIECE), image.par_chunks_mut(PIECE));
            let curvature = in_order(to.into_par_iter().map(|(voxels, rows, image)| {
                let mut sum = 0.0;
                for ((&voxel, row), image) in voxels.iter().zip(rows).zip(image) {
                    *image = self.times(row, &direction, voxel);
                    sum += *image * direction[voxel + margin];
                }
                sum
            }));
            let step = norm / curvature;
            let to = (solution.par_chunks_mut(PIECE), residual.par_chunks_mut(PIECE));
            (self.voxels.par_chunks(PIECE), image.par_chunks(PIECE), to).into_par_iter().for_each(
                |(voxels, image, (solution, residual))| {
                    for n in 0..voxels.len() {
                        solution[n] += step * direction[voxels[n] + margin];
                        residual[n] -= step * image[n];
                    }
                },
            );
            let before = norm;
            norm = self.norm(&residual);
            turn = norm / before;
            if !norm.is_finite() {
                return Err(Error::invalid(
                    "tensors",
                    "those in the mask are not all positive definite",
                    "repair them or leave them out of the mask",
                ));
            }
        }
        tracing::warn!(
            "the equations of the conformal factor are solved to {:.1e} only, after {STEPS} steps",
            (norm / first).sqrt()
        );
        Ok(solution)
    }

    /// The scalar product of a vector with itself, preconditioned.
    fn norm(&self, vector: &[f64]) -> f64 {
        let pieces = vector.par_chunks(PIECE).zip(self.rows.par_chunks(PIECE));
        in_order(pieces.map(|(vector, rows)| vector.iter().zip(rows).map(|(v, row)| v * v / row[13]).sum()))
    }

    /// How far the index of a neighbour may be from that of a voxel.
    fn margin(&self) -> usize {
        self.strides.iter().sum()
    }

    /// A row times what belongs to its voxel and neighbours.
    fn times(&self, row: &[f64; 27], vector: &[f64], voxel: usize) -> f64 {
        let [_, line, slice] = self.strides;
        let mut sums = [0.0; 3];
        for (n, row) in row.chunks_exact(3).enumerate() {
            // The margin is a step back along each axis.
            let start = voxel + n % 3 * line + n / 3 * slice;
            for (x, value) in vector[start..start + 3].iter().enumerate() {
                sums[x] += row[x] * value;
            }
        }
        sums[0] + sums[1] + sums[2]
    }

    /// An image cut at the first voxels of pieces, each with the index where it starts.
    fn pieces<'a>(&self, mut image: &'a mut [f64]) -> Vec<(usize, &'a mut [f64])> {
        let mut start = 0;
        let mut pieces = Vec::with_capacity(self.voxels.len().div_ceil(PIECE));
        for piece in self.voxels.chunks(PIECE) {
            let end = piece[piece.len() - 1] + 1;
            let (head, tail) = image.split_at_mut(end - start);
            pieces.push((start, head));
            (image, start) = (tail, end);
        }
        pieces
    }

    /// Takes from every part that hangs together its mean.
    fn centre(&self, alpha: &mut [f64]) {
        let [_, line, slice] = self.strides;
        let mut seen = vec![false; self.voxels.len()];
        let mut part = Vec::new();
        for start in 0..self.voxels.len() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            part.clear();
            part.push(start);
            let mut next = 0;
            while let Some(&number) = part.get(next) {
                next += 1;
                for (n, _) in self.rows[number].iter().enumerate().filter(|(_, value)| **value != 0.0) {
                    let neighbour =
                        self.voxels[number] + n % 3 + n / 3 % 3 * line + n / 9 * slice - self.margin();
                    if let Ok(neighbour) = self.voxels.binary_search(&neighbour)
                        && !std::mem::replace(&mut seen[neighbour], true)
                    {
                        part.push(neighbour);
                    }
                }
            }
            let mean = part.iter().map(|&n| alpha[self.voxels[n]]).sum::<f64>() / part.len() as f64;
            for &n in &part {
                alpha[self.voxels[n]] -= mean;
            }
        }
    }
}

/// The sum of the terms in their order, however many threads make them.
fn in_order(terms: impl IndexedParallelIterator<Item = f64>) -> f64 {
    terms.collect::<Vec<_>>().into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    /// Tensors with λ₁ along circles about the z axis, but turned by an angle towards it, λ₂ across, λ₃ along z.
    struct Spirals {
        degrees: f64,
        values: fn(f64, f64) -> [f64; 3],
    }

    /// The voxels of a ring about the z axis, and α there without its mean.
    struct Ring {
        grid: Grid,
        tensors: Vec<[f64; 6]>,
        mask: Vec<bool>,
    }

    fn radius([x, y, _]: [f64; 3]) -> f64 {
        x.hypot(y)
    }

    impl Spirals {
        /// With eigenvalues that differ from place to place.
        const CIRCLES: Self =
            Self { degrees: 0.0, values: |r, z| [1.2 + 0.03 * r + 0.1 * z, 0.5 - 0.01 * r, 0.3 + 0.05 * z] };
        const AT_30_DEGREES: Self = Self { degrees: 30.0, values: |_, _| [1.5, 0.4, 0.3] };

        fn at(&self, point: [f64; 3]) -> [f64; 6] {
            let values = (self.values)(radius(point), point[2]);
            let (sin, cos) = (point[1].atan2(point[0]) + self.degrees.to_radians()).sin_cos();
            let [u, v] = [values[0] - values[1], values[1]];
            [v + u * sin * sin, v + u * cos * cos, values[2], -u * sin * cos, 0.0, 0.0]
        }

        /// Of radii 6 to 18 mm and any height up to `height` mm.
        fn ring(&self, shape: [usize; 3], linear: [[f64; 3]; 3], height: f64) -> Ring {
            let middle =
                |row: [f64; 3]| -> f64 { (0..3).map(|n| row[n] * (shape[n] - 1) as f64 / 2.0).sum() };
            let rows = linear.map(|row| [row[0], row[1], row[2], -middle(row)]);
            let grid = Grid::new(shape, Affine::from_rows(rows).unwrap()).unwrap();
            let points: Vec<_> = (0..grid.len()).map(|voxel| grid.centre(voxel)).collect();
            Ring {
                grid,
                tensors: points.iter().map(|&point| self.at(point)).collect(),
                mask: points
                    .iter()
                    .map(|p| (6.0..=18.0).contains(&radius(*p)) && p[2].abs() <= height)
                    .collect(),
            }
        }
    }

    impl Ring {
        fn alpha(&self) -> Vec<f64> {
            conformal_factor(&self.tensors, &self.grid, &self.mask).unwrap()
        }

        /// Trilinear, between voxels.
        fn interpolate(&self, image: &[f64], point: [f64; 3]) -> f64 {
            let place = self.grid.inverse().apply(point);
            let corner = |corner: usize| {
                let mut weight = 1.0;
                let voxel = from_fn(|axis| {
                    let (low, up) = (place[axis].floor(), corner >> axis & 1);
                    weight *= (1.0 - up as f64 - (place[axis] - low)).abs();
                    (low as usize + up).min(self.grid.shape()[axis] - 1)
                });
                weight * image[self.grid.index(voxel)]
            };
            (0..8).map(corner).sum()
        }

        /// The largest and the mean difference between α and what is expected where the radius is 8 to 16 mm, but for a
        /// constant.
        fn errors(&self, alpha: &[f64], expected: impl Fn([f64; 3]) -> f64) -> (f64, f64) {
            let differences: Vec<f64> = (0..alpha.len())
                .filter(|&voxel| self.mask[voxel] && (8.0..16.0).contains(&radius(self.grid.centre(voxel))))
                .map(|voxel| alpha[voxel] - expected(self.grid.centre(voxel)))
                .collect();
            let mean = differences.iter().sum::<f64>() / differences.len() as f64;
            let sizes = differences.iter().map(|difference| (difference - mean).abs());
            (sizes.clone().fold(0.0, f64::max), sizes.sum::<f64>() / differences.len() as f64)
        }
    }

    /// Edges of 1 mm along the axes.
    const ISOTROPIC: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    /// Turned about all axes, with edges of 0.8 to 1.3 mm that are not at right angles.
    const OBLIQUE: [[f64; 3]; 3] = [[-0.72, -0.32, 0.35], [0.31, -1.0, 0.2], [0.15, 0.3, 1.23]];
    /// At right angles to no axis, but slices lie across the z axis.
    const SLANTING: [[f64; 3]; 3] = [[0.8, -0.5, 0.3], [0.4, 1.0, -0.4], [0.0, 0.0, 1.6]];

    #[test]
    fn a_constant_tensor_needs_no_factor() {
        let grid = Spirals::CIRCLES.ring([12, 9, 7], OBLIQUE, 9.0).grid;
        let alpha = conformal_factor(
            &vec![[1.2, 0.9, 0.7, 0.3, -0.2, 0.1]; grid.len()],
            &grid,
            &vec![true; grid.len()],
        );
        assert!(alpha.unwrap().iter().all(|value| value.abs() < 1e-12));
    }

    #[test]
    fn circles_become_geodesics() {
        // The length of a circle in the metric e^α / λ₁ is stationary where e^α r² / λ₁ does not depend on radius and
        // height, whatever λ₂ and λ₃ are; and grad α = 2 ∇_V V everywhere.
        let exact = |p: [f64; 3]| ((1.2 + 0.03 * radius(p) + 0.1 * p[2]) / radius(p).powi(2)).ln();
        let ring = Spirals::CIRCLES.ring([40, 40, 7], ISOTROPIC, 3.0);
        let alpha = ring.alpha();
        // Means and differences over a cell are off by about 1/8r² of themselves. In α, the slope of which is −2/r, that
        // adds up to 1/8r², 0.002 where r is 8 mm. α goes over 1.2.
        let (largest, mean) = ring.errors(&alpha, exact);
        assert!(largest < 3e-3 && mean < 5e-4, "{largest} {mean}");
        // With half the edges the error is a quarter.
        let fine = Spirals::CIRCLES.ring([80, 80, 13], ISOTROPIC.map(|row| row.map(|edge| edge / 2.0)), 3.0);
        let (finer, _) = fine.errors(&fine.alpha(), exact);
        assert!(finer < largest / 3.0, "{finer} {largest}");

        assert!(ring.mask.iter().zip(&alpha).all(|(inside, value)| *inside || *value == 0.0));
        assert!(alpha.iter().sum::<f64>().abs() < 1e-9);
    }

    #[test]
    fn what_no_factor_can_do_is_least_in_the_metric() {
        // Curves at ψ = 30° to circles: 2 g ∇_V V has the parts −2 cos² ψ / r away from the axis and −2 sin ψ cos ψ / r
        // along circles, and is no gradient. α depends on the radius alone, and nothing of D (dα − 2 g ∇_V V) flows across
        // circles: so α is −2κ ln r, where κ = λ₂ cos² ψ / (λ₁ sin² ψ + λ₂ cos² ψ).
        let exact = |p: [f64; 3]| -2.0 * (0.4 * 0.75) / (1.5 * 0.25 + 0.4 * 0.75) * radius(p).ln();
        // Flow along the steps of the border disturbs α by about as much as it changes along a voxel, 0.05, less and less
        // away from it. Between radii of 8 and 16 mm it changes by 0.62.
        let ring = Spirals::AT_30_DEGREES.ring([40, 40, 3], ISOTROPIC, 1.0);
        let (largest, mean) = ring.errors(&ring.alpha(), exact);
        assert!(largest < 0.02 && mean < 0.003, "{largest} {mean}");
        // Longer steps on a grid with slanting axes.
        let ring = Spirals::AT_30_DEGREES.ring([56, 48, 6], SLANTING, 4.0);
        let (largest, mean) = ring.errors(&ring.alpha(), exact);
        assert!(largest < 0.05 && mean < 0.01, "{largest} {mean}");
        // In a sheet so thin that α is the same on both sides, κ is the ratio of sums over its slices, weighted with
        // √det g = 1 / √(λ₁ λ₂ λ₃); the slices of the faces count half.
        let sheet = Spirals { degrees: 30.0, values: |_, z| [1.5, 0.75 + z / 0.46, 0.75 + z / 0.46] };
        let ring = sheet.ring([40, 40, 5], [ISOTROPIC[0], ISOTROPIC[1], [0.0, 0.0, 0.15]], 1.0);
        let (mut above, mut below) = (0.0, 0.0);
        for (z, weight) in [(-0.3, 0.5), (-0.15, 1.0), (0.0, 1.0), (0.15, 1.0), (0.3, 0.5)] {
            let values = (sheet.values)(0.0, z);
            let weight = weight / (values[0] * values[1] * values[2]).sqrt();
            above += weight * values[1] * 0.75;
            below += weight * (values[0] * 0.25 + values[1] * 0.75);
        }
        let (largest, mean) = ring.errors(&ring.alpha(), |p| -2.0 * above / below * radius(p).ln());
        assert!(largest < 0.02 && mean < 0.003, "{largest} {mean}");
    }

    #[test]
    fn the_grid_does_not_matter() {
        let isotropic = Spirals::CIRCLES.ring([40, 40, 7], ISOTROPIC, 3.0);
        let oblique = Spirals::CIRCLES.ring([56, 48, 20], OBLIQUE, 3.0);
        let alpha = isotropic.alpha();
        // By linear interpolation, the error of which is 1/8 |d² ln r² / dr²| = 1/4r² or less, 0.004 where r is 8 mm, along
        // each axis.
        let (largest, mean) = oblique.errors(&oblique.alpha(), |point| isotropic.interpolate(&alpha, point));
        assert!(largest < 0.02 && mean < 0.003, "{largest} {mean}");
    }

    #[test]
    fn every_part_has_mean_zero_and_threads_do_not_matter() {
        let mut ring = Spirals::AT_30_DEGREES.ring([40, 40, 7], ISOTROPIC, 3.0);
        // Two halves, and a voxel on its own.
        for voxel in 0..ring.grid.len() {
            ring.mask[voxel] &= ring.grid.coordinates(voxel)[0] != 17;
        }
        ring.mask[ring.grid.index([17, 19, 3])] = true;
        let threads = |count| rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        let alpha = threads(1).install(|| ring.alpha());
        for count in [2, 3] {
            assert_eq!(alpha, threads(count).install(|| ring.alpha()));
        }
        assert_eq!(alpha[ring.grid.index([17, 19, 3])], 0.0);
        for left in [true, false] {
            let half = (0..alpha.len()).filter(|&voxel| (ring.grid.coordinates(voxel)[0] < 17) == left);
            let (sum, size) = half.fold((0.0, 0.0), |(sum, size), n| (sum + alpha[n], size + alpha[n].abs()));
            assert!(sum.abs() < 1e-9 && size > 100.0, "{sum} {size}");
        }
    }

    #[test]
    fn tensors_that_are_no_metric_are_refused() {
        let mut ring = Spirals::CIRCLES.ring([40, 40, 3], ISOTROPIC, 1.0);
        let voxel = ring.grid.index([30, 20, 1]);
        for tensor in [[1.0, 1.0, -0.1, 0.0, 0.0, 0.0], [f64::NAN; 6], [0.0; 6]] {
            ring.tensors[voxel] = tensor;
            assert!(conformal_factor(&ring.tensors, &ring.grid, &ring.mask).is_err(), "{tensor:?}");
        }
        ring.mask[voxel] = false;
        assert!(ring.alpha().iter().all(|value| value.is_finite()));
    }
}
