//! Exact signs of determinants of integer coordinates.

use crate::saturating;
use std::cmp::Ordering;

/// A point in units of 2⁻²⁰ mm.
pub(super) type Fixed = [i32; 3];

/// Number of units of fixed-point coordinates per millimetre.
const UNITS: f64 = (1u64 << 20) as f64;

/// The largest coordinate in mm that fixed-point coordinates can represent; larger coordinates are clamped to
/// this value.
pub(super) const LARGEST: f64 = 2047.0;

/// Rounds the coordinates of a point in mm to integers in units of 2⁻²⁰ mm (ties to even). Coordinates beyond
/// ±2,047 mm and NaN are clamped to this range; no mesh has such coordinates.
pub fn fixed_point(point: [f64; 3]) -> [i32; 3] {
    point.map(|x| {
        let x = if x.is_nan() { LARGEST } else { x.clamp(-LARGEST, LARGEST) };
        saturating::<i32>((x * UNITS).round_ties_even())
    })
}

/// The difference of two points in units of 2⁻²⁰ mm. Each component has up to 33 bits.
type Vector = [i64; 3];

pub(super) fn difference(to: Fixed, from: Fixed) -> Vector {
    std::array::from_fn(|n| i64::from(to[n]) - i64::from(from[n]))
}

/// The cross product of two vectors. Each component is a difference of two products and has up to 66 bits.
pub(super) fn cross(u: Vector, v: Vector) -> [i128; 3] {
    let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
    [
        product(u[1], v[2]) - product(u[2], v[1]),
        product(u[2], v[0]) - product(u[0], v[2]),
        product(u[0], v[1]) - product(u[1], v[0]),
    ]
}

/// The determinant u · (v × w), which has up to 102 bits.
fn determinant(u: Vector, v: Vector, w: Vector) -> i128 {
    let normal = cross(v, w);
    (0..3).map(|n| i128::from(u[n]) * normal[n]).sum()
}

/// The sign of the determinant u · (v × w). The determinant is first estimated in `f64`. If the magnitude of
/// the estimate exceeds its error bound, its sign is returned. If not, the determinant is computed exactly.
fn sign(u: Vector, v: Vector, w: Vector) -> Ordering {
    // The components of the vectors are exact in f64. The determinant is a sum of six products of three
    // components. The total rounding error is below 10 ε times the sum of the magnitudes of these products.
    // This sum is at most six times the product of the largest components of the three vectors.
    let [x, y, z] = [u, v, w].map(|vector| vector.map(|x| x as f64));
    let estimate = x[0] * (y[1] * z[2] - y[2] * z[1])
        + x[1] * (y[2] * z[0] - y[0] * z[2])
        + x[2] * (y[0] * z[1] - y[1] * z[0]);
    let largest = |vector: [f64; 3]| vector.iter().fold(0.0, |maximum: f64, x| maximum.max(x.abs()));
    let bound = 60.0 * f64::EPSILON * largest(x) * largest(y) * largest(z);
    if estimate > bound {
        Ordering::Greater
    } else if estimate < -bound {
        Ordering::Less
    } else {
        determinant(u, v, w).cmp(&0)
    }
}

/// The sign of the first number of the list that is not 0.
fn first_sign(numbers: [i128; 3]) -> Ordering {
    numbers.into_iter().map(|number| number.cmp(&0)).find(|sign| sign.is_ne()).unwrap_or(Ordering::Equal)
}

/// The side of a triangle's plane on which a point is: `Greater` is the side to which the normal points,
/// `Less` is the other side.
pub(super) fn side([a, b, c]: [Fixed; 3], point: Fixed) -> Ordering {
    sign(difference(point, a), difference(b, a), difference(c, a))
}

/// Six times the signed volume of the tetrahedron whose corners are the corners of a triangle and a point.
pub(super) fn height([a, b, c]: [Fixed; 3], point: Fixed) -> i128 {
    determinant(difference(point, a), difference(b, a), difference(c, a))
}

/// The normal of a triangle, with twice the area of the triangle as length.
pub(super) fn normal([a, b, c]: [Fixed; 3]) -> [i128; 3] {
    cross(difference(b, a), difference(c, a))
}

