//! Mappings between spaces.

use crate::{Affine, Volume};

/// Maps points of one space to another, both in RAS mm: y = A·x + u(x).
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// A.
    pub affine: Affine,
    /// u, in mm along the axes of the target space: three channels on a grid in the source space. It is
    /// trilinear between voxel centres; beyond the outermost centres the nearest value continues.
    pub displacement: Option<Volume<f32>>,
}

impl Mapping {
    /// Creates an affine mapping.
    pub fn affine(affine: Affine) -> Self {
        Self { affine, displacement: None }
    }

    /// Upper bound of the factor by which a step along an axis of the target space is longer than in the
    /// source space; approximate if there is a displacement.
    pub fn scale(&self) -> f64 {
        let linear = self.affine.rows().iter().flat_map(|row| &row[..3]).map(|c| c * c).sum::<f64>().sqrt();
        if self.displacement.is_some() { 1.5 * linear } else { linear }
    }

    /// Maps a point in RAS mm.
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
