//! Times a dense connectome of the size of a published one: 91,282 seeds, and the number of streamlines
//! between each pair of seeds.

use super::brain::{Brain, Bundle, SAMPLES, in_brain};
use crate::measure::median;
use crate::options::{DenseBenchOptions, Options};
use crate::outcome::Outcome;
use arcuate_compute::{Device, DeviceStreamlineSink};
use arcuate_connect::{PassedElements, RowCounter, SeedRows};
use arcuate_core::{Affine, Control, Grid, Mask, MatrixRowSink, Result, Surface, narrow};
use arcuate_track::{
    Constraints, Jitter, OrientationTable, Region, SampleOptions, SampleOutputs, SampleTracker, Seeds,
    TrackSummary,
};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

/// The number of parts into which each edge of an icosahedron is divided. The resulting surface of a
/// hemisphere has 32,492 vertices, as in the published connectome.
const PARTS: usize = 57;
/// The number of vertices of each hemisphere that are seeds: those with the greatest distance from the other
/// hemisphere.
const SEEDS: usize = 29_706;
/// The number of seed voxels.
const VOXELS: usize = 31_870;

/// The seeds, the orientation samples, the targets and the tracking constraints of the benchmark.
struct Problem {
    table: OrientationTable,
    points: Vec<[f64; 3]>,
    elements: PassedElements,
    constraints: Constraints,
}

/// Counts the rows, the entries and the streamlines of the connectivity matrix, and computes a hash of its
/// first rows. The entries are not stored.
#[derive(Default)]
struct Digest {
    rows: usize,
    entries: u64,
    streamlines: f64,
    /// The number of first matrix rows whose entries are hashed.
    hashed: usize,
    hasher: DefaultHasher,
}

