//! Constraints for existing streamlines.

use super::bits::meet;
use super::passage::{FinishedHalf, Passage};
use super::region_grids::{RegionGrid, RegionGrids};
use super::regions::Constraints;
use super::surfaces::RegionSurfaces;
use crate::space::{DisplacementCache, index, inside, nearest};
use arcuate_core::{Affine, Grid, Point, Result, narrow};

/// Parts of an existing streamline (segments, points or ends) that are tested against regions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum RegionTest {
    /// All voxels that the segments between the points pass. An exact traversal finds these voxels, so a long
    /// segment cannot miss a region. If a region is in a different space
    /// ([`Region::mapping`](super::Region::mapping)), only the points are tested. Surfaces are tested against
    /// all segments. The insides of surfaces are tested against all points.
    #[default]
    Line,
    /// The voxels that contain the points of the streamline, as in `tckedit`. Surfaces and their insides are
    /// tested as for [`Line`](Self::Line).
    Points,
    /// The voxels that contain the first and the last point of the streamline, as in `tckedit -ends_only`.
    /// Surfaces are tested against the first and the last segment, and the insides of surfaces against both
    /// end points.
    Ends,
}

impl Constraints {
    /// Prepares the constraints for streamlines whose points are in RAS mm. Returns an error if a region is
    /// empty or if conditions contradict each other.
    #[doc(hidden)]
    pub fn place(&self) -> Result<PlacedConstraints> {
        let ends =
            Self { stop: self.stop.clone(), stop_on_exit: self.stop_on_exit.clone(), ..Self::default() };
        let others = Self { stop: Vec::new(), stop_on_exit: Vec::new(), anatomy: None, ..self.clone() };
        Ok(PlacedConstraints { region_grids: in_mm(&others)?, ends: in_mm(&ends)? })
    }
}

/// Expected maximum segment length of existing streamlines, in mm. Longer segments are allowed, but finding
/// the surfaces that they meet takes longer.
const STEP_MM: f64 = 2.0;

/// Places the regions on their voxel grids, for streamlines whose points are in RAS mm.
pub(crate) fn in_mm(constraints: &Constraints) -> Result<RegionGrids> {
    RegionGrids::new(
        &Grid::new([1; 3], Affine::identity())?,
        STEP_MM,
        constraints,
        None,
        &DisplacementCache::default(),
    )
}

/// Constraints that are prepared for tests of existing streamlines. They apply to any number of streamlines.
#[derive(Debug)]
pub struct PlacedConstraints {
    region_grids: RegionGrids,
    /// Regions at which streamlines are truncated.
    ends: RegionGrids,
}

impl PlacedConstraints {
    /// Returns true if a streamline avoids all regions to avoid and passes the required number of waypoints.
    /// `line` contains its points, in RAS mm. If the waypoints have an order, the streamline must pass them
    /// in this order from one of its two ends. The first point is tested like all other points. If one
    /// segment meets waypoints on several grids, these waypoints count as passed at the same time. Regions to
    /// stop in are ignored.
    pub fn fit(&self, line: &[Point], test: RegionTest) -> bool {
        if self.region_grids.bits == 0 {
            return true;
        }
        let fits = |line: &[Point]| {
            Passage::default().fits(&self.region_grids, |meets| follow(&self.region_grids, line, test, meets))
        };
        fits(line)
            || self.region_grids.scope.in_order && fits(&line.iter().rev().copied().collect::<Vec<_>>())
    }

    /// Returns the number of points of a streamline that remain after truncation, counted from its first
    /// point. A streamline is truncated at its first point in a region to stop in, or before it leaves a
    /// region to stop at when leaving. Truncation never happens at the first point itself.
    pub fn points_left(&self, line: &[Point]) -> usize {
        let mut passage = Passage::default();
        passage.begin(&self.ends);
        FinishedHalf::along(&mut passage, &self.ends, line.iter()).points
    }

    /// Returns true if the constraints have regions at which streamlines are truncated.
    pub fn cut_lines(&self) -> bool {
        self.ends.bits > 0
    }

    /// Number of targets.
    pub fn targets(&self) -> usize {
        self.region_grids.targets.len()
    }

