//! Computes the regions at the ends of bundles, and the true streamlines.

use crate::anatomy::{Anatomy, CORTEX};
use crate::bundles::Bundle;
use crate::tube::TubePoint;
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Point, Tractogram, narrow};
use nalgebra::Vector3;

/// Depth in mm to which true streamlines extend into the cortex.
const INTO_CORTEX: f64 = 2.0;
/// Distance in mm between the points of a true streamline, measured along the centre line of its bundle.
const STEP: f64 = 1.0;
/// Fraction of a bundle's radius within which the true streamlines of the bundle run. The true streamlines
/// are thus away from the bundle's surface.
const CORE: f64 = 0.95;

/// Two parameters of a bundle's centre line. At the first, the line leaves the cortex at its start. At the
/// second, the line enters the cortex at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ends {
    first: f64,
    last: f64,
}

impl Ends {
    /// Distance in mm by which the regions at the ends of a bundle are wider than the bundle's tube.
    pub(crate) const MARGIN: f64 = 3.0;
    /// Distance in mm, along the centre line, between the beginning of a region and the cortex. Regions begin
    /// before the cortex because the edges of a wide bundle may reach a curved cortex earlier than the centre
    /// line.
    const BEFORE: f64 = 14.0;

    /// Returns the position of a point along the bundle. The position is 0 at the cortex where the bundle
    /// starts, and 1 at the cortex where it ends.
    pub(crate) fn part_of_the_way(self, at: &TubePoint) -> f64 {
        (at.t - self.first) / (self.last - self.first)
    }

    /// Returns the region at the ends of a bundle that contains a point of grey matter. Returns `None` if
    /// neither of the two regions contains it.
    pub(crate) fn region_at(self, at: &TubePoint, regions: (u32, u32)) -> Option<u32> {
        if !at.is_inside(Self::MARGIN) {
            None
        } else if at.t < self.first + Self::BEFORE {
            Some(regions.0)
        } else if at.t > self.last - Self::BEFORE {
            Some(regions.1)
        } else {
            None
        }
    }
}

/// Returns the region that contains a point of grey matter, among the bundles `near` the point. If the tubes
/// of several bundles contain the point, the region belongs to the bundle in whose tube the point is deepest.
pub(crate) fn region_at(
    point: Vector3<f64>,
    bundles: &[Bundle],
    ends: &[Ends],
    near: impl Iterator<Item = usize>,
) -> Option<u32> {
    near.filter_map(|n| {
        let at = bundles[n].tube.locate(point)?;
        let region = ends[n].region_at(&at, bundles[n].regions)?;
        Some((at.eccentricity(Ends::MARGIN), region))
    })
    .min_by(|a, b| a.0.total_cmp(&b.0))
    .map(|(_, region)| region)
}

/// Returns the two parameters at which the centre line of a bundle crosses the border between white matter
/// and cortex.
pub(crate) fn ends(bundle: &Bundle, anatomy: &Anatomy) -> Ends {
    let (first, last) = leave(bundle, anatomy, 0.0, 0.0, CORTEX);
    Ends { first, last }
}

/// Returns two parameters of the fibre (u, v), one towards each end of the bundle. The fibre is followed from
/// the middle of the bundle in both directions. Each parameter is the first at which the fibre is at most
/// `depth` mm below the surface of the cortex.
fn leave(bundle: &Bundle, anatomy: &Anatomy, u: f64, v: f64, depth: f64) -> (f64, f64) {
    let tube = &bundle.tube;
    let below = |t: f64| anatomy.depth(tube.position(t, u, v)) > depth;
    let middle = tube.end() / 2.0;
    let search = |step: f64, limit: f64| {
        let mut t = middle;
        // The limits of the search are outside the brain. The search therefore always ends at the cortex.
        while below(t) && (limit - t) * step > 0.0 {
            t += step;
        }
        let (mut inside, mut outside) = (t - step, t);
        for _ in 0..40 {
            let half = f64::midpoint(inside, outside);
            if below(half) { inside = half } else { outside = half }
        }
        inside
    };
    (search(-0.25, 0.0), search(0.25, tube.end()))
}

/// Returns `count` true streamlines of every bundle. Each bundle is one group of streamlines. The streamlines
/// are evenly distributed over the cross-section of the bundle. They lead from inside one of its two regions
/// to inside the other.
pub(crate) fn streamlines(bundles: &[Bundle], anatomy: &Anatomy, seed: u64, count: usize) -> Tractogram {
    let mut truth = Tractogram::new();
    for (number, bundle) in bundles.iter().enumerate() {
        let mut members = Vec::with_capacity(count);
        for n in 0..count {
            let item = (number as u64) << 32 | n as u64;
            let mut random = Random::new(seed, Purpose::Phantom, item);
            let radius = CORE * random.uniform().sqrt();
            let (sin, cos) = (std::f64::consts::TAU * random.uniform()).sin_cos();
            members.push(narrow::<u32>(truth.len()));
            truth.push(&streamline(bundle, anatomy, radius * cos, radius * sin));
        }
        truth.groups.members.insert(bundle.name.clone(), members);
    }
    truth
}

fn streamline(bundle: &Bundle, anatomy: &Anatomy, u: f64, v: f64) -> Vec<Point> {
    let (first, last) = leave(bundle, anatomy, u, v, CORTEX - INTO_CORTEX);
    let steps = ((last - first) / STEP).ceil().max(1.0) as usize;
    (0..=steps)
        .map(|n| {
            let t = first + (last - first) * n as f64 / steps as f64;
            let p = bundle.tube.position(t, u, v);
            [p.x as f32, p.y as f32, p.z as f32]
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::anatomy::Tissue;
    use crate::bundles::all;

    #[test]
    fn fibres_run_through_white_matter_from_cortex_to_cortex() {
        let bundles = all();
        let anatomy = Anatomy::new(bundles.iter().map(|bundle| &bundle.tube));
        let mut wrong = Vec::new();
        for bundle in bundles {
            for (u, v) in
                [(0.0, 0.0), (CORE, 0.0), (-CORE, 0.0), (0.0, CORE), (0.0, -CORE), (0.6, 0.6), (-0.6, -0.6)]
            {
                let (a, b) = leave(&bundle, &anatomy, u, v, CORTEX);
                for n in 1..400 {
                    let t = a + (b - a) * f64::from(n) / 400.0;
                    let tissue = anatomy.tissue(bundle.tube.position(t, u, v));
                    if tissue != Tissue::White {
                        wrong
                            .push(format!("{} {u} {v} at {t:.1} of {a:.1}..{b:.1}: {tissue:?}", bundle.name));
                    }
                }
                // The region at each end of a bundle contains the whole end. No fibre ends early at a sulcus
                // on its path.
                let ends = ends(&bundle, &anatomy);
                if a > ends.first + Ends::BEFORE - 2.0 || b < ends.last - Ends::BEFORE + 2.0 {
                    wrong.push(format!(
                        "{} {u} {v}: {a:.1}..{b:.1}, the middle {:.1}..{:.1}",
                        bundle.name, ends.first, ends.last
                    ));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    #[test]
    fn every_tube_is_wide_enough_for_its_curves() {
        for bundle in all() {
            let steps = 500;
            for n in 0..=steps {
                let t = bundle.tube.end() * f64::from(n) / f64::from(steps);
                let tightness = bundle.tube.tightness(t);
                assert!(tightness < 0.9, "{} at {t:.1} mm: {tightness:.2}", bundle.name);
            }
        }
    }
}
