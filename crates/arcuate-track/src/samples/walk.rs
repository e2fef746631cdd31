//! One streamline through samples, from its number alone. `walk.cuh` is the same, operation by operation: change both or
//! none.
//!
//! Places are in voxels of the orientations, directions in scanner axes, all in f32 with a rounding after each operation.
//! The order of what happens at a point is that of probtrackx2 (Behrens et al. 2007, doi:10.1016/j.neuroimage.2006.09.018).

use super::constants;
pub(super) use super::kernels::Course;
use super::orientations::{Fibre, NOWHERE, OrientationTable};
use super::regions::Spaces;
use super::seeds::{AT_CENTRE, IN_BALL};
use crate::space::{Way, index, inside, nearest};
use crate::summary::{Outcome, Rejection, Termination};
use arcuate_compute::{Purpose, Random};

/// Flags of a course.
pub(super) const FRACTION_STOPS: u32 = constants::FRACTION_STOPS;
pub(super) const LOOP_CHECK: u32 = constants::LOOP_CHECK;
pub(super) const NEAREST: u32 = constants::NEAREST;
pub(super) const MODIFIED_EULER: u32 = constants::MODIFIED_EULER;
pub(super) const ANY_WAYPOINT: u32 = constants::ANY_WAYPOINT;
pub(super) const IN_ORDER: u32 = constants::IN_ORDER;
pub(super) const ONE_WAY: u32 = constants::ONE_WAY;

/// Rules of the first fibre.
pub(super) const INITIAL_NUMBER: u32 = constants::INITIAL_NUMBER;
pub(super) const INITIAL_RANDOM: u32 = constants::INITIAL_RANDOM;
pub(super) const INITIAL_IN_PROPORTION: u32 = constants::INITIAL_IN_PROPORTION;
pub(super) const INITIAL_OF_ALL: u32 = constants::INITIAL_OF_ALL;

/// No space.
pub(super) const NO_SPACE: u32 = u32::MAX;

/// A voxel that a streamline passes, and steps from the seed to there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Visit {
    pub(super) voxel: u32,
    pub(super) steps: u32,
}

/// What a streamline leaves behind, half after half, as far as it is wanted.
#[derive(Debug, Default)]
pub(super) struct Trail {
    pub(super) wants_points: bool,
    pub(super) points: [Vec<[f32; 3]>; 2],
    pub(super) visits: [Vec<Visit>; 2],
    /// Bits of the targets that the kept halves pass.
    pub(super) targets: u32,
    cells: Cells,
}

impl Trail {
    pub(super) fn new(wants_points: bool) -> Self {
        Self { wants_points, ..Self::default() }
    }

    fn clear(&mut self) {
        self.targets = 0;
        for half in 0..2 {
            self.points[half].clear();
            self.visits[half].clear();
        }
    }
}

/// What streamlines are followed through.
pub(super) struct Field<'a> {
    pub(super) course: Course,
    pub(super) table: &'a OrientationTable,
    pub(super) centres: &'a [[f32; 3]],
    /// The way from the seeds' own space, where places are drawn there.
    pub(super) seed_way: Option<&'a Way>,
    pub(super) spaces: &'a Spaces,
}

/// Blocks of draws of a streamline's stream: the seed's place, the first sign and fibre, the first fibre of each half, then
/// four of each step of each half.
const BLOCK_OF_SIGN: u64 = constants::BLOCK_OF_SIGN as u64;
const BLOCK_OF_HALF: u64 = constants::BLOCK_OF_HALF as u64;
const BLOCK_OF_STEPS: u64 = constants::BLOCK_OF_STEPS as u64;
/// Attempts to fall into the ball; one in 10¹⁷ fails them all and begins at the centre.
const ATTEMPTS: u64 = constants::ATTEMPTS as u64;

