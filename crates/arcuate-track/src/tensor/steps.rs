//! Steps of equal length through the interpolated tensor, several streamlines side by side.
//!
//! A packet has `W` lanes, each with a streamline of its own. All take a step together; a lane whose streamline has ended
//! takes its other half, then the next seed. So a packet stays full until the seeds run out.

use super::principal::{Principal, times, unit};
use super::tracker::{Collected, Seed, Tracker};
use crate::driver::Batch;
use crate::field::{Elements, Verdicts};
use crate::lanes::{Flags, Lanes, Vector, dot, lane, set_lane};
use crate::options::Integrator;
use crate::summary::Termination;
use arcuate_core::{Arithmetic, Point};

/// How a method turns a tensor and the direction it is entered with into the direction to go on with.
pub(super) trait Rule: Copy {
    /// Unit vectors; the flags are false where the way on is not decided.
    fn onwards<const W: usize>(
        self,
        tensor: &Elements<W>,
        principal: &Principal<W>,
        incoming: Vector<W>,
    ) -> (Vector<W>, Flags<W>);
}

/// Along the principal eigenvector.
#[derive(Clone, Copy)]
pub(super) struct PrincipalDirection;

impl Rule for PrincipalDirection {
    #[inline(always)]
    fn onwards<const W: usize>(
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

impl Rule for Deflection {
    #[inline(always)]
    fn onwards<const W: usize>(
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
        // A part without weight need not exist.
        if self.f > 0.0 {
            add(self.f, principal.towards(incoming).0);
        }
        if self.f < 1.0 && self.g > 0.0 {
            add((1.0 - self.f) * self.g, unit(times(tensor, incoming)));
        }
        let out = unit(out);
        // NaN where a part does not exist, or where opposite parts leave nothing.
        let decided = std::array::from_fn(|lane| !out[0].0[lane].is_nan());
        (out, decided)
    }
}

/// Streamlines side by side; see the top of the file.
pub(super) struct Packet<'a, const W: usize, R> {
    tracker: &'a Tracker<'a>,
    rule: R,
    /// Steps of the longest streamline.
    most: usize,
    position: Vector<W>,
    direction: Vector<W>,
    lanes: [Streamline; W],
}

/// A streamline under way.
#[derive(Clone, Default)]
struct Streamline {
    /// Number of its seed in the chunk; none where the lane has nothing to do.
    seed: Option<usize>,
    /// From the end it comes from.
    points: Vec<Point>,
    /// How many of them are of the first half, once it goes on with the other.
    first_half: usize,
    /// Steps it may still take.
    left: usize,
    /// Of both halves; a half that is not finished has no end.
    ends: [Option<Termination>; 2],
    /// Direction from the seed at first.
    first: [f64; 3],
}

impl<'a, const W: usize, R: Rule> Packet<'a, W, R> {
    pub(super) fn new(tracker: &'a Tracker<'a>, rule: R) -> Self {
        let nothing = [Lanes::all(0.0); 3];
        let lanes = std::array::from_fn(|_| Streamline::default());
        // A thousandth of a step forgives the rounding of 10 mm / 0.2 mm.
        let most = (tracker.settings.max_length / tracker.settings.step + 1e-3) as usize;
        Self { tracker, rule, most, position: nothing, direction: nothing, lanes }
    }

    /// Follows the streamlines of all seeds.
    #[inline(always)]
    pub(super) fn track(mut self, seeds: &[Seed]) -> Batch {
        let mut collected = Collected::new(seeds.len());
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
                    if streamline.left > 0 {
                        continue;
                    }
                    Termination::MaxLength
                };
                if !self.turn_back(n, seeds, why) {
                    self.finish(n, &mut collected);
                    busy -= usize::from(!self.begin(n, &mut queue, &mut collected));
                }
            }
        }
        collected.into_batch()
    }

    /// Puts the next seed that a streamline begins at into a lane; false where there is none left.
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
            streamline.seed = Some(number);
            streamline.points.clear();
            streamline.points.push(seed.position.map(|c| c as f32));
            streamline.first_half = 0;
            streamline.left = self.most;
            streamline.ends = [None; 2];
            streamline.first = first;
            set_lane(&mut self.position, n, seed.position);
            set_lane(&mut self.direction, n, first);
            return true;
        }
        false
    }

    /// One half of a lane's streamline has ended: goes on with the other; false where there is no other, or no step left.
    fn turn_back(&mut self, n: usize, seeds: &[Seed], why: Termination) -> bool {
        let streamline = &mut self.lanes[n];
        let (Some(number), None) = (streamline.seed, streamline.ends[0]) else {
            streamline.ends[1] = Some(why);
            return false;
        };
        streamline.ends[0] = Some(why);
        if !self.tracker.settings.both_directions {
            return false;
        }
        // What was found so far comes before the seed.
        streamline.points.reverse();
        streamline.first_half = streamline.points.len();
        if streamline.left == 0 {
            streamline.ends[1] = Some(Termination::MaxLength);
            return false;
        }
        set_lane(&mut self.position, n, seeds[number].position);
        set_lane(&mut self.direction, n, streamline.first.map(|c| -c));
        true
    }

    fn finish(&mut self, n: usize, collected: &mut Collected) {
        let Streamline { seed, points, first_half, ends, .. } = &self.lanes[n];
        if let Some(number) = *seed {
            collected.finish(number, points, *first_half, *ends, &self.tracker.settings);
        }
    }

    /// The next points and the directions there, or why there are none.
    #[inline(always)]
    fn step(&self) -> (Vector<W>, Vector<W>, Verdicts<W>) {
        let (x, v) = (self.position, self.direction);
        let mut verdicts = [None; W];
        let along = match self.tracker.settings.integrator {
            Integrator::Euler => v,
            Integrator::RungeKutta4 => {
                // Mean direction (k₁ + 2k₂ + 2k₃ + k₄) / 6 with k₁ = v.
                let k2 = self.direction_at(self.ahead(v, 0.5), v, &mut verdicts);
                let k3 = self.direction_at(self.ahead(k2, 0.5), v, &mut verdicts);
                let k4 = self.direction_at(self.ahead(k3, 1.0), v, &mut verdicts);
                std::array::from_fn(|n| (1.0 / 6.0) * (v[n] + 2.0 * (k2[n] + k3[n]) + k4[n]))
            }
        };
        let next = std::array::from_fn(|n| x[n] + self.tracker.settings.step * along[n]);
        let direction = self.direction_at(next, v, &mut verdicts);
        let straight = dot(direction, v).reaches(Lanes::all(self.tracker.settings.min_cosine));
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

    /// The directions at points that are entered with `incoming`. Adds a verdict where there is none yet and no direction.
    #[inline(always)]
    fn direction_at(&self, points: Vector<W>, incoming: Vector<W>, verdicts: &mut Verdicts<W>) -> Vector<W> {
        let (tensor, places) = self.tracker.field.at(points);
        let (principal, enough) = Principal::of(&tensor, self.tracker.settings.fa_cutoff);
        let (direction, decided) = self.rule.onwards(&tensor, &principal, incoming);
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
