//! Searches for the regions of streamlines in an image of labels. This module has all methods except the
//! radial search.

use arcuate_core::{Labels, Point};
use arcuate_numbers::vector3::{dot, norm};
use std::cmp::Ordering;
use std::collections::{BTreeSet, BinaryHeap};

/// One of the two ends of a streamline: the first or the last point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    First,
    Last,
}

impl End {
    pub(super) const BOTH: [Self; 2] = [Self::First, Self::Last];

    /// Returns the point of a streamline that follows `inwards` points after this end, towards the middle.
    fn point(self, streamline: &[Point], inwards: usize) -> Point {
        match self {
            Self::First => streamline[inwards],
            Self::Last => streamline[streamline.len() - 1 - inwards],
        }
    }
}

fn minus(a: Point, b: Point) -> [f64; 3] {
    std::array::from_fn(|axis| f64::from(a[axis]) - f64::from(b[axis]))
}

/// Returns the region of the voxel that contains a point.
pub(super) fn at(labels: &Labels, point: Point) -> Option<u32> {
    let voxel = labels.grid().voxel_at(point.map(f64::from))?;
    Some(labels.values()[voxel]).filter(|&region| region != 0)
}

/// Returns the region that a streamline passes last before one of its ends. The search follows the streamline
/// from this end for at most `maximum` mm, and at most to the midpoint. If the streamline has n ≥ 1 points, the
/// search from the first end may use the first ⌈n / 2⌉ points. The search from the last end may use the last
/// point and the ⌊(n − 1) / 2⌋ points before it. MRtrix 3.0.3 divides the points in the same way.
pub(super) fn reverse(labels: &Labels, streamline: &[Point], end: End, maximum: f64) -> Option<u32> {
    let points = match end {
        End::First => streamline.len().div_ceil(2),
        End::Last => ((streamline.len() - 1) / 2).max(1),
    };
    let mut along = 0.0;
    for inwards in 0..points {
        let point = end.point(streamline, inwards);
        if let Some(region) = at(labels, point) {
            return Some(region);
        }
        // The next point towards the middle of the streamline may belong to the other end's half.
        if inwards + 1 < streamline.len() {
            along += norm(minus(point, end.point(streamline, inwards + 1)));
            if along > maximum {
                return None;
            }
        }
    }
    None
}

/// Angle between the axis and the surface of the cone that the forward search examines.
const CONE: f64 = std::f64::consts::FRAC_PI_4;

/// A voxel in the queue of the forward search. The next voxel to examine is the one with the lowest cost. If
/// several voxels have the same cost, the one that was found first is next.
#[derive(PartialEq)]
struct Seen {
    cost: f64,
    number: usize,
    voxel: [i64; 3],
}

impl Eq for Seen {}

