//! FACT (fibre assignment by continuous tracking): tracking from voxel face to voxel face, without
//! interpolation.

use super::both_halves::BothHalves;
use super::principal::Principal;
use super::tracker::Tracker;
use crate::lanes::{lane, vector};
use crate::summary::Termination;
use arcuate_core::Point;
use arcuate_numbers::vector3::dot;

/// Result of one half of a streamline.
pub(super) struct End {
    pub(super) why: Termination,
    pub(super) length: f64,
}

/// Tracks a half of a streamline along straight lines from voxel face to voxel face, with one direction per
/// voxel. The half ends at the latest when its length is `budget` mm.
///
/// If the directions of two neighbouring voxels both point towards their common face, the streamline slides
/// along this face. Tracking with ever shorter steps has this limit. If there are constraints, `both_halves`
/// must have processed the seed.
pub(super) fn follow_voxels(
    tracker: &Tracker,
    start: [f64; 3],
    first: [f64; 3],
    budget: f64,
    points: &mut Vec<Point>,
    both_halves: &mut BothHalves,
) -> End {
    let Tracker { field, settings, region_grids } = tracker;
    let mut at = field.voxel_coordinates(start);
    let mut length = 0.0;
    let Some(mut voxel) = field.voxel_around(at) else {
        return End { why: Termination::LeftImage, length };
    };
    let mut direction = first;
    let mut entered: Option<(usize, bool)> = None;
    // Number of consecutive crossings of voxel faces within a thousandth of a voxel edge. A streamline can
    // pass a corner with three crossings. With more crossings, it would circle around an edge forever.
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
        // The streamline leaves the voxel through the nearest of the faces ahead.
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
            if let Some(region_grids) = region_grids
                && let Some((why, stays)) = {
                    // The points of the streamline are on faces between voxels. Regions are therefore tested
                    // at the midpoint of each segment, which is inside a voxel.
                    let middle = field.point(std::array::from_fn(|n| 0.5 * (before[n] + at[n])));
                    let end = points.last().copied().unwrap_or_default();
                    both_halves.arrive(region_grids, middle.map(|c| c as f32), end, false)
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
        let (next_direction, [decided]) = principal.towards(vector(direction));
        let next_direction = lane(&next_direction, 0);
        if !decided {
            return End { why: Termination::Angle, length };
        }
        if dot(next_direction, direction) < settings.min_cosine {
            return End { why: Termination::Angle, length };
        }
        (voxel, direction, entered) = (next, next_direction, Some((axis, forward)));
    }
}
