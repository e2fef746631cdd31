//! Rays as they are handed over, and what follows them.

use super::outcome::{Hit, Outcome};
use super::starts::Start;
use arcuate_core::{Point, Result, StreamlineBatch};

/// Streamlines, with what was measured along them, in batches and in the order of their seeds and directions.
#[derive(Debug, Clone, Copy)]
pub struct Rays<'a> {
    /// In RAS mm. Both ways of a direction are one streamline through the seed.
    pub batch: StreamlineBatch<'a>,
    /// The connectivity from the seed to each of `batch.points()`; at the seed that of its direction alone.
    pub connectivity: &'a [f32],
    /// Of each streamline.
    pub measures: &'a [RayMeasures],
}

/// What was measured along a streamline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RayMeasures {
    /// CM: length over geodesic length.
    pub connectivity: f32,
    /// In mm.
    pub length_mm: f32,
    /// The largest |E / E₀ − 1| of the energy E = ẋᵀGẋ, which a geodesic keeps.
    pub drift: f32,
}

/// Takes rays, in order. How they are cut into batches must not matter.
pub trait RaySink {
    /// Takes a batch; an error ends the run.
    fn take(&mut self, rays: Rays<'_>) -> Result<()>;
}

/// Consecutive rays of a block.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) outcomes: Vec<Outcome>,
    /// Numbers of rays count from the batch's first.
    pub(super) hits: Vec<Hit>,
    pub(super) offsets: Vec<u64>,
    pub(super) positions: Vec<Point>,
    pub(super) connectivity: Vec<f32>,
    pub(super) measures: Vec<RayMeasures>,
}

impl Batch {
    /// The streamlines.
    pub(super) fn rays(&self) -> Rays<'_> {
        Rays {
            batch: StreamlineBatch::new(&self.offsets, &self.positions),
            connectivity: &self.connectivity,
            measures: &self.measures,
        }
    }
}

/// Points of the streamline of these rays, which leave a seed in opposite ways; 0 where there is none.
pub(super) fn points_of(ways: &[Outcome]) -> u64 {
    let points: u64 = ways.iter().map(|ray| u64::from(ray.points)).sum();
    // The seed is a point of both.
    let joined = points.saturating_sub(ways.len() as u64 - 1);
    if ways.iter().any(|ray| ray.points == 0) || joined < 2 { 0 } else { joined }
}

/// Of the streamline of these rays.
pub(super) fn measures_of(ways: &[Outcome]) -> RayMeasures {
    let (mut length, mut geodesic, mut drift) = (0.0, 0.0, 0.0f32);
    for ray in ways.iter().filter(|ray| ray.length > 0.0) {
        length += f64::from(ray.length);
        geodesic += f64::from(ray.length) / f64::from(ray.connectivity);
        drift = drift.max(ray.drift);
    }
    RayMeasures { connectivity: (length / geodesic) as f32, length_mm: length as f32, drift }
}

/// How rays are timed.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub struct RayTiming {
    /// Whether connectivity is measured.
    pub connectivity: bool,
    /// So many times over.
    pub repeats: usize,
    /// Threads of a block of a GPU: 32, 64, 96 or 128.
    pub block_threads: u32,
    /// Steps of a ray between two sorts by place on a GPU.
    pub steps_between_sorts: u32,
}

/// How long rays took.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub struct RayTimes {
    /// Of each repetition.
    pub seconds: Vec<f64>,
    /// Of all rays together, in each.
    pub steps: u64,
}

/// What follows the rays of a block.
pub(super) trait Follow: Sync {
    /// Follows rays, `ways` of each direction; keeps their points or not.
    fn follow(&self, starts: &[Start], ways: usize, points: bool) -> Result<Vec<Batch>>;

    /// Rays of a block whose points are not kept: few enough that one sees how far it is.
    fn most_rays(&self) -> u64;
}

/// Steps of all rays.
pub(super) fn steps_of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> u64 {
    outcomes.into_iter().map(|outcome| u64::from(outcome.points.saturating_sub(1))).sum()
}
