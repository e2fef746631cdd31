//! Projection of a point onto a polyhedral cone: the nearest point at which several linear functions are not
//! negative.

use crate::dense::{add_multiple, add_multiples, combine, dot, transposed, whole_vectors};

/// The polyhedral cone of all points u with bᵢ·u ≥ 0 for all i. The vectors bᵢ are the rows of a matrix,
/// scaled to length 1.
///
/// The rows and columns of the matrix are padded with zeros to whole SIMD vectors of the CPU.
/// `multi_tissue/kernels.cu` is the GPU implementation, which gives the same bits: change both together.
#[derive(Debug)]
pub(crate) struct Cone {
    pub(crate) size: usize,
    /// Number of elements of a matrix row, and number of matrix rows, both including the padding.
    pub(crate) stride: usize,
    pub(crate) count: usize,
    pub(crate) rows: Vec<f64>,
    pub(crate) columns: Vec<f64>,
    /// Lists of similar rows, one for each matrix row. `alike` contains all lists one after the other, and
    /// `alike_from` the index at which the list of each row begins.
    pub(crate) alike_from: Vec<usize>,
    pub(crate) alike: Vec<usize>,
}

/// Tolerance of the conditions bᵢ·u ≥ 0, as a fraction of the length of the projected point. Products down to
/// minus this tolerance count as 0.
pub(crate) const TOLERANCE: f64 = 1e-10;
/// Minimum length of the part of a row that is orthogonal to the active rows. If this part is shorter, the
/// row counts as linearly dependent on the active rows.
pub(crate) const DEPENDENT: f64 = 1e-7;
/// Maximum number of steps of a projection, divided by the number of unknowns. It is ten times the number
/// that difficult problems need.
pub(crate) const STEPS: usize = 20;
/// Minimum scalar product of two rows that count as similar. If several similar rows are violated, a step
/// activates only one of them.
const ALIKE: f64 = 0.25;

/// Working memory of a projection. It contains the active rows, their multipliers, and the QR factorisation
/// of the matrix whose columns are the active rows.
#[derive(Debug, Clone)]
pub(crate) struct ConeScratch {
    size: usize,
    active: Vec<usize>,
    multipliers: Vec<f64>,
    proposed: Vec<f64>,
    /// The columns of the factor Q. They are orthogonal to each other and have length 1.
    q: Vec<f64>,
    /// The columns of the factor R. Each column has memory for as many elements as there are unknowns.
    r: Vec<f64>,
    /// The right-hand side −Qᵀ u₀ of the equation for the multipliers, with the projected point u₀.
    right: Vec<f64>,
    /// `parts` contains the components of a row along the columns of Q, multiplied by −1. `inverse` contains
    /// the reciprocals of the diagonal elements of R.
    parts: Vec<f64>,
    inverse: Vec<f64>,
    start: Vec<f64>,
    point: Vec<f64>,
    products: Vec<f64>,
    /// For each row, true if the row must not become active at present.
    barred: Vec<bool>,
    candidates: Vec<usize>,
}

impl Cone {
    /// Creates the cone of these matrix rows in a space of `size` dimensions. The rows must not be 0.
    pub(crate) fn new(rows: &[f64], size: usize) -> Self {
        let (stride, count) = (whole_vectors(size), whole_vectors(rows.len() / size));
        let mut padded = vec![0.0; stride * count];
        for (row, out) in rows.chunks_exact(size).zip(padded.chunks_exact_mut(stride)) {
            let length = dot(row, row).sqrt();
            out.iter_mut().zip(row).for_each(|(out, value)| *out = value / length);
        }
        let (mut alike_from, mut alike) = (vec![0], Vec::new());
        for (index, row) in padded.chunks_exact(stride).enumerate() {
            let others = padded.chunks_exact(stride).enumerate();
            alike.extend(others.filter(|(n, other)| *n != index && dot(row, other) > ALIKE).map(|(n, _)| n));
            alike_from.push(alike.len());
        }
        Self { size, stride, count, columns: transposed(&padded, stride), rows: padded, alike_from, alike }
    }

