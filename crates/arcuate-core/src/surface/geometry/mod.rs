//! Where segments meet meshes, exactly: what is decided is the sign of a whole number, whatever the segment does to edges and
//! vertices.
//!
//! **Whole numbers.** Vertices and points are rounded to multiples of 2⁻²⁰ mm ([`fixed_point`]), a nanometre, which 32-bit
//! integers hold up to ±2,047 mm; `f32` coordinates of 8 mm and more stay what they are. Differences then have 33 bits, the
//! determinants that say on which side of a triangle a point lies, and on which side of an edge a line passes, 102 bits: they
//! are computed without any rounding in 128-bit integers, after a first look in `f64` that decides where the determinant is
//! larger than all its rounding errors together. A GPU has the same integers (`__int128`, or pairs of 64-bit words) and finds
//! the same signs, however it finds them; which triangles are tried does not matter either, so that another search structure,
//! or none, gives the same answer. Where along a segment a crossing lies is one division in `f64` of two such determinants,
//! each rounded once, without fused operations: the same bits everywhere.
//!
//! **Ties.** Two questions are answered differently.
//!
//! - *Crossings* ([`SurfaceGeometry::crossings`], [`is_inside`](SurfaceGeometry::is_inside)) count passages from one side to the
//!   other. All points are thought to be moved by the infinitesimal vector (ε, ε², ε³) with respect to the mesh (a simulation
//!   of simplicity: Edelsbrunner and Mücke, *ACM Transactions on Graphics* 9:66–104, 1990, here with one perturbation for the
//!   whole mesh). Then no point lies on the mesh and no line meets an edge that is not parallel to it, and an edge that is belongs to
//!   triangles that the line does not meet. So the number of crossings of a path through a closed mesh is odd exactly where
//!   one of its ends is inside: no mesh leaks at edges or vertices, degenerate triangles included. A passage through a
//!   point that two segments share is one crossing of one of the two.
//! - *Contacts* ([`SurfaceGeometry::first_contact`]) are points of a segment that lie on the mesh as it is, edges and vertices
//!   included: what touches a mesh from outside has a contact and no crossing, or two. Segments are half-open: their end belongs to
//!   them, their beginning to the segment before. A path that begins where it does not [`touch`](SurfaceGeometry::touches) the
//!   mesh and changes its side has a contact. Half-open crossings would count a touch at a corner of a path once, and so have it
//!   leave a mesh that it never entered.

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
