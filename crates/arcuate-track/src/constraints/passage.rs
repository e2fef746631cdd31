//! What a streamline has met so far, and what that makes of its halves.

use super::bits::{Bits, meet};
use super::lattices::Lattices;
use super::surfaces::{Fixed, RegionSurfaces};
use crate::summary::{Rejection, Termination};
use arcuate_core::Point;

/// What a streamline has met: memory that is used for one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Passage {
    here: Bits,
    /// Waypoints passed so far, and before this half.
    ways: Bits,
    ways_before: Bits,
    /// Whether they were passed out of their order.
    broken: bool,
    /// Regions to end at on leaving them that this half has been outside of, and those that it entered then.
    outside_seen: Bits,
    entered: Bits,
    /// Of this half, and of those that are kept.
    targets: Bits,
    kept_targets: Bits,
    avoided: bool,
    halves: Vec<Judged>,
    /// Where the seed is with respect to surfaces, if that is known better than where it is in voxels.
    origin: Option<Fixed>,
    /// The point before, with respect to surfaces.
    before: Fixed,
}

/// What became of a half.
#[derive(Debug, Clone, Copy)]
struct Judged {
    verdict: Verdict,
    avoided: bool,
    enough: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Verdict {
    Accept,
    /// The other half may pass the waypoints that this one has not.
    Wait,
    Reject,
}

/// What comes of a point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival {
    /// The half ends before this point: of a half that is to be avoided nothing is left.
    pub(crate) end: Option<Termination>,
    /// It ends at this point.
    pub(crate) stops: bool,
    /// The voxel to count.
    pub(crate) voxel: Option<u32>,
}

impl Arrival {
    /// Why the half ends here, and whether the point still belongs to it.
    pub(crate) fn termination(&self) -> Option<(Termination, bool)> {
        self.end.map(|why| (why, false)).or(self.stops.then_some((Termination::Stop, true)))
    }
}

impl Passage {
    /// Begins a streamline, whose seed may be known exactly in the space of the surfaces.
    pub(crate) fn begin_at(&mut self, lattices: &Lattices, origin: Option<Fixed>) {
        self.begin(lattices);
        self.origin = origin;
    }

    /// Begins a streamline.
    pub(crate) fn begin(&mut self, lattices: &Lattices) {
        self.origin = None;
        let Self { here, ways, ways_before, outside_seen, entered, targets, kept_targets, .. } = self;
        for bits in [here, ways, ways_before, outside_seen, entered, targets, kept_targets] {
            bits.clear();
            bits.resize(lattices.words, 0);
        }
        self.broken = false;
        self.halves.clear();
        self.begin_half();
    }

    /// Begins the half that is under way once more, from its seed.
    pub(crate) fn begin_half_again(&mut self) {
        self.ways.copy_from_slice(&self.ways_before);
        self.begin_half();
    }

    fn begin_half(&mut self) {
        self.ways_before.copy_from_slice(&self.ways);
        self.targets.fill(0);
        self.broken = false;
        self.avoided = false;
    }

    /// Comes to a place in voxels of what is followed; the first of a half is the seed.
    #[inline]
    pub(crate) fn arrive(&mut self, lattices: &Lattices, place: [f32; 3], first: bool) -> Arrival {
        self.arrive_spared(lattices, place, first, false)
    }

    /// The same of a place that may be spared: there a half neither is avoided, if it is the seed, nor stops.
    #[inline]
    pub(crate) fn arrive_spared(
        &mut self,
        lattices: &Lattices,
        place: [f32; 3],
        first: bool,
        spared: bool,
    ) -> Arrival {
        if lattices.words == 0 {
            // No region is anywhere: most runs, most of whose points are cheaper than what follows.
            return Arrival { end: None, stops: false, voxel: lattices.counted(place) };
        }
        let voxel = lattices.look(place, &mut self.here);
        if let Some(surfaces) = &lattices.surfaces {
            self.look_at(surfaces, place, first);
        }
        let mut arrival = Arrival { end: None, stops: false, voxel };
        let kinds = &lattices.kinds;
        if meet(&self.here, &kinds.avoid) && !(first && spared) {
            self.ways.copy_from_slice(&self.ways_before);
            self.avoided = true;
            arrival.end = Some(Termination::Avoid);
            return arrival;
        }
        if first {
            for word in 0..lattices.words {
                self.outside_seen[word] = !self.here[word] & kinds.exit[word];
                self.entered[word] = 0;
            }
            if let Some(surfaces) = &lattices.surfaces {
                self.touch(surfaces, &kinds.second);
            }
            return arrival;
        }
        self.pass_waypoints(&kinds.ways);
        let leaves = |word: usize| {
            let (entered, here) = (self.entered[word], self.here[word]);
            entered & (!here & kinds.exit[word] | here & kinds.second[word]) != 0
        };
        if (0..lattices.words).any(leaves) {
            arrival.end = Some(Termination::Exit);
            return arrival;
        }
        for word in 0..lattices.words {
            let here = self.here[word];
            self.entered[word] |= here & (kinds.exit[word] & self.outside_seen[word] | kinds.second[word]);
            self.outside_seen[word] |= !here & kinds.exit[word];
            self.targets[word] |= here & kinds.targets[word];
        }
        arrival.stops = !spared && meet(&self.here, &kinds.stop);
        arrival
    }

