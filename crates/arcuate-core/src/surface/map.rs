use crate::{Error, Result, narrow};
use std::collections::BTreeMap;

/// Values at the vertices of a surface, such as thickness, curvature, connectivity from a seed, or one time
/// point of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceMap {
    /// The name of the map; empty if unknown.
    pub name: String,
    /// One value for each vertex of the surface.
    pub values: Vec<f32>,
}

/// The name and the colour of a region, as an entry in the table of labels of a surface parcellation.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedLabel {
    /// The name of the region.
    pub name: String,
    /// Colour of the region: red, green, blue and opacity, each from 0 to 1.
    pub colour: [f32; 4],
}

/// A parcellation of a surface: a label number for each vertex, and a table of labels.
#[derive(Debug, Clone, PartialEq)]
pub struct SurfaceLabels {
    /// The name of the parcellation; empty if unknown.
    pub name: String,
    /// The label number of each vertex. If the number is not in the table of labels, the vertex belongs to no
    /// region.
    pub values: Vec<i32>,
    /// Names and colours by label number.
    pub table: BTreeMap<i32, NamedLabel>,
}

impl SurfaceLabels {
    /// In FreeSurfer's `.annot` files, the label number of a vertex that has no entry in the table.
    pub const NONE: i32 = -1;
}

/// Returns an error about `subject` if the number of values differs from the number of vertices of the
/// surface.
pub(super) fn require_vertices(
    subject: impl std::fmt::Display,
    values: usize,
    vertices: usize,
) -> Result<()> {
    if values == vertices {
        return Ok(());
    }
    let problem = format!("the file has {values} values, but the surface has {vertices} vertices");
    Err(Error::invalid(subject, problem, "give values and a surface that have the same vertices"))
}

impl SurfaceMap {
    /// Returns an error about `subject` if the map does not have one value for each vertex of the surface.
    pub fn require_vertices(&self, vertices: usize, subject: impl std::fmt::Display) -> Result<()> {
        require_vertices(subject, self.values.len(), vertices)
    }
}

impl SurfaceLabels {
    /// Returns an error about `subject` if the parcellation does not have one label for each vertex of the
    /// surface.
    pub fn require_vertices(&self, vertices: usize, subject: impl std::fmt::Display) -> Result<()> {
        require_vertices(subject, self.values.len(), vertices)
    }

    /// Indices of the vertices that have this label, ascending.
    pub fn vertices_of(&self, label: i32) -> Vec<u32> {
        let with = self.values.iter().enumerate().filter(|(_, value)| **value == label);
        with.map(|(vertex, _)| narrow::<u32>(vertex)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_must_fit_their_surface_and_labels_find_vertices() {
        let map = SurfaceMap { name: String::new(), values: vec![0.0; 3] };
        map.require_vertices(3, "a").unwrap();
        let error = map.require_vertices(4, "lh.thickness").unwrap_err().to_string();
        assert!(
            error.starts_with("lh.thickness: the file has 3 values, but the surface has 4 vertices;"),
            "{error}"
        );
        let labels = SurfaceLabels { name: String::new(), values: vec![2, -1, 2], table: BTreeMap::new() };
        assert_eq!((labels.vertices_of(2), labels.vertices_of(5)), (vec![0, 2], vec![]));
        assert!(labels.require_vertices(2, "x").is_err());
    }
}