/// The [`side`] of a triangle's plane on which a point is, after the point is displaced by (ε, ε², ε³) with
/// an infinitesimal ε. The result is `Equal` only for triangles without area.
pub(super) fn moved_side(triangle: [Fixed; 3], point: Fixed) -> Ordering {
    side(triangle, point).then_with(|| first_sign(normal(triangle)))
}

/// The side on which the line from p to q passes the directed line from a to b.
pub(super) fn passes(p: Fixed, q: Fixed, a: Fixed, b: Fixed) -> Ordering {
    sign(difference(q, p), difference(a, p), difference(b, p))
}

/// The result of [`passes`] for the line from p to q after it is displaced by (ε, ε², ε³) with an
/// infinitesimal ε. The result is `Equal` only for parallel lines. With the displacement δ and the line's
/// direction d, the determinant is d · ((a − p − δ) × (b − p − δ)). The part of this determinant that depends
/// on δ is δ · (d × (b − a)).
pub(super) fn moved_passes(p: Fixed, q: Fixed, a: Fixed, b: Fixed) -> Ordering {
    passes(p, q, a, b).then_with(|| first_sign(cross(difference(q, p), difference(b, a))))
}

/// Converts an integer of up to 102 bits to `f64`. The upper and the lower 64 bits are each rounded to `f64`,
/// and then their sum is rounded.
pub(super) fn rounded(number: i128) -> f64 {
    let magnitude = number.unsigned_abs();
    let value = (magnitude >> 64) as u64 as f64 * 18_446_744_073_709_551_616.0 + magnitude as u64 as f64;
    if number < 0 { -value } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_rounded_to_nanometres() {
        assert_eq!(fixed_point([1.0, -0.5, 8.0 + 2f64.powi(-20)]), [1 << 20, -(1 << 19), (8 << 20) + 1]);
        assert_eq!(fixed_point([1e9, f64::NAN, -1e9]), [2047 << 20, 2047 << 20, -(2047 << 20)]);
        // A value halfway between two integers is rounded to the even integer.
        assert_eq!(fixed_point([1.5, 2.5, -2.5].map(|x| x / UNITS)), [2, 2, -2]);
    }

    #[test]
    fn the_floating_point_filter_is_never_wrong() {
        // The test points are at the corners of the largest possible box. Some of their determinants are
        // nearly 0, although the terms have 102 bits.
        let maximum = 2047 << 20;
        let triangle =
            [[-maximum, -maximum, -maximum], [maximum, maximum, -maximum], [maximum - 1, maximum, maximum]];
        for step in -2..=2 {
            for axis in 0..3 {
                let mut point = [maximum - 1 + step, maximum, maximum - 7];
                point[axis] += step;
                assert_eq!(side(triangle, point), height(triangle, point).cmp(&0));
            }
        }
        assert_eq!(side(triangle, triangle[2]), Ordering::Equal);
        assert_ne!(moved_side(triangle, triangle[2]), Ordering::Equal);
        assert_eq!(rounded(-(1i128 << 100)), -2f64.powi(100));
        assert_eq!(rounded(3), 3.0);
    }

    #[test]
    fn reversed_edges_are_passed_on_the_opposite_side() {
        let (p, q, a, b) = ([0, 0, 0], [4, 2, 6], [1, 0, 5], [3, 2, 1]);
        // The line passes exactly through the middle of the edge.
        assert_eq!(passes(p, q, a, b), Ordering::Equal);
        assert_eq!(moved_passes(p, q, a, b), moved_passes(p, q, b, a).reverse());
        assert_ne!(moved_passes(p, q, a, b), Ordering::Equal);
        // The expected sign is that of a line displaced by a small vector of the form (ε, ε², ε³).
        let moved = |point: Fixed| [point[0] * 1000 + 100, point[1] * 1000 + 10, point[2] * 1000 + 1];
        let scaled = |point: Fixed| point.map(|x| x * 1000);
        assert_eq!(moved_passes(p, q, a, b), passes(moved(p), moved(q), scaled(a), scaled(b)));
        let triangle = [[0, 0, 3], [5, 0, 3], [0, 5, 3]];
        assert_eq!(moved_side(triangle, [1, 1, 3]), side(triangle.map(scaled), moved([1, 1, 3])));
    }
}
