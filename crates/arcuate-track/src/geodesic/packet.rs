//! Follows geodesic rays on the CPU, several at a time in the lanes of SIMD registers. When a ray stops, its
//! lane takes the next ray. `kernels.cu` performs the same operations on GPUs. Always change both files
//! together.

mod quiet;

use super::constants;
use super::field::{Frame, Nodes};
use super::marks::{LOW_ANISOTROPY, OUTSIDE, TARGET};
use super::metric::{Cells, Evaluated, Metrics, Place};
use super::options::{GeodesicIntegrator, Settings};
use super::outcome::{End, Hit, Outcome};
use super::starts::Start;
use super::step_checks::{Anchor, StepChecks};
use super::steps::{Moment, Step, change_of_stride, step};
use super::tracks::{MAX_LANES, Tracks};
use arcuate_core::{high_half, low_half, narrow};
use arcuate_numbers::{Lanes, Operations, Real, Vector};
use pulp::{Simd, WithSimd};

/// Voxel properties that rays check along their way.
#[derive(Debug, Default)]
pub(super) struct Goals {
    /// Mark of each voxel (outside the mask, low anisotropy, or number of its target), as defined in the
    /// module `marks`.
    pub(super) marks: Option<Vec<u16>>,
    /// True if the marks contain targets.
    pub(super) has_targets: bool,
    /// True if rays stop in the target.
    pub(super) ends_at_target: bool,
    /// Distance in mm from each voxel to the target, for the nearest approach of a ray that does not reach
    /// it.
    pub(super) distances: Option<Vec<f32>>,
}

/// Data that all rays of a run share.
#[derive(Debug, Clone, Copy)]
pub(super) struct SharedRunData<'a, T> {
    pub(super) nodes: &'a Nodes<T>,
    pub(super) frame: &'a Frame,
    pub(super) settings: &'a Settings,
    pub(super) goals: &'a Goals,
    /// True if points are kept.
    pub(super) points: bool,
    /// True if connectivity is measured.
    pub(super) connectivity: bool,
}

/// Results of the followed rays: their outcomes in the order of the rays, and their entries into targets.
#[derive(Debug, Default)]
pub(super) struct Followed {
    pub(super) outcomes: Vec<Outcome>,
    /// Entries of the rays into targets, in no particular order.
    pub(super) hits: Vec<Hit>,
}

/// Follows all rays with the best SIMD instructions of the CPU. The results are bit-identical for each set of
/// instructions.
pub(super) fn follow<T: Real>(course: &SharedRunData<T>, starts: &[Start], tracks: &mut Tracks) -> Followed {
    tracks.clear(starts.len());
    arcuate_numbers::Arch::new().dispatch(Vectorised { course, starts, tracks })
}

/// Number of steps after which a ray first stores its position, to detect loops. The ray then replaces the
/// stored position at intervals that double each time (Brent 1980, "An improved Monte Carlo factorization
/// algorithm"). A ray that goes in circles returns to a stored position, whatever the length of the circle.
const FIRST_ANCHOR: u32 = constants::FIRST_ANCHOR;
/// Maximum energy of a ray. With a higher energy, computations in single precision may overflow.
const MOST_ENERGY: f64 = constants::MOST_ENERGY;
/// Minimum step length, as a fraction of the maximum step length. A ray with shorter steps is stuck.
pub(super) const SHORTEST: f64 = 1e-6;

struct Vectorised<'a, 'c, T> {
    course: &'a SharedRunData<'c, T>,
    starts: &'a [Start],
    tracks: &'a mut Tracks,
}

impl<T: Real> WithSimd for Vectorised<'_, '_, T> {
    type Output = Followed;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Followed {
        let Self { course, starts, tracks } = self;
        // The number of lanes is chosen so that a variable of all lanes fits into one SIMD register.
        match const { (size_of::<T>(), S::F32_LANES) } {
            (4, MAX_LANES..) => Packet::<T, 16>::new(course, tracks).follow(simd, starts),
            (4, _) | (_, MAX_LANES..) => Packet::<T, 8>::new(course, tracks).follow(simd, starts),
            _ => Packet::<T, 4>::new(course, tracks).follow(simd, starts),
        }
    }
}

/// The part of the state of a geodesic ray that seldom changes during tracking.
#[derive(Debug, Clone, Default)]
struct Ray {
    number: Option<usize>,
    limit: u32,
    /// True if the ray has stopped at its current point.
    ended: bool,
    /// The reason to stop at the current point; [`End::Going`] if there is none.
    last: u32,
    nearest: f32,
    nearest_point: u32,
    connectivity_there: f32,
}

