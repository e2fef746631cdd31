//! Creates streamlines through an ellipsoid of voxels. Most streamlines are in bundles, and most of these are
//! in a few large bundles. All other streamlines are arcs of half the length. At least one arc begins in
//! every voxel, so that no voxel is empty. All lengths in this module are in voxels, except those of the
//! resulting segments, which are in mm.

use super::size::Size;
use crate::options::Directions;
use crate::outcome::Outcome;
use arcuate_compute::{Purpose, Random};
use arcuate_core::{Affine, Grid, narrow};
use arcuate_evaluate::commit::{Segment, Segments};
use arcuate_numbers::vector3::{dot, norm};
use rayon::prelude::*;
use std::f64::consts::{PI, TAU};

/// Voxel size in mm.
const VOXEL: f64 = 2.0;
/// Distance between successive points of a streamline: 0.5 voxels, which is 1 mm.
const STEP: f64 = 0.5;
/// Semi-axes of the ellipsoid, divided by the radius of a ball with the same volume.
const SHAPE: [f64; 3] = [0.98, 1.2, 0.85];
/// `BUNDLES` is the number of bundles. The number of streamlines of a bundle is proportional to 1 / (rank +
/// `HEAD`), with the rank counted from 0.
const BUNDLES: usize = 400;
const HEAD: f64 = 8.0;
/// Standard deviation of the offset of a streamline from the centre line of its bundle, along each axis, in
/// voxels.
const WIDTH: f64 = 2.4;
/// One of every `ARCS` streamlines is an arc. In the published problem, this is just enough for one arc in
/// each voxel.
const ARCS: usize = 6;
/// The number of streamlines per parallel task.
const PIECE: usize = 2048;

type Vector = [f64; 3];

/// Returns the voxels and the streamlines of a problem of size `size`. The segments of the streamlines are
/// sorted by voxel.
pub(super) fn segments(size: &Size, directions: Directions) -> Outcome<Segments> {
    let region = Region::new(size.voxels)?;
    let bundles: Vec<Bundle> = (0..BUNDLES as u64).map(|n| Bundle::new(&region, n)).collect();
    // Cumulative sizes of the bundles, as fractions of all streamlines. A random number in [0, 1) selects the
    // bundle of a streamline.
    let parts: Vec<f64> = (0..BUNDLES).map(|rank| 1.0 / (rank as f64 + HEAD)).collect();
    let all: f64 = parts.iter().sum();
    let ends: Vec<f64> = (parts.iter())
        .scan(0.0, |sum, part| {
            *sum += part / all;
            Some(*sum)
        })
        .collect();
    // A streamline in a bundle gets twice as many segments as an arc, on average.
    let weight = |f: usize| if in_bundle(f) { 2.0 } else { 1.0 } * (0.5 + draws(f).uniform());
    let starts = shares(size.segments, (0..size.streamlines).map(weight));

    let pieces: Vec<usize> = (0..size.streamlines).step_by(PIECE).collect();
    let sorted = pieces
        .into_par_iter()
        .map(|first| -> Result<Sorted, String> {
            let last = (first + PIECE).min(size.streamlines);
            let mut found = Vec::with_capacity(starts[last] - starts[first]);
            for f in first..last {
                let mut random = draws(f);
                random.uniform();
                let required = starts[f + 1] - starts[f];
                let mut taker = PieceCollector {
                    region: &region,
                    found: &mut found,
                    required,
                    streamline: narrow::<u32>(f),
                };
                if in_bundle(f) {
                    let draw = random.uniform();
                    let bundle = ends.partition_point(|&end| end <= draw).min(BUNDLES - 1);
                    bundles[bundle].walk(&mut random, &mut taker);
                } else {
                    // An arc begins in every voxel, in a scattered order of the voxels.
                    let voxel = (f / ARCS * 7919) % size.voxels;
                    region.arc(voxel, &mut random, &mut taker);
                }
                if taker.required > 0 {
                    return Err(format!("streamline {f} of the synthetic problem left its voxels"));
                }
                if directions == Directions::Uniform {
                    let first = found.len() - required;
                    for (_, segment) in &mut found[first..] {
                        let length = norm(segment.piece.map(f64::from));
                        segment.piece = random.on_sphere().map(|c| (c * length) as f32);
                    }
                }
            }
            Ok(Sorted::new(&found, size.voxels))
        })
        .collect::<Result<Vec<Sorted>, String>>()?;
    let (voxel_starts, merged) = merge(&sorted, size);
    Ok(Segments::new(region.grid, size.streamlines, region.voxels, voxel_starts, merged)?)
}

