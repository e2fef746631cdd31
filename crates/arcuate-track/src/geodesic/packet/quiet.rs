//! Fast path for steps in which no geodesic ray stops, enters a target, or stores its position to detect
//! loops. Most steps are of this type. All lanes take such a step together. The results are bit-identical to
//! those of `arrive` and `go_on`, which process single rays.

use super::{Followed, MOST_ENERGY, Packet};
use crate::geodesic::marks::{LOW_ANISOTROPY, OUTSIDE, TARGET};
use crate::geodesic::options::GeodesicIntegrator;
use crate::geodesic::step_checks::StepChecks;
use crate::geodesic::steps::{Step, change_of_stride};
use arcuate_numbers::{Lanes, Operations, Real};

impl<T: Real, const W: usize> Packet<'_, '_, T, W> {
    /// Processes the points that all rays have reached, if nothing needs to be done but to measure and store
    /// them. If more is needed, returns false and changes nothing.
    #[inline(always)]
    pub(super) fn all_arrive(
        &mut self,
        energy: Lanes<T, W>,
        density: Lanes<T, W>,
        drift: Lanes<T, W>,
        followed: &mut Followed,
    ) -> bool {
        let mut quiet = true;
        for n in 0..W {
            quiet &= self.counts.fresh[n];
            quiet &= self.counts.steps[n] > 0;
            // The last point of a ray needs more than measuring and storing.
            quiet &= self.counts.steps[n] < self.counts.quiet_until[n];
            quiet &= energy.0[n] > T::of(0.0);
            quiet &= energy.0[n] < T::of(MOST_ENERGY);
        }
        if !quiet {
            return false;
        }
        self.drift = drift.if_above(self.drift, drift, self.drift);
        let counts = &mut self.counts;
        if self.course.connectivity {
            let added = Lanes::all(0.5) * (self.density + density) * self.chord;
            for n in 0..W {
                counts.geodesic[n] += added.0[n].double();
                counts.measure[n] = counts.length[n] as f32 / counts.geodesic[n] as f32;
            }
            self.density = density;
        }
        for n in 0..W {
            counts.kept[n] = counts.steps[n] + 1;
        }
        if self.course.points {
            let points = self.metrics.points(&self.place);
            for n in 0..W {
                let track = &mut self.tracks.lanes[n];
                track.points.push([0, 1, 2].map(|axis| points[axis].0[n].double() as f32));
                if self.course.connectivity {
                    track.connectivity.push(self.counts.measure[n]);
                }
            }
        }
        if self.course.goals.marks.is_some() || self.course.goals.distances.is_some() {
            for n in 0..W {
                self.look_around(n, followed);
            }
        }
        true
    }

    /// Accepts the last step of all rays, if no ray needs other treatment. If one does, returns false and
    /// changes nothing.
    #[inline(always)]
    pub(super) fn all_go_on(&mut self, there: &Step<T, W>, checks: &StepChecks<T, W>) -> bool {
        let settings = self.course.settings;
        let counts = &mut self.counts;
        let mut quiet = true;
        for n in 0..W {
            quiet &= counts.steps[n] + 1 < counts.quiet_until[n];
            quiet &= there.error.0[n] <= T::of(1.0);
            quiet &= checks.chord.0[n] > T::of(0.0);
            let turns = checks.cosine.0[n] < checks.least_cosine.0[n];
            quiet &= !turns;
        }
        let mut length = counts.length;
        for n in 0..W {
            length[n] += checks.chord.0[n].double();
            quiet &= length[n] < settings.max_length;
        }
        let (zero, half, one) = (Lanes::all(0.0), Lanes::all(0.5), Lanes::all(1.0));
        let mut near = there.place.whole;
        for axis in 0..3 {
            near[axis] = near[axis] + there.place.rest[axis].if_reaches(half, one, zero);
            let end = T::of(self.course.frame.shape[axis] as f64);
            for n in 0..W {
                quiet &= near[axis].0[n] >= T::of(0.0);
                quiet &= near[axis].0[n] < end;
            }
        }
        let mut away = counts.away;
        if settings.end_loops {
            let square = checks.chord * checks.chord;
            for n in 0..W {
                let close = checks.distance.0[n] < T::of(0.25) * square.0[n];
                quiet &= !(away[n] & close & (checks.same_direction.0[n] > T::of(0.0)));
                away[n] |= checks.distance.0[n] > T::of(4.0) * square.0[n];
            }
        }
        if !quiet {
            return false;
        }
        let mut voxel = counts.voxel;
        let mut target = counts.target;
        if self.course.goals.marks.is_some() || self.course.goals.distances.is_some() {
            let shape = self.course.frame.shape;
            for n in 0..W {
                let [x, y, z] = [0, 1, 2].map(|axis| near[axis].0[n].double() as usize);
                voxel[n] = x + shape[0] * (y + shape[1] * z);
            }
            if let Some(marks) = &self.course.goals.marks {
                for n in 0..W {
                    let mark = marks[voxel[n]];
                    quiet &= mark & (OUTSIDE | LOW_ANISOTROPY) == 0;
                    target[n] = [counts.target[n][1], mark & TARGET];
                    let ends = self.course.goals.ends_at_target && mark & TARGET != 0;
                    quiet &= !ends;
                }
                if !quiet {
                    return false;
                }
            }
        }
        if let GeodesicIntegrator::Adaptive { .. } = settings.integrator {
            let longest = Lanes::all(settings.step);
            let mut next = self.stride;
            for n in 0..W {
                let factor = change_of_stride(there.error.0[n].double() as f32);
                next.0[n] *= T::of(f64::from(factor));
            }
            // As in `go_on`, also for NaN.
            self.stride = longest.if_above(next, next, longest);
        }
        self.place = there.place;
        self.velocity = there.velocity;
        self.chord = checks.chord;
        counts.length = length;
        counts.voxel = voxel;
        counts.target = target;
        counts.away = away;
        counts.fresh = [true; W];
        for n in 0..W {
            counts.steps[n] += 1;
        }
        true
    }
}