/// State of the rays that changes at every step, except their vectors and positions.
#[derive(Debug, Clone)]
struct Counts<const W: usize> {
    steps: [u32; W],
    /// Number of steps of each ray up to which steps need no special treatment. It is below the maximum
    /// number of steps and below the step at which the next position is stored.
    quiet_until: [u32; W],
    next_anchor: [u32; W],
    /// Length of each ray, in mm.
    length: [f64; W],
    geodesic: [f64; W],
    /// True if the current point of the ray is new. The point is not new if the last step was rejected
    /// because its error was too large.
    fresh: [bool; W],
    /// Number of points of each ray.
    kept: [u32; W],
    /// Connectivity from the seed of each ray to its current point.
    measure: [f32; W],
    voxel: [usize; W],
    /// Numbers of the targets that contain the previous point and the current point of each ray; 0 for none.
    target: [[u16; 2]; W],
    away: [bool; W],
}

impl<const W: usize> Counts<W> {
    fn new() -> Self {
        Self {
            steps: [0; W],
            quiet_until: [0; W],
            next_anchor: [0; W],
            length: [0.0; W],
            geodesic: [0.0; W],
            fresh: [false; W],
            kept: [0; W],
            measure: [0.0; W],
            voxel: [0; W],
            target: [[0; 2]; W],
            away: [false; W],
        }
    }
}

/// Several geodesic rays that are followed together, one in each lane of SIMD registers.
struct Packet<'a, 'c, T, const W: usize> {
    course: &'a SharedRunData<'c, T>,
    metrics: Metrics<'c, T>,
    cells: Cells<T, W>,
    place: Place<T, W>,
    velocity: Vector<T, W>,
    /// Length of each ray's next step, in mm.
    stride: Lanes<T, W>,
    inverse_energy: Lanes<T, W>,
    drift: Lanes<T, W>,
    /// For each ray: √(ẋᵀ G₀ ẋ) / ‖ẋ‖ at the previous point, and the distance from that point in mm. G₀ is
    /// the metric with which connectivity is measured.
    density: Lanes<T, W>,
    chord: Lanes<T, W>,
    anchor: Anchor<T, W>,
    counts: Counts<W>,
    rays: [Ray; W],
    tracks: &'a mut Tracks,
}

