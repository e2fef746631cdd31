//! Simulates a brain that contains the tracts of a table in this module.

use arcuate_compute::{Purpose, Random};
use arcuate_core::{Mask, Result};
use arcuate_track::{Fibre, OrientationSource};
use rayon::prelude::*;

/// A tract of the simulated brain: its number of seeds, its number of streamlines per seed, and three points
/// of its centre line. The points are in mm from the centre of the brain; for a tract on both sides, they are
/// those of the left side. Two flags state whether the tract is on both sides, and whether its exclusion
/// regions are close to it.
pub(super) struct Tract {
    name: &'static str,
    pub(super) seeds: usize,
    pub(super) samples: u32,
    pub(super) both_sides: bool,
    course: [[f64; 3]; 3],
    pub(super) tight: bool,
}

const fn tract(
    name: &'static str,
    seeds: usize,
    samples: u32,
    both_sides: bool,
    course: [[f64; 3]; 3],
) -> Tract {
    Tract { name, seeds, samples, both_sides, course, tight: false }
}

const TRACTS: [Tract; 15] = [
    tract("UNC", 1692, 1200, true, [[-28.0, 40.0, -8.0], [-38.0, 5.0, -12.0], [-38.0, 2.0, -32.0]]),
    tract("ML", 1926, 1200, true, [[-6.0, -36.0, -50.0], [-8.0, -26.0, -20.0], [-14.0, -18.0, 8.0]]),
    tract("CST", 723, 4000, true, [[-6.0, -30.0, -48.0], [-22.0, -16.0, 0.0], [-26.0, -22.0, 58.0]]),
    tract("ATR", 3181, 1000, true, [[-10.0, -14.0, 8.0], [-18.0, 10.0, 6.0], [-22.0, 50.0, 12.0]]),
    tract("PHC", 1887, 3000, true, [[-12.0, -46.0, 8.0], [-24.0, -36.0, -10.0], [-26.0, -8.0, -24.0]]),
    tract("MCP", 2075, 4400, false, [[-28.0, -50.0, -32.0], [0.0, -22.0, -34.0], [28.0, -50.0, -32.0]]),
    tract("FMA", 18159, 600, false, [[-26.0, -80.0, 8.0], [0.0, -24.0, 22.0], [26.0, -80.0, 8.0]]),
    tract("ILF", 9207, 1200, true, [[-36.0, -78.0, -4.0], [-44.0, -40.0, -10.0], [-44.0, 2.0, -28.0]]),
    tract("FMI", 19195, 600, false, [[-24.0, 54.0, 10.0], [0.0, 16.0, 14.0], [24.0, 54.0, 10.0]]),
    tract("SLF", 32831, 400, true, [[-44.0, -54.0, 22.0], [-36.0, -22.0, 40.0], [-42.0, 20.0, 24.0]]),
    tract("STR", 21019, 800, true, [[-14.0, -20.0, 6.0], [-22.0, -20.0, 24.0], [-28.0, -26.0, 58.0]]),
    tract("CGC", 1137, 20000, true, [[-8.0, -38.0, 26.0], [-9.0, 0.0, 46.0], [-9.0, 36.0, 20.0]]),
    tract("IFO", 15412, 4400, true, [[-32.0, -78.0, 2.0], [-38.0, -20.0, -8.0], [-28.0, 46.0, 6.0]]),
    tract("PTR", 3669, 20000, true, [[-16.0, -26.0, 8.0], [-32.0, -40.0, 10.0], [-22.0, -80.0, 6.0]]),
    Tract {
        name: "AR",
        seeds: 23105,
        samples: 10000,
        both_sides: true,
        course: [[-16.0, -26.0, -4.0], [-32.0, -28.0, -2.0], [-48.0, -20.0, 8.0]],
        tight: true,
    },
];

/// Radius of a tract, in mm.
pub(super) const RADIUS: f64 = 6.0;
/// Semi-axes of the brain ellipsoid, in mm.
const BRAIN: [f64; 3] = [68.0, 88.0, 62.0];
pub(super) const SAMPLES: usize = 50;

/// A tract on one side of the brain, or across both sides.
pub(super) struct Bundle {
    pub(super) name: String,
    pub(super) tract: &'static Tract,
    pub(super) points: Vec<[f64; 3]>,
}

pub(super) const POINTS: usize = 64;

