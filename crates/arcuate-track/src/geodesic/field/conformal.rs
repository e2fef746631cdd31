//! The conformal factor that makes the integral curves of the principal eigenvectors geodesics as nearly as possible
//! (Hao, Whitaker and Fletcher 2011, doi:10.1007/978-3-642-22092-0_2).
//!
//! Let g = D⁻¹ and V = √λ₁ e₁, so that g(V, V) = 1. The connection of e^α g is ∇̃_X Y = ∇_X Y + ½ (dα(X) Y +
//! dα(Y) X − g(X, Y) grad α). Therefore ∇̃_V V = ∇_V V + dα(V) V − ½ grad α. If this vector has no component
//! perpendicular to V, the integral curves of V are geodesics up to their parametrisation. Because ∇_V V is
//! perpendicular to V, the condition grad α = 2 ∇_V V is sufficient. It also keeps α constant along the
//! curves, which is not necessary but makes α well defined. In general, no α satisfies the condition
//! everywhere. The α that minimises ∫ g(grad α − 2 ∇_V V, grad α − 2 ∇_V V) dμ with dμ = √det g dx solves the
//! equation
//!
//! ∫ g(grad α − 2 ∇_V V, grad φ) dμ = 0 for all test functions φ. The strong form of this equation is Δα = 2
//! div ∇_V V. The boundary condition is g(grad α − 2 ∇_V V, n) = 0, where n is the normal of the boundary.
//!
//! Derivatives of the metric g = D⁻¹ are not needed. With the covector v = g V = e₁ / √λ₁ and its curl dv, g
//! ∇_V V = dv(V, ·), because v(V) = 1. All expressions keep their form in voxel coordinates. There D becomes
//! A⁻¹ D A⁻ᵀ, V becomes A⁻¹ V and v becomes Aᵀ v, where A converts voxels to mm.
//!
//! The finite elements for α are the cells between eight voxels of the mask. In a cell, α is trilinear, and
//! products of its derivatives are integrated exactly. Thus α is undetermined only up to a constant. D √det g
//! is the mean over the corners of the cell, and ∇_V V is evaluated at its centre. Therefore the error of α
//! is of second order in the voxel size.

use super::elements::ELEMENTS;
use arcuate_core::{DiffusionTensor, Error, Grid, Result, narrow};
use arcuate_numbers::vector3::dot;
use rayon::prelude::*;
use std::array::from_fn;

/// The conjugate gradient method stops if the residual falls to this fraction of its initial value, in the
/// norm of the preconditioner.
const TOLERANCE: f64 = 1e-8;
/// Maximum number of iterations of the conjugate gradient method. If it is reached, a warning is given.
const STEPS: usize = 2000;
/// Number of unknowns that a thread processes at a time. Sums are computed for each of these pieces and added
/// in order, so that they do not depend on the number of threads.
const PIECE: usize = if cfg!(test) { 64 } else { 2048 };
/// Value that marks a voxel that is not the first corner of a finite element (cell of 2 × 2 × 2 voxels).
const NONE: u32 = u32::MAX;

/// Returns the conformal factor α of each voxel. The mean of α is 0 in each part of the mask that is
/// connected through cells of 2 × 2 × 2 voxels. The factor α is 0 in voxels outside the mask and in voxels
/// without such a cell.
///
/// `tensors` contains the elements D11 D22 D33 D12 D13 D23 of each voxel's tensor, in scanner axes and in any
/// unit. The voxel index along x varies fastest. Returns an error if a tensor in the mask is not positive
/// definite.
pub(super) fn conformal_factor(tensors: &[[f64; 6]], grid: &Grid, mask: &[bool]) -> Result<Vec<f64>> {
    let system = System::new(tensors, grid, mask);
    if system.voxels.is_empty() {
        tracing::warn!(
            "the mask contains no block of 2 × 2 × 2 voxels, so the conformal metric equals the inverse \
             metric"
        );
    }
    let mut alpha = vec![0.0; grid.len()];
    for (&voxel, value) in system.voxels.iter().zip(system.solve()?) {
        alpha[voxel] = value;
    }
    system.centre(&mut alpha);
    Ok(alpha)
}

