//! Objects that consist of ellipsoids, or of ellipses in a plane. Their Fourier transform is known
//! analytically, so that their k-space data are exact. Tests of reconstructions therefore do not compute
//! their data with the sums that they test.
//!
//! An ellipsoid is a ball that was scaled, rotated and translated. The Fourier transform of the unit ball is
//! (sin x − x cos x) / (2π² k³) with x = 2πk. The Fourier transform of the unit disc is J₁(2πk) / k (Koay,
//! Sarlls and Özarslan 2007, "Three-dimensional analytical magnetic resonance imaging phantom in the Fourier
//! domain", doi:10.1002/mrm.21292).

use arcuate_numbers::vector3::dot;
use rayon::prelude::*;
use std::f64::consts::PI;

/// An ellipsoid with a constant value inside.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ellipsoid {
    /// The value inside the ellipsoid. It is added to the values of the other ellipsoids at the same
    /// position.
    pub value: f64,
    /// The centre of the ellipsoid in RAS mm.
    pub centre: [f64; 3],
    /// Semi-axes of the ellipsoid in mm, along the directions in `axes`. They must be positive.
    pub semi_axes: [f64; 3],
    /// Unit vectors along the semi-axes. They are orthogonal to each other.
    pub axes: [[f64; 3]; 3],
}

impl Ellipsoid {
    /// Returns the components of a vector along the axes of the ellipsoid. The function `weight` combines
    /// each component with the semi-axis along this axis.
    fn along(&self, vector: [f64; 3], weight: impl Fn(f64, f64) -> f64) -> [f64; 3] {
        std::array::from_fn(|n| weight(dot(self.axes[n], vector), self.semi_axes[n]))
    }
}

/// An object that is a sum of ellipsoids. If the object is in a plane, only the first two coordinates and
/// axes are used.
#[derive(Debug, Clone, PartialEq)]
pub struct Ellipsoids {
    shapes: Vec<Ellipsoid>,
    in_plane: bool,
}

impl Ellipsoids {
    /// Creates a three-dimensional object.
    pub fn new(shapes: Vec<Ellipsoid>) -> Self {
        Self { shapes, in_plane: false }
    }

    /// Creates an object of ellipses in the x–y plane.
    pub fn in_plane(shapes: Vec<Ellipsoid>) -> Self {
        Self { shapes, in_plane: true }
    }

    /// Creates a two-dimensional head phantom: that of Shepp and Logan (1974, "The Fourier reconstruction of
    /// a head section", doi:10.1109/TNS.1974.6499235) with the contrast of Toft (1996, "The Radon
    /// transform"). The length of the skull is 0.92 of the field of view.
    pub fn shepp_logan_slice(field_of_view_mm: f64) -> Self {
        let ellipse = |&[value, a, b, _, x, y, _, turn, _]: &[f64; 9]| {
            scaled(field_of_view_mm, value, [a, b, 1.0], [x, y, 0.0], turn)
        };
        Self::in_plane(HEAD.iter().map(ellipse).collect())
    }

    /// Creates the three-dimensional head phantom of Shepp and Logan. It consists of ten ellipsoids. In the
    /// plane z = 0, they are the ellipses of [`shepp_logan_slice`](Self::shepp_logan_slice), except for two
    /// small angles.
    pub fn shepp_logan_head(field_of_view_mm: f64) -> Self {
        let ellipsoid = |&[value, a, b, c, x, y, z, turn, further]: &[f64; 9]| {
            scaled(field_of_view_mm, value, [a, b, c], [x, y, z], turn + further)
        };
        Self::new(HEAD.iter().map(ellipsoid).collect())
    }

    /// Returns the ellipsoids of the object.
    pub fn shapes(&self) -> &[Ellipsoid] {
        &self.shapes
    }

    /// Returns the largest absolute value of the object. The object is evaluated at the centres and edges of
    /// its ellipsoids. Returns 0 if there are no ellipsoids.
    pub fn largest_value(&self) -> f64 {
        // The object is also evaluated just inside the edges of each ellipsoid, because other ellipsoids may
        // cover the centre.
        let places = self.shapes.iter().flat_map(|shape| {
            let end = |side: f64| {
                std::array::from_fn(|c| {
                    shape.centre[c] + side * 0.999 * shape.semi_axes[0] * shape.axes[0][c]
                })
            };
            [shape.centre, end(1.0), end(-1.0)]
        });
        places.map(|place| self.at(place).abs()).fold(0.0, f64::max)
    }

    /// Returns the number of dimensions, 2 or 3.
    pub fn dimensions(&self) -> usize {
        if self.in_plane { 2 } else { 3 }
    }

    /// Returns the object's value at a point in RAS mm.
    pub fn at(&self, point: [f64; 3]) -> f64 {
        let inside = |shape: &&Ellipsoid| {
            let from_centre = std::array::from_fn(|n| point[n] - shape.centre[n]);
            self.length(shape.along(from_centre, |along, half| along / half)) <= 1.0
        };
        self.shapes.iter().filter(inside).map(|shape| shape.value).sum()
    }

