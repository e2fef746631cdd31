//! Rays on the processor, several side by side: each lane takes the next ray when one ends. `kernels.cu` is the same for GPUs,
//! operation by operation: change both or none.

use super::field::{Frame, Nodes};
use super::marks::{LOW_ANISOTROPY, OUTSIDE, TARGET};
use super::metric::{Cells, Evaluated, Metrics, Place};
use super::options::{GeodesicIntegrator, Settings};
use super::outcome::{Ending, Hit, Outcome};
use super::real::{Lanes, Real, Vector};
use super::starts::Start;
use super::steps::{Moment, Step, step};
use arcuate_compute::elementary::single;
use arcuate_core::Point;
use pulp::{Simd, WithSimd};

/// What rays may meet.
#[derive(Debug, Default)]
pub(super) struct Goals {
    /// Of each voxel, as `marks` says.
    pub(super) marks: Option<Vec<u16>>,
    /// Whether rays end in the target.
    pub(super) ends_at_target: bool,
    /// Of each voxel, how far it is from what shall be approached, in mm.
    pub(super) distances: Option<Vec<f32>>,
}

/// What all rays of a run have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Course<'a, T> {
    pub(super) nodes: &'a Nodes<T>,
    pub(super) frame: &'a Frame,
    pub(super) settings: &'a Settings,
    pub(super) goals: &'a Goals,
    /// Whether points are kept.
    pub(super) points: bool,
    /// Whether connectivity is measured.
    pub(super) connectivity: bool,
}

/// Followed rays, in order.
#[derive(Debug, Default)]
pub(super) struct Followed {
    pub(super) outcomes: Vec<Outcome>,
    /// In no order.
    pub(super) hits: Vec<Hit>,
    /// Of each ray, where they are kept: points, and the connectivity at each.
    pub(super) points: Vec<(Vec<Point>, Vec<f32>)>,
}

/// Follows all rays, by the vector instructions that the processor has. None of their kinds changes a bit.
pub(super) fn follow<T: Real>(course: &Course<T>, starts: &[Start]) -> Followed {
    pulp::Arch::new().dispatch(Vectorised { course, starts })
}

/// Steps until a ray first remembers where it is, then twice as many each time (Brent 1980, "An improved Monte Carlo
/// factorization algorithm"): a ray that goes in circles comes back to what it remembers, whatever the circle's length.
const FIRST_ANCHOR: u32 = 16;
/// The square of the cosine between directions that count as the same, 25 degrees.
const SAME_DIRECTION: f64 = 0.82;
/// Largest energy that is a number to reckon with.
const MOST_ENERGY: f64 = 1e30;
/// Steps shorter than this part of the longest one lead nowhere.
pub(super) const SHORTEST: f64 = 1e-6;

struct Vectorised<'a, 'c, T> {
    course: &'a Course<'c, T>,
    starts: &'a [Start],
}

impl<T: Real> WithSimd for Vectorised<'_, '_, T> {
    type Output = Followed;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Followed {
        let Self { course, starts } = self;
        // One register of 32 bytes for each number.
        if const { size_of::<T>() == 4 } {
            Packet::<T, 8>::new(course).follow(simd, starts)
        } else {
            Packet::<T, 4>::new(course).follow(simd, starts)
        }
    }
}

/// A ray on its way, what is not in lanes.
#[derive(Debug, Clone, Default)]
struct Ray {
    number: Option<usize>,
    steps: u32,
    limit: u32,
    length: f64,
    geodesic: f64,
    /// Whether the point is new: a step that was too long leaves the ray where it was.
    fresh: bool,
    /// Whether it has ended at this point.
    ended: bool,
    /// Points.
    kept: u32,
    /// So far.
    measure: f32,
    /// How it ends at the point it has come to.
    last: u32,
    /// Targets of this point's voxel and of the one before.
    target: [u16; 2],
    voxel: usize,
    next_anchor: u32,
    away: bool,
    nearest: f32,
    nearest_point: u32,
    connectivity_there: f32,
    points: Vec<Point>,
    connectivity: Vec<f32>,
}

/// Rays side by side.
struct Packet<'a, 'c, T, const W: usize> {
    course: &'a Course<'c, T>,
    metrics: Metrics<'c, T>,
    cells: Cells<T, W>,
    place: Place<T, W>,
    velocity: Vector<T, W>,
    /// In mm.
    stride: Lanes<T, W>,
    inverse_energy: Lanes<T, W>,
    drift: Lanes<T, W>,
    /// √(ẋᵀ G₀ ẋ) / ‖ẋ‖ at the point before, and the way from there in mm.
    density: Lanes<T, W>,
    chord: Lanes<T, W>,
    anchor: Place<T, W>,
    anchor_velocity: Vector<T, W>,
    rays: [Ray; W],
}

