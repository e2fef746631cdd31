//! Regions that a streamline has met during tracking, and the decision which of its two halves are kept.

use super::bits::{Bits, meet};
use super::region_grids::RegionGrids;
use super::surfaces::{Fixed, RegionSurfaces};
use crate::summary::{Rejection, Termination};
use arcuate_core::Point;

/// Regions that a streamline met so far. One object is reused for many streamlines.
#[derive(Debug, Clone, Default)]
pub(crate) struct Passage {
    here: Bits,
    /// Waypoints that the streamline has passed so far, as a bit set.
    ways: Bits,
    /// Waypoints that the streamline passed before its current half began, as a bit set.
    ways_before: Bits,
    /// True if the current half of the streamline passed waypoints in a wrong order.
    out_of_order: bool,
    /// Regions to stop at when leaving for which the current half has had a point outside.
    outside_seen: Bits,
    /// Regions to stop at when leaving that the current half has entered after it was outside.
    entered: Bits,
    /// Targets that the current half has passed, as a bit set.
    targets: Bits,
    /// Targets passed by the halves of the streamline that are kept, as a bit set.
    kept_targets: Bits,
    avoided: bool,
    halves: Vec<HalfVerdict>,
    /// Position of the seed in the space of the surfaces. `None` if it is only known from the rounded voxel
    /// coordinates.
    origin: Option<Fixed>,
    /// Previous point of the streamline, in the space of the surfaces.
    before: Fixed,
}

/// Result of a half of a streamline.
#[derive(Debug, Clone, Copy)]
struct HalfVerdict {
    verdict: Verdict,
    avoided: bool,
    enough: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    Accept,
    /// The decision about this half depends on the other half, which may pass the missing waypoints.
    Wait,
    Reject,
}

/// Effect of the constraints on a half of a streamline at one of its points.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// Reason to stop the half before this point; `None` if there is no reason. If a region to avoid is the
    /// reason, the whole half is discarded.
    pub(crate) end: Option<Termination>,
    /// True if the half stops at this point, which still belongs to the half.
    pub(crate) stops: bool,
    /// Voxel whose visit is counted for this point, if visits are counted.
    pub(crate) voxel: Option<u32>,
}

impl Arrival {
    /// Returns the reason why the half stops at this point, and whether the point belongs to the half.
    /// Returns `None` if the half does not stop.
    pub(crate) fn termination(&self) -> Option<(Termination, bool)> {
        self.end.map(|why| (why, false)).or(self.stops.then_some((Termination::Stop, true)))
    }
}

impl Passage {
    /// Begins a streamline. `origin` is the exact position of its seed in the space of the surfaces, if
    /// known.
    pub(crate) fn begin_at(&mut self, region_grids: &RegionGrids, origin: Option<Fixed>) {
        self.begin(region_grids);
        self.origin = origin;
    }

    /// Begins a streamline.
    pub(crate) fn begin(&mut self, region_grids: &RegionGrids) {
        self.origin = None;
        let Self { here, ways, ways_before, outside_seen, entered, targets, kept_targets, .. } = self;
        for bits in [here, ways, ways_before, outside_seen, entered, targets, kept_targets] {
            bits.clear();
            bits.resize(region_grids.words, 0);
        }
        self.out_of_order = false;
        self.halves.clear();
        self.begin_half();
    }

    /// Restarts the current half from its seed.
    pub(crate) fn begin_half_again(&mut self) {
        self.ways.copy_from_slice(&self.ways_before);
        self.begin_half();
    }

    fn begin_half(&mut self) {
        self.ways_before.copy_from_slice(&self.ways);
        self.targets.fill(0);
        self.out_of_order = false;
        self.avoided = false;
    }

    /// Processes a point of the streamline, in voxel coordinates of the tracked image. `first` is true for
    /// the first point of a half, which is the seed.
    #[inline]
    pub(crate) fn arrive(&mut self, region_grids: &RegionGrids, place: [f32; 3], first: bool) -> Arrival {
        self.arrive_exempt(region_grids, place, first, false)
    }