/// Divides `total` items into one part per weight, with sizes in proportion to the weights. Returns the index
/// at which each part begins, and the total number of items as last value.
pub(super) fn shares(total: usize, weights: impl Iterator<Item = f64>) -> Vec<usize> {
    let mut sums = vec![0.0];
    for weight in weights {
        sums.push(sums[sums.len() - 1] + weight);
    }
    let all = sums[sums.len() - 1];
    sums.iter().map(|sum| (total as f64 * (sum / all)).floor() as usize).collect()
}

/// True if streamline `f` is in a bundle, false if it is an arc. Streamlines of bundles and arcs alternate,
/// because the streamlines of a real tractogram are not sorted by bundle.
fn in_bundle(f: usize) -> bool {
    !f.is_multiple_of(ARCS)
}

fn draws(f: usize) -> Random {
    Random::new(0, Purpose::Phantom, f as u64)
}

/// The voxels of the problem: the positions of a grid that are inside an ellipsoid around the origin.
struct Region {
    grid: Grid,
    /// Numbers of the grid positions, ascending.
    voxels: Vec<u32>,
    /// For each grid position, its index in `voxels`. If the position is outside the ellipsoid, the value is
    /// `u32::MAX`.
    numbers: Vec<u32>,
    /// Semi-axes of the ellipsoid, and position of its centre relative to the corner of the grid, in voxels.
    half: Vector,
    middle: Vector,
}

impl Region {
    fn new(count: usize) -> Outcome<Self> {
        let radius = (0.75 * count as f64 / (PI * SHAPE.iter().product::<f64>())).cbrt();
        let half = SHAPE.map(|axis| axis * radius);
        let shape = half.map(|axis| 2 * axis.ceil() as usize + 5);
        let grid = Grid::new(shape, Affine::scaling([VOXEL; 3], [0.0; 3]))?;
        let middle = shape.map(|n| 0.5 * n as f64);
        let mut ranked: Vec<(f64, u32)> = (0..grid.len())
            .map(|index| {
                let centre = grid.coordinates(index).map(|c| c as f64 + 0.5);
                let out: Vector = std::array::from_fn(|axis| (centre[axis] - middle[axis]) / half[axis]);
                (norm(out), narrow::<u32>(index))
            })
            .collect();
        ranked.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut voxels: Vec<u32> = ranked[..count].iter().map(|&(_, index)| index).collect();
        voxels.sort_unstable();
        let mut numbers = vec![u32::MAX; grid.len()];
        for (number, &voxel) in voxels.iter().enumerate() {
            numbers[voxel as usize] = narrow::<u32>(number);
        }
        Ok(Self { grid, voxels, numbers, half, middle })
    }

    /// Returns the index in `voxels` of the voxel that contains a point. Returns `u32::MAX` if the point is
    /// outside the ellipsoid. `point` is in voxels from the corner of the grid.
    fn number(&self, point: Vector) -> u32 {
        let shape = self.grid.shape();
        let inside = (0..3).all(|axis| point[axis] >= 0.0 && point[axis] < shape[axis] as f64);
        if inside { self.numbers[self.grid.index(point.map(|c| c as usize))] } else { u32::MAX }
    }

    /// Creates a streamline that is a spiral arc through the voxel `voxel`. The arc bends towards the centre
    /// of the ellipsoid, and `voxel` is in the first half of the arc.
    fn arc(&self, voxel: usize, random: &mut Random, taker: &mut PieceCollector) {
        let corner = self.grid.coordinates(self.voxels[voxel] as usize);
        let through: Vector = std::array::from_fn(|axis| corner[axis] as f64 + random.uniform());
        let along = random.on_sphere();
        let aside = random.on_sphere();
        let inwards: Vector =
            std::array::from_fn(|axis| (self.middle[axis] - through[axis]) / self.half[axis]);
        let towards: Vector = std::array::from_fn(|axis| 2.0 * inwards[axis] + 0.5 * aside[axis]);
        let share = dot(towards, along);
        let across = unit(std::array::from_fn(|axis| towards[axis] - share * along[axis]));
        let radius = (0.25 + 0.4 * random.uniform()) * self.half[2];
        let before = 0.2 * random.uniform() * taker.required as f64 * STEP;
        taker.follow(|n| {
            let turned = (n as f64 * STEP - before) / radius;
            // Each turn of the spiral is narrower by a tenth of the first radius, so that it does not repeat
            // the previous turn.
            let radius = radius * (1.0 - 0.1 * (turned / TAU).min(9.0));
            let (sin, cos) = turned.sin_cos();
            std::array::from_fn(|axis| {
                through[axis] + radius * ((1.0 - cos) * across[axis] + sin * along[axis])
            })
        });
    }
}

