//! Triangle meshes such as the white and the pial surface of the cortex, what is known at their vertices, and the spaces
//! in which files say where vertices are.

mod geometry;
mod map;
mod mesh;
mod space;
mod structure;

pub use geometry::{Contact, Crossing, FixedTriangle, SurfaceGeometry, fixed_point};
pub use map::{NamedLabel, SurfaceLabels, SurfaceMap};
pub use mesh::{Closedness, Surface};
pub use space::{MeshSpace, VolumeGeometry};
pub use structure::Structure;
