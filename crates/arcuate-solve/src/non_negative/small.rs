//! Non-negative least squares with few unknowns, whose matrix of inner products is known.

use crate::Real;

/// A solver of small problems of non-negative least squares, with its working memory.
///
/// The method is the active-set method of Lawson and Hanson (1974, Solving least squares problems, chapter
/// 23), for the normal equations. It starts with the unknowns that are above 0.
#[derive(Debug, Clone, Default)]
pub struct SmallNonNegative {
    /// The changes of the unknowns from the start to the solution.
    pub changes: [f64; Self::MOST],
    /// The gradient at the solution.
    pub slopes: [f64; Self::MOST],
    start: [f64; Self::MOST],
    right: [f64; Self::MOST],
    values: [f64; Self::MOST],
    trial: [f64; Self::MOST],
    free: [bool; Self::MOST],
    factor: Vec<f64>,
}

impl SmallNonNegative {
    /// Maximum number of unknowns.
    pub const MOST: usize = 24;

    /// Minimises ½ ⟨δ, Gδ⟩ + ⟨q, δ⟩ over δ with x + δ ≥ 0. G is the `count` × `count` matrix of inner products
    /// of the columns, row by row. `state` returns the unknown x and the gradient q of a column at the start.
    /// Returns the decrease of the objective, which is at least 0.
    ///
    /// The matrix is known up to rounding errors, and can be singular. A small multiple of its diagonal is
    /// therefore added. The changes are then slightly shorter, and a repeated solution completes them.
    pub fn solve<T: Real>(&mut self, count: usize, matrix: &[T], state: impl Fn(usize) -> (f64, f64)) -> f64 {
        const ROUNDING: f64 = 16.0;
        let unit = ROUNDING * T::epsilon().double();
        let g = |i: usize, j: usize| matrix[i * count + j].double();
        let ridged = |i: usize, j: usize| if i == j { g(i, i) * (1.0 + unit) } else { g(i, j) };
        for i in 0..count {
            let (x, slope) = state(i);
            (self.start[i], self.slopes[i]) = (x, slope);
            self.values[i] = x;
            self.free[i] = x > 0.0;
        }
        let mut largest: f64 = 0.0;
        for i in 0..count {
            let product: f64 = (0..count).map(|j| ridged(i, j) * self.start[j]).sum();
            self.right[i] = product - self.slopes[i];
            largest = largest.max(self.right[i].abs());
        }
        // The method ends after a finite number of steps. Rounding errors could repeat a step.
        for _ in 0..3 * count {
            self.settle(count, &ridged);
            let slope =
                |i: usize| self.right[i] - (0..count).map(|j| ridged(i, j) * self.values[j]).sum::<f64>();
            let mut steepest = (unit * largest, None);
            for i in (0..count).filter(|&i| !self.free[i] && g(i, i) > 0.0) {
                let slope = slope(i);
                if slope > steepest.0 {
                    steepest = (slope, Some(i));
                }
            }
            let Some(next) = steepest.1 else { break };
            self.free[next] = true;
        }
        let mut decrease = 0.0;
        for i in 0..count {
            self.changes[i] = self.values[i] - self.start[i];
        }
        for i in 0..count {
            let rise: f64 = (0..count).map(|j| g(i, j) * self.changes[j]).sum();
            decrease -= self.changes[i] * (self.slopes[i] + 0.5 * rise);
            self.trial[i] = self.slopes[i] + rise;
        }
        if decrease.is_nan() || decrease <= 0.0 {
            self.changes[..count].fill(0.0);
            return 0.0;
        }
        self.slopes[..count].copy_from_slice(&self.trial[..count]);
        decrease
    }

    /// Minimises the objective over the free unknowns. Unknowns that would become negative are fixed at 0.
    fn settle(&mut self, count: usize, matrix: &impl Fn(usize, usize) -> f64) {
        for _ in 0..=count {
            self.minimise_free(count, matrix);
            let mut fraction: f64 = 1.0;
            let mut first = None;
            for i in (0..count).filter(|&i| self.free[i] && self.trial[i] <= 0.0) {
                let possible = self.values[i] / (self.values[i] - self.trial[i]);
                if first.is_none() || possible < fraction {
                    (fraction, first) = (possible, Some(i));
                }
            }
            let Some(first) = first else {
                self.values[..count].copy_from_slice(&self.trial[..count]);
                return;
            };
            for i in 0..count {
                if !self.free[i] {
                    continue;
                }
                self.values[i] += fraction * (self.trial[i] - self.values[i]);
                if i == first || self.values[i] <= 0.0 {
                    self.values[i] = 0.0;
                    self.free[i] = false;
                }
            }
        }
    }