/// A bundle: a closed curve through the ellipsoid. Each streamline of the bundle follows the curve at its own
/// distance.
struct Bundle {
    /// Points of the curve, one step apart.
    points: Vec<Vector>,
    /// `waists` is the number of narrow sections of the bundle along its curve, and `phase` the position of
    /// the first one.
    waists: f64,
    phase: f64,
}

impl Bundle {
    fn new(region: &Region, number: u64) -> Self {
        const FINE: usize = 8192;
        let mut random = Random::new(0, Purpose::Seeding, number);
        // The curve is the sum of its first and second harmonic around a random centre. Each curve is smooth
        // and closed, and no two curves are equal.
        let place = random.on_sphere().map(|c| 0.35 * c);
        let terms: [Vector; 4] = std::array::from_fn(|n| {
            let size = if n < 2 { 1.0 } else { 0.4 };
            random.on_sphere().map(|c| size * c)
        });
        let at = |turn: f64| -> Vector {
            let (s1, c1) = turn.sin_cos();
            let (s2, c2) = (2.0 * turn).sin_cos();
            let parts = [c1, s1, c2, s2];
            std::array::from_fn(|axis| (0..4).map(|n| parts[n] * terms[n][axis]).sum::<f64>())
        };
        let fine: Vec<Vector> = (0..=FINE).map(|n| at(TAU * n as f64 / FINE as f64)).collect();
        let furthest = fine.iter().map(|&p| norm(p)).fold(0.0, f64::max);
        let reach = (0.25 + 0.3 * random.uniform()) / furthest;
        let scaled: Vec<Vector> = fine
            .iter()
            .map(|p| {
                std::array::from_fn(|axis| {
                    region.middle[axis] + region.half[axis] * (place[axis] + reach * p[axis])
                })
            })
            .collect();
        // Resamples the curve, so that its points have equal distances along it.
        let mut lengths = vec![0.0];
        for pair in scaled.windows(2) {
            let apart: Vector = std::array::from_fn(|axis| pair[1][axis] - pair[0][axis]);
            lengths.push(lengths[lengths.len() - 1] + norm(apart));
        }
        let around = lengths[FINE];
        let count = (around / STEP).ceil().max(4.0);
        let points = (0..count as usize)
            .map(|n| scaled[lengths.partition_point(|&length| length < around * n as f64 / count).min(FINE)])
            .collect();
        Self { points, waists: 2.0 + random.below(3) as f64, phase: random.uniform() * TAU }
    }

    fn walk(&self, random: &mut Random, taker: &mut PieceCollector) {
        let offset: Vector = std::array::from_fn(|_| WIDTH * random.normal());
        let wobble = random.on_sphere();
        let (begin, phase) = (random.below(self.points.len()), random.uniform() * TAU);
        taker.follow(|n| {
            let place = (begin + n) % self.points.len();
            let turn = TAU * place as f64 / self.points.len() as f64;
            let spread = 1.0 + 0.75 * (self.waists * turn + self.phase).sin();
            // The distance of a streamline from the curve oscillates by ±0.4 mm every 2 cm, so that no two
            // streamlines are parallel.
            let sway = 0.2 * (0.31 * n as f64 + phase).sin();
            std::array::from_fn(|axis| self.points[place][axis] + spread * offset[axis] + sway * wobble[axis])
        });
    }
}

/// Collects the segments of one streamline in the voxels of the ellipsoid, until the streamline has the
/// requested number of segments.
struct PieceCollector<'a> {
    region: &'a Region,
    found: &'a mut Vec<(u32, Segment)>,
    required: usize,
    streamline: u32,
}