/// A number in [0, 1) of 24 bits.
fn unit(bits: u32) -> f32 {
    (bits >> 8) as f32 * (1.0 / 16_777_216.0)
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// What one streamline carries from point to point.
struct State {
    place: [f32; 3],
    direction: [f32; 3],
    /// Waypoints passed so far, and whether out of order.
    ways: u32,
    broken: bool,
    targets: u32,
    steps: u32,
}

/// One half: how it ended, its points, and its first direction.
struct Half {
    ending: Termination,
    points: u32,
    first: [f32; 3],
}

enum Verdict {
    Accept,
    Wait,
    Reject,
}

impl Field<'_> {
    fn draws(&self, number: u64, block: u64) -> [u32; 4] {
        let mut random = Random::new(self.course.seed, Purpose::Propagation, number).at(4 * block);
        std::array::from_fn(|_| random.bits())
    }

    /// Which seed a streamline is of.
    pub(super) fn seed_of(&self, number: u64) -> usize {
        if self.course.each > 0 {
            return (number / u64::from(self.course.each)) as usize;
        }
        let bits = self.draws(number, 0)[0];
        ((u64::from(bits) * u64::from(self.course.centres)) >> 32) as usize
    }

    /// Where streamline `number` begins.
    fn begin(&self, number: u64, seed: usize) -> [f32; 3] {
        let c = &self.course;
        let centre = self.centres[seed];
        let mut offset = [0.0; 3];
        if c.jitter == AT_CENTRE {
            // There.
        } else if c.jitter == IN_BALL {
            for attempt in 1..=ATTEMPTS {
                let u = self.draws(number, attempt);
                let o = [0, 1, 2].map(|axis| 2.0 * unit(u[axis]) - 1.0);
                if dot(o, o) <= 1.0 {
                    offset = o;
                    break;
                }
            }
        } else {
            let u = self.draws(number, 1);
            offset = [0, 1, 2].map(|axis| unit(u[axis]) - 0.5);
        }
        self.placed(centre, offset)
    }

    /// A place that was drawn about the centre of a seed.
    pub(super) fn placed(&self, centre: [f32; 3], offset: [f32; 3]) -> [f32; 3] {
        let p = [0, 1, 2].map(|row| {
            let s = &self.course.spread[3 * row..3 * row + 3];
            centre[row] + (s[0] * offset[0] + s[1] * offset[1] + s[2] * offset[2])
        });
        self.seed_way.map_or(p, |way| way.apply(p))
    }

    /// Whether the voxel nearest to a point has orientations.
    pub(super) fn has_orientations(&self, p: [f32; 3]) -> bool {
        self.place_at(p) != NOWHERE
    }

    /// The place in the table of the voxel nearest to a point.
    fn place_at(&self, p: [f32; 3]) -> u32 {
        self.place_of(p.map(nearest))
    }

    fn place_of(&self, v: [f32; 3]) -> u32 {
        let shape = self.course.shape;
        if inside(v, shape) { self.table.places()[index(v, shape)] } else { NOWHERE }
    }

    /// Bits of the regions at a point, and the voxel to count, if there is one.
    fn regions_at(&self, p: [f32; 3]) -> (u32, u32) {
        let (mut bits, mut counted) = (0, NOWHERE);
        for (n, space) in self.spaces.all.iter().enumerate() {
            let v = space.way.apply(p).map(nearest);
            let shape = space.grid.shape().map(|n| n as i32);
            if inside(v, shape) {
                let voxel = index(v, shape);
                if !space.bits.is_empty() {
                    bits |= space.bits[voxel];
                }
                if n as u32 == self.course.map {
                    counted = voxel as u32;
                }
            }
        }
        (bits, counted)
    }

    /// An orientation at a point: one of the voxels around, one of its samples, one of the fibres. Nothing where the voxel has
    /// none. `before` is zero at the first point of a streamline.
    fn sample(&self, p: [f32; 3], u: [u32; 4], before: [f32; 3], initial: Option<u32>) -> Option<Fibre> {
        let c = &self.course;
        let v = if c.flags & NEAREST != 0 {
            p.map(nearest)
        } else {
            [0, 1, 2].map(|axis| {
                let floor = p[axis].floor();
                if unit(u[axis]) < p[axis] - floor { floor + 1.0 } else { floor }
            })
        };
        let place = self.place_of(v);
        if place == NOWHERE {
            return None;
        }
        let sample = (unit(u[3]) * (c.samples - 1) as f32 + 0.5).floor() as u32;
        let first = (place as usize * c.samples as usize + sample as usize) * self.table.sectors_each();
        let fibre = |n: u32| self.table.sectors()[first + (n / 4) as usize].0[(n % 4) as usize];
        if let Some(bits) = initial {
            return Some(fibre(self.initial_fibre(bits, fibre)));
        }
        // The first is left where none counts.
        let (mut best, mut largest) = (0, -1.0);
        for n in 0..c.fibres {
            let candidate = fibre(n);
            if candidate.fraction() > c.min_fraction {
                let cosine = dot(candidate.direction(), before).abs();
                if cosine > largest {
                    (best, largest) = (n, cosine);
                }
            }
        }
        Some(fibre(best))
    }

    fn initial_fibre(&self, bits: u32, fibre: impl Fn(u32) -> Fibre) -> u32 {
        let c = &self.course;
        let counts = |n: &u32| fibre(*n).fraction() > c.min_fraction;
        match c.initial {
            INITIAL_NUMBER => c.initial_fibre,
            INITIAL_OF_ALL => ((u64::from(bits) * u64::from(c.fibres)) >> 32) as u32,
            INITIAL_RANDOM => {
                let count = (0..c.fibres).filter(counts).count() as u64;
                let chosen = ((u64::from(bits) * count) >> 32) as usize;
                (0..c.fibres).filter(counts).nth(chosen).unwrap_or(0)
            }
            // In whole numbers, so that sums have no rounding.
            _ => {
                let whole = |n: u32| u64::from(fibre(n).fraction);
                let sum: u64 = (0..c.fibres).filter(counts).map(whole).sum();
                let mut rest = (u64::from(bits) * sum) >> 32;
                for n in (0..c.fibres).filter(counts) {
                    if rest < whole(n) {
                        return n;
                    }
                    rest -= whole(n);
                }
                0
            }
        }
    }

    /// A step from a point along a direction.
    fn moved(&self, p: [f32; 3], d: [f32; 3]) -> [f32; 3] {
        [0, 1, 2].map(|row| {
            let s = &self.course.step[3 * row..3 * row + 3];
            p[row] + (s[0] * d[0] + s[1] * d[1] + s[2] * d[2])
        })
    }

    fn half(&self, number: u64, half: u64, sign: u32, state: &mut State, trail: &mut Trail) -> Half {
        let c = &self.course;
        let (ways_before, mut first) = (state.ways, [0.0; 3]);
        let (mut outside_seen, mut entered) = (0, 0);
        let mut last_visit = NOWHERE;
        let mut has_direction = state.direction != [0.0; 3];
        trail.cells.clear();
        let ended = |ending, points, first| Half { ending, points, first };
        for k in 0..c.points {
            let p = state.place;
            if c.flags & LOOP_CHECK != 0 && !trail.cells.pass(p, state.direction) {
                return ended(Termination::Loop, k, first);
            }
            let (bits, voxel) = self.regions_at(p);
            if bits & c.avoid != 0 {
                state.ways = ways_before;
                return ended(Termination::Avoid, 0, first);
            }
            if k == 0 {
                outside_seen = !bits & c.exit;
            } else {
                let hit = bits & c.ways;
                state.ways |= hit;
                if hit != 0 {
                    let earlier = (1u32 << hit.ilog2()) - 1;
                    state.broken |= c.ways & earlier & !state.ways != 0;
                }
                if entered & !bits != 0 {
                    return ended(Termination::Exit, k, first);
                }
                entered |= bits & c.exit & outside_seen;
                outside_seen |= !bits & c.exit;
                state.targets |= bits & c.targets;
            }
            if trail.wants_points {
                trail.points[half as usize].push(p);
            }
            if voxel != NOWHERE && voxel != last_visit {
                trail.visits[half as usize].push(Visit { voxel, steps: k });
                last_visit = voxel;
            }
            let u = self.draws(number, BLOCK_OF_STEPS + ((2 * u64::from(k) + half) << 2));
            let initial = (k == 0).then(|| {
                let block = if c.initial == INITIAL_OF_ALL { BLOCK_OF_SIGN } else { BLOCK_OF_HALF + half };
                self.draws(number, block)[1]
            });
            let fibre = self.sample(p, u, state.direction, initial);
            if k > 0 && bits & c.stop != 0 {
                return ended(Termination::Stop, k + 1, first);
            }
            let Some(fibre) = fibre else { return ended(Termination::Fraction, k + 1, first) };
            if c.flags & FRACTION_STOPS != 0 {
                let block = BLOCK_OF_STEPS + ((2 * u64::from(k) + half) << 2 | 1);
                if fibre.fraction() <= unit(self.draws(number, block)[0]) {
                    return ended(Termination::Fraction, k + 1, first);
                }
            }
            let mut d = fibre.direction();
            if d == [0.0; 3] {
                return ended(Termination::LeftMask, k + 1, first);
            }
            let cosine = dot(d, state.direction);
            if has_direction && cosine.abs() <= c.min_cosine {
                return ended(Termination::Angle, k + 1, first);
            }
            if self.place_at(p) == NOWHERE {
                return ended(Termination::LeftMask, k + 1, first);
            }
            let turned = if has_direction { cosine < 0.0 } else { sign & 1 != 0 };
            if turned {
                d = d.map(|c| -c);
            }
            if c.flags & MODIFIED_EULER != 0 {
                let block = BLOCK_OF_STEPS + ((2 * u64::from(k) + half) << 2 | 2);
                let before = if has_direction { state.direction } else { d };
                let trial = self.sample(self.moved(p, d), self.draws(number, block), before, None);
                if let Some(trial) = trial {
                    let mut other = trial.direction();
                    if dot(other, d) <= 0.0 {
                        other = other.map(|c| -c);
                    }
                    let sum = [d[0] + other[0], d[1] + other[1], d[2] + other[2]];
                    let length = dot(sum, sum).sqrt();
                    d = sum.map(|c| c / length);
                }
            }
            state.place = self.moved(p, d);
            state.direction = d;
            state.steps += 1;
            if k == 0 {
                first = d;
                has_direction = true;
            }
        }
        ended(Termination::MaxSteps, c.points, first)
    }

    fn verdict(&self, half: &Half, state: &State) -> Verdict {
        let c = &self.course;
        if half.ending == Termination::Avoid || half.points == 0 || half.points - 1 < c.half_steps {
            return Verdict::Reject;
        }
        if c.ways == 0 {
            return Verdict::Accept;
        }
        let in_order = c.flags & IN_ORDER == 0 || !state.broken;
        match (state.ways == 0, state.ways == c.ways) {
            (true, _) => Verdict::Reject,
            _ if c.flags & ANY_WAYPOINT != 0 => Verdict::Accept,
            (_, true) if in_order => Verdict::Accept,
            (_, false) if in_order && c.flags & ONE_WAY == 0 => Verdict::Wait,
            _ => Verdict::Reject,
        }
    }

    /// Follows streamline `number` to both its ends.
    pub(super) fn walk(&self, number: u64, trail: &mut Trail) -> Outcome {
        let c = &self.course;
        trail.clear();
        let begin = self.begin(number, self.seed_of(number));
        let mut outcome = Outcome::rejected(Rejection::SeedOutside);
        if self.place_at(begin) == NOWHERE {
            return outcome;
        }
        let sign = self.draws(number, BLOCK_OF_SIGN)[0];
        let mut state =
            State { place: begin, direction: [0.0; 3], ways: 0, broken: false, targets: 0, steps: 0 };
        let one = self.half(number, 0, sign, &mut state, trail);
        let first = self.verdict(&one, &state);
        let targets_of_first = if matches!(first, Verdict::Reject) { 0 } else { state.targets };
        state.place = begin;
        state.direction = one.first.map(|c| 0.0 - c);
        state.targets = 0;
        if c.flags & ONE_WAY != 0 || matches!(first, Verdict::Reject) {
            state.ways = 0;
        }
        state.broken = false;
        let other = self.half(number, 1, !sign, &mut state, trail);
        let second = matches!(self.verdict(&other, &state), Verdict::Accept);
        outcome.steps = state.steps;
        outcome.ends = [Some(one.ending), Some(other.ending)];
        let keep = [
            match first {
                Verdict::Accept => true,
                Verdict::Wait => second,
                Verdict::Reject => false,
            },
            second,
        ];
        if !keep[0] && !keep[1] {
            let avoided = one.ending == Termination::Avoid && other.ending == Termination::Avoid;
            let short = one.points.max(other.points).saturating_sub(1) < c.half_steps;
            outcome.rejection = Some(if avoided {
                Rejection::Avoided
            } else if short {
                Rejection::TooShort
            } else {
                Rejection::Waypoints
            });
            return outcome;
        }
        let points = [if keep[0] { one.points } else { 0 }, if keep[1] { other.points } else { 0 }];
        let steps = points[0].saturating_sub(1) + points[1].saturating_sub(1);
        if steps < c.least_steps {
            outcome.rejection = Some(Rejection::TooShort);
            return outcome;
        }
        if steps > c.most_steps {
            outcome.rejection = Some(Rejection::TooLong);
            return outcome;
        }
        outcome.rejection = None;
        outcome.points = points;
        trail.targets = if keep[0] { targets_of_first } else { 0 } | if second { state.targets } else { 0 };
        outcome
    }
}