impl<'a, 'c, T: Real, const W: usize> Packet<'a, 'c, T, W> {
    fn new(course: &'a Course<'c, T>) -> Self {
        let zero = Lanes::all(0.0);
        let place = Place { whole: [zero; 3], rest: [zero; 3] };
        Self {
            course,
            metrics: Metrics::new(course.nodes, course.frame),
            cells: Cells::new(),
            place,
            velocity: [zero; 3],
            stride: zero,
            inverse_energy: zero,
            drift: zero,
            density: zero,
            chord: zero,
            anchor: place,
            anchor_velocity: [zero; 3],
            rays: std::array::from_fn(|_| Ray::default()),
        }
    }

    #[inline(always)]
    fn follow<S: Simd>(mut self, simd: S, starts: &[Start]) -> Followed {
        let mut followed = Followed::default();
        let nothing = Outcome {
            ending: Ending::SeedOutside as u32,
            points: 0,
            length: 0.0,
            connectivity: 0.0,
            drift: 0.0,
            nearest: f32::INFINITY,
            nearest_point: 0,
            connectivity_there: 0.0,
        };
        followed.outcomes = vec![nothing; starts.len()];
        if self.course.points {
            followed.points.resize_with(starts.len(), Default::default);
        }
        let mut next = 0;
        let mut active = 0;
        for n in 0..W {
            active += usize::from(self.take_next(n, starts, &mut next));
        }
        while active > 0 {
            let here = self.metrics.evaluate(simd, &mut self.cells, &self.place, self.velocity);
            let speed_squared = self.metrics.square(self.velocity);
            let speed = speed_squared.root();
            let density = if self.course.connectivity { self.density_at(simd, &here, speed) } else { speed };
            let drift = here.energy.fma(self.inverse_energy, Lanes::all(-1.0)).size();
            for n in 0..W {
                if self.rays[n].number.is_some() && self.rays[n].fresh {
                    self.arrive(n, here.energy.0[n], density.0[n], drift.0[n], &mut followed);
                }
            }
            let time = self.stride / speed;
            let moment = Moment { place: &self.place, v: self.velocity, here: &here, time };
            let integrator = self.course.settings.integrator;
            let there = step(simd, &self.metrics, &mut self.cells, integrator, &moment);
            let ways = Ways::of(&self, &there, speed);
            for n in 0..W {
                if self.rays[n].number.is_none() {
                    continue;
                }
                if !self.rays[n].ended {
                    self.go_on(n, &there, &ways, &mut followed);
                }
                if self.rays[n].ended {
                    active -= usize::from(!self.take_next(n, starts, &mut next));
                }
            }
        }
        followed
    }

    /// √(ẋᵀ G₀ ẋ) / ‖ẋ‖.
    #[inline(always)]
    fn density_at<S: Simd>(&self, simd: S, here: &Evaluated<T, W>, speed: Lanes<T, W>) -> Lanes<T, W> {
        let energy = match &self.course.nodes.plain {
            Some(rows) => self.metrics.plain_energy(simd, rows, &self.place, self.velocity),
            None => here.energy * Lanes::all(self.course.nodes.scale),
        };
        energy.root() / speed
    }

    /// Puts the next ray into a lane whose ray has ended; rays whose seed lies outside stay as they are. False where none is
    /// left.
    #[inline(always)]
    fn take_next(&mut self, n: usize, starts: &[Start], next: &mut usize) -> bool {
        while *next < starts.len() {
            let number = *next;
            *next += 1;
            let start = &starts[number];
            let Some(voxel) = start.voxel(self.course.frame.shape) else { continue };
            let mark = self.mark(voxel);
            if mark & (OUTSIDE | LOW_ANISOTROPY) != 0 {
                continue;
            }
            for axis in 0..3 {
                let whole = start.at[axis].floor();
                self.place.whole[axis].0[n] = T::of(whole);
                self.place.rest[axis].0[n] = T::of(start.at[axis] - whole);
                self.velocity[axis].0[n] = T::of(start.velocity[axis]);
            }
            self.anchor_here(n);
            self.stride.0[n] = T::of(self.course.settings.step);
            self.drift.0[n] = T::of(0.0);
            let target = mark & TARGET;
            self.rays[n] = Ray {
                number: Some(number),
                limit: start.steps,
                fresh: true,
                last: if start.steps == 0 { Ending::MaxSteps as u32 } else { Ending::None as u32 },
                target: [target; 2],
                voxel,
                next_anchor: FIRST_ANCHOR,
                nearest: f32::INFINITY,
                ..Ray::default()
            };
            return true;
        }
        self.rays[n] = Ray::default();
        false
    }