/// Contribution of a finite element (cell of 2 × 2 × 2 voxels) to the linear equations, in voxel coordinates.
struct Cell {
    /// The weight D √det g of the cell, without the voxel volume, which is a common factor of all cells.
    weight: [f64; 6],
    /// The weight D √det g of the cell times 2 g ∇_V V.
    flux: [f64; 3],
}

impl Cell {
    fn new(corners: [&[f64; 6]; 8], grid: &Grid) -> Self {
        let eigen = corners.map(|&tensor| DiffusionTensor(tensor).eigensystem());
        // The sign of an eigenvector is arbitrary. Each eigenvector gets the sign of the common direction,
        // which is closest to all eigenvectors of the cell.
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
        // The derivatives ∂_a v_b.
        let mut slopes = [[0.0; 3]; 3];
        for (corner, eigen) in eigen.into_iter().enumerate() {
            let e = eigen.vectors[0];
            let along = dot(e, common);
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

/// Returns on which side of a cell a corner is along an axis: −1 or 1. Bits 0, 1 and 2 of the corner's number
/// are its sides along x, y and z.
fn sign(corner: usize, axis: usize) -> f64 {
    if corner >> axis & 1 == 1 { 1.0 } else { -1.0 }
}

/// Returns the factor of each element of the symmetric matrix W in ∫ dφᵀ W dψ over a cell. The function φ is
/// the trilinear function that is 1 at corner `i` and 0 at the other corners, and ψ is this function for
/// corner `j`.
fn products(i: usize, j: usize) -> [f64; 6] {
    // The integrals factor into integrals along single axes: ∫ φψ, ∫ φ′ψ′, and ∫ φ′ψ, which is half the sign
    // of φ.
    let mass = |axis| if sign(i, axis) == sign(j, axis) { 1.0 / 3.0 } else { 1.0 / 6.0 };
    ELEMENTS.map(|(a, b)| {
        if a == b {
            return sign(i, a) * sign(j, a) * mass((a + 1) % 3) * mass((a + 2) % 3);
        }
        (sign(i, a) * sign(j, b) + sign(i, b) * sign(j, a)) * mass(3 - a - b) / 4.0
    })
}

/// The linear equations for α in the voxels that belong to a cell of 2 × 2 × 2 voxels.
struct System {
    /// Index in the image of each voxel that belongs to a cell, in ascending order.
    voxels: Vec<usize>,
    /// Matrix rows: for each voxel, the coefficients of the 3 × 3 × 3 voxels around it, with x fastest. The
    /// coefficient is 0 for a neighbour that shares no cell with the voxel.
    rows: Vec<[f64; 27]>,
    right: Vec<f64>,
    /// Distance in memory between neighbouring voxels along each axis.
    strides: [usize; 3],
    /// Number of voxels of the image.
    len: usize,
}

impl System {
    fn new(tensors: &[[f64; 6]], grid: &Grid, mask: &[bool]) -> Self {
        let shape = grid.shape();
        let strides = [1, shape[0], shape[0] * shape[1]];
        let offsets: [usize; 8] =
            from_fn(|corner| (0..3).map(|axis| (corner >> axis & 1) * strides[axis]).sum());
        // The index of a cell is the index of its first corner.
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
        // Returns the cell whose given corner is the voxel. If this cell would begin outside the image, its
        // computed index is that of a voxel at the end of the previous line. No cell begins there, so the
        // result is `None`.
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

    /// Solves the equations by conjugate gradients with a diagonal preconditioner. The matrix maps constant
    /// vectors to 0. This is harmless, because the right-hand side has no constant component.
    fn solve(&self) -> Result<Vec<f64>> {
        let count = self.voxels.len();
        let margin = self.margin();
        let mut solution = vec![0.0; count];
        let mut residual = self.right.clone();
        let mut image = vec![0.0; count];
        // The search direction has an element for every voxel of the image and for each of the voxel's
        // neighbours, including those beyond the image.
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
                    "some tensors in the mask are not positive definite",
                    "repair these tensors, or remove them from the mask",
                ));
            }
        }
        tracing::warn!(
            "the solver of the conformal factor reached a relative residual of only {:.1e} after {STEPS} \
             iterations",
            (norm / first).sqrt()
        );
        Ok(solution)
    }

