//! Counts the voxels that streamlines visit, from the points of the streamlines. Used for kinds of tracking
//! that do not count visits during tracking.

use crate::samples::counts::{Counted, Counters, StreamlineVoxels, VisitMap};
use crate::walk::Visit;
use arcuate_core::{Grid, Mapping, Point, Result, StreamlineBatch, StreamlineSink, narrow, saturating};
use rayon::prelude::*;
use std::sync::Arc;

/// Number of length units per mm. Lengths are summed as integers in micrometres, so that the sum does not
/// depend on the order of streamlines.
const UNITS_OF_MM: f64 = 1e3;
/// Number of streamlines that a thread processes at a time.
const CHUNK: usize = 64;

/// Counts the voxels that streamlines pass.
pub(crate) struct PointVisits {
    grid: Grid,
    mapping: Option<Arc<Mapping>>,
    counters: Counters,
}

impl PointVisits {
    /// Creates counters for the voxels of `grid`. `mapping` maps streamline points to the space of `grid`. If
    /// `lengths` is true, the path lengths from the seeds to each voxel are summed, too.
    pub(crate) fn new(grid: &Grid, mapping: Option<Arc<Mapping>>, lengths: bool) -> Result<Self> {
        Ok(Self { grid: *grid, mapping, counters: Counters::new(grid.len(), lengths, 0, &[])? })
    }

    /// Returns the map of voxel visits of all streamlines that were received.
    pub(crate) fn finish(self) -> VisitMap {
        let Counted { counts, steps, .. } = self.counters.counted();
        VisitMap::new(&self.grid, counts, steps, 1.0 / UNITS_OF_MM)
    }

    /// Finds the voxels that half of a streamline visits, starting at its seed.
    fn half<'p>(&self, points: impl Iterator<Item = &'p Point>, visits: &mut Vec<Visit>) {
        visits.clear();
        let (mut length, mut before): (f64, Option<[f64; 3]>) = (0.0, None);
        for point in points {
            let point = point.map(f64::from);
            if let Some(before) = before {
                length += (0..3).map(|axis| (point[axis] - before[axis]).powi(2)).sum::<f64>().sqrt();
            }
            before = Some(point);
            let place = self.mapping.as_ref().map_or(point, |mapping| mapping.apply(point));
            let Some(voxel) = self.grid.voxel_at(place).map(narrow::<u32>) else { continue };
            if visits.last().is_none_or(|visit| visit.voxel != voxel) {
                visits.push(Visit { voxel, steps: saturating::<u32>((length * UNITS_OF_MM).round()) });
            }
        }
    }
}

impl StreamlineSink for PointVisits {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let numbers: Vec<usize> = (0..batch.len()).collect();
        numbers.par_chunks(CHUNK).for_each(|numbers| {
            let (mut once, mut halves) = (StreamlineVoxels::default(), [Vec::new(), Vec::new()]);
            for &n in numbers {
                let line = batch.streamline(n);
                let seed = batch.seeds.get(n).map_or(0, |seed| seed.point as usize);
                self.half(line.iter().take(seed + 1).rev(), &mut halves[0]);
                self.half(line.iter().skip(seed), &mut halves[1]);
                once.begin();
                for half in &halves {
                    self.counters.add_visits(half, &mut once);
                }
            }
        });
        Ok(())
    }
}
