use super::bounding_boxes::BoundingBoxes;
use super::exact::{
    Fixed, LARGEST, fixed_point, height, moved_passes, moved_side, normal, passes, rounded, side,
};
use crate::{Error, Result, Surface};
use std::cmp::Ordering;

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
            let (before, behind) = (moved_side(corners, p), moved_side(corners, q));
            if before == behind {
                return;
            }
            let [a, b, c] = corners;
            let first = moved_passes(p, q, a, b);
            if moved_passes(p, q, b, c) == first && moved_passes(p, q, c, a) == first {
                found(triangle, corners, behind.is_gt());
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

    /// The triangle that a point (mm) lies on, of several the one with the lowest number: for seeds, whose streamlines begin
    /// there.
    pub fn touches(&self, point: [f64; 3]) -> Option<u32> {
        let point = fixed_point(point);
        let mut lowest: Option<u32> = None;
        self.boxes.near(point, point, |triangle| {
            let corners = self.corners(triangle);
            let flat = Flat::of(corners);
            if side(corners, point).is_eq() && flat.is_some_and(|flat| flat.holds(point)) {
                lowest = Some(lowest.map_or(triangle, |lowest| lowest.min(triangle)));
            }
        });
        lowest
    }
}

/// How far along the segment its first contact with a triangle is.
fn contact(corners: [Fixed; 3], p: Fixed, q: Fixed) -> Option<f64> {
    let (before, behind) = (side(corners, p), side(corners, q));
    if before == Ordering::Equal {
        // In the triangle's plane from beginning to end, or leaving it at once.
        return if behind == Ordering::Equal { Flat::of(corners)?.first_contact(p, q) } else { None };
    }
    if before == behind {
        return None;
    }
    let [a, b, c] = corners;
    let turns = [passes(p, q, a, b), passes(p, q, b, c), passes(p, q, c, a)];
    if turns.contains(&Ordering::Less) && turns.contains(&Ordering::Greater) {
        return None;
    }
    let (before, behind) = (rounded(height(corners, p)), rounded(height(corners, q)));
    Some(before / (before - behind))
}

/// A triangle seen along the axis that its normal is nearest to, counter-clockwise.
struct Flat {
    corners: [[i64; 2]; 3],
    axes: [usize; 2],
}

impl Flat {
    /// Nothing of a triangle without area.
    fn of(corners: [Fixed; 3]) -> Option<Self> {
        let normal = normal(corners);
        let axis = (0..3).max_by_key(|&axis| normal[axis].unsigned_abs())?;
        let axes = match normal[axis].cmp(&0) {
            Ordering::Equal => return None,
            Ordering::Greater => [(axis + 1) % 3, (axis + 2) % 3],
            Ordering::Less => [(axis + 2) % 3, (axis + 1) % 3],
        };
        let flat = |point: Fixed| axes.map(|axis| i64::from(point[axis]));
        Some(Self { corners: corners.map(flat), axes })
    }

    fn of_point(&self, point: Fixed) -> [i64; 2] {
        self.axes.map(|axis| i64::from(point[axis]))
    }

    fn edges(&self) -> [[[i64; 2]; 2]; 3] {
        let [a, b, c] = self.corners;
        [[a, b], [b, c], [c, a]]
    }

    /// Whether a point of the plane lies in it, edges included.
    fn holds(&self, point: Fixed) -> bool {
        let point = self.of_point(point);
        self.edges().into_iter().all(|[a, b]| turn(a, b, point) >= 0)
    }

    /// How far along a segment in the plane its first point on the triangle is. In the plane the triangle is what
    /// lies to the left of three lines: the segment enters it where it has entered the last of them.
    fn first_contact(&self, p: Fixed, q: Fixed) -> Option<f64> {
        let [begin, end] = [p, q].map(|point| self.of_point(point));
        // Entries and exits as fractions, compared exactly: numerators and denominators have 67 bits.
        let (mut entry, mut exit) = ((0i128, 1i128), (1i128, 1i128));
        for [a, b] in self.edges() {
            let (before, behind) = (turn(a, b, begin), turn(a, b, end));
            match (before >= 0, behind >= 0) {
                (true, true) => {}
                (false, false) => return None,
                (false, true) => {
                    let here = (-before, behind - before);
                    if is_later(here, entry) {
                        entry = here;
                    }
                }
                (true, false) => {
                    let here = (before, before - behind);
                    if is_later(exit, here) {
                        exit = here;
                    }
                }
            }
        }
        // A segment that only begins on it has left it: its beginning is not its own.
        let only_begins = exit.0 == 0;
        (!is_later(entry, exit) && !only_begins).then(|| rounded(entry.0) / rounded(entry.1))
    }
}

/// Whether a fraction is greater than another; denominators are positive. Their products have 134 bits, so whole parts are
/// taken first and remainders are compared as continued fractions are.
fn is_later(a: (i128, i128), b: (i128, i128)) -> bool {
    let (mut a, mut b, mut turned) = (a, b, false);
    loop {
        let (whole_a, whole_b) = (a.0.div_euclid(a.1), b.0.div_euclid(b.1));
        let (rest_a, rest_b) = (a.0.rem_euclid(a.1), b.0.rem_euclid(b.1));
        let order = match (whole_a.cmp(&whole_b), rest_a == 0, rest_b == 0) {
            (Ordering::Equal, true, true) => return false,
            (Ordering::Equal, true, false) => Ordering::Less,
            (Ordering::Equal, false, true) => Ordering::Greater,
            (Ordering::Equal, false, false) => {
                // rest/denominator compares as the reverse of denominator/rest.
                (a, b, turned) = ((a.1, rest_a), (b.1, rest_b), !turned);
                continue;
            }
            (order, ..) => order,
        };
        return if turned { order.is_lt() } else { order.is_gt() };
    }
}

/// Twice the area of the triangle a, b, c in the plane: positive where it runs counter-clockwise.
fn turn(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i128 {
    let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
    product(b[0] - a[0], c[1] - a[1]) - product(b[1] - a[1], c[0] - a[0])
}