    /// Allocates the working memory of a thread for [`project`](Self::project).
    pub(crate) fn scratch(&self) -> ConeScratch {
        let Self { size, stride, count, .. } = *self;
        ConeScratch {
            size,
            active: Vec::with_capacity(size),
            multipliers: Vec::with_capacity(size),
            proposed: Vec::with_capacity(size),
            q: vec![0.0; stride * stride],
            r: vec![0.0; stride * stride],
            right: vec![0.0; stride],
            parts: vec![0.0; stride],
            inverse: vec![0.0; stride],
            start: vec![0.0; stride],
            point: vec![0.0; stride],
            products: vec![0.0; count],
            barred: vec![false; count],
            candidates: Vec::with_capacity(size),
        }
    }

    /// Replaces `point` by the nearest point of the cone. Returns `false` if the maximum number of steps was
    /// reached; `point` is then near the cone.
    ///
    /// Let u₀ be the original point, and y ≥ 0 a multiplier for each row of the matrix B. The point u = u₀ +
    /// Bᵀy is the nearest point of the cone if B u ≥ 0 and y·(B u) = 0. The vector y solves the non-negative
    /// least squares problem min ‖Bᵀy + u₀‖. It is found by the active set method of Lawson and Hanson
    /// (Solving Least Squares Problems, 1974, chapter 23).
    ///
    /// A row is violated if its product with u is negative. Each step of this implementation activates the
    /// most violated row, and every other row that is more violated than all rows similar to it. This halves
    /// the computing time. The method still terminates, because ‖Bᵀy + u₀‖ decreases in every step. Rows
    /// whose multipliers would become negative are released, including rows that this step has activated. If
    /// only one of the new rows remains, its multiplier increases.
    ///
    /// Columns of Q are added by orthogonalisation, which is applied twice, and removed by plane rotations.
    /// The method therefore never computes B Bᵀ, whose condition number would be squared.
    #[inline(always)]
    pub(crate) fn project(&self, scratch: &mut ConeScratch, point: &mut [f64]) -> bool {
        scratch.active.clear();
        scratch.multipliers.clear();
        scratch.start[..self.size].copy_from_slice(point);
        scratch.point.copy_from_slice(&scratch.start);
        scratch.barred.fill(false);
        let tolerance = TOLERANCE * dot(&scratch.start, &scratch.start).sqrt();
        let mut converged = false;
        for _ in 0..STEPS * self.size {
            combine(&mut scratch.products, &scratch.point, &self.columns);
            let violated =
                (0..self.count).any(|row| scratch.products[row] < -tolerance && !scratch.barred[row]);
            if !violated {
                converged = true;
                break;
            }
            if !self.activate_violated(scratch, tolerance) {
                continue;
            }
            scratch.accept();
            let ConeScratch { active, candidates, barred, .. } = scratch;
            if candidates.iter().any(|row| active.contains(row)) {
                barred.fill(false);
            } else {
                // The remaining rows are violated by rounding errors only.
                for row in candidates.iter() {
                    barred[*row] = true;
                }
            }
        }
        point.copy_from_slice(&scratch.point[..self.size]);
        converged
    }

    /// Activates each violated row that is more violated than all rows similar to it. The most violated row
    /// comes first. Returns `false` if there is no such row.
    #[inline(always)]
    fn activate_violated(&self, scratch: &mut ConeScratch, tolerance: f64) -> bool {
        let stride = self.stride;
        let ConeScratch { candidates, products, barred, .. } = scratch;
        candidates.clear();
        for row in 0..self.count {
            let own = products[row];
            if own >= -tolerance || barred[row] || candidates.len() == self.size {
                continue;
            }
            let alike = &self.alike[self.alike_from[row]..self.alike_from[row + 1]];
            if alike.iter().all(|&other| products[other] >= own || barred[other]) {
                candidates.push(row);
            }
        }
        // Equally violated rows are sorted by their index, so that their order is unique.
        candidates.sort_unstable_by(|&a, &b| products[a].total_cmp(&products[b]).then(a.cmp(&b)));
        let mut any = false;
        for n in 0..scratch.candidates.len() {
            let row = scratch.candidates[n];
            let taken = scratch.activate(&self.rows[row * stride..(row + 1) * stride], row);
            scratch.barred[row] = !taken;
            any |= taken;
        }
        any
    }
}