impl PieceCollector<'_> {
    /// Follows the points of a path from its first point, and collects the segments between them. Gives up
    /// after a large number of points if too few of them are inside the ellipsoid.
    fn follow(&mut self, point: impl Fn(usize) -> Vector) {
        let maximum = 100 * self.required + 1000;
        let mut from = point(0);
        for n in 1..maximum {
            if self.required == 0 {
                return;
            }
            let to = point(n);
            self.cut(from, to);
            from = to;
        }
    }

    /// Splits the straight line between two points at voxel boundaries, and collects its pieces. Along each
    /// axis, the line is shorter than a voxel.
    fn cut(&mut self, from: Vector, to: Vector) {
        let mut cuts = [0.0, 1.0, 1.0, 1.0, 1.0];
        for axis in 0..3 {
            let face = from[axis].floor().max(to[axis].floor());
            if face > from[axis].min(to[axis]) && face < from[axis].max(to[axis]) {
                cuts[axis + 1] = (face - from[axis]) / (to[axis] - from[axis]);
            }
        }
        cuts[1..4].sort_unstable_by(f64::total_cmp);
        for pair in cuts.windows(2) {
            let part = pair[1] - pair[0];
            let middle = f64::midpoint(pair[0], pair[1]);
            let voxel =
                self.region.number(std::array::from_fn(|axis| from[axis] + middle * (to[axis] - from[axis])));
            let piece: Vector = std::array::from_fn(|axis| VOXEL * part * (to[axis] - from[axis]));
            // Skips pieces shorter than 1 µm. They result from rounding errors where a line passes the corner
            // of a voxel.
            if voxel != u32::MAX && self.required > 0 && norm(piece) > 1e-3 {
                let piece = piece.map(|c| c as f32);
                self.found.push((voxel, Segment { piece, streamline: self.streamline }));
                self.required -= 1;
            }
        }
    }
}

/// The segments of some of the streamlines, sorted by voxel. Within each voxel, the segments keep the order
/// of the streamlines.
struct Sorted {
    voxel_starts: Vec<u32>,
    segments: Vec<Segment>,
}

impl Sorted {
    fn new(found: &[(u32, Segment)], voxels: usize) -> Self {
        let mut ends = vec![0; voxels + 1];
        for &(voxel, _) in found {
            ends[voxel as usize + 1] += 1;
        }
        for n in 0..voxels {
            ends[n + 1] += ends[n];
        }
        let voxel_starts: Vec<u32> = ends.clone();
        let mut segments = vec![Segment { piece: [0.0; 3], streamline: 0 }; found.len()];
        for &(voxel, segment) in found {
            let next = &mut ends[voxel as usize];
            segments[*next as usize] = segment;
            *next += 1;
        }
        Self { voxel_starts, segments }
    }

    fn of_voxel(&self, n: usize) -> &[Segment] {
        &self.segments[self.voxel_starts[n] as usize..self.voxel_starts[n + 1] as usize]
    }
}

/// Joins the segments of all groups of streamlines. Returns the index of the first segment of each voxel, and
/// all segments sorted by voxel and streamline.
fn merge(sorted: &[Sorted], size: &Size) -> (Vec<usize>, Vec<Segment>) {
    let mut voxel_starts = vec![0];
    for n in 0..size.voxels {
        let here: usize = sorted.iter().map(|piece| piece.of_voxel(n).len()).sum();
        voxel_starts.push(voxel_starts[n] + here);
    }
    let mut merged = vec![Segment { piece: [0.0; 3], streamline: 0 }; size.segments];
    let mut rest = merged.as_mut_slice();
    let mut places = Vec::with_capacity(size.voxels);
    for n in 0..size.voxels {
        let (here, after) = rest.split_at_mut(voxel_starts[n + 1] - voxel_starts[n]);
        places.push(here);
        rest = after;
    }
    places.into_par_iter().enumerate().with_min_len(256).for_each(|(n, mut place)| {
        for piece in sorted {
            let part = piece.of_voxel(n);
            let (here, after) = place.split_at_mut(part.len());
            here.copy_from_slice(part);
            place = after;
        }
    });
    (voxel_starts, merged)
}

fn unit(a: Vector) -> Vector {
    let length = norm(a).max(f64::MIN_POSITIVE);
    a.map(|c| c / length)
}
