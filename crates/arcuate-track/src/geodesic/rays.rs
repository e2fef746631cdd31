//! Rays as they are handed over, and what follows them.

use super::outcome::{Hit, Outcome};
use super::starts::Start;
use arcuate_core::{Column, Columns, Point, Result, Scalars, SeedOf};

/// Name of the connectivity measure among the data of rays: at each point from the seed to there (at the seed that of its
/// direction alone), and of each streamline, length over geodesic length.
pub const CONNECTIVITY: &str = "cm";
/// Name of the length of each streamline, in mm of its steps.
pub const LENGTH: &str = "length";
/// Name of the largest |E / E₀ − 1| of the energy E = ẋᵀGẋ along each streamline, which a geodesic keeps.
pub const DRIFT: &str = "drift";

/// What was measured along a streamline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RayMeasures {
    pub(super) connectivity: f32,
    pub(super) length_mm: f32,
    pub(super) drift: f32,
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

/// What is known of streamlines beside their points, in columns.
#[derive(Debug, Default)]
pub(super) struct RayData {
    pub(super) per_point: Columns,
    pub(super) per_streamline: Columns,
}

impl RayData {
    pub(super) fn new(connectivity: Vec<f32>, measures: &[RayMeasures]) -> Result<Self> {
        let column = |values: Vec<f32>| Column::new(1, Scalars::F32(values));
        let of_each = |value: fn(&RayMeasures) -> f32| column(measures.iter().map(value).collect());
        Ok(Self {
            per_point: Columns::from([(CONNECTIVITY.to_owned(), column(connectivity)?)]),
            per_streamline: Columns::from([
                (CONNECTIVITY.to_owned(), of_each(|m| m.connectivity)?),
                (LENGTH.to_owned(), of_each(|m| m.length_mm)?),
                (DRIFT.to_owned(), of_each(|m| m.drift)?),
            ]),
        })
    }
}

impl Batch {
    /// The seed of each streamline, of rays that number from `first`, `ways` of each of `directions` of a seed.
    pub(super) fn seeds(&self, first: u64, ways: usize, directions: usize) -> Vec<SeedOf> {
        let each = (ways * directions) as u64;
        let lines = self.outcomes.chunks(ways).enumerate().filter(|(_, rays)| points_of(rays) > 0);
        let seed = |(n, rays): (usize, &[Outcome])| SeedOf {
            number: (first + (n * ways) as u64) / each,
            // The way back comes first, and ends with the seed.
            point: rays.get(1).map_or(0, |back| back.points - 1),
        };
        lines.map(seed).collect()
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
