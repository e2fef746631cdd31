use arcuate_core::{Error, Point, Result, Surface, narrow};
use std::collections::HashMap;

/// Labelled vertices of surfaces: their positions and regions.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LabelledVertices {
    points: Vec<Point>,
    regions: Vec<u32>,
}

impl LabelledVertices {
    /// Adds the vertices of a surface (in scanner mm) that have a region. `regions` has one region number per
    /// vertex, and 0 for vertices without a region. Returns an error if `regions` does not have one number
    /// per vertex.
    pub fn add(&mut self, surface: &Surface, regions: &[u32]) -> Result<()> {
        let vertices = surface.vertices();
        if regions.len() != vertices.len() {
            let problem = format!(
                "there are {} labels, but the surface has {} vertices",
                regions.len(),
                vertices.len()
            );
            return Err(Error::invalid(
                "labels",
                problem,
                "give labels and a surface that have the same vertices",
            ));
        }
        for (point, region) in vertices.iter().zip(regions).filter(|(_, region)| **region != 0) {
            self.points.push(*point);
            self.regions.push(*region);
        }
        Ok(())
    }

    /// Returns whether there are no vertices.
    pub fn is_empty(&self) -> bool {
        self.points.is_empty()
    }

    /// Returns the positions of the labelled vertices in scanner mm.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the region of each vertex.
    pub fn regions(&self) -> &[u32] {
        &self.regions
    }

    /// Returns only the vertices whose region is in `regions`. The numbers in `regions` must be ascending.
    pub(super) fn restricted_to(&self, regions: &[u32]) -> Self {
        let kept = self.points.iter().zip(&self.regions);
        let kept = kept.filter(|(_, region)| regions.binary_search(region).is_ok());
        let (points, regions) = kept.map(|(point, region)| (*point, *region)).unzip();
        Self { points, regions }
    }
}

/// Finds the labelled vertex nearest to a point, up to a search radius. Vertices are sorted into cubes whose
/// edge length is this radius, so that the search for a point examines 27 cubes.
#[derive(Debug, Clone)]
pub(super) struct VertexSearch {
    vertices: LabelledVertices,
    radius: f64,
    /// The indices of the vertices, sorted by the cube that contains the vertex, and ascending within a cube.
    order: Vec<u32>,
    cubes: HashMap<[i64; 3], std::ops::Range<usize>>,
}

impl VertexSearch {
    /// Creates a search for the nearest vertex, up to `radius` mm from a point. The radius must be positive
    /// and finite.
    pub(super) fn new(vertices: LabelledVertices, radius: f64) -> Self {
        let cube = |vertex: u32| cube(vertices.points[vertex as usize], radius);
        // The indices of vertices fit in 32 bits, because a surface has at most 2³² vertices.
        let mut order: Vec<u32> = (0..narrow::<u32>(vertices.points.len())).collect();
        order.sort_by_key(|&vertex| cube(vertex));
        let mut cubes = HashMap::new();
        let mut first = 0;
        while first < order.len() {
            let here = cube(order[first]);
            let count = order[first..].iter().take_while(|&&vertex| cube(vertex) == here).count();
            cubes.insert(here, first..first + count);
            first += count;
        }
        Self { vertices, radius, order, cubes }
    }

    pub(super) fn vertices(&self) -> &LabelledVertices {
        &self.vertices
    }

    /// Returns the squared distance in mm² from `point` to the nearest vertex, and the region of this vertex.
    /// Returns `None` if no vertex is closer than the search radius. If several vertices are equally near,
    /// returns the region of the one that was added first.
    pub(super) fn nearest(&self, point: Point) -> Option<(f64, u32)> {
        if point.iter().any(|x| !x.is_finite()) {
            return None;
        }
        let middle = cube(point, self.radius);
        let mut best: Option<(f64, u32)> = None;
        for n in 0..27 {
            let place = [middle[0] + n % 3 - 1, middle[1] + n / 3 % 3 - 1, middle[2] + n / 9 - 1];
            let Some(range) = self.cubes.get(&place) else { continue };
            for &vertex in &self.order[range.clone()] {
                let there = self.vertices.points[vertex as usize];
                let square: f64 =
                    (0..3).map(|axis| (f64::from(there[axis]) - f64::from(point[axis])).powi(2)).sum();
                let better = match best {
                    Some((minimum, first)) => square < minimum || square == minimum && vertex < first,
                    None => square < self.radius * self.radius,
                };
                if better {
                    best = Some((square, vertex));
                }
            }
        }
        best.map(|(square, vertex)| (square, self.vertices.regions[vertex as usize]))
    }
}

fn cube(point: Point, edge: f64) -> [i64; 3] {
    // A point with a coordinate beyond ±2⁶⁰ cubes is moved to the cube at ±2⁶⁰, which is far from any vertex.
    point.map(|x| ((f64::from(x) / edge).floor() as i64).clamp(-(1 << 60), 1 << 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scattered() -> LabelledVertices {
        let mut state = 99u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            ((state >> 40) as f32 / (1u64 << 24) as f32 - 0.5) * 40.0
        };
        let points: Vec<Point> = (0..600).map(|_| [uniform(), uniform(), uniform()]).collect();
        let regions: Vec<u32> = (0..600).map(|n| n % 7).collect();
        let mut vertices = LabelledVertices::default();
        vertices.add(&Surface::new(points, Vec::new(), None).unwrap(), &regions).unwrap();
        vertices
    }

    #[test]
    fn the_nearest_vertex_agrees_with_an_exhaustive_search() {
        let vertices = scattered();
        assert_eq!(vertices.points().len(), 514);
        for radius in [0.5, 3.0, 11.0, 200.0] {
            let search = VertexSearch::new(vertices.clone(), radius);
            for n in 0..900 {
                let fraction = |prime: f64| ((f64::from(n) * prime).fract() * 50.0 - 25.0) as f32;
                let point = [fraction(0.754877666), fraction(0.569840296), fraction(0.379128937)];
                let square = |there: &Point| -> f64 {
                    (0..3).map(|axis| (f64::from(there[axis]) - f64::from(point[axis])).powi(2)).sum()
                };
                let expected = vertices
                    .points()
                    .iter()
                    .zip(vertices.regions())
                    .map(|(there, region)| (square(there), *region))
                    .filter(|(square, _)| *square < radius * radius)
                    .min_by(|a, b| a.0.total_cmp(&b.0));
                assert_eq!(search.nearest(point), expected, "{radius} {point:?}");
            }
        }
    }

    #[test]
    fn ties_and_invalid_points_are_handled() {
        let surface = Surface::new(vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]], Vec::new(), None).unwrap();
        let mut vertices = LabelledVertices::default();
        vertices.add(&surface, &[6, 5]).unwrap();
        let search = VertexSearch::new(vertices.clone(), 1.5);
        assert_eq!(search.nearest([0.0; 3]), Some((1.0, 6)));
        // The search does not find a vertex whose distance is exactly the radius.
        assert_eq!(VertexSearch::new(vertices.clone(), 1.0).nearest([0.0; 3]), None);
        for point in [[f32::NAN; 3], [f32::INFINITY, 0.0, 0.0], [3e38, 0.0, -3e38]] {
            assert_eq!(search.nearest(point), None);
        }
        let error = vertices.add(&surface, &[1]).unwrap_err();
        assert_eq!(error.problem(), "there are 1 labels, but the surface has 2 vertices");
    }
}
