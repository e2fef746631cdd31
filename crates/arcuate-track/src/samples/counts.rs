//! Counters of tracking: visits of voxels, steps and passed targets. The counts are integers, so that the
//! sums do not depend on the order of streamlines.

use crate::summary::Outcome;
use crate::walk::{Trail, Visit};
use arcuate_core::{Error, Grid, Result, Volume};
use std::collections::HashSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Map of the voxels that accepted streamlines visit, with their distances from the seeds if requested.
#[derive(Debug, Clone, PartialEq)]
pub struct VisitMap {
    grid: Grid,
    counts: Vec<u32>,
    /// Number of steps from the seed to the first point in the voxel, summed over all streamlines; one value
    /// per voxel.
    steps: Option<Vec<u64>>,
    step_mm: f64,
}

impl VisitMap {
    /// Creates a map from the counts of all voxels of a grid. `step_mm` is the length of a step in mm.
    pub(crate) fn new(grid: &Grid, counts: Vec<u32>, steps: Option<Vec<u64>>, step_mm: f64) -> Self {
        Self { grid: *grid, counts, steps, step_mm }
    }

    /// Returns the grid of the map.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Returns the number of accepted streamlines that visit each voxel, x fastest. A streamline counts once
    /// per voxel.
    pub fn counts(&self) -> &[u32] {
        &self.counts
    }

    /// Adds the visit counts of another part of the same run.
    pub(super) fn add(&mut self, part: &Self) {
        self.counts.iter_mut().zip(&part.counts).for_each(|(sum, count)| *sum += count);
        for (sums, steps) in self.steps.iter_mut().zip(&part.steps) {
            sums.iter_mut().zip(steps).for_each(|(sum, steps)| *sum += steps);
        }
    }

    /// Returns for each voxel the number of steps from the seed, summed over all streamlines, if requested.
    pub(super) fn steps(&self) -> Option<&[u64]> {
        self.steps.as_deref()
    }

    /// Returns a map on the same grid with other counts and sums of steps. Returns `None` if the lists have a
    /// wrong length.
    pub(super) fn with(&self, counts: Vec<u32>, steps: Option<Vec<u64>>) -> Option<Self> {
        let fits = counts.len() == self.counts.len()
            && steps.as_ref().map(Vec::len) == self.steps.as_ref().map(Vec::len);
        fits.then_some(Self { counts, steps, ..*self })
    }

    /// Returns the counts as an image.
    pub fn to_volume(&self) -> Result<Volume<f32>> {
        Volume::new(self.grid, 1, self.counts.iter().map(|&count| count as f32).collect())
    }

    /// Returns the visit counts divided by the number of accepted streamlines. Values below `threshold` (for
    /// example 0.005) are set to 0.
    pub fn normalised(&self, streamlines: u64, threshold: f64) -> Result<Volume<f32>> {
        let part = |&count: &u32| {
            let part = if streamlines == 0 { 0.0 } else { f64::from(count) / streamlines as f64 };
            if part < threshold { 0.0 } else { part as f32 }
        };
        Volume::new(self.grid, 1, self.counts.iter().map(part).collect())
    }

    /// Returns the mean path length in mm from the seeds to each voxel, if lengths were requested. The value
    /// of voxels without a visit is 0.
    pub fn lengths(&self) -> Result<Option<Volume<f32>>> {
        let Some(steps) = &self.steps else { return Ok(None) };
        let mean = |(&steps, &count): (&u64, &u32)| {
            if count == 0 { 0.0 } else { (steps as f64 * self.step_mm / f64::from(count)) as f32 }
        };
        Volume::new(self.grid, 1, steps.iter().zip(&self.counts).map(mean).collect()).map(Some)
    }

    /// Returns the visit counts multiplied by the mean path lengths in mm, if lengths were requested. FSL
    /// probtrackx2 calls this distance correction.
    pub fn distance_corrected(&self) -> Result<Option<Volume<f32>>> {
        let Some(steps) = &self.steps else { return Ok(None) };
        let sum = |&steps: &u64| (steps as f64 * self.step_mm) as f32;
        Volume::new(self.grid, 1, steps.iter().map(sum).collect()).map(Some)
    }
}

/// Counters of a run: their sizes, and their values on the CPU if the CPU counts.
pub(crate) struct Counters {
    voxels: usize,
    lengths: bool,
    /// Number of seeds times number of targets.
    cells: usize,
    targets: Vec<usize>,
    here: OnceLock<HostCounters>,
}

/// Counters that all threads of the CPU add to. They are created when the CPU counts for the first time.
struct HostCounters {
    counts: Vec<AtomicU32>,
    steps: Vec<AtomicU64>,
    hits: Vec<AtomicU32>,
}

/// Results of the counters.
pub(crate) struct Counted {
    /// Number of streamlines in each voxel.
    pub(crate) counts: Vec<u32>,
    /// For each voxel, the number of steps from the seeds, summed over all streamlines, if requested.
    pub(crate) steps: Option<Vec<u64>>,
    /// Number of accepted streamlines for each pair of a seed and a target.
    pub(super) hits: Vec<u32>,
}

/// Maximum number of voxels. Voxels are numbered with 32 bits.
pub(super) const MAX_VOXELS: usize = u32::MAX as usize;

