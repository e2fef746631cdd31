use super::structure::Structure;
use crate::{Affine, Error, Point, Result};
use arcuate_numbers::vector3::{cross, minus, norm};
use std::collections::BTreeSet;

/// A triangle mesh of a surface.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    vertices: Vec<Point>,
    triangles: Vec<[u32; 3]>,
    structure: Option<Structure>,
}

/// Numbers of faulty edges, which decide whether a mesh encloses a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Closedness {
    /// Number of edges that belong to only one triangle. At these edges, the mesh has a hole.
    pub open_edges: usize,
    /// Number of edges that belong to three or more triangles.
    pub crowded_edges: usize,
    /// Number of edges whose two triangles list the vertices of the edge in the same order. One of the two
    /// triangles then has the wrong orientation.
    pub twisted_edges: usize,
}

impl Closedness {
    /// Returns whether every edge belongs to two triangles, which list its vertices in opposite order. This
    /// mesh is closed and has an inside.
    pub fn is_closed(self) -> bool {
        self == Self { open_edges: 0, crowded_edges: 0, twisted_edges: 0 }
    }
}

impl Surface {
    /// Creates a mesh from vertices in scanner mm (RAS) and triangles. Each triangle has the indices of three
    /// vertices, counted from 0. Returns an error if an index is out of range, or if a coordinate is not
    /// finite.
    pub fn new(vertices: Vec<Point>, triangles: Vec<[u32; 3]>, structure: Option<Structure>) -> Result<Self> {
        let count = vertices.len();
        if let Some(number) = triangles.iter().flatten().find(|number| **number as usize >= count) {
            let problem = format!(
                "a triangle has vertex {number}, but the last vertex is {} (counted from \
                                   0)",
                count as i64 - 1
            );
            return Err(Error::invalid("surface", problem, "make the surface again"));
        }
        if let Some(vertex) = vertices.iter().position(|vertex| vertex.iter().any(|x| !x.is_finite())) {
            let problem = format!("a coordinate of vertex {vertex} (counted from 0) is not a number");
            return Err(Error::invalid("surface", problem, "make the surface again"));
        }
        Ok(Self { vertices, triangles, structure })
    }

    /// Positions of the vertices in scanner mm.
    pub fn vertices(&self) -> &[Point] {
        &self.vertices
    }

    /// The three vertex indices of each triangle.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The brain structure of the surface, if known.
    pub fn structure(&self) -> Option<Structure> {
        self.structure
    }

    /// Transforms every vertex. If the transform includes a reflection, the order of the vertices of each
    /// triangle is reversed, so that the normals still point outwards.
    pub fn transformed(mut self, transform: &Affine) -> Self {
        for vertex in &mut self.vertices {
            *vertex = transform.apply(vertex.map(f64::from)).map(|x| x as f32);
        }
        if transform.determinant() < 0.0 {
            for triangle in &mut self.triangles {
                triangle.swap(1, 2);
            }
        }
        self
    }

    /// Minimum and maximum coordinates of the vertices; `None` if there are no vertices.
    pub fn bounds(&self) -> Option<[Point; 2]> {
        let first = *self.vertices.first()?;
        Some(self.vertices.iter().fold([first; 2], |[minimum, largest], vertex| {
            [
                std::array::from_fn(|axis| minimum[axis].min(vertex[axis])),
                std::array::from_fn(|axis| largest[axis].max(vertex[axis])),
            ]
        }))
    }

    /// A normal vector of a triangle, whose length is twice the area of the triangle in mm². The normal
    /// points to the side from which the three vertices run counter-clockwise.
    fn double_area(&self, triangle: [u32; 3]) -> [f64; 3] {
        let [a, b, c] = triangle.map(|vertex| self.vertices[vertex as usize].map(f64::from));
        cross(minus(b, a), minus(c, a))
    }

