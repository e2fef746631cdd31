use super::bounding_boxes::BoundingBoxes;
use super::exact::{Fixed, LARGEST, fixed_point, height, rounded};
use super::triangle::{contact, crossing, holds};
use crate::{Error, Result, Surface};

/// A mesh prepared for exact intersection queries. Vertices and points are rounded to multiples of 2⁻²⁰ mm
/// ([`fixed_point`]). Every decision is the sign of an integer of at most 102 bits, so a GPU and any other
/// search give the same answers. `surface/geometry/mod.rs` documents how ties are resolved.
#[derive(Debug, Clone)]
pub struct SurfaceGeometry {
    vertices: Vec<Fixed>,
    triangles: Vec<[u32; 3]>,
    boxes: BoundingBoxes,
}

/// A crossing: a point at which a segment passes from one side of a mesh to the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// Position of the crossing along the segment, from 0 at the segment's beginning to 1 at its end.
    pub along: f64,
    /// Index of the triangle that the segment crosses.
    pub triangle: u32,
    /// True if the segment crosses in the direction of the triangle's normal, which is outwards for closed
    /// meshes.
    pub is_outward: bool,
}

/// A contact: the first point of a segment that is on a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Position of the contact along the segment, above 0 and up to 1. If the segment is in a triangle's
    /// plane and begins inside that triangle, the position is 0.
    pub along: f64,
    /// Index of the triangle that the segment touches. If the segment touches several triangles, the lowest
    /// index is used.
    pub triangle: u32,
}

impl SurfaceGeometry {
    /// Returns an error if a vertex is beyond ±2,047 mm, which scanner coordinates never are.
    pub fn new(surface: &Surface) -> Result<Self> {
        let vertices = surface.vertices();
        if let Some(vertex) = vertices.iter().position(|v| v.iter().any(|x| f64::from(x.abs()) > LARGEST)) {
            let problem = format!("vertex {vertex} is at {:?} mm, beyond ±{LARGEST} mm", vertices[vertex]);
            return Err(Error::invalid("surface", problem, "give a surface in scanner millimetres"));
        }
        let vertices: Vec<Fixed> = vertices.iter().map(|v| fixed_point(v.map(f64::from))).collect();
        let triangles = surface.triangles().to_vec();
        let corners = |n: usize| triangles[n].map(|vertex| vertices[vertex as usize]);
        let boxes = BoundingBoxes::new(corners, triangles.len());
        Ok(Self { vertices, triangles, boxes })
    }

    fn corners(&self, triangle: u32) -> [Fixed; 3] {
        self.triangles[triangle as usize].map(|vertex| self.vertices[vertex as usize])
    }

    /// Finds the crossings of the segment from `p` to `q` (mm) with the mesh and writes them to `found`, in
    /// order along the segment. Crossings at the same position are ordered by triangle.
    pub fn crossings(&self, p: [f64; 3], q: [f64; 3], found: &mut Vec<Crossing>) {
        found.clear();
        let (p, q) = (fixed_point(p), fixed_point(q));
        self.each_crossing(p, q, |triangle, corners, is_outward| {
            let (before, behind) = (rounded(height(corners, p)), rounded(height(corners, q)));
            // The heights are the distances of the segment's ends from the triangle's plane. Both are 0 if
            // the segment is in the plane; then the segment crosses only because of the infinitesimal
            // displacement of its points.
            let along = if before == behind { 0.0 } else { before / (before - behind) };
            found.push(Crossing { along, triangle, is_outward });
        });
        found.sort_unstable_by(|a, b| a.along.total_cmp(&b.along).then(a.triangle.cmp(&b.triangle)));
    }

    /// Returns whether the segment from `p` to `q` (mm) crosses the mesh an odd number of times. For a closed
    /// mesh, the ends of the segment are then on different sides.
    pub fn changes_side(&self, p: [f64; 3], q: [f64; 3]) -> bool {
        self.parity(fixed_point(p), fixed_point(q))
    }

    /// Returns whether a point (mm) is inside a closed mesh. A point on the mesh itself always gets the same
    /// answer.
    pub fn is_inside(&self, point: [f64; 3]) -> bool {
        let point = fixed_point(point);
        let Some([minimum, largest]) = self.boxes.bounds() else { return false };
        if (0..3).any(|axis| point[axis] < minimum[axis] || point[axis] > largest[axis]) {
            return false;
        }
        // The test segment runs from the point along x to a point outside the bounding box of the mesh. Its
        // end is far enough outside to remain there after the infinitesimal displacement.
        self.parity(point, [largest[0].saturating_add(1), point[1], point[2]])
    }

    pub(super) fn parity(&self, p: Fixed, q: Fixed) -> bool {
        let mut is_odd = false;
        self.each_crossing(p, q, |_, _, _| is_odd = !is_odd);
        is_odd
    }

    fn each_crossing(&self, p: Fixed, q: Fixed, mut found: impl FnMut(u32, [Fixed; 3], bool)) {
        self.boxes.near(p, q, |triangle| {
            let corners = self.corners(triangle);
            if let Some(is_outward) = crossing(corners, p, q) {
                found(triangle, corners, is_outward);
            }
        });
    }

    /// Finds the first point of the segment from `p` to `q` (mm) that is on the mesh, including edges and
    /// vertices. The point `p` itself does not count. Triangles without area have no contacts, but their
    /// neighbours may have contacts at the same place.
    pub fn first_contact(&self, p: [f64; 3], q: [f64; 3]) -> Option<Contact> {
        let (p, q) = (fixed_point(p), fixed_point(q));
        let mut first: Option<Contact> = None;
        if p == q {
            return None;
        }
        self.boxes.near(p, q, |triangle| {
            let Some(along) = contact(self.corners(triangle), p, q) else { return };
            let earlier = first.is_none_or(|first| {
                along.total_cmp(&first.along).then(triangle.cmp(&first.triangle)).is_lt()
            });
            if earlier {
                first = Some(Contact { along, triangle });
            }
        });
        first
    }

    /// Finds the triangle that contains a point (mm). If several triangles contain the point, the lowest
    /// index is returned. This function tests the seeds of streamlines, since the start point of a segment
    /// has no contact.
    pub fn touches(&self, point: [f64; 3]) -> Option<u32> {
        let point = fixed_point(point);
        let mut lowest: Option<u32> = None;
        self.boxes.near(point, point, |triangle| {
            if holds(self.corners(triangle), point) {
                lowest = Some(lowest.map_or(triangle, |lowest| lowest.min(triangle)));
            }
        });
        lowest
    }
}
