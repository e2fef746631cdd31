//! Limits of geodesic rays: regions, and the lengths of streamlines. The path of a ray does not depend on
//! limits. A ray is therefore followed first without limits, and then again up to the point where a limit
//! stops it. The length, connectivity and drift of a ray are those of the second time.

use super::constants;
use super::options::LengthLimits;
use super::outcome::{
    AVOIDED, END_MASK, ENDED_BY_AVOIDING, EXITED, Outcome, PASSED_NO_WAYPOINTS, STOPPED, TOO_LONG, points_of,
};
use super::rays::{Batch, FollowRays};
use super::starts::Start;
use crate::constraints::{FinishedHalf, Passage, RegionGrids};
use crate::summary::{Rejection, Termination};
use arcuate_core::{Point, Result, StreamlineBatch, longest_of, narrow, shortest_of};
use rayon::prelude::*;

/// Follows geodesic rays up to their limits.
pub(super) struct Constrained<'a> {
    pub(super) inner: &'a dyn FollowRays,
    /// Regions, if there are any.
    pub(super) regions: Option<&'a RegionGrids>,
    /// Limits of the length of a streamline. `None` if only single rays are limited; the maximum number of
    /// steps limits them.
    pub(super) lengths: Option<LengthLimits>,
    /// True if the limits apply to each ray alone. False if they apply to the streamline of the two rays in
    /// opposite directions from a seed.
    pub(super) alone: bool,
}

/// Limit of a ray, set by regions and by the length of the streamline.
#[derive(Debug, Clone, Copy)]
struct Limit {
    /// Maximum number of steps of the ray.
    steps: u32,
    /// Reason why the ray stopped, with the same numbers as [`Outcome::ending`].
    ending: u32,
}

/// Limits of the rays of one streamline.
struct StreamlineLimits {
    limits: Vec<Limit>,
    /// Targets that the streamline passes, as a bit set with one bit per target.
    targets: Vec<u64>,
}

/// Number of rays whose points are in memory at the same time.
const PART: usize = 1 << 14;

/// Relative margin around a limit of length. The kernels sum the length of a ray step by step. This sum
/// differs from the length of the stored points by less than the margin.
const MARGIN: f64 = 1e-3;

impl FollowRays for Constrained<'_> {
    fn follow(&self, starts: &[Start], sides: usize, points: bool) -> Result<Vec<Batch>> {
        let together = if self.alone { 1 } else { sides };
        if self.regions.is_some() {
            let judged = self.judged(starts, together)?;
            return self.follow_again(starts, &judged, (sides, together), points);
        }
        let batches = self.inner.follow(starts, sides, points)?;
        let outcomes: Vec<Outcome> =
            batches.iter().flat_map(|batch| batch.outcomes.iter().copied()).collect();
        let is_near: Vec<bool> = outcomes.chunks(together).map(|rays| self.is_near_a_limit(rays)).collect();
        if !is_near.contains(&true) {
            return Ok(batches);
        }
        drop(batches);
        let groups = starts.chunks(together).zip(&is_near).filter(|(_, is_near)| **is_near);
        let near: Vec<Start> = groups.flat_map(|(starts, _)| starts.iter().copied()).collect();
        let mut found = self.judged(&near, together)?.into_iter();
        let unlimited = |(outcomes, starts): (&[Outcome], &[Start])| StreamlineLimits {
            limits: outcomes
                .iter()
                .zip(starts)
                .map(|(o, s)| Limit { steps: s.steps, ending: o.ending })
                .collect(),
            targets: Vec::new(),
        };
        let groups = outcomes.chunks(together).zip(starts.chunks(together)).zip(&is_near);
        let judged: Vec<StreamlineLimits> =
            groups
                .map(|(group, is_near)| {
                    if *is_near { found.next().unwrap_or_else(|| unlimited(group)) } else { unlimited(group) }
                })
                .collect();
        self.follow_again(starts, &judged, (sides, together), points)
    }

    fn max_rays(&self) -> u64 {
        self.inner.max_rays()
    }
}