    /// Indices of triangles without area. This triangle has the same vertex twice, or three vertices on a
    /// line. (Twice the area of the triangle is then at most 10⁻⁶ times the square of the longest edge.)
    pub fn degenerate_triangles(&self) -> Vec<usize> {
        let is_degenerate = |triangle: [u32; 3]| {
            let [a, b, c] = triangle.map(|vertex| self.vertices[vertex as usize].map(f64::from));
            let squared = |p: [f64; 3], q: [f64; 3]| (0..3).map(|n| (p[n] - q[n]).powi(2)).sum::<f64>();
            let longest = squared(a, b).max(squared(b, c)).max(squared(c, a));
            norm(self.double_area(triangle)) <= 1e-6 * longest
        };
        let degenerate = self.triangles.iter().enumerate().filter(|(_, triangle)| is_degenerate(**triangle));
        degenerate.map(|(number, _)| number).collect()
    }

    /// The area of each vertex in mm²: a third of the total area of the triangles at this vertex. The sum
    /// over all vertices is the area of the surface.
    pub fn vertex_areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.vertices.len()];
        for &triangle in &self.triangles {
            let third = norm(self.double_area(triangle)) / 6.0;
            for vertex in triangle {
                areas[vertex as usize] += third;
            }
        }
        areas
    }

    /// The inward unit normal of each vertex: the mean of the normals of its triangles, weighted by area. The
    /// vertices of each triangle must run counter-clockwise as seen from outside, as in surfaces of
    /// FreeSurfer, GIFTI and FSL. The normal is zero for a vertex without triangles.
    pub fn inward_normals(&self) -> Vec<[f64; 3]> {
        let mut normals = vec![[0.0; 3]; self.vertices.len()];
        for &triangle in &self.triangles {
            let area = self.double_area(triangle);
            for vertex in triangle {
                for axis in 0..3 {
                    normals[vertex as usize][axis] -= area[axis];
                }
            }
        }
        for normal in &mut normals {
            let length = norm(*normal);
            if length > 0.0 {
                *normal = normal.map(|x| x / length);
            }
        }
        normals
    }

    /// The volume that a closed surface encloses, in mm³ (divergence theorem). The volume is negative if the
    /// triangles run clockwise as seen from outside.
    pub fn volume(&self) -> f64 {
        let Some([minimum, _]) = self.bounds() else { return 0.0 };
        let sixfold = self.triangles.iter().map(|&triangle| {
            let normal = self.double_area(triangle);
            let corner = self.vertices[triangle[0] as usize];
            (0..3).map(|axis| normal[axis] * f64::from(corner[axis] - minimum[axis])).sum::<f64>()
        });
        sixfold.sum::<f64>() / 6.0
    }

    /// Counts the faulty edges of the mesh, for each kind of fault. Triangles that have the same vertex twice
    /// are ignored.
    #[doc(hidden)]
    pub fn closedness(&self) -> Closedness {
        // For each edge of a triangle: the lower vertex, the higher vertex, and whether the triangle runs
        // from the lower to the higher vertex.
        let mut edges: Vec<(u32, u32, bool)> = Vec::with_capacity(3 * self.triangles.len());
        for &[a, b, c] in self.triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a) {
            edges.extend([(a, b), (b, c), (c, a)].map(|(from, to)| (from.min(to), from.max(to), from < to)));
        }
        edges.sort_unstable();
        let mut found = Closedness { open_edges: 0, crowded_edges: 0, twisted_edges: 0 };
        for edge in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            match edge {
                [_] => found.open_edges += 1,
                [one, other] => found.twisted_edges += usize::from(one.2 == other.2),
                _ => found.crowded_edges += 1,
            }
        }
        found
    }

    /// Returns an error about `subject` if the mesh is not closed.
    pub fn require_closed(&self, subject: impl std::fmt::Display) -> Result<()> {
        let found = self.closedness();
        if found.is_closed() && !self.triangles.is_empty() {
            return Ok(());
        }
        let Closedness { open_edges, crowded_edges, twisted_edges } = found;
        let problem = format!(
            "the surface is not closed: {open_edges} edges belong to one triangle, {crowded_edges} edges \
             to more than two, and at {twisted_edges} edges the two triangles have opposite orientations"
        );
        Err(Error::invalid(subject, problem, "give a closed mesh, such as a whole white or pial surface"))
    }

    /// Indices of the triangles whose three vertices are all in `vertices`. If `any` is true, a triangle with
    /// at least one vertex in `vertices` is included.
    pub fn triangles_of(&self, vertices: &[u32], any: bool) -> Vec<usize> {
        let chosen: BTreeSet<u32> = vertices.iter().copied().collect();
        let is_in = |triangle: &[u32; 3]| {
            let mut within = triangle.iter().map(|vertex| chosen.contains(vertex));
            if any { within.any(|is| is) } else { within.all(|is| is) }
        };
        let within = self.triangles.iter().enumerate().filter(|(_, triangle)| is_in(triangle));
        within.map(|(number, _)| number).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a box with edges of 1, 2 and 3 mm, whose triangles are counter-clockwise as seen from outside.
    fn cuboid() -> Surface {
        let vertices = (0..8).map(|n| [(n & 1) as f32, (n >> 1 & 1) as f32 * 2.0, (n >> 2) as f32 * 3.0]);
        let triangles = vec![
            [0, 2, 1],
            [1, 2, 3],
            [4, 5, 6],
            [5, 7, 6],
            [0, 1, 4],
            [1, 5, 4],
            [2, 6, 3],
            [3, 6, 7],
            [0, 4, 2],
            [2, 4, 6],
            [1, 3, 5],
            [3, 7, 5],
        ];
        Surface::new(vertices.collect(), triangles, Some(Structure::CORTEX_LEFT)).unwrap()
    }

    #[test]
    fn the_volume_and_area_of_a_box_are_correct() {
        let cuboid = cuboid();
        assert!(cuboid.closedness().is_closed());
        cuboid.require_closed("x").unwrap();
        assert!((cuboid.volume() - 6.0).abs() < 1e-12);
        assert!((cuboid.vertex_areas().iter().sum::<f64>() - 22.0).abs() < 1e-12);
        // The triangles at the vertex at the origin have areas of 1, 1.5 and 3 mm².
        let areas = cuboid.vertex_areas();
        assert!((areas[0] - (1.0 + 1.5 + 3.0) / 3.0).abs() < 1e-12, "{areas:?}");
        let inward = cuboid.inward_normals();
        assert!(inward[0].iter().all(|x| *x > 0.0) && inward[7].iter().all(|x| *x < 0.0), "{inward:?}");
        assert_eq!(cuboid.triangles_of(&[0, 1, 2], false), [0]);
        assert_eq!(cuboid.triangles_of(&[7], true), [3, 7, 11]);
        assert!(cuboid.degenerate_triangles().is_empty());
    }

    #[test]
    fn mirrored_surfaces_keep_outward_normals() {
        let mirrored = cuboid().transformed(&Affine::scaling([-2.0, 1.0, 1.0], [5.0, 0.0, 0.0]));
        assert!((mirrored.volume() - 12.0).abs() < 1e-12);
        assert_eq!(mirrored.bounds(), Some([[3.0, 0.0, 0.0], [5.0, 2.0, 3.0]]));
    }

    #[test]
    fn invalid_surfaces_are_rejected_and_open_surfaces_are_reported() {
        let one = |triangles| Surface::new(vec![[0.0; 3], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]], triangles, None);
        let error = one(vec![[0, 1, 3]]).unwrap_err().to_string();
        assert_eq!(
            error,
            "surface: a triangle has vertex 3, but the last vertex is 2 (counted from 0); \
                           make the surface again"
        );
        assert!(Surface::new(vec![[f32::NAN; 3]], vec![], None).is_err());
        assert_eq!(one(vec![[0, 1, 2], [0, 0, 1]]).unwrap().degenerate_triangles(), [0, 1]);
        let cuboid = cuboid();
        let open = Surface::new(cuboid.vertices.clone(), cuboid.triangles[1..].to_vec(), None).unwrap();
        assert_eq!(open.closedness().open_edges, 3);
        let error = open.require_closed("lh.white").unwrap_err().to_string();
        assert!(
            error.starts_with("lh.white: the surface is not closed: 3 edges belong to one triangle"),
            "{error}"
        );
        let mut triangles = cuboid.triangles.clone();
        triangles[0].swap(0, 1);
        triangles.push([0, 1, 7]);
        let twisted = Surface::new(cuboid.vertices.clone(), triangles, None).unwrap().closedness();
        assert_eq!((twisted.twisted_edges, twisted.crowded_edges, twisted.open_edges), (2, 1, 2));
        assert!(Surface::new(vec![], vec![], None).unwrap().require_closed("x").is_err());
    }
}
