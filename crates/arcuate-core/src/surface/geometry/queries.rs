use super::bounding_boxes::BoundingBoxes;
use super::exact::{Fixed, LARGEST, fixed_point, height, rounded};
use super::triangle::{FixedTriangle, contact, crossing, holds};
use crate::{Error, Result, Surface};

/// A mesh, ready to be asked where segments meet it: exactly, for vertices and points that are rounded to multiples of
/// 2⁻²⁰ mm ([`fixed_point`]), edges and vertices included. Every answer is the sign of a whole number of at most 102 bits, so that
/// a GPU and any other way of searching give the same ones (`surface/geometry/mod.rs` says how ties are broken).
#[derive(Debug, Clone)]
pub struct SurfaceGeometry {
    vertices: Vec<Fixed>,
    triangles: Vec<[u32; 3]>,
    boxes: BoundingBoxes,
}

/// Where a segment passes through a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Crossing {
    /// How far along the segment, from 0 at its beginning to 1 at its end.
    pub along: f64,
    /// The triangle.
    pub triangle: u32,
    /// Whether the segment goes to the side that the triangle's normal points to: outwards, for closed meshes.
    pub is_outward: bool,
}

/// Where a segment first lies on a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// How far along the segment, above 0 and up to 1; 0 where the segment runs along a triangle from its beginning on.
    pub along: f64,
    /// The triangle, of several the one with the lowest number.
    pub triangle: u32,
}

impl SurfaceGeometry {
    /// Fails where vertices lie beyond ±2,047 mm, where scanner mm never are.
    pub fn new(surface: &Surface) -> Result<Self> {
        let vertices = surface.vertices();
        if let Some(vertex) = vertices.iter().position(|v| v.iter().any(|x| f64::from(x.abs()) > LARGEST)) {
            let problem = format!("vertex {vertex} lies at {:?} mm, beyond ±{LARGEST} mm", vertices[vertex]);
            return Err(Error::invalid("surface", problem, "give a surface in scanner mm"));
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

    /// Puts the crossings of the segment from `p` to `q` (mm) into `found`, in their order along it; those at the same place by
    /// the number of the triangle.
    pub fn crossings(&self, p: [f64; 3], q: [f64; 3], found: &mut Vec<Crossing>) {
        found.clear();
        let (p, q) = (fixed_point(p), fixed_point(q));
        self.each_crossing(p, q, |triangle, corners, is_outward| {
            let (before, behind) = (rounded(height(corners, p)), rounded(height(corners, q)));
            // Both are 0 where the segment lies in the triangle's plane, which it crosses by moving infinitely little.
            let along = if before == behind { 0.0 } else { before / (before - behind) };
            found.push(Crossing { along, triangle, is_outward });
        });
        found.sort_unstable_by(|a, b| a.along.total_cmp(&b.along).then(a.triangle.cmp(&b.triangle)));
    }

    /// Whether the segment from `p` to `q` (mm) has an odd number of crossings: whether its ends are on different sides of a
    /// closed mesh.
    pub fn changes_side(&self, p: [f64; 3], q: [f64; 3]) -> bool {
        self.parity(fixed_point(p), fixed_point(q))
    }

    /// Whether a point (mm) is inside of a closed mesh. Points on the mesh are on one of its sides, always the same.
    pub fn is_inside(&self, point: [f64; 3]) -> bool {
        let point = fixed_point(point);
        let Some([least, largest]) = self.boxes.bounds() else { return false };
        if (0..3).any(|axis| point[axis] < least[axis] || point[axis] > largest[axis]) {
            return false;
        }
        // Out of the box along x, where moved points are outside too.
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

    /// Where the segment from `p` to `q` (mm), without `p` itself, first lies on the mesh, edges and vertices included.
    /// Triangles without area have no contacts but those of their neighbours.
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

    /// Tells all triangles on which the segment from `p` to `q` (mm), without `p` itself, lies anywhere, edges and vertices
    /// included; those without area among none.
    pub fn for_each_contact(&self, p: [f64; 3], q: [f64; 3], mut found: impl FnMut(u32)) {
        let (p, q) = (fixed_point(p), fixed_point(q));
        self.boxes.near(p, q, |triangle| {
            if FixedTriangle(self.corners(triangle)).is_met(p, q) {
                found(triangle);
            }
        });
    }

    /// The triangle that a point (mm) lies on, of several the one with the lowest number: for seeds, whose streamlines begin
    /// there.
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