impl ConeScratch {
    /// Computes the multipliers of the active rows, and releases rows whose multipliers become 0. Then
    /// computes the point from the multipliers.
    #[inline(always)]
    fn accept(&mut self) {
        self.propose();
        while self.give_way() {
            self.propose();
        }
        self.multipliers.copy_from_slice(&self.proposed);
        self.point.copy_from_slice(&self.start);
        add_multiples(&mut self.point, &self.right[..self.active.len()], &self.q);
    }

    /// Makes a row active, with the multiplier 0. Returns `false` if the row is linearly dependent on the
    /// active rows.
    #[inline(always)]
    fn activate(&mut self, values: &[f64], row: usize) -> bool {
        let (stride, count) = (values.len(), self.active.len());
        if count == self.size {
            return false;
        }
        let (before, own) = self.q.split_at_mut(count * stride);
        let own = &mut own[..stride];
        own.copy_from_slice(values);
        let column = &mut self.r[count * stride..(count + 1) * stride];
        column.fill(0.0);
        // Subtracts the components of the row along all columns of Q, and then the components of the
        // remainder. After the second subtraction, the result is orthogonal to the columns up to rounding
        // errors.
        let parts = &mut self.parts[..count];
        for _ in 0..2 {
            for k in 0..count {
                parts[k] = -dot(&before[k * stride..(k + 1) * stride], own);
                column[k] -= parts[k];
            }
            add_multiples(own, parts, before);
        }
        let length = dot(own, own).sqrt();
        // If the length is NaN, the comparison also counts it as too short.
        if length.partial_cmp(&DEPENDENT) != Some(std::cmp::Ordering::Greater) {
            return false;
        }
        for value in own.iter_mut() {
            *value /= length;
        }
        column[count] = length;
        self.right[count] = -dot(own, &self.start);
        self.active.push(row);
        self.multipliers.push(0.0);
        true
    }

    /// Computes the multipliers for which the products of all active rows with the point are 0: R⁻¹ times the
    /// right-hand side.
    #[inline(always)]
    fn propose(&mut self) {
        let (size, count) = (self.start.len(), self.active.len());
        self.proposed.clear();
        self.proposed.extend_from_slice(&self.right[..count]);
        for k in 0..count {
            self.inverse[k] = 1.0 / self.r[k * size + k];
        }
        for k in (0..count).rev() {
            let column = &self.r[k * size..=k * size + k];
            let value = self.proposed[k] * self.inverse[k];
            self.proposed[k] = value;
            add_multiple(&mut self.proposed[..k], -value, &column[..k]);
        }
    }

    /// Moves the multipliers towards the proposed multipliers until the first of them becomes 0, and releases
    /// the row of this multiplier. Returns `false` if none becomes 0.
    #[inline(always)]
    fn give_way(&mut self) -> bool {
        let (mut step, mut first) = (1.0, None);
        for (index, (now, then)) in self.multipliers.iter().zip(&self.proposed).enumerate() {
            if *then <= 0.0 {
                let own = now / (now - then);
                // If both the present and the proposed multiplier are 0, the fraction is NaN.
                let own = if own.is_finite() { own } else { 0.0 };
                if first.is_none() || own < step {
                    (step, first) = (own, Some(index));
                }
            }
        }
        let Some(first) = first else { return false };
        for (now, then) in self.multipliers.iter_mut().zip(&self.proposed) {
            *now += step * (then - *now);
        }
        self.release(first);
        true
    }

