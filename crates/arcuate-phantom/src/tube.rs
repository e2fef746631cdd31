use crate::spline::Spline;
use nalgebra::{SVector, Vector3};

/// The geometry of a bundle: a tube with a centre line and an elliptical cross-section. The cross-section
/// changes along the centre line.
///
/// A point of the tube has the coordinates (t, u, v), with u² + v² ≤ 1. The parameter t belongs to the point
/// c(t) of the centre line. The position is c(t) + r₁(t)·u·n₁(t) + r₂(t)·v·n₂(t), in the plane through c(t)
/// that is perpendicular to the centre line. Here, r₁ and r₂ are the radii of the cross-section. The unit
/// vector n₁ is the direction of the part of a fixed reference direction that is perpendicular to the centre
/// line. The unit vector n₂ is perpendicular to n₁ and to the centre line. The fibres of a bundle are lines
/// of constant (u, v). They never cross each other. They diverge or converge if the radii change.
#[derive(Debug, Clone)]
pub(crate) struct Tube {
    /// A spline with the five components x, y, z, r₁ and r₂, all in mm.
    spline: Spline<5>,
    reference: Vector3<f64>,
    /// Points along the centre line, at distances of [`SPACING`]. Each has its parameter, its position, and
    /// the larger of the two radii of the tube.
    samples: Vec<(f64, Vector3<f64>, f64)>,
    /// The bounding box of the tube: its minimum and maximum coordinates in mm.
    bounds: [Vector3<f64>; 2],
}

/// A point of space in the coordinates of a tube.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TubePoint {
    /// Parameter of the point along the centre line, which is approximately a length in mm.
    pub(crate) t: f64,
    /// Distances of the point from the centre line in mm, along the vectors n₁ and n₂ of the cross-section.
    offset: [f64; 2],
    /// Radii r₁ and r₂ of the tube's cross-section at this parameter, in mm.
    radii: [f64; 2],
}

impl TubePoint {
    /// Returns true if the point is in the tube, with both radii increased by `margin` mm.
    pub(crate) fn is_inside(&self, margin: f64) -> bool {
        self.eccentricity(margin) <= 1.0
    }

    /// Returns the area of the tube's cross-section at this parameter, in mm².
    pub(crate) fn cross_section(&self) -> f64 {
        std::f64::consts::PI * self.radii[0] * self.radii[1]
    }

    /// Returns the relative distance of the point from the centre line. It is 0 on the centre line. It is 1
    /// on the surface of the tube, with both radii increased by `margin` mm.
    pub(crate) fn eccentricity(&self, margin: f64) -> f64 {
        (0..2).map(|n| (self.offset[n] / (self.radii[n] + margin)).powi(2)).sum::<f64>().sqrt()
    }
}

/// Distance in mm between the points of the centre line from which the search for the nearest point of the
/// line starts.
const SPACING: f64 = 1.0;

impl Tube {
    /// Creates a tube. `controls` are points of the centre line (x, y, z) with the radii r₁ and r₂, all in
    /// mm. `reference` is the direction of r₁. The centre line must nowhere be parallel to it.
    pub(crate) fn new(controls: &[[f64; 5]], reference: [f64; 3]) -> Self {
        let spline = Spline::through(controls);
        let count = (spline.end() / SPACING).ceil() as usize;
        let samples: Vec<(f64, Vector3<f64>, f64)> = (0..=count)
            .map(|n| {
                let t = spline.end() * n as f64 / count as f64;
                let value = spline.at(t).value;
                (t, place(&value), value[3].max(value[4]))
            })
            .collect();
        let unbounded = [Vector3::repeat(f64::INFINITY), Vector3::repeat(f64::NEG_INFINITY)];
        let bounds = samples.iter().fold(unbounded, |[low, high], &(_, centre, radius)| {
            let reach = Vector3::repeat(radius + SPACING);
            [low.inf(&(centre - reach)), high.sup(&(centre + reach))]
        });
        Self { spline, reference: Vector3::from(reference).normalize(), samples, bounds }
    }

    /// Returns the parameter of the last point of the centre line. The parameter of the first point is 0.
    pub(crate) fn end(&self) -> f64 {
        self.spline.end()
    }

    /// Returns true if the larger radius of the tube exceeds 8 mm at some point of the centre line.
    pub(crate) fn is_wide(&self) -> bool {
        self.samples.iter().any(|(.., radius)| *radius > 8.0)
    }

    /// Returns true if a position within `distance` mm of a point may be in the tube.
    pub(crate) fn is_near(&self, point: Vector3<f64>, distance: f64) -> bool {
        let [low, high] = self.bounds;
        let in_box =
            (0..3).all(|axis| point[axis] >= low[axis] - distance && point[axis] <= high[axis] + distance);
        in_box
            && self.samples.iter().any(|(_, centre, radius)| {
                (point - centre).norm_squared() <= (radius + distance + SPACING).powi(2)
            })
    }

