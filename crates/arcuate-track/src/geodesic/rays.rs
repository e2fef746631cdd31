//! Rays as they are handed over, and what follows them.

use super::outcome::{Hit, Outcome, RayMeasures};
use super::starts::Start;
use arcuate_core::{Column, Columns, Point, Result, Scalars};

/// Name of the connectivity measure among the data of rays: at each point from the seed to there (at the seed that of its
/// direction alone), and of each streamline, length over geodesic length.
pub const CONNECTIVITY: &str = "cm";
/// Name of the length of each streamline, in mm of its steps.
pub const LENGTH: &str = "length";
/// Name of the largest |E / E₀ − 1| of the energy E = ẋᵀGẋ along each streamline, which a geodesic keeps.
pub const DRIFT: &str = "drift";

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
pub(super) trait FollowRays: Sync {
    /// Follows rays, `ways` of each direction; keeps their points or not.
    fn follow(&self, starts: &[Start], ways: usize, points: bool) -> Result<Vec<Batch>>;

    /// Rays of a block whose points are not kept: few enough that one sees how far it is.
    fn most_rays(&self) -> u64;
}
