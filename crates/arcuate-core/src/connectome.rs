use std::collections::BTreeMap;

/// Connections between the regions of a parcellation: symmetric matrices over the same list of regions.
#[derive(Debug, Clone, PartialEq)]
pub struct Connectome {
    /// Region number of each row and column, ascending.
    pub regions: Vec<u32>,
    /// Names of regions, where known.
    pub names: BTreeMap<u32, String>,
    /// Number of streamlines between two regions; row-major `regions.len()`². A streamline within one region counts
    /// once on the diagonal.
    pub counts: Vec<f64>,
    /// Sum of the streamlines' weights; equal to `counts` where no weights were given.
    pub weights: Vec<f64>,
    /// Mean length of the streamlines in mm, 0 where there are none.
    pub mean_lengths: Vec<f64>,
    /// For each streamline the two regions it joins (smaller first, as region numbers), or nothing; empty where streamlines
    /// were counted and not kept.
    pub assignments: Vec<Option<(u32, u32)>>,
}

impl Connectome {
    /// Number of streamlines that join two regions.
    pub fn assigned(&self) -> usize {
        self.assignments.iter().flatten().count()
    }
}
