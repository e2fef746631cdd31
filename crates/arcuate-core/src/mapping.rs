//! Mappings of points between two spaces, such as diffusion space and a standard space.

use crate::{Affine, Volume};

/// Maps a point x of a source space to the point y = A·x + u(x) of a target space. Both points are in RAS mm.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// The affine part A of the mapping.
    pub affine: Affine,
    /// The displacement u, in mm along the axes of the target space: three channels on a grid in the source
    /// space. The displacement is interpolated trilinearly between voxel centres. Outside the box of all
    /// voxel centres, the value at the nearest point of this box is used.
    pub displacement: Option<Volume<f32>>,
}

impl Mapping {
    /// Creates an affine mapping.
    pub fn affine(affine: Affine) -> Self {
        Self { affine, displacement: None }
    }

    /// Upper bound of the factor by which the mapping lengthens a step from the source space to the target
    /// space. The bound is approximate if there is a displacement.
    pub fn scale(&self) -> f64 {
        let linear = self.affine.rows().iter().flat_map(|row| &row[..3]).map(|c| c * c).sum::<f64>().sqrt();
        if self.displacement.is_some() { 1.5 * linear } else { linear }
    }

    /// Maps a point of the source space, in RAS mm, to the target space.
    pub fn apply(&self, point: [f64; 3]) -> [f64; 3] {
        let mut mapped = self.affine.apply(point);
        if let Some(field) = &self.displacement {
            let at = field.grid().inverse().apply(point);
            for axis in 0..3 {
                mapped[axis] += field.trilinear(axis, at);
            }
        }
        mapped
    }
}
