//! What became of rays.

use super::constants;
use bytemuck::{Pod, Zeroable};

/// Why a ray ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Ending {
    /// It has not yet.
    None = constants::GOING,
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

/// Why rays ended, how many each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Endings {
    /// They left the image.
    pub left_image: u64,
    /// They left the mask.
    pub left_mask: u64,
    /// The anisotropy ahead is below the limit.
    pub anisotropy: u64,
    /// They turned by more than the largest angle within a step.
    pub angle: u64,
    /// They have the largest length.
    pub max_length: u64,
    /// They have the largest number of steps.
    pub max_steps: u64,
    /// They came back to a place and direction of their own.
    pub loops: u64,
    /// They reached the target, where there is but one.
    pub target: u64,
    /// The metric is not a number there, or no step is short enough.
    pub stuck: u64,
}

/// What became of the rays of a run. Independent of threads, lots and devices.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct GeodesicSummary {
    /// Seeds.
    pub seeds: u64,
    /// Rays, of which two from the same seed in opposite directions count as two.
    pub rays: u64,
    /// Of them, those whose seed lies outside the image or the mask, or in too low anisotropy.
    pub seed_outside: u64,
    /// Streamlines that were given out.
    pub streamlines: u64,
    /// Points of all rays.
    pub points: u64,
    /// Why rays ended.
    pub endings: Endings,
    /// The largest drift of a ray's energy, |E / E₀ − 1|.
    pub largest_drift: f64,
    /// Half of the rays drift by no more than this, to an eighth of itself.
    pub median_drift: f64,
    /// The rays by their drift: eight classes for each factor of two, from 2⁻³² on.
    drifts: Drifts,
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

impl GeodesicSummary {
    /// Of so many seeds, of which no ray has been counted yet.
    pub(super) fn of(seeds: u64) -> Self {
        Self { seeds, ..Self::default() }
    }

    /// Counts a ray.
    pub(super) fn add(&mut self, outcome: &Outcome) {
        self.rays += 1;
        self.points += u64::from(outcome.points);
        let endings = &mut self.endings;
        *match outcome.ending {
            e if e == Ending::LeftImage as u32 => &mut endings.left_image,
            e if e == Ending::LeftMask as u32 => &mut endings.left_mask,
            e if e == Ending::Anisotropy as u32 => &mut endings.anisotropy,
            e if e == Ending::Angle as u32 => &mut endings.angle,
            e if e == Ending::MaxLength as u32 => &mut endings.max_length,
            e if e == Ending::MaxSteps as u32 => &mut endings.max_steps,
            e if e == Ending::Loop as u32 => &mut endings.loops,
            e if e == Ending::Target as u32 => &mut endings.target,
            e if e == Ending::SeedOutside as u32 => &mut self.seed_outside,
            _ => &mut endings.stuck,
        } += 1;
        if outcome.points > 0 {
            let drift = f64::from(outcome.drift);
            self.largest_drift = self.largest_drift.max(drift);
            self.drifts.add(drift);
        }
    }

    /// Works out what needs all rays.
    pub(super) fn finish(&mut self) {
        self.median_drift = self.drifts.median();
    }
}