    /// Like [`arrive`](Self::arrive), but a point with `spared` is exempt from some constraints. A seed with
    /// `spared` can be in a region to avoid, and a half does not stop at a point with `spared` in a region to
    /// stop in.
    #[inline]
    pub(crate) fn arrive_exempt(
        &mut self,
        region_grids: &RegionGrids,
        place: [f32; 3],
        first: bool,
        spared: bool,
    ) -> Arrival {
        if region_grids.words == 0 {
            // Fast path: most runs have no regions.
            return Arrival { end: None, stops: false, voxel: region_grids.counted(place) };
        }
        let voxel = region_grids.look(place, &mut self.here);
        if let Some(surfaces) = &region_grids.surfaces {
            self.add_surface_regions(surfaces, place, first);
        }
        let mut arrival = Arrival { end: None, stops: false, voxel };
        let kinds = &region_grids.kinds;
        if meet(&self.here, &kinds.avoid) && !(first && spared) {
            self.ways.copy_from_slice(&self.ways_before);
            self.avoided = true;
            arrival.end = Some(Termination::Avoid);
            return arrival;
        }
        if first {
            for word in 0..region_grids.words {
                self.outside_seen[word] = !self.here[word] & kinds.exit[word];
                self.entered[word] = 0;
            }
            if let Some(surfaces) = &region_grids.surfaces {
                self.mark_touched_surfaces(surfaces, &kinds.second);
            }
            return arrival;
        }
        self.pass_waypoints(&kinds.ways);
        let leaves = |word: usize| {
            let (entered, here) = (self.entered[word], self.here[word]);
            entered & (!here & kinds.exit[word] | here & kinds.second[word]) != 0
        };
        if (0..region_grids.words).any(leaves) {
            arrival.end = Some(Termination::Exit);
            return arrival;
        }
        for word in 0..region_grids.words {
            let here = self.here[word];
            self.entered[word] |= here & (kinds.exit[word] & self.outside_seen[word] | kinds.second[word]);
            self.outside_seen[word] |= !here & kinds.exit[word];
            self.targets[word] |= here & kinds.targets[word];
        }
        arrival.stops = !spared && meet(&self.here, &kinds.stop);
        arrival
    }

    /// Adds the regions of the current point that are defined by surfaces. These are the surfaces that the
    /// segment to this point meets, and the closed surfaces that contain the point. The seed has no segment.
    fn add_surface_regions(&mut self, surfaces: &RegionSurfaces, place: [f32; 3], first: bool) {
        let place = self.origin.filter(|_| first).unwrap_or_else(|| surfaces.fixed(place));
        if !first {
            surfaces.meet(self.before, place, &mut self.here);
        }
        surfaces.add_insides(place, &mut self.here);
        self.before = place;
    }

    /// Marks the surfaces on which the seed is as met.
    fn mark_touched_surfaces(&mut self, surfaces: &RegionSurfaces, second: &[u64]) {
        if second.iter().any(|&word| word != 0) {
            self.here.fill(0);
            surfaces.touched(self.before, &mut self.here);
            for (word, second) in second.iter().enumerate() {
                self.entered[word] |= self.here[word] & second;
            }
        }
    }

    #[inline]
    fn pass_waypoints(&mut self, ways: &[u64]) {
        let mut last = None;
        for (word, waypoints) in ways.iter().enumerate() {
            let hit = self.here[word] & waypoints;
            self.ways[word] |= hit;
            if hit != 0 {
                last = Some((word, (1u64 << hit.ilog2()) - 1));
            }
        }
        if let Some((last, below)) = last {
            let missing = |word: usize| ways[word] & !self.ways[word];
            self.out_of_order |= (0..last).any(|word| missing(word) != 0) || missing(last) & below != 0;
        }
    }

    /// Ends a half of the streamline and begins the other half. `enough` is true if the half has enough
    /// points to be kept. Returns true if the half is rejected, whatever the other half passes.
    pub(crate) fn end_half(&mut self, region_grids: &RegionGrids, enough: bool) -> bool {
        let verdict = self.verdict(region_grids, enough);
        if verdict != Verdict::Reject {
            self.kept_targets.iter_mut().zip(&self.targets).for_each(|(kept, passed)| *kept |= passed);
        }
        let scope = region_grids.scope;
        if self.halves.is_empty() && !scope.whole() && (scope.one_way || verdict == Verdict::Reject) {
            self.ways.fill(0);
        }
        self.halves.push(HalfVerdict { verdict, avoided: self.avoided, enough });
        self.begin_half();
        verdict == Verdict::Reject
    }