/// Voxels along an edge of a cell of the loop check.
const CELL: f32 = constants::CELL;
/// Cells that are remembered; the oldest are forgotten.
const CELLS: usize = constants::CELLS as usize;

/// Cells that a half has been in, and its direction when it last was there.
#[derive(Debug, Default)]
struct Cells {
    seen: Vec<([f32; 3], [f32; 3])>,
    next: usize,
    last: usize,
}

impl Cells {
    fn clear(&mut self) {
        self.seen.clear();
        self.next = 0;
        self.last = 0;
    }

    /// Whether a streamline may pass here in this direction.
    fn pass(&mut self, p: [f32; 3], direction: [f32; 3]) -> bool {
        let cell = p.map(|c| nearest(c / CELL));
        if self.seen.get(self.last).is_none_or(|(last, _)| *last != cell) {
            let Some(found) = self.seen.iter().position(|(other, _)| *other == cell) else {
                self.last = self.next;
                if self.seen.len() < CELLS {
                    self.seen.push((cell, direction));
                } else {
                    self.seen[self.next] = (cell, direction);
                }
                self.next = (self.next + 1) % CELLS;
                return true;
            };
            self.last = found;
        }
        let stored = &mut self.seen[self.last].1;
        let passes = dot(direction, *stored) >= 0.0;
        *stored = direction;
        passes
    }
}