impl Constrained<'_> {
    /// Returns true if the length of a streamline is beyond the minimum or maximum length, or close to it.
    fn is_near_a_limit(&self, rays: &[Outcome]) -> bool {
        let Some(LengthLimits { min, max, .. }) = self.lengths else { return false };
        let length: f64 = rays.iter().map(|ray| f64::from(ray.length)).sum();
        points_of(rays) > 0 && (length > max * (1.0 - MARGIN) || length < min * (1.0 + MARGIN))
    }

    /// Follows rays again up to their limits. `sides` is the number of rays that form a streamline, and
    /// `together` is the number of rays that have common limits.
    fn follow_again(
        &self,
        starts: &[Start],
        judged: &[StreamlineLimits],
        (sides, together): (usize, usize),
        points: bool,
    ) -> Result<Vec<Batch>> {
        let limits = judged.iter().flat_map(|judged| &judged.limits);
        let limited: Vec<Start> =
            starts.iter().zip(limits).map(|(start, limit)| Start { steps: limit.steps, ..*start }).collect();
        let mut batches = self.inner.follow(&limited, sides, points)?;
        let mut endings = judged.iter().flat_map(|judged| &judged.limits).map(|limit| limit.ending);
        let mut targets = judged.iter().map(|judged| &judged.targets);
        for batch in &mut batches {
            for (outcome, ending) in batch.outcomes.iter_mut().zip(&mut endings) {
                outcome.ending = ending;
            }
            if together == sides {
                for (rays, targets) in batch.outcomes.chunks(sides).zip(&mut targets) {
                    if points_of(rays) > 0 {
                        batch.targets.extend_from_slice(targets);
                    }
                }
            }
        }
        Ok(batches)
    }

    /// Returns the limits of rays. Each group of `together` consecutive rays has common limits.
    fn judged(&self, starts: &[Start], together: usize) -> Result<Vec<StreamlineLimits>> {
        let mut all = Vec::with_capacity(starts.len() / together);
        // `PART` consecutive rays form whole streamlines, because the number of rays of a streamline is a
        // power of two.
        for starts in starts.chunks(PART) {
            let batches = self.inner.follow(starts, 1, true)?;
            let rays: Vec<(Outcome, &[Point])> = batches.iter().flat_map(lines).collect();
            let judge = |passage: &mut Passage, (rays, starts): (&[(Outcome, &[Point])], &[Start])| {
                self.judge(passage, rays, starts)
            };
            let groups = rays.par_chunks(together).zip(starts.par_chunks(together));
            all.extend(groups.map_init(Passage::default, judge).collect::<Vec<StreamlineLimits>>());
        }
        Ok(all)
    }

    /// Returns the limits of the rays of one streamline. The second ray can have the length that the first
    /// ray does not use.
    fn judge(
        &self,
        passage: &mut Passage,
        rays: &[(Outcome, &[Point])],
        starts: &[Start],
    ) -> StreamlineLimits {
        if let Some(regions) = self.regions {
            passage.begin(regions);
        }
        let mut left = self.lengths.map_or(f64::INFINITY, |lengths| longest_of(lengths.max));
        let halves: Vec<Half> = rays
            .iter()
            .map(|&(outcome, line)| {
                let half = Half::of(outcome, line, left, |points| match self.regions {
                    Some(regions) => FinishedHalf::along(passage, regions, points.iter()),
                    None => FinishedHalf { points: points.len(), end: None },
                });
                left -= half.length;
                half
            })
            .collect();
        let judged = self.regions.map_or(Ok([true; 2]), |regions| passage.judge(regions));
        let mut rejection = match judged {
            Ok(_) | Err(Rejection::TooShort) => 0,
            Err(Rejection::Avoided) => AVOIDED,
            Err(_) => PASSED_NO_WAYPOINTS,
        };
        let mut kept = judged.unwrap_or([false; 2]);
        if let Some(LengthLimits { min, discards, .. }) = self.lengths {
            let length: f64 =
                halves.iter().zip(kept).filter(|(_, kept)| *kept).map(|(half, _)| half.length).sum();
            if judged.is_ok() && discards && halves.iter().any(|half| half.reaches_limit) {
                (rejection, kept) = (TOO_LONG, [false; 2]);
            } else if length < shortest_of(min) {
                kept = [false; 2];
            }
        }
        let limit = |(n, (half, start)): (usize, (&Half, &Start))| {
            let steps = match half.points {
                _ if half.is_empty => start.steps,
                _ if !kept[n] => 0,
                Some(points) => narrow::<u32>(points) - 1,
                None => start.steps,
            };
            Limit { steps, ending: half.ending | if half.is_empty { 0 } else { rejection } }
        };
        let targets = match self.regions {
            Some(regions) if !regions.targets.is_empty() => {
                passage.targets_passed()[..regions.words].to_vec()
            }
            _ => Vec::new(),
        };
        StreamlineLimits { limits: halves.iter().zip(starts).enumerate().map(limit).collect(), targets }
    }
}

