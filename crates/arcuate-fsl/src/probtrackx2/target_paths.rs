//! For each target, a map of the number of streamlines per voxel. Only streamlines that pass the target are
//! counted.

use super::lines::{Density, LookupGrid, passed};
use arcuate_connect::{ElementFinder, PassedElements};
use arcuate_core::{Grid, Mapping, Result, StreamlineBatch, StreamlineSink};

/// Visit maps, one per target.
pub(super) struct TargetPaths<'a> {
    finder: ElementFinder<'a>,
    look: LookupGrid,
    pub(super) of_targets: Vec<Density>,
}

impl<'a> TargetPaths<'a> {
    /// Creates empty visit maps. Each region of `targets` is one element.
    pub(super) fn new(
        targets: &'a PassedElements,
        step_mm: f64,
        grid: &Grid,
        mapping: Option<&Mapping>,
        with_directions: bool,
    ) -> Result<Self> {
        let finder = ElementFinder::new(targets, step_mm)?;
        let of_targets = (0..targets.len()).map(|_| Density::new(grid, with_directions)).collect();
        Ok(Self { finder, look: LookupGrid::new(grid, mapping)?, of_targets })
    }
}

impl StreamlineSink for TargetPaths<'_> {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for (line, seed) in batch.iter().zip(batch.seeds) {
            let met = self.finder.met_by(line, seed.point as usize);
            if met.is_empty() {
                continue;
            }
            let passed = passed(&mut self.look, line, seed.point as usize);
            for (target, _) in met {
                self.of_targets[target as usize].add(&passed);
            }
        }
        Ok(())
    }
}
