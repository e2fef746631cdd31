//! Data that geodesic tracking adds to its streamlines, and the interface for following rays.

use super::outcome::{Hit, Outcome, RayMeasures};
use super::starts::Start;
use crate::ray_figures::{CONNECTIVITY, DRIFT, LENGTH};
use arcuate_core::{Column, Columns, Point, Result, Scalars};

/// Results of consecutive geodesic rays of a block.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) outcomes: Vec<Outcome>,
    /// Entries of rays into targets. Ray numbers are counted from the first ray of this batch.
    pub(super) hits: Vec<Hit>,
    pub(super) offsets: Vec<u64>,
    pub(super) positions: Vec<Point>,
    pub(super) connectivity: Vec<f32>,
    pub(super) measures: Vec<RayMeasures>,
    /// Targets that each accepted streamline passes, as a bit set; empty if there are no targets.
    pub(super) targets: Vec<u64>,
}

/// Data of streamlines in addition to their points, as named columns: one value per point or one per
/// streamline.
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

/// Options of a benchmark of rays.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub struct RayTiming {
    /// True if connectivity is measured.
    pub connectivity: bool,
    /// Number of repetitions.
    pub repeats: usize,
    /// Number of threads in a GPU block: 32, 64, 96 or 128.
    pub block_threads: u32,
    /// Number of steps of a ray between two sorts by position on a GPU.
    pub steps_between_sorts: u32,
}

/// Result of a benchmark of rays.
#[doc(hidden)]
#[derive(Debug, Clone, PartialEq)]
pub struct RayTimes {
    /// Duration of each repetition, in seconds.
    pub seconds: Vec<f64>,
    /// Total number of steps of all rays in one repetition.
    pub steps: u64,
}

/// Follows the rays of a block.
pub(super) trait FollowRays: Sync {
    /// Follows geodesic rays. `sides` is the number of rays per direction: 1, or 2 for both opposite
    /// directions. The points of the rays are returned if `points` is true.
    fn follow(&self, starts: &[Start], sides: usize, points: bool) -> Result<Vec<Batch>>;

    /// Returns the maximum number of rays in a block whose points are not stored. Blocks are small enough for
    /// regular progress reports.
    fn max_rays(&self) -> u64;
}