    /// Returns for each target, in the order of the targets, whether a streamline meets it.
    pub fn targets_met(&self, line: &[Point], test: RegionTest) -> Vec<bool> {
        let (targets, words) = self.region_grids.target_bits();
        let mut met = vec![0; words];
        follow(&self.region_grids, line, test, &mut |regions| {
            met.iter_mut().zip(regions).for_each(|(met, here)| *met |= here);
        });
        targets.iter().map(|bit| met[bit / 64] >> (bit % 64) & 1 != 0).collect()
    }
}

/// Calls `meets` with the bit set of the regions at each position of a streamline, from the first point to
/// the last.
fn follow(region_grids: &RegionGrids, line: &[Point], test: RegionTest, meets: &mut dyn FnMut(&[u64])) {
    let mut here = vec![0; region_grids.words];
    if let Some(surfaces) = &region_grids.surfaces {
        return follow_with_surfaces(region_grids, surfaces, line, test, meets);
    }
    let mut at = |point: &Point| {
        here.fill(0);
        region_grids.all.iter().for_each(|lattice| lattice.add_at(*point, &mut here));
        meets(&here);
    };
    match (test, line) {
        (RegionTest::Ends, [first, .., last]) => [first, last].into_iter().for_each(at),
        (RegionTest::Line, [_, _, ..]) => {
            line.windows(2).for_each(|pair| meet_between(region_grids, pair, &mut here, meets));
        }
        (RegionTest::Points | RegionTest::Line | RegionTest::Ends, points) => points.iter().for_each(&mut at),
    }
}

/// Does the same as [`follow`] if some regions are surfaces. Each point is tested together with the segment
/// that ends there.
fn follow_with_surfaces(
    region_grids: &RegionGrids,
    surfaces: &RegionSurfaces,
    line: &[Point],
    test: RegionTest,
    meets: &mut dyn FnMut(&[u64]),
) {
    let mut here = vec![0; region_grids.words];
    for (n, point) in line.iter().enumerate() {
        let (is_first, is_last) = (n == 0, n + 1 == line.len());
        let is_end = is_first || is_last;
        here.fill(0);
        if test == RegionTest::Line && !is_first {
            for lattice in &region_grids.all {
                lattice.add_between(&line[n - 1..=n], &mut here);
            }
        } else if test != RegionTest::Ends || is_end {
            region_grids.all.iter().for_each(|lattice| lattice.add_at(*point, &mut here));
        }
        let to = surfaces.fixed(*point);
        if is_first {
            surfaces.touched(to, &mut here);
        } else if test != RegionTest::Ends || is_last || n == 1 {
            surfaces.meet(surfaces.fixed(line[n - 1]), to, &mut here);
        }
        if test != RegionTest::Ends || is_end {
            surfaces.add_insides(to, &mut here);
        }
        meets(&here);
    }
}

/// Calls `meets` with bit sets of the regions that a segment meets. If all regions are on one voxel grid,
/// there is one bit set per voxel. If they are on several grids, there is one bit set for the whole segment.
fn meet_between(region_grids: &RegionGrids, pair: &[Point], here: &mut [u64], meets: &mut dyn FnMut(&[u64])) {
    let one_by_one = region_grids.all.len() == 1;
    here.fill(0);
    if one_by_one && !region_grids.all[0].is_mapped() {
        let lattice = &region_grids.all[0];
        lattice.grid.for_each_voxel_between(pair[0], pair[1], |voxel| {
            here.fill(0);
            lattice.add(voxel, here);
            meets(here);
        });
        return;
    }
    region_grids.all.iter().for_each(|lattice| lattice.add_between(pair, here));
    meets(here);
}

impl RegionGrid {
    /// Adds the regions that contain any voxel on the segment between two points. If this grid is in a
    /// different space, only the two end points of the segment are tested.
    fn add_between(&self, pair: &[Point], here: &mut [u64]) {
        if self.is_mapped() {
            for point in pair {
                self.add_at(*point, here);
            }
        } else {
            self.grid.for_each_voxel_between(pair[0], pair[1], |voxel| self.add(voxel, here));
        }
    }

