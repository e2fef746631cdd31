//! What is counted while streamlines are followed: whole numbers, so that the order of streamlines does not matter.

use crate::summary::Outcome;
use crate::walk::{Trail, Visit};
use arcuate_core::{Error, Grid, Result, Volume};
use rayon::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Where accepted streamlines passed, and how far from their seeds.
#[derive(Debug, Clone, PartialEq)]
pub struct VisitMap {
    grid: Grid,
    counts: Vec<u64>,
    /// Steps from the seed to the first point in the voxel, of all streamlines together.
    steps: Option<Vec<u64>>,
    step_mm: f64,
}

impl VisitMap {
    /// The lattice.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Accepted streamlines that pass each voxel, each once: x fastest.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// The counts as an image.
    pub fn to_volume(&self) -> Result<Volume<f32>> {
        Volume::new(self.grid, 1, self.counts.iter().map(|&count| count as f32).collect())
    }

    /// Counts in parts of all accepted streamlines, and 0 where that is below a threshold (0.005, say).
    pub fn normalised(&self, streamlines: u64, threshold: f64) -> Result<Volume<f32>> {
        let part = |&count: &u64| {
            let part = if streamlines == 0 { 0.0 } else { count as f64 / streamlines as f64 };
            if part < threshold { 0.0 } else { part as f32 }
        };
        Volume::new(self.grid, 1, self.counts.iter().map(part).collect())
    }

    /// Mean length of the ways from the seeds to each voxel in mm, where it was asked for; 0 where nothing passes.
    pub fn lengths(&self) -> Result<Option<Volume<f32>>> {
        let Some(steps) = &self.steps else { return Ok(None) };
        let mean = |(&steps, &count): (&u64, &u64)| {
            if count == 0 { 0.0 } else { (steps as f64 * self.step_mm / count as f64) as f32 }
        };
        Volume::new(self.grid, 1, steps.iter().zip(&self.counts).map(mean).collect()).map(Some)
    }

    /// Counts times mean lengths in mm: what probtrackx2 calls distance-corrected, where lengths were asked for.
    pub fn distance_corrected(&self) -> Result<Option<Volume<f32>>> {
        let Some(steps) = &self.steps else { return Ok(None) };
        let sum = |&steps: &u64| (steps as f64 * self.step_mm) as f32;
        Volume::new(self.grid, 1, steps.iter().map(sum).collect()).map(Some)
    }
}

/// Counters that all threads add to.
pub(crate) struct Counters {
    counts: Vec<AtomicU32>,
    steps: Vec<AtomicU64>,
    /// Seeds × targets.
    hits: Vec<AtomicU32>,
    targets: Vec<usize>,
}

/// Counters hold 32 bits.
const MOST_STREAMLINES: u64 = u32::MAX as u64;

impl Counters {
    pub(crate) fn new(voxels: usize, lengths: bool, seeds: usize, targets: &[usize]) -> Result<Self> {
        let cells = seeds.checked_mul(targets.len()).filter(|&cells| cells < 1 << 32).ok_or_else(|| {
            let problem = format!("{seeds} seeds by {} targets are too many to count", targets.len());
            Error::usage("targets", problem, "give fewer seeds or targets")
        })?;
        Ok(Self {
            counts: (0..voxels).into_par_iter().map(|_| AtomicU32::new(0)).collect(),
            steps: (0..if lengths { voxels } else { 0 }).into_par_iter().map(|_| AtomicU64::new(0)).collect(),
            hits: (0..cells).map(|_| AtomicU32::new(0)).collect(),
            targets: targets.to_vec(),
        })
    }

    pub(crate) fn check(streamlines: u64) -> Result<()> {
        if streamlines > MOST_STREAMLINES {
            let problem = format!("{streamlines} streamlines are more than maps of one run count");
            let advice = format!("run up to {MOST_STREAMLINES} at a time, with another ‘random_seed’ each");
            return Err(Error::usage("number of streamlines", problem, advice));
        }
        Ok(())
    }

    /// Counts the voxels of an accepted streamline, each once.
    pub(crate) fn add(&self, outcome: &Outcome, trail: &Trail, seed: usize, once: &mut Once) {
        once.seen.clear();
        for half in 0..2 {
            if outcome.points[half] == 0 {
                continue;
            }
            for &Visit { voxel, steps } in &trail.visits[half] {
                if once.seen.insert(voxel) {
                    self.counts[voxel as usize].fetch_add(1, Relaxed);
                    if let Some(sum) = self.steps.get(voxel as usize) {
                        sum.fetch_add(u64::from(steps), Relaxed);
                    }
                }
            }
        }
        for (n, &bit) in self.targets.iter().enumerate() {
            if trail.passage.passes(bit) {
                self.hits[seed * self.targets.len() + n].fetch_add(1, Relaxed);
            }
        }
    }

    pub(crate) fn map(&self, grid: &Grid, step_mm: f64) -> VisitMap {
        let steps = || self.steps.par_iter().map(|sum| sum.load(Relaxed)).collect();
        VisitMap {
            grid: *grid,
            counts: self.counts.par_iter().map(|count| u64::from(count.load(Relaxed))).collect(),
            steps: (!self.steps.is_empty()).then(steps),
            step_mm,
        }
    }

    /// Voxels, whether steps are summed, and how many counts of seeds and targets there are.
    pub(crate) fn sizes(&self) -> (usize, bool, usize) {
        (self.counts.len(), !self.steps.is_empty(), self.hits.len())
    }

    /// Adds what was counted elsewhere.
    pub(crate) fn merge(&self, counts: &[u32], steps: &[u64], hits: &[u32]) {
        let add = |(sum, &count): (&AtomicU32, &u32)| {
            sum.fetch_add(count, Relaxed);
        };
        self.counts.par_iter().zip(counts).for_each(add);
        self.hits.par_iter().zip(hits).for_each(add);
        self.steps.par_iter().zip(steps).for_each(|(sum, &steps)| {
            sum.fetch_add(steps, Relaxed);
        });
    }

    pub(crate) fn hits(&self) -> Vec<u32> {
        self.hits.iter().map(|count| count.load(Relaxed)).collect()
    }
}

/// The voxels of one streamline.
#[derive(Debug, Default)]
pub(crate) struct Once {
    seen: HashSet<u32, std::hash::BuildHasherDefault<VoxelHasher>>,
}

/// Voxel numbers are spread by a multiplication (Fibonacci hashing): quicker than the standard hasher, which guards against
/// what no streamline does.
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
