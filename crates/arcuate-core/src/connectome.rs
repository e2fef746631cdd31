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
    /// Number of streamlines that join two different regions.
    pub fn between_regions(&self) -> u64 {
        let n = self.regions.len();
        let above_the_diagonal = (0..n).flat_map(|a| &self.counts[a * n + a + 1..(a + 1) * n]);
        above_the_diagonal.sum::<f64>() as u64
    }

    /// Number of streamlines with both ends in one region: they join nothing.
    pub fn within_regions(&self) -> u64 {
        self.counts.iter().step_by(self.regions.len() + 1).sum::<f64>() as u64
    }
}