/// The part of a geodesic ray that its limits allow.
struct Half {
    /// Number of points of the ray if a limit stops it; `None` if not.
    points: Option<usize>,
    /// Reason why the ray stopped, with the same numbers as [`Outcome::ending`].
    ending: u32,
    /// Length of the ray up to its limits, in mm.
    length: f64,
    /// True if the ray stops because its streamline has the maximum length.
    reaches_limit: bool,
    /// True if the ray never left its seed.
    is_empty: bool,
}

impl Half {
    /// Truncates a ray at the length `left` in mm, and then at the point where `regions` stop it.
    fn of(
        outcome: Outcome,
        line: &[Point],
        left: f64,
        regions: impl FnOnce(&[Point]) -> FinishedHalf,
    ) -> Self {
        let fitting = fitting_points(line, left);
        let half = regions(&line[..fitting]);
        let is_cut = fitting < line.len() && half.end.is_none();
        let why = match half.end {
            Some(Termination::Stop) => STOPPED,
            Some(Termination::Exit) => EXITED,
            Some(_) => ENDED_BY_AVOIDING,
            None => 0,
        };
        let ending = if is_cut { constants::MAX_LENGTH } else { outcome.ending };
        let ends_at_length = ending & END_MASK == constants::MAX_LENGTH;
        Self {
            points: match half.end {
                Some(_) => Some(half.points),
                None => is_cut.then_some(fitting),
            },
            ending: ending | why,
            length: path_length(&line[..half.points]),
            reaches_limit: half.end.is_none() && ends_at_length,
            is_empty: line.is_empty(),
        }
    }
}

/// Returns the length of the segment between two points, in mm.
fn segment(pair: &[Point]) -> f64 {
    (0..3).map(|axis| (f64::from(pair[1][axis]) - f64::from(pair[0][axis])).powi(2)).sum::<f64>().sqrt()
}

/// Returns the length of a path, in mm.
fn path_length(line: &[Point]) -> f64 {
    line.windows(2).map(segment).sum()
}

/// Returns the number of points of a path that are at most `maximum` mm from its start, measured along the path.
fn fitting_points(line: &[Point], maximum: f64) -> usize {
    let mut length = 0.0;
    for (n, pair) in line.windows(2).enumerate() {
        length += segment(pair);
        if length > maximum {
            return n + 1;
        }
    }
    line.len()
}

/// Returns the outcome of each ray in a batch, together with its points. A ray that never left its seed has
/// no points.
fn lines(batch: &Batch) -> impl Iterator<Item = (Outcome, &[Point])> {
    let mut streamlines = StreamlineBatch::new(&batch.offsets, &batch.positions).iter();
    batch.outcomes.iter().map(move |&outcome| {
        let line = if points_of(&[outcome]) > 0 { streamlines.next() } else { None };
        (outcome, line.unwrap_or_default())
    })
}