    /// Sets `trial` to the minimum over the free unknowns, by a Cholesky decomposition. The others are 0.
    fn minimise_free(&mut self, count: usize, matrix: &impl Fn(usize, usize) -> f64) {
        let mut indices = [0; Self::MOST];
        let mut size = 0;
        for i in 0..count {
            self.trial[i] = 0.0;
            if self.free[i] {
                indices[size] = i;
                size += 1;
            }
        }
        self.factor.clear();
        self.factor.resize(size * size, 0.0);
        for r in 0..size {
            for c in 0..=r {
                let mut value = matrix(indices[r], indices[c]);
                for k in 0..c {
                    value -= self.factor[r * size + k] * self.factor[c * size + k];
                }
                self.factor[r * size + c] = if c < r {
                    value / self.factor[c * size + c]
                } else {
                    // If the columns are dependent within rounding errors, the pivot can be 0 or negative.
                    value.max(f64::MIN_POSITIVE).sqrt()
                };
            }
        }
        let mut solved = [0.0; Self::MOST];
        for r in 0..size {
            let known: f64 = (0..r).map(|k| self.factor[r * size + k] * solved[k]).sum();
            solved[r] = (self.right[indices[r]] - known) / self.factor[r * size + r];
        }
        for r in (0..size).rev() {
            let known: f64 = (r + 1..size).map(|k| self.factor[k * size + r] * solved[k]).sum();
            solved[r] = (solved[r] - known) / self.factor[r * size + r];
            self.trial[indices[r]] = solved[r];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_compute::{Purpose, Random};

    /// Returns random numbers with mean 0 and variance 1.
    fn numbers(count: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed, Purpose::Resampling, 0);
        (0..count).map(|_| random.normal()).collect()
    }

    /// Returns the inner products of random columns.
    fn products(count: usize, rows: usize, seed: u64) -> Vec<f64> {
        let columns = numbers(count * rows, seed);
        let column = |i: usize| &columns[i * rows..(i + 1) * rows];
        (0..count * count)
            .map(|n| column(n / count).iter().zip(column(n % count)).map(|(a, b)| a * b).sum())
            .collect()
    }

    #[test]
    fn solutions_meet_the_optimality_conditions() {
        let mut small = SmallNonNegative::default();
        for seed in 0..200 {
            let count = 1 + seed as usize % 7;
            let matrix = products(count, 9, seed);
            let given = numbers(2 * count, seed + 1000);
            let start: Vec<f64> = given[..count].iter().map(|x| x.max(0.0)).collect();
            let decrease = small.solve(count, &matrix, |i| (start[i], given[count + i]));
            assert!(decrease >= 0.0);
            let (mut objective, changes) = (0.0, small.changes);
            for i in 0..count {
                let rise: f64 = (0..count).map(|j| matrix[i * count + j] * changes[j]).sum();
                objective += changes[i] * (given[count + i] + 0.5 * rise);
                let slope = given[count + i] + rise;
                assert!((slope - small.slopes[i]).abs() < 1e-9);
                let value = start[i] + changes[i];
                assert!(value >= -1e-15, "{value}");
                // The factor 16 in the threshold for free unknowns, and rounding, bound the slopes.
                assert!(if value > 1e-12 { slope.abs() < 1e-9 } else { slope > -1e-9 }, "{value} {slope}");
            }
            assert!((objective + decrease).abs() < 1e-9, "{objective} {decrease}");
        }
    }

    #[test]
    fn equal_columns_have_a_solution() {
        let mut small = SmallNonNegative::default();
        let matrix = [1.0f32; 4];
        let decrease = small.solve(2, &matrix, |_| (0.0, -1.0));
        let sum = small.changes[0] + small.changes[1];
        assert!((sum - 1.0).abs() < 1e-4 && small.changes[..2].iter().all(|&x| x >= 0.0), "{sum}");
        assert!((decrease - 0.5).abs() < 1e-4);
    }

    #[test]
    fn a_column_of_zeros_stays_zero() {
        let mut small = SmallNonNegative::default();
        let decrease = small.solve(1, &[0.0f32], |_| (0.0, -1.0));
        assert_eq!((decrease, small.changes[0]), (0.0, 0.0));
    }
}