    fn verdict(&self, region_grids: &RegionGrids, enough: bool) -> Verdict {
        if self.avoided || !enough {
            return Verdict::Reject;
        }
        let scope = region_grids.scope;
        if !scope.has_waypoints || scope.whole() {
            return Verdict::Accept;
        }
        let in_order = !scope.in_order || !self.out_of_order;
        let none = self.ways.iter().all(|&word| word == 0);
        match (none, self.ways == region_grids.kinds.ways) {
            (true, _) => Verdict::Reject,
            _ if scope.any_waypoint() => Verdict::Accept,
            (_, true) if in_order => Verdict::Accept,
            (_, false) if in_order && !scope.one_way => Verdict::Wait,
            _ => Verdict::Reject,
        }
    }

    fn passed_as_a_whole(&self, region_grids: &RegionGrids) -> bool {
        let scope = region_grids.scope;
        !scope.has_waypoints
            || if scope.any_waypoint() {
                self.ways.iter().any(|&word| word != 0)
            } else {
                self.ways == region_grids.kinds.ways
            }
    }

    /// Returns for each of the two halves whether it is kept. If none is kept, returns the reason for the
    /// rejection.
    pub(crate) fn judge(&self, region_grids: &RegionGrids) -> Result<[bool; 2], Rejection> {
        let half = |n: usize| self.halves.get(n);
        let accepted = |n: usize| half(n).is_some_and(|half| half.verdict == Verdict::Accept);
        let avoided = || {
            let mut halves = self.halves.iter();
            if region_grids.scope.whole() {
                halves.any(|half| half.avoided)
            } else {
                halves.all(|half| half.avoided)
            }
        };
        let kept = if region_grids.scope.whole() {
            let whole = !avoided() && self.passed_as_a_whole(region_grids);
            [whole && accepted(0), whole && accepted(1)]
        } else {
            let first = half(0).is_some_and(|half| match half.verdict {
                Verdict::Accept => true,
                Verdict::Wait => accepted(1),
                Verdict::Reject => false,
            });
            [first, accepted(1)]
        };
        if kept != [false; 2] {
            return Ok(kept);
        }
        Err(if avoided() {
            Rejection::Avoided
        } else if self.halves.iter().all(|half| half.avoided || !half.enough) {
            Rejection::TooShort
        } else {
            Rejection::Waypoints
        })
    }

    /// Returns true if a kept half of the streamline passes the target with this bit.
    pub(crate) fn passes(&self, target: usize) -> bool {
        self.kept_targets[target / 64] >> (target % 64) & 1 != 0
    }

    /// Returns the targets that the kept halves of the streamline pass, as a bit set.
    pub(crate) fn targets_passed(&self) -> &[u64] {
        &self.kept_targets
    }

    /// Processes the bit set of the regions that a streamline meets at one position. `ways` is the bit set of
    /// all waypoints.
    pub(super) fn pass(&mut self, regions: &[u64], ways: &[u64]) {
        self.here.copy_from_slice(regions);
        self.pass_waypoints(ways);
    }

    /// Returns true if the streamline passed enough waypoints, in the required order if there is one.
    pub(super) fn is_complete(&self, region_grids: &RegionGrids) -> bool {
        self.passed_as_a_whole(region_grids) && !(region_grids.scope.in_order && self.out_of_order)
    }
}

/// Half of an existing streamline.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FinishedHalf {
    /// Number of points of the half that remain.
    pub(crate) points: usize,
    /// Reason why the points after the remaining ones were removed, if a region is the reason.
    pub(crate) end: Option<Termination>,
}

impl FinishedHalf {
    /// Processes the points of a half of a streamline, starting at the seed, and ends the half.
    pub(crate) fn along<'p>(
        passage: &mut Passage,
        region_grids: &RegionGrids,
        points: impl Iterator<Item = &'p Point>,
    ) -> Self {
        let mut trip = Self { points: 0, end: None };
        for (n, &point) in points.enumerate() {
            if let Some((why, stays)) = passage.arrive(region_grids, point, n == 0).termination() {
                trip.end = Some(why);
                trip.points = if why == Termination::Avoid { 0 } else { n + usize::from(stays) };
                break;
            }
            trip.points = n + 1;
        }
        passage.end_half(region_grids, trip.points > 0);
        trip
    }
}