    /// Returns the object's Fourier transform ∫ value · e^(−2πi k·r) dr at the wave number `k` in cycles per
    /// mm, as a real and an imaginary part. Its unit is that of the value times mm³. For an object in a
    /// plane, it is that of the value times mm².
    pub fn transform(&self, k: [f64; 3]) -> [f64; 2] {
        let mut sum = [0.0; 2];
        for shape in &self.shapes {
            let stretched = self.length(shape.along(k, |along, half| along * half));
            let (volume, kernel) = if self.in_plane {
                (shape.semi_axes[0] * shape.semi_axes[1], disc(stretched))
            } else {
                (shape.semi_axes.iter().product::<f64>(), ball(stretched))
            };
            let centre = (0..self.dimensions()).map(|n| k[n] * shape.centre[n]).sum::<f64>();
            let (sin, cos) = (-2.0 * PI * centre).sin_cos();
            let size = shape.value * volume * kernel;
            sum[0] += size * cos;
            sum[1] += size * sin;
        }
        sum
    }

    /// Returns the object's [`transform`](Self::transform) at several positions in k-space.
    pub fn transforms(&self, places: &[[f64; 3]]) -> Vec<[f64; 2]> {
        places.par_iter().map(|&k| self.transform(k)).collect()
    }

    fn length(&self, vector: [f64; 3]) -> f64 {
        vector[..self.dimensions()].iter().map(|c| c * c).sum::<f64>().sqrt()
    }
}

/// Returns the Fourier transform of the unit ball at a wave number.
fn ball(k: f64) -> f64 {
    let x = 2.0 * PI * k;
    let ratio = if x > 1.0 {
        let (sin, cos) = x.sin_cos();
        (sin - x * cos) / (x * x * x)
    } else {
        // If x is small, the two terms nearly cancel, so that a series is used instead: Σ (−1)ᵐ (2m + 2) /
        // (2m + 3)! x²ᵐ. Terms below 1e-18 are omitted.
        let (mut sum, mut term) = (0.0, 1.0 / 3.0);
        for m in 1..=10 {
            sum += term;
            let m = f64::from(m);
            term *= -x * x * (2.0 * m + 2.0) / (2.0 * m * (2.0 * m + 2.0) * (2.0 * m + 3.0));
        }
        sum
    };
    4.0 * PI * ratio
}

/// Returns the Fourier transform of the unit disc at a wave number.
fn disc(k: f64) -> f64 {
    let x = 2.0 * PI * k;
    // If x is small, J₁(x) / x is computed as ½ − x²/16.
    if x < 1e-4 { PI * (1.0 - x * x / 8.0) } else { 2.0 * PI * arcuate_numbers::special::bessel_j1(x) / x }
}

/// Creates an ellipsoid. Its semi-axes and its centre are given as multiples of half the field of view. It is
/// rotated about z by an angle in degrees.
fn scaled(
    field_of_view_mm: f64,
    value: f64,
    semi_axes: [f64; 3],
    centre: [f64; 3],
    degrees: f64,
) -> Ellipsoid {
    let half = 0.5 * field_of_view_mm;
    let (sin, cos) = degrees.to_radians().sin_cos();
    Ellipsoid {
        value,
        centre: centre.map(|c| half * c),
        semi_axes: semi_axes.map(|a| half * a),
        axes: [[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]],
    }
}

/// The ellipsoids of the head phantom. Each has nine numbers: the value, three semi-axes, three coordinates
/// of the centre, and two angles about z in
/// degrees. The two-dimensional phantom uses the first angle, and the three-dimensional phantom the sum of
/// both.
const HEAD: [[f64; 9]; 10] = [
    [1.0, 0.69, 0.92, 0.81, 0.0, 0.0, 0.0, 0.0, 0.0],
    [-0.8, 0.6624, 0.874, 0.78, 0.0, -0.0184, 0.0, 0.0, 0.0],
    [-0.2, 0.11, 0.31, 0.22, 0.22, 0.0, 0.0, -18.0, 10.0],
    [-0.2, 0.16, 0.41, 0.28, -0.22, 0.0, 0.0, 18.0, 10.0],
    [0.1, 0.21, 0.25, 0.41, 0.0, 0.35, -0.15, 0.0, 0.0],
    [0.1, 0.046, 0.046, 0.05, 0.0, 0.1, 0.25, 0.0, 0.0],
    [0.1, 0.046, 0.046, 0.05, 0.0, -0.1, 0.25, 0.0, 0.0],
    [0.1, 0.046, 0.023, 0.05, -0.08, -0.605, 0.0, 0.0, 0.0],
    [0.1, 0.023, 0.023, 0.02, 0.0, -0.606, 0.0, 0.0, 0.0],
    [0.1, 0.023, 0.046, 0.02, 0.06, -0.605, 0.0, 0.0, 0.0],
];

#[cfg(test)]
mod tests {
    use super::*;

    const TURNED: [[f64; 3]; 3] = [[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]];

