use nalgebra::SVector;

/// A natural cubic spline through points, each of which has N components. The spline is twice continuously
/// differentiable, and its second derivative is zero at both ends.
///
/// The parameter of the spline is 0 at the first point. From one point to the next, it increases by the
/// distance between them, computed from the first three components. The parameter is therefore close to the
/// arc length in mm.
#[derive(Debug, Clone)]
pub(crate) struct Spline<const N: usize> {
    knots: Vec<f64>,
    points: Vec<SVector<f64, N>>,
    /// Second derivatives of the spline at the points.
    bends: Vec<SVector<f64, N>>,
}

/// A point of a spline with its first and second derivatives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Jet<const N: usize> {
    pub(crate) value: SVector<f64, N>,
    pub(crate) first: SVector<f64, N>,
    pub(crate) second: SVector<f64, N>,
}

impl<const N: usize> Spline<N> {
    /// Creates a spline through at least three points. Two neighbouring points must not be equal.
    pub(crate) fn through(points: &[[f64; N]]) -> Self {
        let points: Vec<SVector<f64, N>> = points.iter().map(|&p| SVector::from(p)).collect();
        let mut knots = vec![0.0];
        for pair in points.windows(2) {
            let apart = (pair[1] - pair[0]).fixed_rows::<3>(0).norm();
            knots.push(knots[knots.len() - 1] + apart);
        }
        let bends = second_derivatives(&knots, &points);
        Self { knots, points, bends }
    }

    /// Returns the parameter of the spline at the last point.
    pub(crate) fn end(&self) -> f64 {
        self.knots[self.knots.len() - 1]
    }

    /// Evaluates the spline at a parameter. Beyond the first and the last point, the outermost cubic pieces
    /// are extrapolated.
    pub(crate) fn at(&self, t: f64) -> Jet<N> {
        let last = self.knots.len() - 2;
        let n = self.knots.partition_point(|&knot| knot <= t).saturating_sub(1).min(last);
        let h = self.knots[n + 1] - self.knots[n];
        let (b, a) = ((t - self.knots[n]) / h, (self.knots[n + 1] - t) / h);
        let (p, q) = (&self.points[n], &self.points[n + 1]);
        let (mp, mq) = (&self.bends[n], &self.bends[n + 1]);
        Jet {
            value: p * a + q * b + (mp * (a * a * a - a) + mq * (b * b * b - b)) * (h * h / 6.0),
            first: (q - p) / h + (mq * (3.0 * b * b - 1.0) - mp * (3.0 * a * a - 1.0)) * (h / 6.0),
            second: mp * a + mq * b,
        }
    }
}

/// Solves the tridiagonal equations of a natural cubic spline by elimination (Thomas algorithm).
fn second_derivatives<const N: usize>(knots: &[f64], points: &[SVector<f64, N>]) -> Vec<SVector<f64, N>> {
    let count = points.len();
    let mut bends = vec![SVector::zeros(); count];
    let mut upper = vec![0.0; count];
    for n in 1..count - 1 {
        let (before, after) = (knots[n] - knots[n - 1], knots[n + 1] - knots[n]);
        let jump = (points[n + 1] - points[n]) / after - (points[n] - points[n - 1]) / before;
        let pivot = 2.0 * (before + after) - before * upper[n - 1];
        upper[n] = after / pivot;
        bends[n] = (jump * 6.0 - bends[n - 1] * before) / pivot;
    }
    for n in (1..count - 1).rev() {
        let next = bends[n + 1];
        bends[n] -= next * upper[n];
    }
    bends
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passes_its_points_smoothly() {
        let points = [
            [0.0, 0.0, 0.0, 1.0],
            [3.0, 4.0, 0.0, 2.0],
            [5.0, 9.0, 2.0, 2.5],
            [4.0, 12.0, 8.0, 2.0],
            [0.0, 12.0, 12.0, 5.0],
        ];
        let spline = Spline::through(&points);
        for (point, &knot) in points.iter().zip(&spline.knots) {
            assert!((spline.at(knot).value - SVector::from(*point)).norm() < 1e-12);
            // At each point of the spline, the cubic pieces on both sides have the same value and the same
            // first and second derivatives.
            let (left, right) = (spline.at(knot - 1e-7), spline.at(knot + 1e-7));
            assert!((left.first - right.first).norm() < 1e-5);
            assert!((left.second - right.second).norm() < 1e-5);
        }
        assert!(spline.at(0.0).second.norm() < 1e-12 && spline.at(spline.end()).second.norm() < 1e-12);
        for n in 0..100 {
            let (t, h) = (spline.end() * (f64::from(n) + 0.5) / 100.0, 1e-4);
            let slope = (spline.at(t + h).value - spline.at(t - h).value) / (2.0 * h);
            // The central difference of a cubic polynomial with the step h has an error of h²/6 times the
            // third derivative. The third derivative of this spline is below 1.
            assert!((slope - spline.at(t).first).norm() < 1e-7);
            let bend = (spline.at(t + h).first - spline.at(t - h).first) / (2.0 * h);
            assert!((bend - spline.at(t).second).norm() < 1e-3);
        }
    }

    #[test]
    fn a_straight_line_stays_straight() {
        let spline = Spline::through(&[[0.0; 3], [1.0, 2.0, 2.0], [3.0, 6.0, 6.0]]);
        assert_eq!(spline.end(), 9.0);
        let middle = spline.at(4.5);
        assert!((middle.value - SVector::from([1.5, 3.0, 3.0])).norm() < 1e-12);
        assert!(middle.second.norm() < 1e-12);
    }
}
