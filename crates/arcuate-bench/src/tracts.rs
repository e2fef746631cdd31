//! Probabilistic tracking at the size of a published measurement: 27 tracts, each with its own seeds, waypoints and regions in a
//! standard space that a warp leads to.

use crate::measure::median;
use crate::{Options, Outcome};
use arcuate_compute::{DeviceChoice, Purpose, Random};
use arcuate_core::{Affine, Grid, Mask, Result, Volume};
use arcuate_track::{
    Fibre, Jitter, Mapping, OrientationSource, OrientationTable, Region, Regions, SampleOptions,
    SampleOutputs, SampleSeeds, SampleTracker,
};
use clap::Args;
use rayon::prelude::*;
use std::sync::Arc;
use std::time::Instant;

#[derive(Debug, Args)]
pub(crate) struct TractBenchOptions {
    /// Where streamlines are followed (track-tracts)
    #[arg(long, default_value = "cpu")]
    tracts_on: DeviceChoice,
    /// Follow this part of each seed's streamlines
    #[arg(long, default_value_t = 1.0)]
    tract_samples: f64,
    /// The tracts of these names alone
    #[arg(long, value_delimiter = ',')]
    tracts: Vec<String>,
    /// Reruns with other random seeds, whose maps are compared
    #[arg(long, default_value_t = 0)]
    tract_reruns: u64,
}

/// A tract of the table: its seeds, streamlines of each, whether there is one on either side, three points of its course (of
/// the left one) in mm about the middle of the brain, and whether what it must avoid leaves it little room.
struct Tract {
    name: &'static str,
    seeds: usize,
    samples: u32,
    both_sides: bool,
    course: [[f64; 3]; 3],
    tight: bool,
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
const RADIUS: f64 = 6.0;
/// Half axes of the brain, in mm.
const BRAIN: [f64; 3] = [68.0, 88.0, 62.0];
const SAMPLES: usize = 50;

/// One tract of one side.
struct Bundle {
    name: String,
    tract: &'static Tract,
    points: Vec<[f64; 3]>,
}

const POINTS: usize = 64;

impl Bundle {
    fn all() -> Vec<Self> {
        let sides = |tract: &'static Tract| {
            let names: &[(&str, f64)] =
                if tract.both_sides { &[("_L", 1.0), ("_R", -1.0)] } else { &[("", 1.0)] };
            names.iter().map(move |(ending, sign)| {
                let [a, b, c] = tract.course.map(|[x, y, z]| [sign * x, y, z]);
                let at = |n: usize| {
                    let t = n as f64 / (POINTS - 1) as f64;
                    std::array::from_fn(|axis| {
                        // Through the middle point: its control point lies as far again.
                        let control = 2.0 * b[axis] - 0.5 * (a[axis] + c[axis]);
                        (1.0 - t) * (1.0 - t) * a[axis] + 2.0 * t * (1.0 - t) * control + t * t * c[axis]
                    })
                };
                Self { name: format!("{}{ending}", tract.name), tract, points: (0..POINTS).map(at).collect() }
            })
        };
        TRACTS.iter().flat_map(sides).collect()
    }

