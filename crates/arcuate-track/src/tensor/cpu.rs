//! Streamlines on the processor: what the seeds of a chunk come to, whatever the method.

use super::fact::follow_voxels;
use super::steps::{Deflection, Packet, PrincipalDirection};
use super::tracker::{Collected, Seed, Tracker};
use crate::driver::Batch;
use crate::options::Method;

/// Streamlines followed side by side.
const WIDTH: usize = 8;

/// The work of a chunk, compiled for plain x86-64 and for AVX2 (and AVX-512), of which the processor takes the best it has.
/// No version joins a product and a sum into one rounding, so they agree bit for bit.
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
            Method::Tensor => Packet::<WIDTH, _>::new(tracker, PrincipalDirection).track(seeds),
            Method::TensorDeflection { f, g } => {
                Packet::<WIDTH, _>::new(tracker, Deflection { f, g }).track(seeds)
            }
        }
    }
}

impl Tracker<'_> {
    /// Follows the streamlines of all seeds.
    pub(super) fn track(&self, seeds: &[Seed]) -> Batch {
        pulp::Arch::new().dispatch(Vectorised { tracker: self, seeds })
    }

    fn track_fact(&self, seeds: &[Seed]) -> Batch {
        let mut collected = Collected::new(seeds.len());
        for (number, seed) in seeds.iter().enumerate() {
            let first = match self.first_direction(seed) {
                Ok(direction) => direction,
                Err(why) => {
                    collected.reject(number, why);
                    continue;
                }
            };
            let mut points = vec![seed.position.map(|c| c as f32)];
            let budget = self.settings.max_length;
            let one = follow_voxels(self, seed.position, first, budget, &mut points);
            let mut ends = [Some(one.why), None];
            let first_half = if self.settings.both_directions { points.len() } else { 0 };
            if self.settings.both_directions {
                points.reverse();
                let back = first.map(|c| -c);
                let other = follow_voxels(self, seed.position, back, budget - one.length, &mut points);
                ends[1] = Some(other.why);
            }
            collected.finish(number, &points, first_half, ends, &self.settings);
        }
        collected.into_batch()
    }
}
