//! Tracking with steps of equal length through the interpolated tensor field, several streamlines in parallel
//! SIMD lanes.
//!
//! A packet has `W` SIMD lanes, each with its own streamline. All lanes take a step together. When half of a
//! streamline has ended, its lane tracks the other half, and then the next seed. Thus all lanes of a packet
//! are busy until no seed is left.

use super::both_halves::BothHalves;
use super::principal::Principal;
use super::tracker::{Collected, Seed, Tracker};
use crate::constraints::RegionGrids;
use crate::driver::Batch;
use crate::field::{Elements, Verdicts};
use crate::lanes::{Flags, Vector, lane, set_lane, unit};
use crate::rule::{LookAhead, Rule};
use crate::summary::{Rejection, Termination};
use arcuate_core::Point;
use arcuate_numbers::{Lanes, vector3};

/// Rule that computes the next direction of a streamline from the tensor and the incoming direction.
pub(super) trait NextDirection: Copy {
    /// Returns the next direction in each lane as a unit vector, and a flag that is false if the direction is
    /// undefined.
    fn next_direction<const W: usize>(
        self,
        tensor: &Elements<W>,
        principal: &Principal<W>,
        incoming: Vector<W>,
    ) -> (Vector<W>, Flags<W>);
}

/// Follows the principal eigenvector.
#[derive(Clone, Copy)]
pub(super) struct PrincipalDirection;

impl NextDirection for PrincipalDirection {
    #[inline(always)]
    fn next_direction<const W: usize>(
        self,
        _: &Elements<W>,
        principal: &Principal<W>,
        incoming: Vector<W>,
    ) -> (Vector<W>, Flags<W>) {
        principal.towards(incoming)
    }
}

/// Tensor deflection with the weights of [`Method::TensorDeflection`](crate::Method::TensorDeflection).
#[derive(Clone, Copy)]
pub(super) struct Deflection {
    pub(super) f: f64,
    pub(super) g: f64,
}

impl NextDirection for Deflection {
    #[inline(always)]
    fn next_direction<const W: usize>(
        self,
        tensor: &Elements<W>,
        principal: &Principal<W>,
        incoming: Vector<W>,
    ) -> (Vector<W>, Flags<W>) {
        let mut out = incoming.map(|c| (1.0 - self.f) * (1.0 - self.g) * c);
        let mut add = |weight: f64, direction: Vector<W>| {
            for axis in 0..3 {
                out[axis] = out[axis] + weight * direction[axis];
            }
        };
        // A term with weight 0 is skipped, because it may be undefined.
        if self.f > 0.0 {
            add(self.f, principal.towards(incoming).0);
        }
        if self.f < 1.0 && self.g > 0.0 {
            add((1.0 - self.f) * self.g, unit(vector3::times(*tensor, incoming)));
        }
        let out = unit(out);
        // The weighted sum of directions is NaN if a term is undefined or if opposite terms cancel.
        let decided = std::array::from_fn(|lane| !out[0].0[lane].is_nan());
        (out, decided)
    }
}

/// Packet of streamlines in parallel lanes. Each lane tracks its own streamline.
pub(super) struct Packet<'a, const W: usize, D, R> {
    tracker: &'a Tracker<'a>,
    next_direction: D,
    rule: R,
    /// Maximum number of steps of a streamline.
    maximum: usize,
    position: Vector<W>,
    direction: Vector<W>,
    lanes: [Streamline; W],
}

/// A streamline during tracking.
#[derive(Clone, Default)]
struct Streamline {
    /// Index of the seed in the chunk; `None` if the lane is idle.
    seed: Option<usize>,
    /// Points of the streamline so far. While the second half is tracked, the points of the first half come
    /// first, in reverse order.
    points: Vec<Point>,
    /// Number of points of the first half of the streamline, after the second half has started.
    first_half: usize,
    /// Number of steps that the streamline can still take.
    left: usize,
    /// Reasons why the two halves of the streamline stopped; `None` for a half that has not ended.
    ends: [Option<Termination>; 2],
    /// First direction from the seed.
    first: [f64; 3],
    /// Regions and tissues that the streamline met.
    both_halves: BothHalves,
}