    fn one(semi_axes: [f64; 3], axes: [[f64; 3]; 3], centre: [f64; 3]) -> Ellipsoid {
        Ellipsoid { value: 2.0, centre, semi_axes, axes }
    }

    const UPRIGHT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

    #[test]
    fn fourier_transforms_agree_with_quadrature() {
        // The expected transform is the integral over sections perpendicular to k, computed by the midpoint
        // rule with z = R sin θ. For the disc, the rule is exact up to rounding errors. For the ball, its
        // error is proportional to the fourth power of the step.
        for k in [0.0f64, 1e-9, 0.003, 0.02, 0.0529, 0.06, 0.3, 1.7, 12.0] {
            let steps = 4000;
            let (mut disc, mut ball) = (0.0, 0.0);
            let radius = 3.0f64;
            for n in 0..steps {
                let (sin, cos) = ((n as f64 + 0.5) * PI / f64::from(steps) - 0.5 * PI).sin_cos();
                let wave = (2.0 * PI * k * radius * sin).cos() * radius * cos * PI / f64::from(steps);
                disc += 2.0 * radius * cos * wave;
                ball += PI * radius * radius * cos * cos * wave;
            }
            let shape = vec![one([radius; 3], TURNED, [0.0; 3])];
            let body = Ellipsoids::new(shape.clone()).transform([0.6 * k, 0.0, 0.8 * k]);
            let slice = Ellipsoids::in_plane(vec![one([radius; 3], UPRIGHT, [0.0; 3])]).transform([
                0.6 * k,
                -0.8 * k,
                7.0,
            ]);
            assert!((body[0] - 2.0 * ball).abs() < 1e-9 * radius.powi(3), "{k}: {} {}", body[0], 2.0 * ball);
            assert!(
                (slice[0] - 2.0 * disc).abs() < 1e-11 * radius.powi(2),
                "{k}: {} {}",
                slice[0],
                2.0 * disc
            );
            assert!(body[1] == 0.0 && slice[1] == 0.0);
        }
    }

    #[test]
    fn shapes_are_scaled_rotated_and_translated() {
        let shape = one([3.0, 5.0, 8.0], TURNED, [10.0, -4.0, 2.0]);
        let body = Ellipsoids::new(vec![shape]);
        assert!((body.transform([0.0; 3])[0] - 2.0 * 4.0 / 3.0 * PI * 120.0).abs() < 1e-10);
        // For k along an axis, the transform of an ellipsoid is that of a ball, multiplied by the ratio of
        // the two volumes. The radius of the ball is the semi-axis along this axis.
        for n in 0..3 {
            let k = TURNED[n].map(|c| 0.07 * c);
            let alone = Ellipsoids::new(vec![one([shape.semi_axes[n]; 3], UPRIGHT, [0.0; 3])]).transform(k);
            let volume = 120.0 / shape.semi_axes[n].powi(3);
            let angle = -2.0 * PI * dot(k, shape.centre);
            let found = body.transform(k);
            let expected = [alone[0] * volume * angle.cos(), alone[0] * volume * angle.sin()];
            assert!((0..2).all(|n| (found[n] - expected[n]).abs() < 1e-10), "{found:?} {expected:?}");
            let end: [f64; 3] =
                std::array::from_fn(|c| shape.centre[c] + 0.99 * shape.semi_axes[n] * TURNED[n][c]);
            let beyond: [f64; 3] =
                std::array::from_fn(|c| shape.centre[c] + 1.01 * shape.semi_axes[n] * TURNED[n][c]);
            assert_eq!((body.at(end), body.at(beyond)), (2.0, 0.0));
        }
    }

    #[test]
    fn the_head_phantom_has_the_published_values() {
        for head in [Ellipsoids::shepp_logan_slice(200.0), Ellipsoids::shepp_logan_head(200.0)] {
            // The test points are in the skull, in the brain, in the two ventricles, and outside the head.
            for (point, value) in [
                ([0.0, 90.5, 0.0], 1.0),
                ([0.0, -50.0, 0.0], 0.2),
                ([22.0, 0.0, 0.0], 0.0),
                ([-22.0, 0.0, 0.0], 0.0),
                ([80.0, 80.0, 0.0], 0.0),
            ] {
                assert!((head.at(point) - value).abs() < 1e-12, "{point:?} {}", head.at(point));
            }
            let zero = head.transform([0.0; 3])[0];
            let unit = |shape: &Ellipsoid| -> f64 {
                shape.value * shape.semi_axes[..head.dimensions()].iter().product::<f64>()
            };
            let volume: f64 = head.shapes().iter().map(unit).sum();
            let ball = if head.dimensions() == 2 { PI } else { 4.0 / 3.0 * PI };
            assert!((zero / (ball * volume) - 1.0).abs() < 1e-14);
            let places = [[0.01, 0.02, 0.0], [0.0, 0.1, 0.003]];
            assert_eq!(head.transforms(&places), places.map(|k| head.transform(k)));
        }
    }
}
