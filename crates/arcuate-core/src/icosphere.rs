//! Triangulated spheres.

use crate::narrow;
use nalgebra::Vector3;
use std::collections::HashMap;

/// Creates a triangulated unit sphere. Returns its points and the triangles between them, counter-clockwise
/// as seen from outside. The 20 triangles of an icosahedron are each split into four, `divisions` times. The
/// points of a coarser sphere are the first points of a sphere with more divisions.
pub fn icosphere(divisions: usize) -> (Vec<[f64; 3]>, Vec<[u32; 3]>) {
    let golden = f64::midpoint(1.0, 5f64.sqrt());
    let mut points: Vec<Vector3<f64>> = (0..12)
        .map(|n| {
            let sign = |bit: usize| if n >> bit & 1 == 0 { 1.0 } else { -1.0 };
            let corner = [sign(0), golden * sign(1), 0.0];
            let turn = n / 4;
            Vector3::from_fn(|axis, _| corner[(axis + turn) % 3]).normalize()
        })
        .collect();
    let is_edge = |a: usize, b: usize| points[a].dot(&points[b]) > 0.4;
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if is_edge(a, b) && is_edge(b, c) && is_edge(c, a) {
                    let normal = (points[b] - points[a]).cross(&(points[c] - points[a]));
                    let [b, c] = if normal.dot(&points[a]) > 0.0 { [b, c] } else { [c, b] };
                    triangles.push([narrow::<u32>(a), narrow::<u32>(b), narrow::<u32>(c)]);
                }
            }
        }
    }
    for _ in 0..divisions {
        let mut middles = HashMap::new();
        let mut middle = |a: u32, b: u32| {
            *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
                points.push((points[a as usize] + points[b as usize]).normalize());
                narrow::<u32>(points.len()) - 1
            })
        };
        triangles = triangles
            .into_iter()
            .flat_map(|[a, b, c]| {
                let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]]
            })
            .collect();
    }
    (points.into_iter().map(Into::into).collect(), triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spheres_are_closed_and_coarser_points_come_first() {
        let (coarse, _) = icosphere(2);
        let (fine, triangles) = icosphere(3);
        assert_eq!((coarse.len(), fine.len(), triangles.len()), (162, 642, 1280));
        assert_eq!(fine[..162], coarse);
        let volume: f64 = triangles
            .iter()
            .map(|corners| {
                let [a, b, c] = corners.map(|n| Vector3::from(fine[n as usize]));
                a.dot(&b.cross(&c)) / 6.0
            })
            .sum();
        // The mean distance between a triangle with side a and the unit sphere is a²/8. For 1280 equal
        // triangles, this is 0.0028, and the polyhedron lacks three times this fraction of the volume of the
        // sphere. The actual triangles are not all equal.
        assert!((volume / (4.0 / 3.0 * std::f64::consts::PI) - 0.9915).abs() < 0.001, "{volume}");
    }
}