impl Streamline {
    /// Processes a point of the current half; `first` is true at the seed. If the half stops here, returns
    /// the reason and whether the point still belongs to the half. The function is not inlined into the
    /// stepping loop, because most runs do not need it.
    #[inline(never)]
    fn arrive(
        &mut self,
        region_grids: &RegionGrids,
        point: [f64; 3],
        first: bool,
    ) -> Option<(Termination, bool)> {
        let point = point.map(|c| c as f32);
        self.both_halves.arrive(region_grids, point, point, first)
    }
}

impl<'a, const W: usize, D: NextDirection, R: Rule<Vector<W>>> Packet<'a, W, D, R> {
    pub(super) fn new(tracker: &'a Tracker<'a>, next_direction: D, rule: R) -> Self {
        let nothing = [Lanes::all(0.0); 3];
        let lanes = std::array::from_fn(|_| Streamline::default());
        // A tolerance of a thousandth of a step allows for the rounding of quotients such as 10 mm / 0.2 mm.
        // If streamlines above the maximum length are rejected, one more step is needed to detect them.
        let maximum = (tracker.settings.max_length / tracker.settings.step + 1e-3) as usize;
        let maximum = maximum + usize::from(tracker.settings.discards);
        Self { tracker, next_direction, rule, maximum, position: nothing, direction: nothing, lanes }
    }

    /// Tracks the streamlines of all seeds.
    #[inline(always)]
    pub(super) fn track(mut self, seeds: &[Seed]) -> Batch {
        let mut collected = Collected::new(seeds.len(), self.tracker.region_grids);
        let mut queue = seeds.iter().copied().enumerate();
        let mut busy = 0;
        for n in 0..W {
            busy += usize::from(self.begin(n, &mut queue, &mut collected));
        }
        while busy > 0 {
            let (position, direction, verdicts) = self.step();
            for n in 0..W {
                let streamline = &mut self.lanes[n];
                if streamline.seed.is_none() {
                    continue;
                }
                let why = if let Some(why) = verdicts[n] {
                    why
                } else {
                    let point = lane(&position, n);
                    streamline.points.push(point.map(|c| c as f32));
                    set_lane(&mut self.position, n, point);
                    set_lane(&mut self.direction, n, lane(&direction, n));
                    streamline.left -= 1;
                    let region_grids = self.tracker.region_grids;
                    let met =
                        region_grids.and_then(|region_grids| streamline.arrive(region_grids, point, false));
                    match met {
                        Some((why, stays)) => {
                            if !stays {
                                streamline.points.pop();
                            }
                            why
                        }
                        None if streamline.left > 0 => continue,
                        None => Termination::MaxLength,
                    }
                };
                if !self.turn_back(n, seeds, why) {
                    self.finish(n, &mut collected);
                    busy -= usize::from(!self.begin(n, &mut queue, &mut collected));
                }
            }
        }
        collected.into_batch()
    }

    /// Starts a streamline at the next valid seed in a lane. Returns false if no seed is left.
    fn begin(
        &mut self,
        n: usize,
        queue: &mut impl Iterator<Item = (usize, Seed)>,
        collected: &mut Collected,
    ) -> bool {
        let streamline = &mut self.lanes[n];
        streamline.seed = None;
        for (number, seed) in queue {
            let first = match self.tracker.first_direction(&seed) {
                Ok(first) => first,
                Err(why) => {
                    collected.reject(number, why);
                    continue;
                }
            };
            if let Some(region_grids) = self.tracker.region_grids {
                if !streamline.both_halves.begin(region_grids, seed.position.map(|c| c as f32)) {
                    collected.reject(number, Rejection::SeedOutside);
                    continue;
                }
                if streamline.arrive(region_grids, seed.position, true).is_some() {
                    collected.avoid(number, self.tracker.settings.both_directions);
                    continue;
                }
            }
            streamline.seed = Some(number);
            streamline.points.clear();
            streamline.points.push(seed.position.map(|c| c as f32));
            streamline.first_half = 0;
            streamline.left = self.maximum;
            streamline.ends = [None; 2];
            streamline.first = first;
            set_lane(&mut self.position, n, seed.position);
            set_lane(&mut self.direction, n, first);
            return true;
        }
        false
    }