impl MatrixRowSink for Digest {
    fn take_row(&mut self, row: usize, columns: &[u32], values: &[Vec<f64>]) -> Result<()> {
        self.rows += 1;
        self.entries += columns.len() as u64;
        // The numbers of streamlines are integers, so their sum does not depend on the order of the
        // additions. Eight partial sums are computed in parallel.
        let mut sums = [0.0; 8];
        for values in values[0].chunks(8) {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        self.streamlines += sums.iter().sum::<f64>();
        if row < self.hashed {
            (row, columns).hash(&mut self.hasher);
            values[0].iter().for_each(|value| value.to_bits().hash(&mut self.hasher));
        }
        Ok(())
    }
}

/// A sphere of nearly equal triangles. The triangles are those of an icosahedron, with each edge divided into
/// `parts` parts.
struct Sphere {
    directions: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
}

impl Sphere {
    fn new(parts: usize) -> Self {
        let golden = f64::midpoint(1.0, 5f64.sqrt());
        let corners: Vec<[f64; 3]> = (0..12)
            .map(|n| {
                let signs = [1.0 - 2.0 * (n & 1) as f64, golden * (1.0 - (n & 2) as f64)];
                let mut corner = [0.0, signs[0], signs[1]];
                corner.rotate_right(n / 4);
                corner
            })
            .collect();
        let apart =
            |a: usize, b: usize| -> f64 { (0..3).map(|n| (corners[a][n] - corners[b][n]).powi(2)).sum() };
        let is_edge = |a: usize, b: usize| apart(a, b) < 4.1;
        let mut sphere = Self { directions: Vec::new(), triangles: Vec::new() };
        // A point on an edge or a corner of the icosahedron belongs to several faces. Its three barycentric
        // weights identify it in all of them.
        let mut known = HashMap::new();
        for a in 0..12 {
            for b in a + 1..12 {
                for c in (b + 1..12).filter(|&c| is_edge(a, b) && is_edge(b, c) && is_edge(a, c)) {
                    let mut point = |u: usize, v: usize| {
                        let shares = [(a, parts - u - v), (b, u), (c, v)];
                        let key: Vec<(usize, usize)> =
                            shares.into_iter().filter(|(_, share)| *share > 0).collect();
                        *known.entry(key).or_insert_with(|| {
                            let sum: [f64; 3] = std::array::from_fn(|n| {
                                shares.iter().map(|&(corner, share)| share as f64 * corners[corner][n]).sum()
                            });
                            let length = sum.iter().map(|c| c * c).sum::<f64>().sqrt();
                            sphere.directions.push(sum.map(|c| c / length));
                            narrow::<u32>(sphere.directions.len()) - 1
                        })
                    };
                    let mut triangles = Vec::new();
                    for u in 0..parts {
                        for v in 0..parts - u {
                            triangles.push([point(u, v), point(u + 1, v), point(u, v + 1)]);
                            if u + v + 2 <= parts {
                                triangles.push([point(u + 1, v), point(u + 1, v + 1), point(u, v + 1)]);
                            }
                        }
                    }
                    sphere.triangles.extend(triangles);
                }
            }
        }
        sphere
    }
}

/// Creates the surface of a folded hemisphere. `scale` is its distance from the centre, relative to that of
/// the white matter surface.
fn hemisphere(sphere: &Sphere, side: f64, scale: f64) -> Outcome<Surface> {
    let at = |&[x, y, z]: &[f64; 3]| {
        let (polar, azimuth) = (z.acos(), y.atan2(x));
        let fold = scale * (1.0 + 0.05 * (14.0 * azimuth).sin() * (11.0 * polar).sin() * polar.sin());
        [33.0 * side + fold * 30.0 * x, fold * 70.0 * y, fold * 48.0 * z].map(|c| c as f32)
    };
    let vertices = sphere.directions.iter().map(at).collect();
    Ok(Surface::new(vertices, sphere.triangles.clone(), None)?)
}

impl Problem {
    fn new(with_surfaces: bool) -> Outcome<Self> {
        let grid = Grid::new([110, 143, 101], Affine::scaling([1.25; 3], [-68.2, -88.8, -62.6]))?;
        let mask = Mask::new(grid, (0..grid.len()).map(|voxel| in_brain(grid.centre(voxel))).collect())?;
        let mut by_distance = mask.indices();
        let distance = |voxel: &usize| {
            let [x, y, z] = grid.centre(*voxel);
            (x * x + 0.5 * (y + 10.0).powi(2) + z * z).to_bits()
        };
        by_distance.sort_by_key(distance);
        let of = |voxels: &[usize]| {
            let mut inside = vec![false; grid.len()];
            for &voxel in voxels {
                inside[voxel] = true;
            }
            Mask::new(grid, inside)
        };
        let table = OrientationTable::new(&Brain { mask, bundles: Bundle::all() })?;
        let deep = of(&by_distance[..VOXELS])?;
        let (mut points, mut elements) = (Vec::new(), PassedElements::new(None));
        let mut constraints = Constraints::default();
        if with_surfaces {
            let sphere = Sphere::new(PARTS);
            for (side, name) in [(-1.0, "left"), (1.0, "right")] {
                let white = hemisphere(&sphere, side, 1.0)?;
                let mut seeds: Vec<u32> = (0..narrow::<u32>(white.vertices().len())).collect();
                seeds.sort_by_key(|&n| (-side * f64::from(white.vertices()[n as usize][0]) * 1e6) as i64);
                seeds.truncate(SEEDS);
                seeds.sort_unstable();
                points.extend(seeds.iter().map(|&n| white.vertices()[n as usize].map(f64::from)));
                elements.add_vertices(&white, &seeds)?;
                let pial = Arc::new(hemisphere(&sphere, side, 1.05)?);
                constraints.stop.push(Region::of_surface(&format!("{name} pial"), pial, None));
            }
            constraints.stop_on_exit.push(Region::of_mask("deep", deep.clone(), None));
        } else {
            // Without surfaces, the seeds are as many voxels as there would be seed vertices: those with the
            // greatest distance from the centre.
            let outer = of(&by_distance[by_distance.len() - 2 * SEEDS..])?;
            points.extend(outer.indices().into_iter().map(|voxel| grid.centre(voxel)));
            elements.add_voxels(&outer)?;
        }
        points.extend(deep.indices().into_iter().map(|voxel| grid.centre(voxel)));
        elements.add_voxels(&deep)?;
        Ok(Self { table, points, elements, constraints })
    }