    /// Returns the coordinates of a point of space in the tube. Returns `None` if the point is beyond the
    /// ends of the tube.
    pub(crate) fn locate(&self, point: Vector3<f64>) -> Option<TubePoint> {
        let nearest = self
            .samples
            .iter()
            .min_by(|a, b| (point - a.1).norm_squared().total_cmp(&(point - b.1).norm_squared()))?;
        let mut t = nearest.0;
        // Newton's method solves (p − c)·c′ = 0 for the parameter of the nearest point c. Its start value has
        // an error of at most half of the spacing.
        for _ in 0..6 {
            let jet = self.spline.at(t);
            let (away, first) = (point - place(&jet.value), place(&jet.first));
            let slope = first.norm_squared() - away.dot(&place(&jet.second));
            let step = away.dot(&first) / slope.max(0.05 * first.norm_squared());
            t += step.clamp(-2.0 * SPACING, 2.0 * SPACING);
            if step.abs() < 1e-9 {
                break;
            }
        }
        if !(0.0..=self.end()).contains(&t) {
            return None;
        }
        let value = self.spline.at(t).value;
        let away = point - place(&value);
        let (_, n1, n2) = self.frame(t);
        Some(TubePoint { t, offset: [away.dot(&n1), away.dot(&n2)], radii: [value[3], value[4]] })
    }

    /// Returns the position in mm of the point of the tube with the coordinates (t, u, v).
    pub(crate) fn position(&self, t: f64, u: f64, v: f64) -> Vector3<f64> {
        let value = self.spline.at(t).value;
        let (_, n1, n2) = self.frame(t);
        place(&value) + n1 * (value[3] * u) + n2 * (value[4] * v)
    }

    /// Returns the unit tangent of the fibre through a point of the tube. It is computed by central
    /// differences along the fibre.
    pub(crate) fn direction(&self, at: &TubePoint) -> Vector3<f64> {
        // Fibres are smooth over distances of centimetres. A difference over 0.01 mm therefore has an error
        // below 1e-6 rad.
        let (u, v, h) = (at.offset[0] / at.radii[0], at.offset[1] / at.radii[1], 0.01);
        (self.position(at.t + h, u, v) - self.position(at.t - h, u, v)).normalize()
    }

    /// Returns three unit vectors at a parameter of the centre line: its tangent, and the vectors n₁ and n₂
    /// of the cross-section.
    fn frame(&self, t: f64) -> (Vector3<f64>, Vector3<f64>, Vector3<f64>) {
        let along = place(&self.spline.at(t).first).normalize();
        let n1 = (self.reference - along * self.reference.dot(&along)).normalize();
        (along, n1, along.cross(&n1))
    }

    /// Returns the largest product of radius and curvature at a parameter of the centre line. If it is below
    /// 1, the planes perpendicular to the centre line do not intersect inside the tube. Every point of the
    /// tube then has unique coordinates.
    #[cfg(test)]
    pub(crate) fn tightness(&self, t: f64) -> f64 {
        let jet = self.spline.at(t);
        let (first, second) = (place(&jet.first), place(&jet.second));
        let curvature = first.cross(&second).norm() / first.norm().powi(3);
        curvature * jet.value[3].max(jet.value[4])
    }
}

fn place(value: &SVector<f64, 5>) -> Vector3<f64> {
    value.fixed_rows::<3>(0).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fan() -> Tube {
        Tube::new(
            &[
                [0.0, 0.0, -40.0, 4.0, 4.0],
                [4.0, 2.0, -20.0, 4.0, 4.0],
                [12.0, 3.0, 0.0, 8.0, 4.0],
                [14.0, 2.0, 20.0, 15.0, 5.0],
                [14.0, 0.0, 40.0, 22.0, 6.0],
            ],
            [0.0, 1.0, 0.0],
        )
    }

    #[test]
    fn location_inverts_position() {
        let tube = fan();
        for n in 0..400 {
            let fraction = |x: f64| (f64::from(n) * x).fract();
            let t = tube.end() * (0.02 + 0.96 * fraction(0.754877666));
            let (angle, radius) =
                (fraction(0.569840296) * std::f64::consts::TAU, fraction(0.379128937).sqrt());
            let (u, v) = (radius * angle.cos(), radius * angle.sin());
            let found = tube.locate(tube.position(t, u, v)).unwrap();
            assert!((found.t - t).abs() < 1e-6, "{} {t}", found.t);
            assert!((found.offset[0] / found.radii[0] - u).abs() < 1e-6);
            assert!((found.offset[1] / found.radii[1] - v).abs() < 1e-6);
            assert!((found.eccentricity(0.0) - radius).abs() < 1e-6);
        }
    }

    #[test]
    fn directions_follow_the_fibres_of_a_fan() {
        let tube = fan();
        for (u, v) in [(0.9, 0.0), (-0.9, 0.1), (0.0, -0.8)] {
            let (a, b) = (tube.position(50.0, u, v), tube.position(50.2, u, v));
            let middle = tube.locate(tube.position(50.1, u, v)).unwrap();
            // The expected direction is that of a chord with a length of 0.2 mm. The curve has a radius above
            // 20 mm, so that the error is at most 0.2² / (24 · 20) ≈ 1e-4.
            assert!((tube.direction(&middle) - (b - a).normalize()).norm() < 1e-4);
        }
        // Fibres at the two edges of the tube diverge.
        let at = |u| tube.direction(&tube.locate(tube.position(50.0, u, 0.0)).unwrap());
        assert!(at(0.9).dot(&at(-0.9)) < 0.9);
    }

    #[test]
    fn points_beyond_the_ends_are_outside() {
        let tube = fan();
        assert!(tube.locate(Vector3::new(0.0, 0.0, -60.0)).is_none());
        assert!(!tube.locate(Vector3::new(20.0, 2.0, -20.0)).unwrap().is_inside(10.0));
        assert!(tube.locate(Vector3::new(10.0, 2.0, -20.0)).unwrap().is_inside(4.0));
        assert!(!tube.is_near(Vector3::new(60.0, 0.0, 0.0), 3.0));
        assert!(tube.is_near(Vector3::new(12.0, 3.0, 0.0), 0.0));
    }
}
