//! Exact intersections of segments with triangle meshes. Each decision is the sign of an integer, also for
//! segments through edges and vertices.
//!
//! **Integers.** Vertices and points are rounded to multiples of 2⁻²⁰ mm (about a nanometre; see
//! [`fixed_point`]), which 32-bit integers represent up to ±2,047 mm. `f32` coordinates of 8 mm and more are
//! unchanged. Differences have 33 bits. The determinants that give the side of a triangle or of an edge have
//! 102 bits. They are computed without rounding in 128-bit integers, unless an estimate in `f64` exceeds its
//! error bound. A GPU has the same integers (`__int128`, or pairs of 64-bit words) and finds the same signs.
//! A test of additional triangles does not change the result, so any search structure for nearby triangles
//! gives the same answer. The position of a crossing along a segment is one `f64` division of two
//! determinants, each rounded once, without fused operations: it is bit-identical everywhere.
//!
//! **Ties.** Crossings and contacts are two definitions of where a segment meets a mesh. The two definitions
//! treat special cases (ties) differently, such as a segment through an edge.
//!
//! - *Crossings* ([`SurfaceGeometry::crossings`], [`is_inside`](SurfaceGeometry::is_inside)) count passages
//!   from one side to the other. All points are moved by the infinitesimal vector (ε, ε², ε³) relative to the
//!   mesh (simulation of simplicity: Edelsbrunner and Mücke, *ACM Transactions on Graphics* 9:66–104, 1990,
//!   here with one perturbation for the whole mesh). Then no point is on the mesh, and no line meets an edge
//!   unless they are parallel, in which case it does not meet the edge's triangles. So a path through a
//!   closed mesh has an odd number of crossings exactly if one of its ends is inside. No mesh leaks at edges,
//!   vertices or degenerate triangles. A passage through the common point of two segments is one crossing of
//!   one of the two.
//! - *Contacts* ([`SurfaceGeometry::first_contact`]) are points of a segment on the unperturbed mesh,
//!   including edges and vertices. A segment that touches a mesh from outside has a contact and either no
//!   crossing or two. Segments are half-open: they contain their end but not their beginning, which belongs
//!   to the previous segment. A path that begins off the mesh ([`touches`](SurfaceGeometry::touches)) and
//!   changes its side has a contact. Half-open crossings would count a touch at a corner of a path once, so
//!   that the path would leave a mesh that it never entered.

mod bounding_boxes;
mod exact;
mod queries;
#[cfg(test)]
mod tests;
mod triangle;
mod voxels;

pub use exact::fixed_point;
pub use queries::{Contact, Crossing, SurfaceGeometry};
pub use triangle::FixedTriangle;