impl Bundle {
    pub(super) fn all() -> Vec<Self> {
        let sides = |tract: &'static Tract| {
            let names: &[(&str, f64)] =
                if tract.both_sides { &[("_L", 1.0), ("_R", -1.0)] } else { &[("", 1.0)] };
            names.iter().map(move |(ending, sign)| {
                let [a, b, c] = tract.course.map(|[x, y, z]| [sign * x, y, z]);
                let at = |n: usize| {
                    let t = n as f64 / (POINTS - 1) as f64;
                    std::array::from_fn(|axis| {
                        // The centre line is a quadratic Bézier curve that passes through the middle point.
                        // Its control point is therefore twice as far from the midpoint of the two ends as
                        // the middle point is.
                        let control = 2.0 * b[axis] - 0.5 * (a[axis] + c[axis]);
                        (1.0 - t) * (1.0 - t) * a[axis] + 2.0 * t * (1.0 - t) * control + t * t * c[axis]
                    })
                };
                Self { name: format!("{}{ending}", tract.name), tract, points: (0..POINTS).map(at).collect() }
            })
        };
        TRACTS.iter().flat_map(sides).collect()
    }

    /// Returns the distance between the point `p` and the centre line of the tract in mm, and the index of
    /// the nearest point of the centre line. Returns `None` if the distance exceeds `within` mm.
    pub(super) fn near(&self, p: [f64; 3], within: f64) -> Option<(f64, usize)> {
        let mut best = (within * within, None);
        for (n, q) in self.points.iter().enumerate() {
            let square: f64 = (0..3).map(|axis| (p[axis] - q[axis]).powi(2)).sum();
            if square < best.0 {
                best = (square, Some(n));
            }
        }
        best.1.map(|n| (best.0.sqrt(), n))
    }

    fn tangent(&self, n: usize) -> [f64; 3] {
        let (a, b) = (self.points[n.saturating_sub(1)], self.points[(n + 1).min(POINTS - 1)]);
        std::array::from_fn(|axis| b[axis] - a[axis])
    }
}

pub(super) fn in_brain(p: [f64; 3]) -> bool {
    (0..3).map(|axis| (p[axis] / BRAIN[axis]).powi(2)).sum::<f64>() < 1.0
}

/// Posterior samples of the orientations of three fibres in each voxel. The fibres follow the tracts that
/// pass the voxel. If fewer than three tracts pass the voxel, the remaining fibres have background directions
/// with a larger dispersion. The first of these directions points outwards from the centre of the brain.
pub(super) struct Brain {
    pub(super) mask: Mask,
    pub(super) bundles: Vec<Bundle>,
}

impl Brain {
    /// Returns the mean direction, the volume fraction and the angular spread of each of the three fibres in
    /// a voxel.
    pub(super) fn mean_fibres(&self, p: [f64; 3]) -> [([f64; 3], f64, f64); 3] {
        let mut along: Vec<(f64, [f64; 3])> = Vec::new();
        for bundle in &self.bundles {
            if let Some((distance, n)) = bundle.near(p, RADIUS) {
                along.push((distance, bundle.tangent(n)));
            }
        }
        along.sort_by(|a, b| a.0.total_cmp(&b.0));
        let outwards = [p[0] + 1e-3, p[1] * 0.6, p[2] + 8.0];
        let across = [-p[1] + 1e-3, p[0], 4.0];
        let rest = [(outwards, 0.3, 0.35), (across, 0.12, 0.6), ([1.0, 0.2, 0.3], 0.04, 2.0)];
        let with_bundle = along.into_iter().map(|(_, tangent)| (tangent, 0.5, 0.14)).chain(rest);
        let mut found = with_bundle.take(3);
        // The volume fractions of the second and third fibre are divided by 2 and 3, so that the fibres have
        // a descending order.
        std::array::from_fn(|n| {
            let (direction, fraction, spread) = found.next().unwrap_or(rest[2]);
            (direction, fraction / (1.0 + n as f64), spread)
        })
    }
}

impl OrientationSource for Brain {
    fn mask(&self) -> &Mask {
        &self.mask
    }

    fn fibres(&self) -> usize {
        3
    }

    fn samples(&self) -> usize {
        SAMPLES
    }

    fn fibre(&self, number: usize) -> Result<Vec<Fibre>> {
        let of_voxel = |voxel: usize| {
            let (mean, fraction, spread) = self.mean_fibres(self.mask.grid().centre(voxel))[number];
            let length = mean.iter().map(|c| c * c).sum::<f64>().sqrt();
            let mut random = Random::new(number as u64, Purpose::Phantom, voxel as u64);
            (0..SAMPLES).map(move |_| {
                let direction = mean.map(|c| c / length + spread * random.normal());
                Fibre::new(direction, fraction * (1.0 + 0.1 * random.normal()))
            })
        };
        Ok(self.mask.indices().into_par_iter().flat_map_iter(of_voxel).collect())
    }
}
