//! Outcome of geodesic rays: the reason why each ray stopped, and its measures.

use super::constants;
use crate::energy_drift::EnergyDrift;
use crate::summary::{Rejection, Termination};
use arcuate_core::narrow;
use bytemuck::{Pod, Zeroable};

/// The reason why a ray stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum End {
    /// The ray has not stopped yet.
    Going = constants::GOING,
    /// The seed of the ray is outside the image, outside the mask, or in low anisotropy.
    SeedOutside = constants::SEED_OUTSIDE,
    LeftImage = constants::LEFT_IMAGE,
    LeftMask = constants::LEFT_MASK,
    Anisotropy = constants::ANISOTROPY,
    Angle = constants::ANGLE,
    MaxLength = constants::MAX_LENGTH,
    MaxSteps = constants::MAX_STEPS,
    Loop = constants::LOOP,
    Target = constants::TARGET,
    /// The metric at the ray's position is not a number, or the step length shrinks towards 0.
    Stuck = constants::STUCK,
}

/// Outcome of a ray. GPUs use the same structure.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Outcome {
    /// Reason why the ray stopped: an [`End`], combined with the bits of the regions such as [`STOPPED`].
    pub(super) ending: u32,
    /// Number of points of the ray, including the seed; 0 if the seed is outside the image or the mask.
    pub(super) points: u32,
    /// Length of the ray, in mm.
    pub(super) length: f32,
    /// Euclidean length divided by geodesic length.
    pub(super) connectivity: f32,
    /// Largest |E / E₀ − 1| along the ray, where E = ẋᵀ G ẋ is the energy and E₀ is the energy at the seed.
    pub(super) drift: f32,
    /// Smallest distance in mm from a point of the ray to the target, read from the distance image.
    pub(super) nearest: f32,
    /// Number of the ray's point with the smallest distance to the target.
    pub(super) nearest_point: u32,
    pub(super) connectivity_there: f32,
}

/// Hit of a target by a ray. GPUs use the same structure.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Hit {
    /// Number of the ray in its block.
    pub(super) ray: u32,
    /// Number of the target, from 1.
    pub(super) target: u32,
    /// Index in the image of the voxel through which the ray enters the target. The index is stored as two
    /// numbers of 32 bits, the low one first.
    pub(super) voxel: [u32; 2],
    /// Number of the ray's first point inside the target; the seed has number 0.
    pub(super) point: u32,
    /// Length of the ray from its seed to this point, in mm.
    pub(super) length: f32,
    pub(super) connectivity: f32,
    pub(super) drift: f32,
}

impl Hit {
    pub(super) fn voxel(&self) -> u64 {
        u64::from(self.voxel[0]) | u64::from(self.voxel[1]) << 32
    }
}

/// Bits that regions add to the reason why a ray stopped (an [`End`]). They mean that a region stops the ray,
/// or that a region causes the rejection of its streamline.
pub(super) const STOPPED: u32 = 1 << 8;
pub(super) const EXITED: u32 = 1 << 9;
pub(super) const ENDED_BY_AVOIDING: u32 = 1 << 10;
pub(super) const AVOIDED: u32 = 1 << 11;
pub(super) const PASSED_NO_WAYPOINTS: u32 = 1 << 12;
/// Bit that is set for a ray if its streamline is rejected because it reaches the maximum length.
pub(super) const TOO_LONG: u32 = 1 << 13;
/// Mask of the bits that contain the number of an [`End`].
pub(super) const END_MASK: u32 = STOPPED - 1;

impl Outcome {
    /// Adds the drift of the ray to a histogram, if the ray left its seed.
    pub(super) fn add_to(&self, drift: &mut EnergyDrift) {
        if self.points > 0 {
            drift.add(f64::from(self.drift));
        }
    }

    fn has(&self, what: u32) -> bool {
        self.ending & what != 0
    }

    /// Returns the reason why the ray stopped, or `None` if its seed is outside and the ray never started.
    pub(super) fn termination(&self) -> Option<Termination> {
        Some(match self.ending & END_MASK {
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

/// Returns the number of points of the streamline that the rays of one direction form, or 0 if they form no
/// streamline.
pub(super) fn points_of(sides: &[Outcome]) -> u64 {
    let points: u64 = sides.iter().map(|ray| u64::from(ray.points)).sum();
    // Both rays of a direction contain the seed, so the seed is counted only once.
    let joined = points.saturating_sub(sides.len() as u64 - 1);
    if sides.iter().any(|ray| ray.points == 0) || joined < 2 { 0 } else { joined }
}

/// Returns connectivity, length and drift of the streamline that the rays of one direction form.
pub(super) fn measures_of(sides: &[Outcome]) -> RayMeasures {
    let (mut length, mut geodesic, mut drift) = (0.0, 0.0, 0.0f32);
    for ray in sides.iter().filter(|ray| ray.length > 0.0) {
        length += f64::from(ray.length);
        geodesic += f64::from(ray.length) / f64::from(ray.connectivity);
        drift = drift.max(ray.drift);
    }
    RayMeasures { connectivity: (length / geodesic) as f32, length_mm: length as f32, drift }
}

/// Measures of a streamline that consists of geodesic rays.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RayMeasures {
    pub(super) connectivity: f32,
    pub(super) length_mm: f32,
    pub(super) drift: f32,
}

/// Returns the total number of steps of several rays.
pub(super) fn steps_of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> u64 {
    outcomes.into_iter().map(|outcome| u64::from(outcome.points.saturating_sub(1))).sum()
}

/// Returns the outcome of the streamline that the rays of one direction form. The first ray follows the
/// direction, and the second ray follows the opposite direction.
pub(super) fn line_of(sides: &[Outcome]) -> crate::summary::Outcome {
    let end = |way: usize| sides.get(way).and_then(Outcome::termination);
    let began = sides.iter().any(|ray| ray.termination().is_some());
    let steps = narrow::<u32>(steps_of(sides));
    let mut line = crate::summary::Outcome { ends: [end(1), end(0)], steps, ..Default::default() };
    if points_of(sides) == 0 {
        let any = |what: u32| sides.iter().any(|ray| ray.has(what));
        line.rejection = Some(if !began {
            Rejection::SeedOutside
        } else if any(AVOIDED) {
            Rejection::Avoided
        } else if any(PASSED_NO_WAYPOINTS) {
            Rejection::Waypoints
        } else if any(TOO_LONG) {
            Rejection::TooLong
        } else {
            Rejection::TooShort
        });
    } else {
        line.points = [sides.get(1).map_or(0, |back| back.points), sides[0].points];
        line.length_mm = Some(measures_of(sides).length_mm);
    }
    line
}
