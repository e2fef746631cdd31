//! Triangle meshes such as the white and the pial surface of the cortex, values at their vertices, and the
//! coordinate spaces of surface files.

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
