//! FACT: from voxel face to voxel face, without interpolation.

use super::journey::Journey;
use super::principal::Principal;
use super::tracker::Tracker;
use crate::lanes::{lane, vector};
use crate::summary::Termination;
use arcuate_core::Point;

/// Where one half of a streamline ended.
pub(super) struct End {
    pub(super) why: Termination,
    pub(super) length: f64,
}

/// Goes straight from face to face, each voxel with its own direction, until `budget` mm are used up.
///
/// Where two neighbours point at their common face from both sides, the streamline slides along that face, as the line
/// between ever shorter steps would. `journey` has come to the seed; it is used where there are constraints.
pub(super) fn follow_voxels(
    tracker: &Tracker,
    start: [f64; 3],
    first: [f64; 3],
    budget: f64,
    points: &mut Vec<Point>,
    journey: &mut Journey,
) -> End {
    let Tracker { field, settings, lattices } = tracker;
    let mut at = field.voxel_coordinates(start);
    let mut length = 0.0;
    let Some(mut voxel) = field.voxel_around(at) else {
        return End { why: Termination::LeftImage, length };
    };
    let mut direction = first;
    let mut entered: Option<(usize, bool)> = None;
    // Crossings within a thousandth of a voxel's edge. Three take a streamline through a corner; more only turn
    // around an edge that the directions swirl about, for ever.
    let mut standing = 0;
    loop {
        let mut velocity = field.voxel_displacement(direction);
        let mut speed = 1.0;
        if let Some((axis, forward)) = entered {
            let back = if forward { velocity[axis] < 0.0 } else { velocity[axis] > 0.0 };
            if back {
                velocity[axis] = 0.0;
                let along_face = field.scanner_displacement(velocity);
                speed = dot(along_face, along_face).sqrt();
            }
        }
        // Where the line leaves the voxel: the nearest of the faces ahead.
        let (mut axis, mut time) = (0, f64::INFINITY);
        for n in 0..3 {
            let face = voxel[n] as f64 + 0.5f64.copysign(velocity[n]);
            let ahead = ((face - at[n]) / velocity[n]).max(0.0);
            if velocity[n] != 0.0 && ahead < time {
                (axis, time) = (n, ahead);
            }
        }
        let distance = time * speed;
        standing = if distance > 1e-3 * settings.step { 0 } else { standing + 1 };
        if time == f64::INFINITY || standing > 3 {
            return End { why: Termination::Angle, length };
        }
        if length + distance > budget * (1.0 + 1e-12) {
            return End { why: Termination::MaxLength, length };
        }
        let forward = velocity[axis] > 0.0;
        let before = at;
        for n in 0..3 {
            at[n] += time * velocity[n];
        }
        at[axis] = voxel[axis] as f64 + if forward { 0.5 } else { -0.5 };
        length += distance;
        if distance > 0.0 {
            points.push(field.point(at).map(|c| c as f32));
            if let Some(lattices) = lattices
                && let Some((why, stays)) = {
                    // Points lie on faces, between voxels: the middle of the way lies in the voxel.
                    let middle = field.point(std::array::from_fn(|n| 0.5 * (before[n] + at[n])));
                    let end = points.last().copied().unwrap_or_default();
                    journey.arrive(lattices, middle.map(|c| c as f32), end, false)
                }
            {
                if !stays {
                    points.pop();
                }
                return End { why, length };
            }
        }
        let Some(next) = field.neighbour(voxel, axis, forward) else {
            return End { why: Termination::LeftImage, length };
        };
        let tensor = match field.in_voxel(next) {
            Ok(tensor) => tensor,
            Err(why) => return End { why, length },
        };
        let (principal, [enough]) = Principal::of(&tensor, settings.fa_cutoff);
        if !enough {
            return End { why: Termination::Anisotropy, length };
        }
        let (onwards, [decided]) = principal.towards(vector(direction));
        let onwards = lane(&onwards, 0);
        if !decided {
            return End { why: Termination::Angle, length };
        }
        if dot(onwards, direction) < settings.min_cosine {
            return End { why: Termination::Angle, length };
        }
        (voxel, direction, entered) = (next, onwards, Some((axis, forward)));
    }
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