    /// Ends a half of the streamline in a lane. After the first half, starts the second one. Returns false if
    /// there is no other half to track or no step left.
    fn turn_back(&mut self, n: usize, seeds: &[Seed], why: Termination) -> bool {
        let streamline = &mut self.lanes[n];
        let from = streamline.first_half.saturating_sub(1);
        let rejected = self.tracker.region_grids.is_some_and(|region_grids| {
            streamline.both_halves.end_half(region_grids, why, &mut streamline.points, from)
        });
        let (Some(number), None) = (streamline.seed, streamline.ends[0]) else {
            streamline.ends[1] = Some(why);
            return false;
        };
        streamline.ends[0] = Some(why);
        if !self.tracker.settings.both_directions || streamline.both_halves.is_wrong() {
            return false;
        }
        if rejected {
            // The second half can have the steps of a rejected first half, because this half does not count
            // for the length of the streamline.
            streamline.left = self.maximum;
        }
        if let Some(region_grids) = self.tracker.region_grids {
            streamline.arrive(region_grids, seeds[number].position, true);
        }
        // The points are reversed, so that the points of the first half come before the seed.
        streamline.points.reverse();
        streamline.first_half = streamline.points.len();
        if streamline.left == 0 {
            streamline.ends[1] = Some(Termination::MaxLength);
            if let Some(region_grids) = self.tracker.region_grids {
                let why = Termination::MaxLength;
                streamline.both_halves.end_half(
                    region_grids,
                    why,
                    &mut streamline.points,
                    streamline.first_half - 1,
                );
            }
            return false;
        }
        set_lane(&mut self.position, n, seeds[number].position);
        set_lane(&mut self.direction, n, streamline.first.map(|c| -c));
        true
    }

    fn finish(&mut self, n: usize, collected: &mut Collected) {
        let Streamline { seed, points, first_half, ends, both_halves, .. } = &mut self.lanes[n];
        if let Some(number) = *seed {
            collected.end(number, points, *first_half, *ends, both_halves, self.tracker);
        }
    }

    /// Computes the next point and direction in each lane, or the reason to stop.
    #[inline(always)]
    fn step(&self) -> (Vector<W>, Vector<W>, Verdicts<W>) {
        let (x, v) = (self.position, self.direction);
        let mut verdicts = [None; W];
        let (along, _) = self.rule.step(v, &mut StepLookAhead { packet: self, verdicts: &mut verdicts });
        let next = std::array::from_fn(|n| x[n] + self.tracker.settings.step * along[n]);
        let direction = self.direction_at(next, v, &mut verdicts);
        let straight = vector3::dot(direction, v).reaches(Lanes::all(self.tracker.settings.min_cosine));
        for n in 0..W {
            if verdicts[n].is_none() && !straight[n] {
                verdicts[n] = Some(Termination::Angle);
            }
        }
        (next, direction, verdicts)
    }

    #[inline(always)]
    fn ahead(&self, along: Vector<W>, part: f64) -> Vector<W> {
        let distance = part * self.tracker.settings.step;
        std::array::from_fn(|n| self.position[n] + distance * along[n])
    }

    /// Returns the next directions at the points that streamlines reach with the directions `incoming`. If a
    /// lane has no direction and no verdict (reason to stop) yet, adds a verdict.
    #[inline(always)]
    fn direction_at(&self, points: Vector<W>, incoming: Vector<W>, verdicts: &mut Verdicts<W>) -> Vector<W> {
        let (tensor, places) = self.tracker.field.at(points);
        let (principal, enough) = Principal::of(&tensor, self.tracker.settings.fa_cutoff);
        let (direction, decided) = self.next_direction.next_direction(&tensor, &principal, incoming);
        for n in 0..W {
            let why = match places[n] {
                Some(why) => Some(why),
                None if !enough[n] => Some(Termination::Anisotropy),
                None if !decided[n] => Some(Termination::Angle),
                None => None,
            };
            verdicts[n] = verdicts[n].or(why);
        }
        direction
    }
}

/// Access to the tensor field ahead of the current points of the streamlines.
struct StepLookAhead<'p, 'a, const W: usize, D, R> {
    packet: &'p Packet<'a, W, D, R>,
    verdicts: &'p mut Verdicts<W>,
}

impl<const W: usize, D: NextDirection, R: Rule<Vector<W>>> LookAhead<Vector<W>>
    for StepLookAhead<'_, '_, W, D, R>
{
    #[inline(always)]
    fn before(&self) -> Vector<W> {
        self.packet.direction
    }

    #[inline(always)]
    fn ahead(&mut self, _: u32, steps: f64, along: Vector<W>) -> Option<Vector<W>> {
        let incoming = self.packet.direction;
        Some(self.packet.direction_at(self.packet.ahead(along, steps), incoming, self.verdicts))
    }
}
