//! Computes the distance from a position to the nearest of many points.

use arcuate_core::narrow;
use nalgebra::Vector3;

/// A set of points, prepared so that the nearest point of many positions can be found quickly.
#[derive(Debug)]
pub(crate) struct NearestPoint {
    points: Vec<Vector3<f64>>,
    /// The space around the origin is divided into cubes. For each cube (x fastest), the list has the points
    /// that may be nearest to a position in the cube.
    cubes: Vec<Vec<u16>>,
}

/// Edge length of a cube in mm, and number of cubes along each axis. The cubes fill a box whose centre is the
/// origin.
const EDGE: f64 = 6.0;
const CUBES: usize = 24;

impl NearestPoint {
    pub(crate) fn new(points: Vec<Vector3<f64>>) -> Self {
        let half = EDGE / 2.0 * 3f64.sqrt();
        let of_cube = |cube: usize| {
            let numbers = [cube % CUBES, cube / CUBES % CUBES, cube / CUBES.pow(2)];
            let middle = Vector3::from(numbers.map(|n| (n as f64 + 0.5 - CUBES as f64 / 2.0) * EDGE));
            let distances: Vec<f64> = points.iter().map(|point| (point - middle).norm()).collect();
            let nearest = distances.iter().copied().fold(f64::INFINITY, f64::min);
            // A position in the cube is at most half of a diagonal from the centre of the cube. The distance
            // of each point from this position therefore differs by at most half of a diagonal from its
            // distance from the centre.
            let may_be = |&n: &u16| distances[n as usize] <= nearest + 2.0 * half + 1e-6;
            (0..narrow::<u16>(points.len())).filter(may_be).collect()
        };
        let cubes = (0..CUBES.pow(3)).map(of_cube).collect();
        Self { points, cubes }
    }

    /// Returns the squared distance in mm² from a position to the nearest point. If there are no points, the
    /// distance is infinite.
    pub(crate) fn squared_distance(&self, p: Vector3<f64>) -> f64 {
        let number = p.map(|x| (x / EDGE + CUBES as f64 / 2.0).floor());
        let squared = |point: &Vector3<f64>| (p - point).norm_squared();
        if number.iter().all(|n| (0.0..CUBES as f64).contains(n)) {
            let [i, j, k] = <[f64; 3]>::from(number).map(|n| n as usize);
            let near = self.cubes[i + CUBES * (j + CUBES * k)].iter();
            near.map(|&n| squared(&self.points[n as usize])).fold(f64::INFINITY, f64::min)
        } else {
            self.points.iter().map(squared).fold(f64::INFINITY, f64::min)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_point_is_found() {
        let fraction = |n: usize, factor: f64| (n as f64 * factor).fract() - 0.5;
        let place = |n: usize, size: f64| {
            size * Vector3::new(fraction(n, 0.819_172), fraction(n, 0.671_043), fraction(n, 0.549_7))
        };
        let points: Vec<Vector3<f64>> = (1..150).map(|n| place(n, 130.0)).collect();
        let nearest = NearestPoint::new(points.clone());
        for n in 1..5000 {
            let p = place(n, 180.0);
            let expected =
                points.iter().map(|point| (p - point).norm_squared()).fold(f64::INFINITY, f64::min);
            assert_eq!(nearest.squared_distance(p), expected);
        }
        assert_eq!(NearestPoint::new(Vec::new()).squared_distance(Vector3::zeros()), f64::INFINITY);
    }
}