    /// Makes an active row inactive. Plane rotations make the following columns of R triangular again. The
    /// same rotations are applied to the columns of Q.
    #[inline(always)]
    fn release(&mut self, index: usize) {
        let (size, count) = (self.start.len(), self.active.len());
        self.active.remove(index);
        self.multipliers.remove(index);
        self.r.copy_within((index + 1) * size..count * size, index * size);
        for k in index..count - 1 {
            let column = &self.r[k * size..(k + 1) * size];
            let (a, b) = (column[k], column[k + 1]);
            let inverse = 1.0 / (a * a + b * b).sqrt();
            let (c, s) = (a * inverse, b * inverse);
            for later in k..count - 1 {
                let column = &mut self.r[later * size..(later + 1) * size];
                (column[k], column[k + 1]) =
                    (c * column[k] + s * column[k + 1], c * column[k + 1] - s * column[k]);
            }
            let (before, behind) = self.q.split_at_mut((k + 1) * size);
            let pair = before[k * size..].iter_mut().zip(&mut behind[..size]);
            for (p, q) in pair {
                (*p, *q) = (c * *p + s * *q, c * *q - s * *p);
            }
            let (p, q) = (self.right[k], self.right[k + 1]);
            (self.right[k], self.right[k + 1]) = (c * p + s * q, c * q - s * p);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::HarmonicBasis;
    use arcuate_core::Orientations;

    fn numbers(count: usize, seed: usize) -> Vec<f64> {
        (0..count).map(|n| ((n * 37 + seed * 101) as f64 * 0.618_034).fract() - 0.5).collect()
    }

    /// Checks the optimality conditions of Karush, Kuhn and Tucker for the nearest point. The test fails if a
    /// row is violated. It also fails if the change of the point is not in the cone of the active rows, or
    /// not orthogonal to the point.
    fn check(cone: &Cone, scratch: &ConeScratch, start: &[f64], point: &[f64]) {
        let scale = dot(start, start).sqrt().max(1e-300);
        for row in cone.rows.chunks_exact(cone.stride) {
            assert!(dot(row, point) > -1e-9 * scale, "{} of {scale}", dot(row, point));
        }
        let mut change = vec![0.0; cone.size];
        for (row, multiplier) in scratch.active.iter().zip(&scratch.multipliers) {
            assert!(*multiplier >= 0.0);
            add_multiple(&mut change, *multiplier, &cone.rows[row * cone.stride..(row + 1) * cone.stride]);
        }
        for ((change, start), point) in change.iter().zip(start).zip(point) {
            assert!((start + change - point).abs() < 1e-9 * scale, "{start} + {change} is not {point}");
        }
        assert!(dot(&change, point).abs() < 1e-9 * scale * scale);
    }

    #[test]
    fn projection_onto_the_positive_quadrant_clips_points() {
        let cone = Cone::new(&[2.0, 0.0, 0.0, 0.1], 2);
        let mut scratch = cone.scratch();
        for (start, expected) in [
            ([1.0, 2.0], [1.0, 2.0]),
            ([-1.0, 2.0], [0.0, 2.0]),
            ([-1.0, -3.0], [0.0; 2]),
            ([0.0; 2], [0.0; 2]),
        ] {
            let mut point = start;
            assert!(cone.project(&mut scratch, &mut point));
            assert_eq!(point, expected);
        }
    }

    #[test]
    fn the_projection_satisfies_the_optimality_conditions() {
        // The rows are amplitudes of functions on the sphere, as in deconvolution, or arbitrary vectors, some
        // of which are repeated.
        let basis = HarmonicBasis::new(8).unwrap();
        let amplitudes = basis.matrix(Orientations::half_sphere(300).directions());
        let mut twice = numbers(30 * 12, 3);
        twice.extend_from_within(..12 * 5);
        for (rows, size) in [(amplitudes, 45), (twice, 12), (numbers(400 * 20, 8), 20)] {
            let cone = Cone::new(&rows, size);
            let mut scratch = cone.scratch();
            for seed in 0..60 {
                let start = numbers(size, seed);
                let mut point = start.clone();
                assert!(cone.project(&mut scratch, &mut point), "{size} {seed}");
                check(&cone, &scratch, &start, &point);
            }
        }
    }

    #[test]
    fn projections_of_non_finite_points_terminate() {
        let cone = Cone::new(&numbers(60, 1), 6);
        let mut point = [f64::NAN; 6];
        cone.project(&mut cone.scratch(), &mut point);
        let mut point = [1e300, -1e300, 1e300, f64::INFINITY, 0.0, 0.0];
        cone.project(&mut cone.scratch(), &mut point);
    }
}