    /// Adds the regions that contain a voxel to the bit set `here`.
    fn add(&self, voxel: usize, here: &mut [u64]) {
        let begin = self.sets[voxel] as usize * here.len();
        here.iter_mut().zip(&self.table[begin..]).for_each(|(here, bits)| *here |= bits);
    }

    /// Adds the regions that contain the voxel of a point, which is in RAS mm. The voxel is computed in
    /// double precision. A point on a border of voxels is thus assigned to the voxel that the affine in the
    /// file of the region gives.
    fn add_at(&self, point: Point, here: &mut [u64]) {
        let voxel = if self.is_mapped() {
            let (v, shape) =
                (self.voxel_mapping.apply(point).map(nearest), self.grid.shape().map(narrow::<i32>));
            inside(v, shape).then(|| index(v, shape))
        } else {
            self.grid.voxel_at(point.map(f64::from))
        };
        if let Some(voxel) = voxel {
            self.add(voxel, here);
        }
    }
}

impl Passage {
    /// Returns true if a streamline passes the required waypoints and no region to avoid. `line` calls its
    /// argument with the bit set of the regions at each position of the streamline.
    fn fits(&mut self, region_grids: &RegionGrids, line: impl FnOnce(&mut dyn FnMut(&[u64]))) -> bool {
        self.begin(region_grids);
        let mut avoided = false;
        line(&mut |regions| {
            avoided |= meet(regions, &region_grids.kinds.avoid);
            self.pass(regions, &region_grids.kinds.ways);
        });
        !avoided && self.is_complete(region_grids)
    }
}

#[cfg(test)]
mod tests {
    use super::super::regions::{Region, WaypointCondition};
    use super::*;
    use arcuate_core::Mask;

    /// Returns true if a streamline meets one region. Searches directly, without bit sets, as a reference for
    /// the test.
    fn meets(test: RegionTest, line: &[Point], region: &Mask) -> bool {
        let grid = region.grid();
        let holds =
            |point: &Point| grid.voxel_at(point.map(f64::from)).is_some_and(|voxel| region.contains(voxel));
        match (test, line) {
            (RegionTest::Ends, [first, .., last]) => holds(first) || holds(last),
            (RegionTest::Line, [_, _, ..]) => line.windows(2).any(|pair| {
                let mut met = false;
                grid.for_each_voxel_between(pair[0], pair[1], |voxel| met |= region.contains(voxel));
                met
            }),
            (_, points) => points.iter().any(holds),
        }
    }

