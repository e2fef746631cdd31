//! Ways between spaces.

use crate::{Affine, Volume};

/// From points of one space to those of another, both RAS mm: y = A·x + u(x).
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping {
    /// A.
    pub affine: Affine,
    /// u, in mm along the axes of the space that is mapped to: three channels, on a lattice in the space that is mapped
    /// from. Between voxel centres it is trilinear, beyond the outermost ones the nearest value goes on.
    pub displacement: Option<Volume<f32>>,
}

impl Mapping {
    /// An affine map alone.
    pub fn affine(affine: Affine) -> Self {
        Self { affine, displacement: None }
    }

    /// By how much a way may be longer along an axis of the space that is mapped to; about, where a displacement bends it.
    pub fn scale(&self) -> f64 {
        let linear = self.affine.rows().iter().flat_map(|row| &row[..3]).map(|c| c * c).sum::<f64>().sqrt();
        if self.displacement.is_some() { 1.5 * linear } else { linear }
    }

    /// Where a point in RAS mm goes.
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
