//! Exact tests of one triangle and a segment.

use super::exact::{Fixed, height, moved_passes, moved_side, normal, passes, rounded, side};
use std::cmp::Ordering;

/// A single triangle with corners in units of 2⁻²⁰ mm ([`fixed_point`](super::fixed_point)). This type is for
/// callers that have their own search for nearby triangles; the results do not depend on the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedTriangle(pub [[i32; 3]; 3]);

impl FixedTriangle {
    /// Returns whether the segment from `p` to `q` touches the triangle, including edges and corners. The
    /// point `p` itself does not count. This is a contact as in
    /// [`SurfaceGeometry::first_contact`](super::SurfaceGeometry::first_contact).
    pub fn is_met(self, p: [i32; 3], q: [i32; 3]) -> bool {
        let (before, behind) = (side(self.0, p), side(self.0, q));
        if before == Ordering::Equal {
            return behind == Ordering::Equal
                && p != q
                && Flat::of(self.0).is_some_and(|flat| flat.is_met(p, q));
        }
        before != behind && passes_within(self.0, p, q)
    }

    /// Returns whether the segment passes from one side of the triangle to the other.
    /// [`SurfaceGeometry::crossings`](super::SurfaceGeometry::crossings) counts the same crossings.
    pub fn is_crossed(self, p: [i32; 3], q: [i32; 3]) -> bool {
        crossing(self.0, p, q).is_some()
    }

    /// Returns whether a point is on the triangle, including edges and corners.
    pub fn holds(self, point: [i32; 3]) -> bool {
        holds(self.0, point)
    }
}

/// Tests whether a segment, displaced by an infinitesimal vector, crosses a triangle. Returns `Some(true)` if
/// the segment crosses it in the direction of the normal (outwards), `Some(false)` if it crosses inwards, and
/// `None` if it does not cross.
pub(super) fn crossing(corners: [Fixed; 3], p: Fixed, q: Fixed) -> Option<bool> {
    let (before, behind) = (moved_side(corners, p), moved_side(corners, q));
    if before == behind {
        return None;
    }
    let [a, b, c] = corners;
    let first = moved_passes(p, q, a, b);
    let is_crossed = moved_passes(p, q, b, c) == first && moved_passes(p, q, c, a) == first;
    is_crossed.then(|| behind.is_gt())
}

/// Returns whether a point is on a triangle.
pub(super) fn holds(corners: [Fixed; 3], point: Fixed) -> bool {
    side(corners, point).is_eq() && Flat::of(corners).is_some_and(|flat| flat.holds(point))
}

/// Returns whether a line passes through a triangle. The line must intersect the plane of the triangle in
/// exactly one point.
fn passes_within([a, b, c]: [Fixed; 3], p: Fixed, q: Fixed) -> bool {
    let turns = [passes(p, q, a, b), passes(p, q, b, c), passes(p, q, c, a)];
    !(turns.contains(&Ordering::Less) && turns.contains(&Ordering::Greater))
}

/// Position along a segment of its first contact with a triangle; `None` if the segment does not touch the
/// triangle.
pub(super) fn contact(corners: [Fixed; 3], p: Fixed, q: Fixed) -> Option<f64> {
    let (before, behind) = (side(corners, p), side(corners, q));
    if before == Ordering::Equal {
        // In this case, the segment is in the plane of the triangle, or begins in the plane and leaves it.
        return if behind == Ordering::Equal { Flat::of(corners)?.first_contact(p, q) } else { None };
    }
    if before == behind {
        return None;
    }
    if !passes_within(corners, p, q) {
        return None;
    }
    let (before, behind) = (rounded(height(corners, p)), rounded(height(corners, q)));
    Some(before / (before - behind))
}

/// A triangle that is projected along the coordinate axis nearest to its normal. The projected corners are in
/// counter-clockwise order.
struct Flat {
    corners: [[i64; 2]; 3],
    axes: [usize; 2],
}

impl Flat {
    /// Projects a triangle. Returns `None` if the triangle has no area.
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

    /// Returns whether a point of the projection plane is in the triangle, including its edges.
    fn holds(&self, point: Fixed) -> bool {
        let point = self.of_point(point);
        self.edges().into_iter().all(|[a, b]| turn(a, b, point) >= 0)
    }

    /// Returns whether a segment in the plane of the triangle touches the triangle. The start point of the
    /// segment does not count. Two closed convex sets are disjoint if a line along an edge of the triangle,
    /// or along the segment, strictly separates them.
    fn is_met(&self, p: Fixed, q: Fixed) -> bool {
        let [begin, end] = [p, q].map(|point| self.of_point(point));
        let turns = self.edges().map(|[a, b]| [turn(a, b, begin), turn(a, b, end)]);
        if turns.iter().all(|[_, behind]| *behind >= 0) {
            return true;
        }
        let corners = self.corners.map(|corner| turn(begin, end, corner).signum());
        let is_apart = turns.iter().any(|[before, behind]| *before < 0 && *behind < 0);
        if is_apart || corners == [1; 3] || corners == [-1; 3] {
            return false;
        }
        // A segment that begins on the triangle has further points on the triangle, except if it leaves the
        // triangle across the edge on which it begins.
        let begins_on_it = turns.iter().all(|[before, _]| *before >= 0);
        !begins_on_it || turns.iter().all(|[before, behind]| *before > 0 || *behind >= 0)
    }

    /// Position, along a segment in the plane of the triangle, of the first point that is on the triangle.
    /// The triangle is the intersection of the half planes to the left of three lines. The segment enters the
    /// triangle when it has entered all three half planes.
    fn first_contact(&self, p: Fixed, q: Fixed) -> Option<f64> {
        let [begin, end] = [p, q].map(|point| self.of_point(point));
        // The positions at which the segment enters or leaves a half plane are fractions, which are compared
        // exactly. Their numerators and denominators have 67 bits.
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
        // A segment of which only the start point is on the triangle has no contact, since the start point
        // does not count.
        let only_begins = exit.0 == 0;
        (!is_later(entry, exit) && !only_begins).then(|| rounded(entry.0) / rounded(entry.1))
    }
}

/// Returns whether fraction `a` is greater than fraction `b`; both denominators are positive. Products of
/// numerators and denominators would have 134 bits. So the integer parts of the fractions are compared first,
/// and then the remainders, by continued fractions.
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
                // If the integer parts are equal, the remaining fractions rest/denominator are compared by
                // their reciprocals, whose order is reversed.
                (a, b, turned) = ((a.1, rest_a), (b.1, rest_b), !turned);
                continue;
            }
            (order, ..) => order,
        };
        return if turned { order.is_lt() } else { order.is_gt() };
    }
}

/// Twice the signed area of the triangle a, b, c in the plane. The area is positive if the corners are
/// counter-clockwise.
fn turn(a: [i64; 2], b: [i64; 2], c: [i64; 2]) -> i128 {
    let product = |a: i64, b: i64| i128::from(a) * i128::from(b);
    product(b[0] - a[0], c[1] - a[1]) - product(b[1] - a[1], c[0] - a[0])
}