    /// Returns the squared norm of a vector, weighted with the diagonal preconditioner.
    fn norm(&self, vector: &[f64]) -> f64 {
        let pieces = vector.par_chunks(PIECE).zip(self.rows.par_chunks(PIECE));
        in_order(pieces.map(|(vector, rows)| vector.iter().zip(rows).map(|(v, row)| v * v / row[13]).sum()))
    }

    /// Returns the maximum difference between the index of a voxel and the index of one of its 26 neighbours.
    fn margin(&self) -> usize {
        self.strides.iter().sum()
    }

    /// Returns the product of a row of the matrix with a vector. The vector has elements at the voxel of the
    /// row and at its neighbours.
    fn times(&self, row: &[f64; 27], vector: &[f64], voxel: usize) -> f64 {
        let [_, line, slice] = self.strides;
        let mut sums = [0.0; 3];
        for (n, row) in row.chunks_exact(3).enumerate() {
            // The vector begins with a margin. Therefore, the element with the index `voxel` is that of the
            // neighbour one step back along each axis.
            let start = voxel + n % 3 * line + n / 3 * slice;
            for (x, value) in vector[start..start + 3].iter().enumerate() {
                sums[x] += row[x] * value;
            }
        }
        sums[0] + sums[1] + sums[2]
    }

    /// Splits an image into parts: a part ends after the last voxel of each piece of unknowns. Returns each
    /// part with the index of its first voxel.
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