    /// How far a point is from the course, and where along it.
    fn near(&self, p: [f64; 3], within: f64) -> Option<(f64, usize)> {
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

fn in_brain(p: [f64; 3]) -> bool {
    (0..3).map(|axis| (p[axis] / BRAIN[axis]).powi(2)).sum::<f64>() < 1.0
}

/// Samples of three fibres: along the tracts of a voxel, or from the middle outwards, dispersed; what is left is noise.
struct Brain {
    mask: Mask,
    bundles: Vec<Bundle>,
}

impl Brain {
    /// Mean directions and fractions of a voxel, and how much they vary.
    fn fibres(&self, p: [f64; 3]) -> [([f64; 3], f64, f64); 3] {
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
        // The second is weaker than the first, the third than the second.
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
            let (mean, fraction, spread) = self.fibres(self.mask.grid().centre(voxel))[number];
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

/// Both ways between the brain and the standard space: turned, larger, and warped by up to 3 mm.
struct Standard {
    grid: Grid,
    there: Arc<Mapping>,
    back: Arc<Mapping>,
}

impl Standard {
    fn new(field: &Grid) -> Outcome<Self> {
        let (sin, cos) = 0.06f64.sin_cos();
        let affine = Affine::from_rows([
            [1.04, 0.0, 0.0, 1.5],
            [0.0, 1.03 * cos, -1.03 * sin, -2.0],
            [0.0, 1.05 * sin, 1.05 * cos, 3.0],
        ])?;
        let shift = |p: [f64; 3]| {
            [3.0 * (p[1] / 30.0).sin(), 2.5 * (p[2] / 25.0).cos(), 2.0 * ((p[0] + p[1]) / 40.0).sin()]
        };
        let inverse = affine.inverse()?;
        let values =
            (0..field.len()).flat_map(|voxel| shift(field.centre(voxel)).map(|c| c as f32)).collect();
        let there = Mapping { affine, displacement: Some(Volume::new(*field, 3, values)?) };
        let grid = Grid::new([182, 218, 182], Affine::scaling([1.0; 3], [-90.0, -110.0, -90.0]))?;
        // x = A⁻¹(y − u(x)), by iteration.
        let undo = |y: [f64; 3]| {
            let mut x = inverse.apply(y);
            for _ in 0..12 {
                let u = shift(x);
                x = inverse.apply(std::array::from_fn(|axis| y[axis] - u[axis]));
            }
            let plain = inverse.apply(y);
            std::array::from_fn::<f32, 3, _>(|axis| (x[axis] - plain[axis]) as f32)
        };
        let coarse = Grid::new([92, 110, 92], Affine::scaling([2.0; 3], [-91.0, -110.0, -91.0]))?;
        let values: Vec<f32> =
            (0..coarse.len()).into_par_iter().flat_map_iter(|voxel| undo(coarse.centre(voxel))).collect();
        let back = Mapping { affine: inverse, displacement: Some(Volume::new(coarse, 3, values)?) };
        Ok(Self { grid, there: Arc::new(there), back: Arc::new(back) })
    }

    /// Voxels for which a condition on their place in the brain holds.
    fn mask(&self, inside: impl Fn([f64; 3]) -> bool + Sync) -> Outcome<Mask> {
        let inside: Vec<bool> = (0..self.grid.len())
            .into_par_iter()
            .map(|voxel| inside(self.back.apply(self.grid.centre(voxel))))
            .collect();
        Ok(Mask::new(self.grid, inside)?)
    }

    fn region(&self, name: &str, inside: impl Fn([f64; 3]) -> bool + Sync) -> Outcome<Region> {
        Ok(Region { name: name.into(), mask: self.mask(inside)?, mapping: Some(Arc::clone(&self.there)) })
    }

    /// So many voxels nearest to the middle of a tract.
    fn seeds(&self, bundle: &Bundle) -> Outcome<Mask> {
        let middle = bundle.points[POINTS / 2];
        let mut near: Vec<(f64, usize)> = (0..self.grid.len())
            .into_par_iter()
            .filter_map(|voxel| {
                let p = self.back.apply(self.grid.centre(voxel));
                let square: f64 = (0..3).map(|axis| (p[axis] - middle[axis]).powi(2)).sum();
                (square < 30.0 * 30.0 && in_brain(p)).then_some((square, voxel))
            })
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut inside = vec![false; self.grid.len()];
        near.iter().take(bundle.tract.seeds).for_each(|&(_, voxel)| inside[voxel] = true);
        Ok(Mask::new(self.grid, inside)?)
    }

    fn regions(&self, bundle: &Bundle) -> Outcome<Regions> {
        let along = |p, from: usize, to: usize| {
            bundle.near(p, 2.0 * RADIUS).is_some_and(|(_, n)| (from..=to).contains(&n))
        };
        let crosses = !bundle.tract.both_sides;
        let side = bundle.points[POINTS / 2][0].signum();
        let room = if bundle.tract.tight { 1.6 * RADIUS } else { 6.0 * RADIUS };
        let avoid = |p: [f64; 3]| {
            // The other side, and what is far from the tract.
            (!crosses && p[0] * side < -2.0) || bundle.near(p, room).is_none()
        };
        Ok(Regions {
            waypoints: vec![self.region("waypoint", |p| along(p, 10, 13))?],
            stop: vec![
                self.region("first end", |p| along(p, 0, 2))?,
                self.region("second end", |p| along(p, POINTS - 3, POINTS - 1))?,
            ],
            avoid: vec![self.region("avoid", |p| in_brain(p) && avoid(p))?],
            ..Regions::default()
        })
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let wanted = &options.tracts;
    let device = wanted.tracts_on.open(None)?;
    let started = Instant::now();
    let grid = Grid::new([102, 132, 94], Affine::scaling([1.35; 3], [-68.2, -88.4, -62.8]))?;
    let mask = Mask::new(grid, (0..grid.len()).map(|voxel| in_brain(grid.centre(voxel))).collect())?;
    let brain = Brain { mask, bundles: Bundle::all() };
    let table = OrientationTable::new(&brain)?;
    let standard = Standard::new(&grid)?;
    println!(
        "tracking on {device}: {} voxels of 1.35 mm, 3 fibres × {SAMPLES} samples, {:.2} GB; made in {:.1} s",
        brain.mask.count(),
        1e-9 * table.bytes() as f64,
        started.elapsed().as_secs_f64()
    );
    let started = Instant::now();
    let tracker = SampleTracker::new(&table, &device)?;
    println!("  brought to the device in {:.3} s", started.elapsed().as_secs_f64());
    println!("  tract    streamlines   accepted  steps each  seconds  M steps/s");
    let (mut all, mut total, mut steps) = (0, 0.0, 0);
    for bundle in &brain.bundles {
        if !wanted.tracts.is_empty() && !wanted.tracts.contains(&bundle.name) {
            continue;
        }
        let each = ((f64::from(bundle.tract.samples) * wanted.tract_samples).round() as u32).max(1);
        let mapping = Some(Arc::clone(&standard.back));
        let seeds =
            SampleSeeds::Voxels { mask: standard.seeds(bundle)?, mapping, each, jitter: Jitter::BallMm(0.5) };
        let regions = standard.regions(bundle)?;
        let follow = |seed| {
            let options = SampleOptions { seed, ..SampleOptions::default() };
            let map = Some((standard.grid, Some(Arc::clone(&standard.there))));
            let outputs = SampleOutputs { map, ..SampleOutputs::default() };
            tracker.track(&seeds, &regions, &options, outputs, &|_, _| ())
        };
        let mut seconds = Vec::new();
        let mut summary = None;
        for _ in 0..options.turns {
            let started = Instant::now();
            summary = Some(follow(0)?.summary);
            seconds.push(started.elapsed().as_secs_f64());
        }
        let Some(summary) = summary else { continue };
        let time = median(&seconds);
        println!(
            "  {:<6} {:>13} {:>9.2} % {:>11.1} {:>8.3} {:>10.0}",
            bundle.name,
            summary.seeds,
            100.0 * summary.acceptance(),
            summary.steps_taken as f64 / summary.seeds as f64,
            time,
            1e-6 * summary.steps_taken as f64 / time
        );
        all += summary.seeds;
        total += time;
        steps += summary.steps_taken;
        if wanted.tract_reruns > 1 {
            let maps =
                (0..wanted.tract_reruns).map(|n| Ok(follow(100 + n)?.map)).collect::<Outcome<Vec<_>>>()?;
            let maps: Vec<&[u64]> = maps.iter().flatten().map(arcuate_track::VisitMap::counts).collect();
            let pairs = (0..maps.len()).flat_map(|n| (0..n).map(move |m| [n, m])).collect::<Vec<_>>();
            let worst =
                pairs.par_iter().map(|[n, m]| correlation(maps[*n], maps[*m])).reduce(|| 1.0, f64::min);
            println!("         least correlation of {} pairs of maps {worst:.5}", pairs.len());
        }
    }
    println!("  all    {all:>13} {:>12.1} steps each {total:>8.3} s", steps as f64 / all.max(1) as f64);
    Ok(())
}

fn correlation(one: &[u64], other: &[u64]) -> f64 {
    // Voxels that neither map has say nothing.
    let pairs = || one.iter().zip(other).filter(|(a, b)| **a + **b > 0).map(|(&a, &b)| [a as f64, b as f64]);
    let count = pairs().count() as f64;
    let mean = |side: usize| pairs().map(|pair| pair[side]).sum::<f64>() / count;
    let means = [mean(0), mean(1)];
    let product = |a: usize, b: usize| pairs().map(|p| (p[a] - means[a]) * (p[b] - means[b])).sum::<f64>();
    product(0, 1) / (product(0, 0) * product(1, 1)).sqrt()
}