    #[inline(always)]
    fn mark(&self, voxel: usize) -> u16 {
        self.course.goals.marks.as_ref().map_or(0, |marks| marks[voxel])
    }

    #[inline(always)]
    fn anchor_here(&mut self, n: usize) {
        for axis in 0..3 {
            self.anchor.whole[axis].0[n] = self.place.whole[axis].0[n];
            self.anchor.rest[axis].0[n] = self.place.rest[axis].0[n];
            self.anchor_velocity[axis].0[n] = self.velocity[axis].0[n];
        }
    }

    /// What there is to do at a point that a ray has come to.
    #[inline(always)]
    fn arrive(&mut self, n: usize, energy: T, density: T, drift: T, followed: &mut Followed) {
        let ray = &mut self.rays[n];
        if !(energy > T::of(0.0) && energy < T::of(MOST_ENERGY)) {
            return self.finish(n, Ending::Stuck as u32, followed);
        }
        if ray.steps == 0 {
            self.inverse_energy.0[n] = T::of(1.0) / energy;
        } else if drift > self.drift.0[n] {
            self.drift.0[n] = drift;
        }
        if self.course.connectivity {
            if ray.steps == 0 {
                ray.measure = (T::of(1.0) / density).double() as f32;
            } else {
                ray.geodesic += (T::of(0.5) * (self.density.0[n] + density) * self.chord.0[n]).double();
                ray.measure = ray.length as f32 / ray.geodesic as f32;
            }
            self.density.0[n] = density;
        }
        ray.kept = ray.steps + 1;
        if self.course.points {
            let mut at = [T::of(0.0); 3];
            for axis in 0..3 {
                at[axis] = self.place.whole[axis].0[n] + self.place.rest[axis].0[n];
            }
            ray.points.push(self.metrics.point(at));
            if self.course.connectivity {
                ray.connectivity.push(ray.measure);
            }
        }
        if let Some(distances) = &self.course.goals.distances
            && distances[ray.voxel] < ray.nearest
        {
            ray.nearest = distances[ray.voxel];
            ray.nearest_point = ray.steps;
            ray.connectivity_there = ray.measure;
        }
        if ray.target[1] != 0 && ray.target[1] != ray.target[0] {
            followed.hits.push(Hit {
                ray: ray.number.unwrap_or(0) as u32,
                target: u32::from(ray.target[1]),
                voxel: [ray.voxel as u32, (ray.voxel as u64 >> 32) as u32],
                point: ray.steps,
                length: ray.length as f32,
                connectivity: ray.measure,
                drift: self.drift.0[n].double() as f32,
            });
        }
        if ray.last != Ending::None as u32 {
            let last = ray.last;
            self.finish(n, last, followed);
        }
    }

    /// Takes a step or not.
    #[inline(always)]
    fn go_on(&mut self, n: usize, there: &Step<T, W>, ways: &Ways<T, W>, followed: &mut Followed) {
        let settings = self.course.settings;
        let mut stride = self.stride.0[n];
        if let GeodesicIntegrator::Adaptive { .. } = settings.integrator {
            let error = there.error.0[n];
            let longest = T::of(settings.step);
            let next = stride * T::of(f64::from(change_of_stride(error.double() as f32)));
            stride = if next < longest { next } else { longest };
            // So that what is not a number does not fit.
            let fits = error <= T::of(1.0);
            if !fits {
                self.stride.0[n] = stride;
                self.rays[n].fresh = false;
                if stride <= T::of(settings.step * SHORTEST) {
                    self.finish(n, Ending::Stuck as u32, followed);
                }
                return;
            }
        }
        let chord = ways.chord.0[n];
        let moves = chord > T::of(0.0);
        if !moves {
            return self.finish(n, Ending::Stuck as u32, followed);
        }
        if ways.cosine.0[n] < ways.least_cosine.0[n] {
            return self.finish(n, Ending::Angle as u32, followed);
        }
        let shape = self.course.frame.shape;
        let mut nearest = [0; 3];
        for axis in 0..3 {
            let (whole, rest) = (there.place.whole[axis].0[n], there.place.rest[axis].0[n]);
            let near = whole.double() as isize + isize::from(rest >= T::of(0.5));
            if near < 0 || near >= shape[axis] as isize {
                return self.finish(n, Ending::LeftImage as u32, followed);
            }
            nearest[axis] = near as usize;
        }
        let voxel = nearest[0] + shape[0] * (nearest[1] + shape[1] * nearest[2]);
        let mark = self.mark(voxel);
        if mark & OUTSIDE != 0 {
            return self.finish(n, Ending::LeftMask as u32, followed);
        }
        if mark & LOW_ANISOTROPY != 0 {
            return self.finish(n, Ending::Anisotropy as u32, followed);
        }
        for axis in 0..3 {
            self.place.whole[axis].0[n] = there.place.whole[axis].0[n];
            self.place.rest[axis].0[n] = there.place.rest[axis].0[n];
            self.velocity[axis].0[n] = there.velocity[axis].0[n];
        }
        self.chord.0[n] = chord;
        self.stride.0[n] = stride;
        let ray = &mut self.rays[n];
        ray.steps += 1;
        ray.length += chord.double();
        ray.fresh = true;
        ray.voxel = voxel;
        ray.target = [ray.target[1], mark & TARGET];
        let mut looped = false;
        if settings.end_loops {
            let distance = ways.distance.0[n];
            let near = distance < T::of(0.25) * chord * chord;
            looped = ray.away && near && ways.same_direction.0[n] > T::of(0.0);
            ray.away |= distance > T::of(4.0) * chord * chord;
            if ray.steps == ray.next_anchor {
                ray.next_anchor *= 2;
                ray.away = false;
                self.anchor_here(n);
            }
        }
        let ray = &mut self.rays[n];
        let ending = if self.course.goals.ends_at_target && ray.target[1] != 0 && ray.target[0] == 0 {
            Ending::Target
        } else if ray.length >= settings.max_length {
            Ending::MaxLength
        } else if looped {
            Ending::Loop
        } else if ray.steps == ray.limit {
            Ending::MaxSteps
        } else {
            Ending::None
        };
        ray.last = ending as u32;
    }