    /// Subtracts the mean from each connected part.
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

/// Returns the sum of the terms, added in a fixed order, so that it does not depend on the number of threads.
fn in_order(terms: impl IndexedParallelIterator<Item = f64>) -> f64 {
    terms.collect::<Vec<_>>().into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::Affine;

    /// Returns a test tensor. The direction of λ₁ is along circles around the z axis, rotated in the plane by
    /// an angle. The direction of λ₂ is perpendicular to it in the plane, and that of λ₃ is the z axis.
    struct Spirals {
        degrees: f64,
        values: fn(f64, f64) -> [f64; 3],
    }

    /// The voxels of a ring around the z axis, with their test tensors.
    struct Ring {
        grid: Grid,
        tensors: Vec<[f64; 6]>,
        mask: Vec<bool>,
    }

    fn radius([x, y, _]: [f64; 3]) -> f64 {
        x.hypot(y)
    }

    impl Spirals {
        /// Circles, with eigenvalues that vary in space.
        const CIRCLES: Self =
            Self { degrees: 0.0, values: |r, z| [1.2 + 0.03 * r + 0.1 * z, 0.5 - 0.01 * r, 0.3 + 0.05 * z] };
        const AT_30_DEGREES: Self = Self { degrees: 30.0, values: |_, _| [1.5, 0.4, 0.3] };

        fn at(&self, point: [f64; 3]) -> [f64; 6] {
            let values = (self.values)(radius(point), point[2]);
            let (sin, cos) = (point[1].atan2(point[0]) + self.degrees.to_radians()).sin_cos();
            let [u, v] = [values[0] - values[1], values[1]];
            [v + u * sin * sin, v + u * cos * cos, values[2], -u * sin * cos, 0.0, 0.0]
        }

        /// Creates a ring with radii from 6 to 18 mm, which extends up to `height` mm above and below the
        /// plane z = 0.
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

        /// Interpolates an image trilinearly between voxels.
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

        /// Returns the maximum and the mean absolute difference between α and its expected values. A constant
        /// is subtracted before. Only radii from 8 to 16 mm are compared.
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

    /// Isotropic voxels of 1 mm.
    const ISOTROPIC: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    /// A rotated grid. Its voxel edges have lengths of 0.8 to 1.3 mm and are not perpendicular.
    const OBLIQUE: [[f64; 3]; 3] = [[-0.72, -0.32, 0.35], [0.31, -1.0, 0.2], [0.15, 0.3, 1.23]];
    /// A grid with slanting axes. Its slices are perpendicular to the z axis.
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
        // In the metric e^α / λ₁, the length of a circle is stationary if `e^α r² / λ₁` does not depend on radius
        // and height, for any λ₂ and λ₃. Then grad α = 2 ∇_V V everywhere.
        let exact = |p: [f64; 3]| ((1.2 + 0.03 * radius(p) + 0.1 * p[2]) / radius(p).powi(2)).ln();
        let ring = Spirals::CIRCLES.ring([40, 40, 7], ISOTROPIC, 3.0);
        let alpha = ring.alpha();
        // Means and differences over a cell have a relative error of about 1/8r², with the radius r in
        // voxels. Because the slope of α is −2/r, the error of α adds up to 1/8r², which is 0.002 at r = 8
        // mm. The range of α is 1.2.
        let (largest, mean) = ring.errors(&alpha, exact);
        assert!(largest < 3e-3 && mean < 5e-4, "{largest} {mean}");
        // If the voxel edges are halved, the error of α is divided by four.
        let fine = Spirals::CIRCLES.ring([80, 80, 13], ISOTROPIC.map(|row| row.map(|edge| edge / 2.0)), 3.0);
        let (finer, _) = fine.errors(&fine.alpha(), exact);
        assert!(finer < largest / 3.0, "{finer} {largest}");

        assert!(ring.mask.iter().zip(&alpha).all(|(inside, value)| *inside || *value == 0.0));
        assert!(alpha.iter().sum::<f64>().abs() < 1e-9);
    }

    #[test]
    fn the_conformal_factor_minimises_the_residual_in_the_metric() {
        // The integral curves have an angle ψ = 30° to circles. The vector 2 g ∇_V V has the components −2
        // cos² ψ / r away from the axis and −2 sin ψ cos ψ / r along circles. This vector is not a gradient.
        // The factor α depends only on the radius r, and D (dα − 2 g ∇_V V) has no flow across circles.
        // Therefore α is −2κ ln r with κ = λ₂ cos² ψ / (λ₁ sin² ψ + λ₂ cos² ψ).
        let exact = |p: [f64; 3]| -2.0 * (0.4 * 0.75) / (1.5 * 0.25 + 0.4 * 0.75) * radius(p).ln();
        // The border of the ring has steps, because it consists of voxels. Flow along these steps disturbs α
        // by about its change across a voxel, 0.05. The disturbance decreases with the distance from the
        // border. Between radii of 8 and 16 mm α changes by 0.62.
        let ring = Spirals::AT_30_DEGREES.ring([40, 40, 3], ISOTROPIC, 1.0);
        let (largest, mean) = ring.errors(&ring.alpha(), exact);
        assert!(largest < 0.02 && mean < 0.003, "{largest} {mean}");
        // The border of the ring has larger steps on a grid with slanting axes.
        let ring = Spirals::AT_30_DEGREES.ring([56, 48, 6], SLANTING, 4.0);
        let (largest, mean) = ring.errors(&ring.alpha(), exact);
        assert!(largest < 0.05 && mean < 0.01, "{largest} {mean}");
        // If a sheet is so thin that α is the same on both sides, κ is a ratio of sums over slices, weighted
        // with `√det g = 1 / √(λ₁ λ₂ λ₃)`. The first and the last slice have half the weight.
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
    fn the_conformal_factor_does_not_depend_on_the_grid() {
        let isotropic = Spirals::CIRCLES.ring([40, 40, 7], ISOTROPIC, 3.0);
        let oblique = Spirals::CIRCLES.ring([56, 48, 20], OBLIQUE, 3.0);
        let alpha = isotropic.alpha();
        // The expected values of α are interpolated linearly. Along each axis the error of the interpolation
        // is at most 1/8 |d² ln r² / dr²| = 1/4r², which is 0.004 at r = 8 mm.
        let (largest, mean) = oblique.errors(&oblique.alpha(), |point| isotropic.interpolate(&alpha, point));
        assert!(largest < 0.02 && mean < 0.003, "{largest} {mean}");
    }

    #[test]
    fn each_component_has_mean_zero_for_any_number_of_threads() {
        let mut ring = Spirals::AT_30_DEGREES.ring([40, 40, 7], ISOTROPIC, 3.0);
        // The mask consists of two separate halves of the ring and an isolated voxel.
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
    fn tensors_that_are_not_a_metric_are_rejected() {
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
