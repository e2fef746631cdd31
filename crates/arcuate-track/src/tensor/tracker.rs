//! Common parts of all tensor methods: the field, the seeds and the collected results.

use super::both_halves::BothHalves;
use super::principal::Principal;
use crate::constraints::{Passage, RegionGrids};
use crate::driver::Batch;
use crate::field::{Elements, TensorField};
use crate::lanes::vector;
use crate::options::{Method, Settings};
use crate::summary::{Outcome, Rejection, Termination};
use arcuate_core::{Point, length, narrow, shortest_of};

/// A tensor field, with the settings for tracking streamlines through it.
pub(super) struct Tracker<'a> {
    pub(super) field: &'a TensorField,
    pub(super) settings: Settings,
    /// Regions for points in RAS mm, if there are any.
    pub(super) region_grids: Option<&'a RegionGrids>,
}

impl Tracker<'_> {
    /// Returns the principal direction of the tensor at a seed, or the reason why there is none. Its sign is
    /// chosen so that the direction is on the side of the seed's start direction.
    pub(super) fn first_direction(&self, seed: &Seed) -> Result<[f64; 3], Rejection> {
        let tensor: Elements<1> = if self.settings.method == Method::Fact {
            let voxel = self.field.voxel_around(self.field.voxel_coordinates(seed.position));
            voxel.ok_or(Termination::LeftImage).and_then(|voxel| self.field.in_voxel(voxel))
        } else {
            let (tensor, [verdict]) = self.field.at(vector(seed.position));
            verdict.map_or(Ok(tensor), Err)
        }
        .map_err(|_| Rejection::SeedOutside)?;
        let (principal, [enough]) = Principal::of(&tensor, self.settings.seed_fa);
        if enough { Ok(principal.on_side_of(seed.hemisphere)) } else { Err(Rejection::SeedAnisotropy) }
    }
}

/// Start of a streamline: the position in RAS mm, and a vector. The first half of the streamline starts on
/// the side of this vector.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seed {
    pub(super) position: [f64; 3],
    pub(super) hemisphere: [f64; 3],
}

/// Finished streamlines of a chunk, in any order, until they are sorted by seed.
pub(super) struct Collected {
    /// Outcome of each seed of the chunk, and the index in `points` of the first point of its streamline.
    outcomes: Vec<(Outcome, usize)>,
    points: Vec<Point>,
    /// Targets that the streamline of each seed passes, as a bit set of `words` 64-bit words.
    targets: Vec<u64>,
    words: usize,
}

impl Collected {
    pub(super) fn new(seeds: usize, region_grids: Option<&RegionGrids>) -> Self {
        let words = region_grids
            .map_or(0, |region_grids| if region_grids.targets.is_empty() { 0 } else { region_grids.words });
        let outcomes = vec![(Outcome::rejected(Rejection::SeedOutside), 0); seeds];
        Self { outcomes, points: Vec::new(), targets: vec![0; seeds * words], words }
    }

    /// Records the targets that the streamline of a seed passes, as a bit set.
    fn pass(&mut self, number: usize, passage: &Passage) {
        self.targets[number * self.words..][..self.words]
            .copy_from_slice(&passage.targets_passed()[..self.words]);
    }

    /// Records that a seed is rejected.
    pub(super) fn reject(&mut self, number: usize, why: Rejection) {
        self.outcomes[number].0.rejection = Some(why);
    }

    /// Records a seed that is in a region to avoid. This rejects both halves of its streamline, or the only
    /// one.
    pub(super) fn avoid(&mut self, number: usize, both: bool) {
        let why = Some(Termination::Avoid);
        let ends = [why, why.filter(|_| both)];
        self.outcomes[number].0 = Outcome { ends, ..Outcome::rejected(Rejection::Avoided) };
    }

    /// Records a finished streamline, after the constraints have removed some of its points. `first_half` is
    /// the number of points of its first half.
    pub(super) fn end(
        &mut self,
        number: usize,
        streamline: &mut Vec<Point>,
        first_half: usize,
        ends: [Option<Termination>; 2],
        both_halves: &BothHalves,
        tracker: &Tracker<'_>,
    ) {
        let halves = match tracker.region_grids {
            Some(region_grids) if both_halves.is_no_fibre(region_grids) => Err(Rejection::Anatomy),
            Some(region_grids) => {
                self.pass(number, &both_halves.passage);
                keep(streamline, first_half, &both_halves.passage, region_grids)
            }
            None => Ok(halves_of(streamline, first_half)),
        };
        self.finish(number, streamline, halves, ends, &tracker.settings);
    }

    /// Records a streamline, or its rejection if it is too short or too long. `halves` is the number of
    /// points of each half of the streamline; both halves contain the seed.
    fn finish(
        &mut self,
        number: usize,
        streamline: &[Point],
        halves: Result<[u32; 2], Rejection>,
        ends: [Option<Termination>; 2],
        settings: &Settings,
    ) {
        let begin = self.points.len();
        let mut outcome = Outcome { ends, ..Outcome::rejected(Rejection::TooShort) };
        match halves {
            Err(why) => outcome.rejection = Some(why),
            Ok(_) if settings.discards && ends.contains(&Some(Termination::MaxLength)) => {
                outcome.rejection = Some(Rejection::TooLong);
            }
            Ok(points) => {
                // The length is summed over the segments and not computed from the number of steps. In bends,
                // Runge–Kutta steps are shorter than the nominal step length.
                let length = length(streamline);
                if streamline.len() >= 2 && length >= shortest_of(settings.min_length) {
                    self.points.extend_from_slice(streamline);
                    let length_mm = Some(length as f32);
                    outcome = Outcome { rejection: None, points, length_mm, ..outcome };
                }
            }
        }
        self.outcomes[number] = (outcome, begin);
    }

    pub(super) fn into_batch(self) -> Batch {
        let mut batch = Batch { offsets: vec![0], ..Batch::default() };
        batch.positions.reserve_exact(self.points.len());
        for (number, (outcome, begin)) in self.outcomes.into_iter().enumerate() {
            if outcome.is_accepted() {
                batch.targets.extend_from_slice(&self.targets[number * self.words..][..self.words]);
                let points = outcome.joined() as usize;
                batch.positions.extend_from_slice(&self.points[begin..begin + points]);
                batch.offsets.push(batch.positions.len() as u64);
            }
            batch.outcomes.push(outcome);
        }
        batch
    }
}

/// Returns the number of points of the two halves of a streamline. `first_half` is the number of points of
/// the first half, including the seed; 0 if there is only one half.
fn halves_of(streamline: &[Point], first_half: usize) -> [u32; 2] {
    let second_half = streamline.len() + usize::from(first_half > 0) - first_half;
    [narrow::<u32>(first_half), narrow::<u32>(second_half)]
}

/// Removes the halves of a streamline that the constraints reject. Returns the number of remaining points of
/// each half.
fn keep(
    streamline: &mut Vec<Point>,
    first_half: usize,
    passage: &Passage,
    region_grids: &RegionGrids,
) -> Result<[u32; 2], Rejection> {
    let kept = passage.judge(region_grids)?;
    let halves = halves_of(streamline, first_half);
    // If there is only one half, its points are stored from the seed on.
    if first_half == 0 {
        return Ok(halves);
    }
    match kept {
        [true, true] => Ok(halves),
        [true, false] => {
            streamline.truncate(first_half);
            Ok([halves[0], 0])
        }
        [false, _] => {
            streamline.drain(..first_half - 1);
            Ok([0, halves[1]])
        }
    }
}