impl Ord for Seen {
    fn cmp(&self, other: &Self) -> Ordering {
        other.cost.total_cmp(&self.cost).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Seen {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Returns the region in front of an end of a streamline. The search starts at the voxel that contains the
/// end point, and examines voxels in the order of their cost d (1 + α / 45°). Here, d is the distance of the
/// voxel centre from the end point. α is the angle between the streamline's direction and the line to the
/// voxel centre. If an examined voxel has no region, its neighbours with α ≤ 45° and a cost of at most
/// `maximum` mm are added to the search. Returns `None` if the end point is outside the image.
///
/// The direction of the streamline at its end is extrapolated. It is the direction of the last segment,
/// turned further by the angle between the last two segments.
pub(super) fn forward(labels: &Labels, streamline: &[Point], end: End, maximum: f64) -> Option<u32> {
    let grid = labels.grid();
    let tip = end.point(streamline, 0);
    let last = minus(tip, end.point(streamline, 1));
    let course = if streamline.len() > 2 {
        let before = minus(end.point(streamline, 1), end.point(streamline, 2));
        let ratio = norm(last) / norm(before);
        std::array::from_fn(|axis| last[axis] + (last[axis] - ratio * before[axis]))
    } else {
        last
    };
    let length = norm(course);
    let tip = tip.map(f64::from);
    let own = grid.coordinates(grid.voxel_at(tip)?).map(|n| n as i64);
    let shape = grid.shape().map(|n| n as i64);
    let mut known = BTreeSet::from([own]);
    let mut waiting = BinaryHeap::from([Seen { cost: 0.0, number: 0, voxel: own }]);
    while let Some(Seen { voxel, .. }) = waiting.pop() {
        if (0..3).any(|axis| !(0..shape[axis]).contains(&voxel[axis])) {
            continue;
        }
        let region = labels.values()[grid.index(voxel.map(|n| n as usize))];
        if region != 0 {
            return Some(region);
        }
        for k in -1..=1 {
            for j in -1..=1 {
                for i in -1..=1 {
                    let next = [voxel[0] + i, voxel[1] + j, voxel[2] + k];
                    if !known.insert(next) {
                        continue;
                    }
                    let centre = grid.affine().apply(next.map(|n| n as f64));
                    let away: [f64; 3] = std::array::from_fn(|axis| centre[axis] - tip[axis]);
                    let distance = norm(away);
                    let angle = (dot(course, away) / (length * distance)).acos();
                    let cost = distance * (1.0 + angle / CONE);
                    // If the angle of a voxel is NaN, this condition is false, so the voxel is treated as
                    // outside the cone.
                    if angle <= CONE && cost <= maximum {
                        waiting.push(Seen { cost, number: known.len(), voxel: next });
                    }
                }
            }
        }
    }
    None
}

/// Returns the numbers of all regions that contain points of a streamline, in ascending order.
pub(super) fn passed(labels: &Labels, streamline: &[Point]) -> Vec<u32> {
    let mut regions: Vec<u32> = Vec::new();
    for &point in streamline {
        if let Some(region) = at(labels, point)
            && regions.last() != Some(&region)
        {
            regions.push(region);
        }
    }
    regions.sort_unstable();
    regions.dedup();
    regions
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_core::{Affine, Grid};
    use std::collections::BTreeMap;

    /// Creates an image of labels with voxels of 1 mm. The regions follow each other along x. Across x, the
    /// image has 5 × 5 voxels, all with the same region.
    fn along_x(regions: &[u32]) -> Labels {
        let grid = Grid::new([regions.len(), 5, 5], Affine::scaling([1.0; 3], [0.0, -2.0, -2.0])).unwrap();
        let middle = |n: usize| grid.coordinates(n)[1..] == [2, 2];
        let values = (0..grid.len()).map(|n| if middle(n) { regions[grid.coordinates(n)[0]] } else { 0 });
        Labels::new(grid, values.collect(), BTreeMap::new()).unwrap()
    }

    fn line(xs: &[f32]) -> Vec<Point> {
        xs.iter().map(|&x| [x, 0.0, 0.0]).collect()
    }

    #[test]
    fn the_reverse_search_stops_at_the_middle_and_at_its_maximum_length() {
        let labels = along_x(&[0, 0, 3, 0, 0, 4, 0, 5, 0]);
        let both = |streamline: &[Point], maximum: f64| {
            End::BOTH.map(|end| reverse(&labels, streamline, end, maximum))
        };
        let nine = line(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(both(&nine, f64::INFINITY), [Some(3), Some(5)]);
        assert_eq!(both(&nine, 1.5), [None, Some(5)]);
        assert_eq!(both(&nine, 2.0), [Some(3), Some(5)]);
        // The middle point of the streamline, at 5 mm, belongs to the half of the first end.
        let five = line(&[3.0, 4.0, 5.0, 6.0, 6.2]);
        assert_eq!(both(&five, f64::INFINITY), [Some(4), None]);
        // If the streamline has four points, the half of the last end has only the last point and the point
        // before it.
        assert_eq!(both(&line(&[3.0, 4.0, 5.0, 6.0]), f64::INFINITY), [None, None]);
        assert_eq!(both(&line(&[3.0, 5.0]), f64::INFINITY), [None, Some(4)]);
    }

    #[test]
    fn the_forward_search_continues_along_the_end_direction() {
        let labels = along_x(&[7, 0, 0, 0, 0, 0, 0, 0, 0, 4]);
        let both = |streamline: &[Point], maximum: f64| {
            End::BOTH.map(|end| forward(&labels, streamline, end, maximum))
        };
        let straight = line(&[2.0, 3.0, 4.0, 5.0]);
        assert_eq!(both(&straight, 4.5), [Some(7), Some(4)]);
        // In the forward search, the voxel centre at 9 mm has a cost of 4 mm for the end with the last point.
        // The voxel centre at 0 mm has a cost of 2 mm for the other end.
        assert_eq!(both(&straight, 3.9), [Some(7), None]);
        assert_eq!(both(&line(&[2.0, 5.0]), 2.0), [Some(7), None]);
        // The cone in front of the streamline's end contains no region.
        let across = [[5.0, -2.0, 0.0], [5.0, -1.0, 0.0], [5.0, 0.0, 0.0]];
        assert_eq!(forward(&labels, &across, End::Last, 50.0), None);
        assert_eq!(forward(&labels, &line(&[20.0, 19.0]), End::Last, 50.0), None);
        // If an end point is inside a region, the result is this region. If a streamline has no direction,
        // only the voxel that contains its end point is searched.
        assert_eq!(both(&line(&[0.0, 5.0, 9.0]), 1.0), [Some(7), Some(4)]);
        assert_eq!(both(&line(&[0.0, 0.0]), 50.0), [Some(7), Some(7)]);
        assert_eq!(both(&line(&[1.0, 1.0]), 50.0), [None, None]);
    }

    #[test]
    fn each_passed_region_is_listed_once() {
        let labels = along_x(&[0, 5, 5, 0, 2, 5]);
        assert_eq!(passed(&labels, &line(&[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 9.0])), [2, 5]);
        assert_eq!(passed(&labels, &line(&[1.4])), [5]);
        assert!(passed(&labels, &[]).is_empty() && passed(&labels, &[[f32::NAN; 3]]).is_empty());
    }
}
