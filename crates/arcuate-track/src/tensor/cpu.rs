//! Tracks the streamlines of a chunk of seeds through a tensor field on the CPU, with each method.

use super::both_halves::BothHalves;
use super::fact::follow_voxels;
use super::steps::{Deflection, NextDirection, Packet, PrincipalDirection};
use super::tracker::{Collected, Seed, Tracker};
use crate::driver::Batch;
use crate::options::{Integrator, Method};
use crate::rule::{Euler, RungeKutta4};
use crate::summary::Rejection;

/// Number of streamlines that are tracked in parallel SIMD lanes.
const WIDTH: usize = 8;

/// Tracking of a chunk of seeds. The code is compiled for plain x86-64, AVX2 and AVX-512, and the best
/// version for the CPU is chosen at run time. No version fuses a product and a sum into one rounding, so all
/// versions give the same bits.
struct Vectorised<'a> {
    tracker: &'a Tracker<'a>,
    seeds: &'a [Seed],
}

impl pulp::WithSimd for Vectorised<'_> {
    type Output = Batch;

    #[inline(always)]
    fn with_simd<S: pulp::Simd>(self, _: S) -> Batch {
        let Self { tracker, seeds } = self;
        match tracker.settings.method {
            Method::Fact => tracker.track_fact(seeds),
            Method::Tensor => by_rule(tracker, PrincipalDirection, seeds),
            Method::TensorDeflection { f, g } => by_rule(tracker, Deflection { f, g }, seeds),
        }
    }
}

/// Selects the integration rule. Each combination of tracking method and rule is compiled separately.
#[inline(always)]
fn by_rule<D: NextDirection>(tracker: &Tracker<'_>, next_direction: D, seeds: &[Seed]) -> Batch {
    match tracker.settings.integrator {
        Integrator::Euler => Packet::<WIDTH, _, _>::new(tracker, next_direction, Euler).track(seeds),
        Integrator::RungeKutta4 => {
            Packet::<WIDTH, _, _>::new(tracker, next_direction, RungeKutta4).track(seeds)
        }
    }
}

impl Tracker<'_> {
    /// Tracks the streamlines of all seeds.
    pub(super) fn track(&self, seeds: &[Seed]) -> Batch {
        arcuate_numbers::Arch::new().dispatch(Vectorised { tracker: self, seeds })
    }

    fn track_fact(&self, seeds: &[Seed]) -> Batch {
        let mut collected = Collected::new(seeds.len(), self.region_grids);
        let mut both_halves = BothHalves::default();
        for (number, seed) in seeds.iter().enumerate() {
            let first = match self.first_direction(seed) {
                Ok(direction) => direction,
                Err(why) => {
                    collected.reject(number, why);
                    continue;
                }
            };
            let both = self.settings.both_directions;
            let begin = seed.position.map(|c| c as f32);
            if let Some(region_grids) = self.region_grids {
                if !both_halves.begin(region_grids, begin) {
                    collected.reject(number, Rejection::SeedOutside);
                    continue;
                }
                if both_halves.arrive(region_grids, begin, begin, true).is_some() {
                    collected.avoid(number, both);
                    continue;
                }
            }
            let mut points = vec![begin];
            let budget = self.settings.max_length;
            let one = follow_voxels(self, seed.position, first, budget, &mut points, &mut both_halves);
            let mut ends = [Some(one.why), None];
            let mut rest = budget - one.length;
            if let Some(region_grids) = self.region_grids
                && both_halves.end_half(region_grids, one.why, &mut points, 0)
            {
                rest = budget;
            }
            let first_half = if both { points.len() } else { 0 };
            if both && !both_halves.is_wrong() {
                if let Some(region_grids) = self.region_grids {
                    both_halves.arrive(region_grids, begin, begin, true);
                }
                points.reverse();
                let back = first.map(|c| -c);
                let other = follow_voxels(self, seed.position, back, rest, &mut points, &mut both_halves);
                ends[1] = Some(other.why);
                if let Some(region_grids) = self.region_grids {
                    both_halves.end_half(region_grids, other.why, &mut points, first_half - 1);
                }
            }
            collected.end(number, &mut points, first_half, ends, &both_halves, self);
        }
        collected.into_batch()
    }
}