    /// Ends a ray at the point it has come to.
    #[inline(always)]
    fn finish(&mut self, n: usize, ending: u32, followed: &mut Followed) {
        let ray = &mut self.rays[n];
        ray.ended = true;
        let number = ray.number.unwrap_or(0);
        followed.outcomes[number] = Outcome {
            ending,
            points: ray.kept,
            length: ray.length as f32,
            connectivity: ray.measure,
            drift: self.drift.0[n].double() as f32,
            nearest: ray.nearest,
            nearest_point: ray.nearest_point,
            connectivity_there: ray.connectivity_there,
        };
        if self.course.points {
            followed.points[number] =
                (std::mem::take(&mut ray.points), std::mem::take(&mut ray.connectivity));
        }
    }
}

/// What decides whether rays take their step.
struct Ways<T, const W: usize> {
    /// In mm.
    chord: Lanes<T, W>,
    /// The cosine of the turn times both speeds, and its limit times both.
    cosine: Lanes<T, W>,
    least_cosine: Lanes<T, W>,
    /// The square of the distance to the place remembered, in mm²; above 0, where the direction is that from there.
    distance: Lanes<T, W>,
    same_direction: Lanes<T, W>,
}

impl<T: Real, const W: usize> Ways<T, W> {
    #[inline(always)]
    fn of(packet: &Packet<T, W>, there: &Step<T, W>, speed: Lanes<T, W>) -> Self {
        let metrics = &packet.metrics;
        let settings = packet.course.settings;
        let zero = Lanes::all(0.0);
        let chord = metrics.square(there.displacement).root();
        let mut ways = Self { chord, cosine: zero, least_cosine: zero, distance: zero, same_direction: zero };
        if settings.min_cosine > -1.0 {
            let ahead = metrics.square(there.velocity).root();
            ways.cosine = metrics.inner(there.velocity, packet.velocity);
            ways.least_cosine = Lanes::all(settings.min_cosine) * (speed * ahead);
        }
        if settings.end_loops {
            let mut offset = there.displacement;
            for axis in 0..3 {
                offset[axis] = (there.place.whole[axis] - packet.anchor.whole[axis])
                    + (there.place.rest[axis] - packet.anchor.rest[axis]);
            }
            ways.distance = metrics.square(offset);
            let along = metrics.inner(there.velocity, packet.anchor_velocity);
            let both = metrics.square(there.velocity) * metrics.square(packet.anchor_velocity);
            let same = along * along - Lanes::all(SAME_DIRECTION) * both;
            ways.same_direction = along.if_above(zero, same, -Lanes::all(1.0));
        }
        ways
    }
}

/// What the stride is multiplied with after a step of this squared error over the tolerance.
fn change_of_stride(error: f32) -> f32 {
    let factor = 0.9 * single::exp(-0.1 * single::ln(error));
    // Written so that what is not a number shrinks the step.
    let above = if factor > 0.2 { factor } else { 0.2 };
    if above < 5.0 { above } else { 5.0 }
}
