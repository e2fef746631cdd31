//! What became of rays.

use super::constants;
use crate::summary::{Rejection, Termination};
use arcuate_core::narrow;
use bytemuck::{Pod, Zeroable};

/// Why a ray ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum End {
    /// It has not yet.
    Going = constants::GOING,
    /// Its seed lies outside.
    SeedOutside = constants::SEED_OUTSIDE,
    LeftImage = constants::LEFT_IMAGE,
    LeftMask = constants::LEFT_MASK,
    Anisotropy = constants::ANISOTROPY,
    Angle = constants::ANGLE,
    MaxLength = constants::MAX_LENGTH,
    MaxSteps = constants::MAX_STEPS,
    Loop = constants::LOOP,
    Target = constants::TARGET,
    /// The metric is not a number, or steps shrink without end.
    Stuck = constants::STUCK,
}

/// What a ray came to: the same structure on GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Outcome {
    /// An [`Ending`].
    pub(super) ending: u32,
    /// Points, with the seed; 0 of a seed outside.
    pub(super) points: u32,
    /// In mm.
    pub(super) length: f32,
    /// Length over geodesic length.
    pub(super) connectivity: f32,
    /// Largest |E / E₀ − 1| of E = ẋᵀ G ẋ.
    pub(super) drift: f32,
    /// The smallest distance to what a distance image is of, in mm.
    pub(super) nearest: f32,
    /// The number of the point there.
    pub(super) nearest_point: u32,
    pub(super) connectivity_there: f32,
}

/// A ray that enters a target: the same structure on GPUs.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Hit {
    /// Number of the ray in its block.
    pub(super) ray: u32,
    /// Number of the target, from 1 on.
    pub(super) target: u32,
    /// Index of the voxel in the image, halves of it, low first.
    pub(super) voxel: [u32; 2],
    /// Number of the first point inside; the seed has number 0.
    pub(super) point: u32,
    /// In mm, so far.
    pub(super) length: f32,
    pub(super) connectivity: f32,
    pub(super) drift: f32,
}

impl Hit {
    pub(super) fn voxel(&self) -> u64 {
        u64::from(self.voxel[0]) | u64::from(self.voxel[1]) << 32
    }
}

/// What regions make of a ray, beside the number of an [`End`]: it ends by one, or its streamline is rejected.
pub(super) const STOPPED: u32 = 1 << 8;
pub(super) const EXITED: u32 = 1 << 9;
pub(super) const ENDED_BY_AVOIDING: u32 = 1 << 10;
pub(super) const AVOIDED: u32 = 1 << 11;
pub(super) const PASSED_NO_WAYPOINTS: u32 = 1 << 12;

impl Outcome {
    fn has(&self, what: u32) -> bool {
        self.ending & what != 0
    }

    /// Why it ended; nothing where it never began.
    pub(super) fn termination(&self) -> Option<Termination> {
        Some(match self.ending & (STOPPED - 1) {
            _ if self.has(STOPPED) => Termination::Stop,
            _ if self.has(EXITED) => Termination::Exit,
            _ if self.has(ENDED_BY_AVOIDING) => Termination::Avoid,
            e if e == End::SeedOutside as u32 => return None,
            e if e == End::LeftImage as u32 => Termination::LeftImage,
            e if e == End::LeftMask as u32 => Termination::LeftMask,
            e if e == End::Anisotropy as u32 => Termination::Anisotropy,
            e if e == End::Angle as u32 => Termination::Angle,
            e if e == End::MaxLength as u32 => Termination::MaxLength,
            e if e == End::MaxSteps as u32 => Termination::MaxSteps,
            e if e == End::Loop as u32 => Termination::Loop,
            e if e == End::Target as u32 => Termination::Target,
            _ => Termination::Stuck,
        })
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

/// What was measured along a streamline.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RayMeasures {
    pub(super) connectivity: f32,
    pub(super) length_mm: f32,
    pub(super) drift: f32,
}

/// Steps of all rays.
pub(super) fn steps_of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> u64 {
    outcomes.into_iter().map(|outcome| u64::from(outcome.points.saturating_sub(1))).sum()
}

/// What the streamline of these rays came to, which leave a seed in opposite ways, the way on first.
pub(super) fn line_of(ways: &[Outcome]) -> crate::summary::Outcome {
    let end = |way: usize| ways.get(way).and_then(Outcome::termination);
    let began = ways.iter().any(|ray| ray.termination().is_some());
    let steps = narrow::<u32>(steps_of(ways));
    let mut line = crate::summary::Outcome { ends: [end(1), end(0)], steps, ..Default::default() };
    if points_of(ways) == 0 {
        let any = |what: u32| ways.iter().any(|ray| ray.has(what));
        line.rejection = Some(if !began {
            Rejection::SeedOutside
        } else if any(AVOIDED) {
            Rejection::Avoided
        } else if any(PASSED_NO_WAYPOINTS) {
            Rejection::Waypoints
        } else {
            Rejection::TooShort
        });
    } else {
        line.points = [ways.get(1).map_or(0, |back| back.points), ways[0].points];
        line.length_mm = Some(measures_of(ways).length_mm);
    }
    line
}

/// How far the energies of rays stray.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Drift {
    /// The largest |E / E₀ − 1| of a ray.
    pub largest: f64,
    /// Half of the rays drift by no more than this, to an eighth of itself.
    pub median: f64,
}

/// How many rays drift how far.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Drifts([u64; Drifts::CLASSES]);

impl Drifts {
    const PER_OCTAVE: f64 = 8.0;
    const LOWEST: f64 = -32.0;
    const CLASSES: usize = 512;

    fn add(&mut self, drift: f64) {
        let class = (drift.log2().max(Self::LOWEST) - Self::LOWEST) * Self::PER_OCTAVE;
        self.0[(class as usize).min(Self::CLASSES - 1)] += 1;
    }

    /// The upper border of the class that half of the rays reach.
    fn median(&self) -> f64 {
        let half = self.0.iter().sum::<u64>().div_ceil(2);
        let mut sum = 0;
        for (class, &count) in self.0.iter().enumerate() {
            sum += count;
            if sum >= half && half > 0 {
                return ((class + 1) as f64 / Self::PER_OCTAVE + Self::LOWEST).exp2();
            }
        }
        0.0
    }
}

impl Default for Drifts {
    fn default() -> Self {
        Self([0; Self::CLASSES])
    }
}

/// Drifts as rays come.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct DriftOfAll {
    largest: f64,
    /// The rays by their drift: eight classes for each factor of two, from 2⁻³² on.
    drifts: Drifts,
}

impl DriftOfAll {
    pub(super) fn add(&mut self, outcome: &Outcome) {
        if outcome.points > 0 {
            let drift = f64::from(outcome.drift);
            self.largest = self.largest.max(drift);
            self.drifts.add(drift);
        }
    }

    pub(super) fn finish(&self) -> Drift {
        Drift { largest: self.largest, median: self.drifts.median() }
    }
}