    /// Tracks the streamlines of a range of seeds, and counts the connections of these seeds in their rows of
    /// the matrix.
    fn count(
        &self,
        tracker: &SampleTracker<'_>,
        wanted: &DenseBenchOptions,
        seeds: Range<usize>,
        hashed: usize,
    ) -> Outcome<(TrackSummary, Digest, f64)> {
        let options = SampleOptions::probtrackx2();
        let each = wanted.samples;
        // The index of a matrix row is the index of its seed among all seeds.
        let rows =
            (seeds.start > 0).then(|| (narrow::<u32>(seeds.start)..narrow::<u32>(seeds.end)).collect());
        let points = self.points[seeds].to_vec();
        let begins = Seeds::Points { points, mapping: None, each, jitter: Jitter::None };
        let mut digest = Digest { hashed, ..Digest::default() };
        let rows = SeedRows { each: u64::from(each), rows };
        let started = Instant::now();
        let mut counter = RowCounter::new(
            &self.elements,
            rows,
            self.points.len(),
            true,
            &[],
            options.step_mm,
            &mut digest,
        )?;
        let outputs = if wanted.tracking_alone {
            SampleOutputs::default()
        } else {
            let device_sink = Some(&mut counter as &mut dyn DeviceStreamlineSink);
            SampleOutputs { device_sink, ..SampleOutputs::default() }
        };
        let tracks = tracker.track(&begins, &self.constraints, &options, outputs, &Control::default())?;
        counter.finish()?;
        let seconds = started.elapsed().as_secs_f64();
        Ok((tracks.summary, digest, seconds))
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let wanted = &options.dense;
    let device = options.tracts.tracts_on.open(options.tracts.tract_memory)?;
    let started = Instant::now();
    let problem = Problem::new(wanted.surfaces)?;
    let from = wanted.from.min(problem.points.len());
    let seeds = wanted.seeds.unwrap_or(usize::MAX).min(problem.points.len() - from);
    println!(
        "{} on {device}: {} voxels of 1.25 mm, 3 fibres × {SAMPLES} samples, {:.2} GB; {seeds} of {} seeds × {}; made in {:.1} s",
        if wanted.surfaces { "white surfaces and voxels, to pial surfaces" } else { "voxels" },
        problem.table.voxels(),
        1e-9 * problem.table.bytes() as f64,
        problem.points.len(),
        wanted.samples,
        started.elapsed().as_secs_f64()
    );
    let mut tracker = SampleTracker::new(&problem.table, &device)?;
    tracker.limit_in_flight((wanted.in_flight > 0).then_some(wanted.in_flight));
    if from > 0 || wanted.in_flight > 0 {
        println!(
            "  from seed {from}, at most {} streamlines at the same time (0: no limit)",
            wanted.in_flight
        );
    }
    let checked = wanted.check.min(seeds);
    let mut all = Vec::new();
    let mut hash = 0;
    for _ in 0..options.turns {
        let (summary, digest, seconds) =
            problem.count(&tracker, wanted, from..from + seeds, from + checked)?;
        let steps = summary.steps_taken as f64;
        println!(
            "  {} streamlines, {} accepted, {:.1} steps each; {} rows, {} entries ({:.2} %), {:.3e} streamlines in them; {seconds:.3} s, \
             {:.0} M steps/s",
            summary.seeds,
            summary.streamlines,
            steps / summary.seeds.max(1) as f64,
            digest.rows,
            digest.entries,
            100.0 * digest.entries as f64 / (seeds as f64 * problem.points.len() as f64),
            digest.streamlines,
            1e-6 * steps / seconds
        );
        hash = digest.hasher.finish();
        all.push(seconds);
    }
    println!("  median {:.3} s", median(&all));
    if checked > 0 {
        let here = SampleTracker::new(&problem.table, &Device::Cpu)?;
        let (summary, digest, seconds) =
            problem.count(&here, wanted, from..from + checked, from + checked)?;
        let same = digest.hasher.finish() == hash;
        println!(
            "  {checked} rows on the processor: {} streamlines, {} entries, {seconds:.1} s, {:.0} M steps/s: {}",
            summary.seeds,
            digest.entries,
            1e-6 * summary.steps_taken as f64 / seconds,
            if same { "the same" } else { "other rows" }
        );
        if !same {
            return Err("rows on the processor are others".into());
        }
    }
    Ok(())
}
