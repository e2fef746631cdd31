//! What all methods have in common: the field, where streamlines begin, and what seeds come to.

use super::principal::Principal;
use crate::field::{Elements, TensorField};
use crate::lanes::vector;
use crate::options::{Method, Settings};
use crate::summary::{Fate, Outcome, Termination};
use arcuate_core::{Point, length, shortest_of};

/// A field, and how to follow it.
pub(super) struct Tracker<'a> {
    pub(super) field: &'a TensorField,
    pub(super) settings: Settings,
}

impl Tracker<'_> {
    /// The principal direction at a seed, on the side of its hemisphere, or why it has none.
    pub(super) fn first_direction(&self, seed: &Seed) -> Result<[f64; 3], Fate> {
        let tensor: Elements<1> = if self.settings.method == Method::Fact {
            let voxel = self.field.voxel_around(self.field.voxel_coordinates(seed.position));
            voxel.ok_or(Termination::LeftImage).and_then(|voxel| self.field.in_voxel(voxel))
        } else {
            let (tensor, [verdict]) = self.field.at(vector(seed.position));
            verdict.map_or(Ok(tensor), Err)
        }
        .map_err(|_| Fate::SeedOutside)?;
        let (principal, [enough]) = Principal::of(&tensor, self.settings.seed_fa);
        if enough { Ok(principal.on_side_of(seed.hemisphere)) } else { Err(Fate::SeedAnisotropy) }
    }
}

/// Where a streamline begins: RAS mm, and a vector on the side it goes to first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seed {
    pub(super) position: [f64; 3],
    pub(super) hemisphere: [f64; 3],
}

/// What consecutive seeds came to: an outcome each, and the accepted streamlines in the same order.
///
/// A streamline in both directions runs from the far end of its first half through the seed to the far end of the second,
/// one in one direction from the seed on.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) offsets: Vec<u64>,
    pub(super) positions: Vec<Point>,
}

/// Streamlines as they are finished, in any order, until they are put into the order of their seeds.
pub(super) struct Collected {
    /// Of each seed of the chunk, and where in `points` its streamline begins.
    outcomes: Vec<(Outcome, usize)>,
    points: Vec<Point>,
}

impl Collected {
    pub(super) fn new(seeds: usize) -> Self {
        let nothing = Outcome { fate: Fate::SeedOutside, ends: [None; 2] };
        Self { outcomes: vec![(nothing, 0); seeds], points: Vec::new() }
    }

    /// A seed that no streamline begins at.
    pub(super) fn reject(&mut self, number: usize, fate: Fate) {
        self.outcomes[number].0.fate = fate;
    }

    /// A whole streamline, to be kept unless it is too short.
    pub(super) fn finish(
        &mut self,
        number: usize,
        streamline: &[Point],
        ends: [Option<Termination>; 2],
        settings: &Settings,
    ) {
        let begin = self.points.len();
        // Not its steps: those of Runge–Kutta are the shorter the more a streamline bends.
        let length = length(streamline);
        let short = streamline.len() < 2 || length < shortest_of(settings.min_length);
        let fate = if short {
            Fate::TooShort
        } else {
            self.points.extend_from_slice(streamline);
            Fate::Accepted { points: streamline.len() as u32, length_mm: length as f32 }
        };
        self.outcomes[number] = (Outcome { fate, ends }, begin);
    }

    pub(super) fn into_batch(self) -> Batch {
        let mut batch = Batch { offsets: vec![0], ..Batch::default() };
        batch.positions.reserve_exact(self.points.len());
        for (outcome, begin) in self.outcomes {
            if let Fate::Accepted { points, .. } = outcome.fate {
                batch.positions.extend_from_slice(&self.points[begin..begin + points as usize]);
                batch.offsets.push(batch.positions.len() as u64);
            }
            batch.outcomes.push(outcome);
        }
        batch
    }
}