    /// Creates a region of the voxels for which `inside` is true. `large` selects one of two grids with
    /// voxels of 2 mm.
    fn region(large: bool, inside: impl Fn([usize; 3]) -> bool) -> Region {
        let shape = if large { [11, 7, 5] } else { [10, 6, 5] };
        let grid = Grid::new(shape, Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
        let inside = (0..grid.len()).map(|voxel| inside(grid.coordinates(voxel))).collect();
        Region::of_mask("region", Mask::new(grid, inside).unwrap(), None)
    }

    fn lines() -> [Vec<Point>; 5] {
        [
            vec![[0.0, 0.0, 0.0], [18.0, 0.0, 0.0]],
            vec![[0.0, 2.0, 0.0], [8.0, 2.0, 0.0], [8.0, 0.0, 0.0], [12.0, 0.0, 0.0]],
            vec![[8.2, -0.3, 0.1]],
            vec![],
            vec![[12.0, 0.0, 0.0], [0.0, 0.0, 0.0], [8.0, 0.0, 0.0]],
        ]
    }

    fn kept(constraints: &Constraints, test: RegionTest) -> Vec<usize> {
        let placed = constraints.place().unwrap();
        lines().iter().enumerate().filter(|(_, line)| placed.fit(line, test)).map(|(n, _)| n).collect()
    }

    #[test]
    fn regions_are_tested_with_the_line_its_points_or_its_ends() {
        for (test, with, without) in [
            (RegionTest::Line, vec![0, 1, 2, 4], vec![3]),
            (RegionTest::Points, vec![1, 2, 4], vec![0, 3]),
            (RegionTest::Ends, vec![2, 4], vec![0, 1, 3]),
        ] {
            let regions = vec![region(false, |voxel| voxel == [4, 0, 0])];
            assert_eq!(
                kept(&Constraints { waypoints: regions.clone(), ..Constraints::default() }, test),
                with
            );
            let avoid = Constraints { avoid: regions.clone(), ..Constraints::default() };
            assert_eq!(kept(&avoid, test), without);
            let placed = Constraints { targets: regions, ..Constraints::default() }.place().unwrap();
            let reached: Vec<usize> = (0..5).filter(|n| placed.targets_met(&lines()[*n], test)[0]).collect();
            assert_eq!(reached, with);
        }
    }

    #[test]
    fn combined_region_tests_agree_with_single_regions() {
        let mut state = 5u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        for several in [false, true] {
            let [a, b, c] = [
                region(false, |[x, y, _]| x == 3 || y == 5),
                region(several, |[x, _, z]| x == 7 && z < 3),
                region(false, |[_, y, z]| y == 2 && z == 2),
            ];
            let all = Constraints {
                waypoints: vec![a.clone(), b.clone()],
                avoid: vec![c.clone()],
                ..Constraints::default()
            };
            let any = Constraints { condition: WaypointCondition::Any, ..all.clone() };
            let [all, any] = [all, any].map(|constraints| constraints.place().unwrap());
            let mut counts = [0; 3];
            for n in 0..1500 {
                let mut coordinate = |extent: f32| match n % 3 {
                    // One third of the tested points is on the borders between voxels.
                    0 => (uniform() * extent).round() - 3.0,
                    _ => uniform() * extent - 3.0,
                };
                let line: Vec<Point> =
                    (0..n % 5).map(|_| [coordinate(26.0), coordinate(16.0), coordinate(14.0)]).collect();
                for test in [RegionTest::Line, RegionTest::Points, RegionTest::Ends] {
                    let [a, b, c] = [&a, &b, &c].map(|region| meets(test, &line, region.mask().unwrap()));
                    assert_eq!(all.fit(&line, test), a && b && !c, "{test:?} {line:?}");
                    assert_eq!(any.fit(&line, test), (a || b) && !c, "{test:?} {line:?}");
                    counts[test as usize] += usize::from(a && b && !c);
                }
            }
            assert!(counts.iter().all(|count| *count > 10), "{counts:?}");
        }
    }

    #[test]
    fn the_traversal_agrees_with_dense_sampling() {
        let mut state = 5u64;
        let mut uniform = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f32 / (1u64 << 24) as f32
        };
        let avoid = vec![region(false, |voxel| voxel == [4, 2, 2])];
        let avoid = Constraints { avoid, ..Constraints::default() }.place().unwrap();
        let (mut met, mut missed) = (0, 0);
        for _ in 0..2000 {
            let mut point = || [uniform() * 24.0 - 3.0, uniform() * 14.0 - 2.0, uniform() * 12.0 - 2.0];
            let line = [point(), point()];
            let samples: Vec<Point> = (0..=4000)
                .map(|n| {
                    let t = n as f32 / 4000.0;
                    std::array::from_fn(|axis| line[0][axis] + t * (line[1][axis] - line[0][axis]))
                })
                .collect();
            let sampled = !avoid.fit(&samples, RegionTest::Points);
            let walked = !avoid.fit(&line, RegionTest::Line);
            // Only the exact traversal finds a voxel whose corner the segment cuts by less than the distance
            // between the sampled points.
            assert!(walked || !sampled);
            met += usize::from(sampled);
            missed += usize::from(walked && !sampled);
        }
        assert!(met > 50 && missed <= 2, "{met} {missed}");
    }

    #[test]
    fn waypoints_of_a_long_segment_are_passed_in_order() {
        let at = |x: usize| region(false, move |voxel| voxel == [x, 0, 0]);
        let line = [[0.0, 0.0, 0.0], [18.0, 0.0, 0.0]];
        let fits = |x: [usize; 3]| {
            let waypoints = x.map(at).to_vec();
            let order = Constraints { waypoints, in_order: true, ..Constraints::default() };
            order.place().unwrap().fit(&line, RegionTest::Line)
        };
        assert!(fits([2, 5, 7]) && fits([7, 5, 2]) && !fits([5, 2, 7]));
    }
}