impl<'a, 'c, T: Real, const W: usize> Packet<'a, 'c, T, W> {
    fn new(course: &'a SharedRunData<'c, T>, tracks: &'a mut Tracks) -> Self {
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
            anchor: Anchor { place, velocity: [zero; 3] },
            counts: Counts::new(),
            rays: std::array::from_fn(|_| Ray::default()),
            tracks,
        }
    }

    #[inline(always)]
    fn follow<S: Simd>(mut self, simd: S, starts: &[Start]) -> Followed {
        let mut followed = Followed::default();
        let nothing = Outcome {
            ending: End::SeedOutside as u32,
            points: 0,
            length: 0.0,
            connectivity: 0.0,
            drift: 0.0,
            nearest: f32::INFINITY,
            nearest_point: 0,
            connectivity_there: 0.0,
        };
        followed.outcomes = vec![nothing; starts.len()];
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
            if !self.all_arrive(here.energy, density, drift, &mut followed) {
                for n in 0..W {
                    if self.counts.fresh[n] {
                        self.arrive(n, here.energy.0[n], density.0[n], drift.0[n], &mut followed);
                    }
                }
            }
            let time = self.stride / speed;
            let moment = Moment { place: &self.place, v: self.velocity, here: &here, time };
            let integrator = self.course.settings.integrator;
            let there = step(simd, &self.metrics, &mut self.cells, integrator, &moment);
            let settings = self.course.settings;
            let checks =
                StepChecks::of(&self.metrics, settings, &self.anchor, (self.velocity, speed), &there);
            if self.all_go_on(&there, &checks) {
                continue;
            }
            for n in 0..W {
                if self.rays[n].number.is_none() {
                    continue;
                }
                if !self.rays[n].ended {
                    self.go_on(n, &there, &checks, &mut followed);
                }
                if self.rays[n].ended {
                    active -= usize::from(!self.take_next(n, starts, &mut next));
                }
            }
        }
        followed
    }

    /// Returns √(ẋᵀ G₀ ẋ) / ‖ẋ‖, which is the geodesic length per mm. G₀ is the metric with which
    /// connectivity is measured.
    #[inline(always)]
    fn density_at<S: Simd>(&self, simd: S, here: &Evaluated<T, W>, speed: Lanes<T, W>) -> Lanes<T, W> {
        let energy = match &self.course.nodes.plain {
            Some(rows) => self.metrics.plain_energy(simd, rows, &self.place, self.velocity),
            None => here.energy * Lanes::all(self.course.nodes.scale),
        };
        energy.root() / speed
    }

    /// Puts the next ray into a lane whose ray has stopped. Rays whose seed is outside the image or the mask
    /// are skipped. Returns false if no ray is left.
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
            self.tracks.begins[number] = (n, self.tracks.lanes[n].points.len());
            self.rays[n] = Ray {
                number: Some(number),
                limit: start.steps,
                last: if start.steps == 0 { End::MaxSteps as u32 } else { End::Going as u32 },
                nearest: f32::INFINITY,
                ..Ray::default()
            };
            let counts = &mut self.counts;
            counts.steps[n] = 0;
            counts.next_anchor[n] = FIRST_ANCHOR;
            counts.quiet_until[n] = 0;
            counts.length[n] = 0.0;
            counts.geodesic[n] = 0.0;
            counts.fresh[n] = true;
            counts.kept[n] = 0;
            counts.measure[n] = 0.0;
            counts.voxel[n] = voxel;
            counts.target[n] = [mark & TARGET; 2];
            counts.away[n] = false;
            return true;
        }
        self.rays[n] = Ray::default();
        self.counts.fresh[n] = false;
        self.counts.quiet_until[n] = 0;
        false
    }

    #[inline(always)]
    fn mark(&self, voxel: usize) -> u16 {
        self.course.goals.marks.as_ref().map_or(0, |marks| marks[voxel])
    }

    #[inline(always)]
    fn anchor_here(&mut self, n: usize) {
        for axis in 0..3 {
            self.anchor.place.whole[axis].0[n] = self.place.whole[axis].0[n];
            self.anchor.place.rest[axis].0[n] = self.place.rest[axis].0[n];
            self.anchor.velocity[axis].0[n] = self.velocity[axis].0[n];
        }
    }

    /// Processes a point that a ray has reached: updates connectivity and drift, stores the point, and checks
    /// whether the ray stops there.
    #[inline(always)]
    fn arrive(&mut self, n: usize, energy: T, density: T, drift: T, followed: &mut Followed) {
        let counts = &mut self.counts;
        if !(energy > T::of(0.0) && energy < T::of(MOST_ENERGY)) {
            return self.finish(n, End::Stuck as u32, followed);
        }
        if counts.steps[n] == 0 {
            self.inverse_energy.0[n] = T::of(1.0) / energy;
        } else if drift > self.drift.0[n] {
            self.drift.0[n] = drift;
        }
        if self.course.connectivity {
            if counts.steps[n] == 0 {
                counts.measure[n] = (T::of(1.0) / density).double() as f32;
            } else {
                counts.geodesic[n] += (T::of(0.5) * (self.density.0[n] + density) * self.chord.0[n]).double();
                counts.measure[n] = counts.length[n] as f32 / counts.geodesic[n] as f32;
            }
            self.density.0[n] = density;
        }
        counts.kept[n] = counts.steps[n] + 1;
        if self.course.points {
            let mut at = [T::of(0.0); 3];
            for axis in 0..3 {
                at[axis] = self.place.whole[axis].0[n] + self.place.rest[axis].0[n];
            }
            let track = &mut self.tracks.lanes[n];
            track.points.push(self.metrics.point(at));
            if self.course.connectivity {
                track.connectivity.push(counts.measure[n]);
            }
        }
        self.look_around(n, followed);
        if self.rays[n].last != End::Going as u32 {
            let last = self.rays[n].last;
            self.finish(n, last, followed);
        }
    }

    /// Updates the smallest distance from the ray to the target, and records the targets that the ray enters.
    #[inline(always)]
    fn look_around(&mut self, n: usize, followed: &mut Followed) {
        let (counts, ray) = (&self.counts, &mut self.rays[n]);
        let voxel = counts.voxel[n];
        if let Some(distances) = &self.course.goals.distances
            && distances[voxel] < ray.nearest
        {
            ray.nearest = distances[voxel];
            ray.nearest_point = counts.steps[n];
            ray.connectivity_there = counts.measure[n];
        }
        let [before, target] = counts.target[n];
        if target != 0 && target != before {
            followed.hits.push(Hit {
                ray: narrow::<u32>(ray.number.unwrap_or(0)),
                target: u32::from(target),
                voxel: [low_half(voxel as u64), high_half(voxel as u64)],
                point: counts.steps[n],
                length: counts.length[n] as f32,
                connectivity: counts.measure[n],
                drift: self.drift.0[n].double() as f32,
            });
        }
    }

    /// Accepts or rejects the last step of a ray, and checks whether the ray stops.
    #[inline(always)]
    fn go_on(&mut self, n: usize, there: &Step<T, W>, checks: &StepChecks<T, W>, followed: &mut Followed) {
        let settings = self.course.settings;
        let mut stride = self.stride.0[n];
        if let GeodesicIntegrator::Adaptive { .. } = settings.integrator {
            let error = there.error.0[n];
            let longest = T::of(settings.step);
            let next = stride * T::of(f64::from(change_of_stride(error.double() as f32)));
            stride = if next < longest { next } else { longest };
            // The comparison is written so that an error that is NaN rejects the step.
            let fits = error <= T::of(1.0);
            if !fits {
                self.stride.0[n] = stride;
                self.counts.fresh[n] = false;
                if stride <= T::of(settings.step * SHORTEST) {
                    self.finish(n, End::Stuck as u32, followed);
                }
                return;
            }
        }
        let chord = checks.chord.0[n];
        let moves = chord > T::of(0.0);
        if !moves {
            return self.finish(n, End::Stuck as u32, followed);
        }
        if checks.cosine.0[n] < checks.least_cosine.0[n] {
            return self.finish(n, End::Angle as u32, followed);
        }
        let shape = self.course.frame.shape;
        let mut nearest = [0; 3];
        for axis in 0..3 {
            let (whole, rest) = (there.place.whole[axis].0[n], there.place.rest[axis].0[n]);
            let near = whole.double() as isize + isize::from(rest >= T::of(0.5));
            if near < 0 || near >= shape[axis] as isize {
                return self.finish(n, End::LeftImage as u32, followed);
            }
            nearest[axis] = near as usize;
        }
        let voxel = nearest[0] + shape[0] * (nearest[1] + shape[1] * nearest[2]);
        let mark = self.mark(voxel);
        if mark & OUTSIDE != 0 {
            return self.finish(n, End::LeftMask as u32, followed);
        }
        if mark & LOW_ANISOTROPY != 0 {
            return self.finish(n, End::Anisotropy as u32, followed);
        }
        for axis in 0..3 {
            self.place.whole[axis].0[n] = there.place.whole[axis].0[n];
            self.place.rest[axis].0[n] = there.place.rest[axis].0[n];
            self.velocity[axis].0[n] = there.velocity[axis].0[n];
        }
        self.chord.0[n] = chord;
        self.stride.0[n] = stride;
        let counts = &mut self.counts;
        counts.steps[n] += 1;
        counts.length[n] += chord.double();
        counts.fresh[n] = true;
        counts.voxel[n] = voxel;
        counts.target[n] = [counts.target[n][1], mark & TARGET];
        let mut looped = false;
        if settings.end_loops {
            let distance = checks.distance.0[n];
            let near = distance < T::of(0.25) * chord * chord;
            looped = counts.away[n] && near && checks.same_direction.0[n] > T::of(0.0);
            counts.away[n] |= distance > T::of(4.0) * chord * chord;
            if counts.steps[n] == counts.next_anchor[n] {
                counts.next_anchor[n] *= 2;
                counts.away[n] = false;
                self.anchor_here(n);
            }
        }
        let (counts, ray) = (&mut self.counts, &mut self.rays[n]);
        let [before, target] = counts.target[n];
        let ending = if self.course.goals.ends_at_target && target != 0 && before == 0 {
            End::Target
        } else if counts.length[n] >= settings.max_length {
            End::MaxLength
        } else if looped {
            End::Loop
        } else if counts.steps[n] == ray.limit {
            End::MaxSteps
        } else {
            End::Going
        };
        ray.last = ending as u32;
        counts.quiet_until[n] = match ending {
            End::Going if settings.end_loops => ray.limit.min(counts.next_anchor[n]),
            End::Going => ray.limit,
            _ => 0,
        };
    }

    /// Stops a ray at its current point.
    #[inline(always)]
    fn finish(&mut self, n: usize, ending: u32, followed: &mut Followed) {
        let (counts, ray) = (&mut self.counts, &mut self.rays[n]);
        ray.ended = true;
        counts.quiet_until[n] = 0;
        let number = ray.number.unwrap_or(0);
        followed.outcomes[number] = Outcome {
            ending,
            points: counts.kept[n],
            length: counts.length[n] as f32,
            connectivity: counts.measure[n],
            drift: self.drift.0[n].double() as f32,
            nearest: ray.nearest,
            nearest_point: ray.nearest_point,
            connectivity_there: ray.connectivity_there,
        };
    }
}