    /// Adds the regions of surfaces that the segment to a place meets, and those inside of which it lies. Seeds meet none.
    fn look_at(&mut self, surfaces: &RegionSurfaces, place: [f32; 3], first: bool) {
        let place = self.origin.filter(|_| first).unwrap_or_else(|| surfaces.fixed(place));
        if !first {
            surfaces.meet(self.before, place, &mut self.here);
        }
        surfaces.add_insides(place, &mut self.here);
        self.before = place;
    }

    /// A seed on a surface has met it.
    fn touch(&mut self, surfaces: &RegionSurfaces, second: &[u64]) {
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
        for (word, way) in ways.iter().enumerate() {
            let hit = self.here[word] & way;
            self.ways[word] |= hit;
            if hit != 0 {
                last = Some((word, (1u64 << hit.ilog2()) - 1));
            }
        }
        if let Some((last, below)) = last {
            let missing = |word: usize| ways[word] & !self.ways[word];
            self.broken |= (0..last).any(|word| missing(word) != 0) || missing(last) & below != 0;
        }
    }

    /// Ends a half, which has enough points to be kept or not, and begins the other. Answers whether it is rejected by now,
    /// whatever the other does.
    pub(crate) fn end_half(&mut self, lattices: &Lattices, enough: bool) -> bool {
        let verdict = self.verdict(lattices, enough);
        if verdict != Verdict::Reject {
            self.kept_targets.iter_mut().zip(&self.targets).for_each(|(kept, passed)| *kept |= passed);
        }
        let scope = lattices.scope;
        if self.halves.is_empty() && !scope.whole() && (scope.one_way || verdict == Verdict::Reject) {
            self.ways.fill(0);
        }
        self.halves.push(Judged { verdict, avoided: self.avoided, enough });
        self.begin_half();
        verdict == Verdict::Reject
    }

    fn verdict(&self, lattices: &Lattices, enough: bool) -> Verdict {
        if self.avoided || !enough {
            return Verdict::Reject;
        }
        let scope = lattices.scope;
        if !scope.has_waypoints || scope.whole() {
            return Verdict::Accept;
        }
        let in_order = !scope.in_order || !self.broken;
        let none = self.ways.iter().all(|&word| word == 0);
        match (none, self.ways == lattices.kinds.ways) {
            (true, _) => Verdict::Reject,
            _ if scope.any_waypoint() => Verdict::Accept,
            (_, true) if in_order => Verdict::Accept,
            (_, false) if in_order && !scope.one_way => Verdict::Wait,
            _ => Verdict::Reject,
        }
    }

    fn passed_as_a_whole(&self, lattices: &Lattices) -> bool {
        let scope = lattices.scope;
        !scope.has_waypoints
            || if scope.any_waypoint() {
                self.ways.iter().any(|&word| word != 0)
            } else {
                self.ways == lattices.kinds.ways
            }
    }

    /// Whether the halves that were followed are kept; where nothing is, why.
    pub(crate) fn judge(&self, lattices: &Lattices) -> Result<[bool; 2], Rejection> {
        let half = |n: usize| self.halves.get(n);
        let accepted = |n: usize| half(n).is_some_and(|half| half.verdict == Verdict::Accept);
        let avoided = || {
            let mut halves = self.halves.iter();
            if lattices.scope.whole() {
                halves.any(|half| half.avoided)
            } else {
                halves.all(|half| half.avoided)
            }
        };
        let kept = if lattices.scope.whole() {
            let whole = !avoided() && self.passed_as_a_whole(lattices);
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

    /// Whether a target, by its bit, is passed by the halves that are kept.
    pub(crate) fn passes(&self, target: usize) -> bool {
        self.kept_targets[target / 64] >> (target % 64) & 1 != 0
    }

    /// The bits of all targets that they pass.
    pub(crate) fn targets_passed(&self) -> &[u64] {
        &self.kept_targets
    }

    /// Comes to regions with waypoints among them, wherever they lie.
    pub(super) fn pass(&mut self, regions: &[u64], ways: &[u64]) {
        self.here.copy_from_slice(regions);
        self.pass_waypoints(ways);
    }

    /// Whether the waypoints are passed, as many as must be and, if they have one, in their order.
    pub(super) fn is_complete(&self, lattices: &Lattices) -> bool {
        self.passed_as_a_whole(lattices) && !(lattices.scope.in_order && self.broken)
    }
}

/// A half of a streamline whose points are there already.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trip {
    /// How many of its points are left.
    pub(crate) points: usize,
    /// Why there are no more, where that is because of a region.
    pub(crate) end: Option<Termination>,
}

impl Trip {
    /// Goes along a half from the seed on, and ends it.
    pub(crate) fn along<'p>(
        passage: &mut Passage,
        lattices: &Lattices,
        points: impl Iterator<Item = &'p Point>,
    ) -> Self {
        let mut trip = Self { points: 0, end: None };
        for (n, &point) in points.enumerate() {
            if let Some((why, stays)) = passage.arrive(lattices, point, n == 0).termination() {
                trip.end = Some(why);
                trip.points = if why == Termination::Avoid { 0 } else { n + usize::from(stays) };
                break;
            }
            trip.points = n + 1;
        }
        passage.end_half(lattices, trip.points > 0);
        trip
    }
}