/// Returns an error if an image has more than `maximum` voxels, because voxels could then not be numbered.
pub(super) fn check_voxels(voxels: usize, maximum: usize, image: &str) -> Result<()> {
    if voxels <= maximum {
        return Ok(());
    }
    let problem = format!("it has {voxels} voxels");
    Err(Error::invalid(image, problem, format!("give at most {maximum}")))
}

/// Maximum number of streamlines. Counters have 32 bits.
const MAX_STREAMLINES: u64 = u32::MAX as u64;

impl Counters {
    pub(crate) fn new(voxels: usize, lengths: bool, seeds: usize, targets: &[usize]) -> Result<Self> {
        check_voxels(voxels, MAX_VOXELS, "map")?;
        let cells = seeds.checked_mul(targets.len()).filter(|&cells| cells < 1 << 32).ok_or_else(|| {
            let problem = format!(
                "the table with one count per seed and target cannot have {seeds} seeds times {} targets",
                targets.len()
            );
            Error::usage("targets", problem, "give fewer seeds or targets")
        })?;
        Ok(Self { voxels, lengths, cells, targets: targets.to_vec(), here: OnceLock::new() })
    }

    /// Returns the counters of the CPU. They are created without other threads: these may be waiting here for
    /// the counters, so a parallel allocation could wait for them forever.
    fn here(&self) -> &HostCounters {
        self.here.get_or_init(|| HostCounters {
            counts: (0..self.voxels).map(|_| AtomicU32::new(0)).collect(),
            steps: (0..if self.lengths { self.voxels } else { 0 }).map(|_| AtomicU64::new(0)).collect(),
            hits: (0..self.cells).map(|_| AtomicU32::new(0)).collect(),
        })
    }

    pub(crate) fn check(streamlines: u64) -> Result<()> {
        if streamlines > MAX_STREAMLINES {
            let problem = format!("{streamlines} streamlines are too many for the maps of one run");
            let advice = format!(
                "compute at most {MAX_STREAMLINES} per run, each run with another \
                                  ‘random_seed’"
            );
            return Err(Error::usage("number of streamlines", problem, advice));
        }
        Ok(())
    }

    /// Counts the voxels of an accepted streamline, each voxel once.
    pub(crate) fn add(&self, outcome: &Outcome, trail: &Trail, seed: usize, once: &mut StreamlineVoxels) {
        let here = self.here();
        once.begin();
        for half in 0..2 {
            if outcome.points[half] > 0 {
                self.add_visits(&trail.visits[half], once);
            }
        }
        for (n, &bit) in self.targets.iter().enumerate() {
            if trail.passage.passes(bit) {
                here.hits[seed * self.targets.len() + n].fetch_add(1, Relaxed);
            }
        }
    }

    /// Counts the voxels of half a streamline that have not been counted since the last call of
    /// [`StreamlineVoxels::begin`].
    pub(crate) fn add_visits(&self, visits: &[Visit], once: &mut StreamlineVoxels) {
        let here = self.here();
        for &Visit { voxel, steps } in visits {
            if once.seen.insert(voxel) {
                here.counts[voxel as usize].fetch_add(1, Relaxed);
                if let Some(sum) = here.steps.get(voxel as usize) {
                    sum.fetch_add(u64::from(steps), Relaxed);
                }
            }
        }
    }

    /// Returns the number of counted voxels, whether steps are summed, and the number of pairs of a seed and
    /// a target.
    pub(crate) fn sizes(&self) -> (usize, bool, usize) {
        (self.voxels, self.lengths, self.cells)
    }

    /// Returns the counts of the CPU.
    pub(crate) fn counted(self) -> Counted {
        let (voxels, cells, lengths) = (self.voxels, self.cells, self.lengths);
        let Some(HostCounters { counts, steps, hits }) = self.here.into_inner() else {
            let steps = lengths.then(|| vec![0; voxels]);
            return Counted { counts: vec![0; voxels], steps, hits: vec![0; cells] };
        };
        Counted {
            counts: counts.into_iter().map(AtomicU32::into_inner).collect(),
            steps: lengths.then(|| steps.into_iter().map(AtomicU64::into_inner).collect()),
            hits: hits.into_iter().map(AtomicU32::into_inner).collect(),
        }
    }
}

/// Set of the voxels of one streamline.
#[derive(Debug, Default)]
pub(crate) struct StreamlineVoxels {
    seen: HashSet<u32, std::hash::BuildHasherDefault<VoxelHasher>>,
}

impl StreamlineVoxels {
    /// Clears the set for the next streamline.
    pub(crate) fn begin(&mut self) {
        self.seen.clear();
    }
}

/// Hash function for voxel numbers: a multiplication (Fibonacci hashing). It is faster than the standard hash
/// function, which protects against attacks that are irrelevant here.
#[derive(Debug, Default)]
pub(crate) struct VoxelHasher(u64);

impl std::hash::Hasher for VoxelHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = (self.0 ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_many_voxels_are_rejected() {
        check_voxels(7, 7, "map").unwrap();
        let error = check_voxels(8, 7, "map").unwrap_err().to_string();
        assert_eq!(error, "map: it has 8 voxels; give at most 7");
        assert!(Counters::new(MAX_VOXELS + 1, true, 0, &[]).is_err());
        assert!(Counters::new(10, true, 1 << 24, &[0; 1 << 8]).is_err());
    }
}
