//! Tests that GPUs count the same matrix rows as the CPU. Elements are voxels, overlapping regions and
//! vertices. Some are in a space to which a displacement field maps the streamlines. Streamlines arrive in
//! one batch or in many.

use arcuate_compute::cuda::{Gpu, Gpus};
use arcuate_compute::{DeviceStreamlineSink, Purpose, Random, StreamlineBatchOnGpu, StreamlineSpan};
use arcuate_connect::{PassedElements, RowCounter, SeedRows};
use arcuate_core::{
    Affine, Axis, CollectedRows, ConnectivityMatrix, ElementKind, Grid, Mapping, Mask, Measure, Point,
    SeedOf, StreamlineBatch, StreamlineSink, Surface, Volume,
};
use std::sync::Arc;

/// Number of streamlines of each seed.
const EACH: u64 = 7;
const SEEDS: u64 = 60;
const STEP_MM: f64 = 0.5;

/// Streamlines in the order of their numbers. Some numbers have no streamline.
struct Lines {
    numbers: Vec<u64>,
    offsets: Vec<u64>,
    points: Vec<Point>,
    seeds: Vec<SeedOf>,
}

impl Lines {
    /// Creates crooked streamlines with steps of 0.5 mm and with one to 90 points. One of them jumps and
    /// passes thousands of voxels.
    fn new() -> Self {
        let mut random = Random::new(11, Purpose::Resampling, 0);
        let mut all = Self { numbers: vec![], offsets: vec![0], points: vec![], seeds: vec![] };
        for number in 0..SEEDS * EACH {
            if number % 5 == 3 {
                continue;
            }
            let jumps = number == 100;
            let count = if jumps { 4_000 } else { 1 + random.below(90) };
            let seed = random.below(count);
            let place = |random: &mut Random| [(); 3].map(|()| (28.0 * random.uniform() - 4.0) as f32);
            let mut here = place(&mut random);
            let mut direction = random.on_sphere();
            for _ in 0..count {
                all.points.push(here);
                let turn = random.on_sphere();
                direction = std::array::from_fn(|n| direction[n] + 0.4 * turn[n]);
                let length = direction.iter().map(|c| c * c).sum::<f64>().sqrt();
                direction = direction.map(|c| c / length);
                here = std::array::from_fn(|n| here[n] + (STEP_MM * direction[n]) as f32);
                if jumps {
                    // A jump is along one axis, so that only few cells of triangles must be searched.
                    let to = place(&mut random);
                    let axis = random.below(3);
                    here[axis] = to[axis];
                }
            }
            all.offsets.push(all.points.len() as u64);
            all.numbers.push(number);
            all.seeds.push(SeedOf { number, point: seed as u32 });
        }
        all
    }

    fn batch(&self) -> StreamlineBatch<'_> {
        StreamlineBatch::new(&self.offsets, &self.points).with_seeds(&self.seeds)
    }

    /// Passes the streamlines with some numbers to the counter as tracking on a GPU creates them. They are in
    /// another order, and unused points are between them.
    fn give(&self, gpu: &Gpu, numbers: std::ops::Range<u64>, counter: &mut RowCounter<'_>) {
        let (mut spans, mut positions) = (Vec::new(), vec![f32::NAN; 5 * 3]);
        for n in (0..self.numbers.len()).rev().filter(|&n| numbers.contains(&self.numbers[n])) {
            let points = self.batch().streamline(n);
            let begin = positions.len() as u64 / 3;
            let (number, seed) = (self.numbers[n], self.seeds[n].point);
            spans.push(StreamlineSpan { begin, number, points: points.len() as u32, seed });
            positions.extend(points.iter().flatten());
            positions.extend([f32::NAN; 3]);
        }
        let stream = gpu.stream().unwrap();
        let spans = gpu.upload(&stream, &spans).unwrap();
        let positions = gpu.upload(&stream, &positions).unwrap();
        let (spans, positions) = (spans.view(), positions.view());
        counter.take_on_gpu(StreamlineBatchOnGpu { stream: &stream, spans, numbers, positions }).unwrap();
        stream.synchronize().unwrap();
    }
}

fn axis(n: usize) -> Axis {
    Axis::new(ElementKind::Element, (0..n as u64).collect(), Vec::new()).unwrap()
}

/// Creates a mask on a grid of oblique voxels. It has the voxels whose number has the remainder `rest` when
/// divided by `of`.
fn mask(shape: [usize; 3], rest: usize, of: usize) -> Mask {
    let rows = [[0.9, 0.1, 0.0, -0.5], [-0.1, 1.1, 0.1, 0.3], [0.05, 0.0, 1.2, -1.0]];
    let grid = Grid::new(shape, Affine::from_rows(rows).unwrap()).unwrap();
    Mask::new(grid, (0..grid.len()).map(|voxel| voxel % of == rest).collect()).unwrap()
}

/// Creates a wavy sheet of many triangles.
fn sheet() -> Surface {
    let (width, height) = (14u32, 13u32);
    let vertices = (0..width * height).map(|n| {
        let (x, y) = ((n % width) as f32 * 1.7 - 1.0, (n / width) as f32 * 1.9 - 2.0);
        [x, y, 10.0 + 3.0 * (0.5 * x).sin() + 2.0 * (0.7 * y).cos()]
    });
    let corner = |x: u32, y: u32| x + width * y;
    let squares = (0..height - 1).flat_map(|y| (0..width - 1).map(move |x| (x, y)));
    let triangles = squares.flat_map(|(x, y)| {
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
        [[a, b, c], [a, c, d]]
    });
    Surface::new(vertices.collect(), triangles.collect(), None).unwrap()
}

/// Returns a mapping into a space that is rotated, shifted and slightly warped.
fn mapping() -> Arc<Mapping> {
    let rows = [[0.98, 0.05, 0.0, 1.0], [-0.05, 1.02, 0.02, -0.7], [0.0, 0.01, 0.97, 0.4]];
    let grid = Grid::new([6, 7, 5], Affine::scaling([5.0; 3], [-4.0; 3])).unwrap();
    let values = (0..grid.len() * 3).map(|n| 0.8 * (n as f32 * 0.37).sin()).collect();
    let displacement = Some(Volume::new(grid, 3, values).unwrap());
    Arc::new(Mapping { affine: Affine::from_rows(rows).unwrap(), displacement })
}

/// Returns the test cases. Each has a name, the elements (columns), the rows of the seeds, the number of
/// rows, and whether rows and columns have the same elements.
fn cases() -> Vec<(&'static str, PassedElements, SeedRows, usize, bool)> {
    let of_seeds = || SeedRows { each: EACH, rows: None };
    let mut voxels = PassedElements::new(None);
    voxels.add_voxels(&mask([20, 20, 18], 1, 2)).unwrap();
    let mut square = PassedElements::new(Some(mapping()));
    square.add_voxels(&mask([5, 4, 6], 2, 4)).unwrap();
    square.add_vertices(&sheet(), &(0..30).map(|n| 5 * n).collect::<Vec<u32>>()).unwrap();
    assert_eq!(square.len() as u64, SEEDS);
    let mut regions = PassedElements::new(Some(mapping()));
    for (rest, of) in [(0, 2), (1, 3), (0, 5)] {
        regions.add_region(&mask([20, 20, 18], rest, of)).unwrap();
    }
    regions.add_triangles(&sheet(), &(0..150).collect::<Vec<u32>>()).unwrap();
    regions.add_region(&mask([9, 9, 9], 3, 4)).unwrap();
    let of_regions = SeedRows { each: EACH, rows: Some((0..SEEDS as u32).map(|seed| seed / 15).collect()) };
    vec![
        ("seeds by voxels", voxels, of_seeds(), SEEDS as usize, false),
        ("seeds by seeds, voxels and vertices", square, of_seeds(), SEEDS as usize, true),
        ("regions by regions", regions, of_regions, 5, true),
    ]
}

fn count(
    elements: &PassedElements,
    seeds: &SeedRows,
    rows: usize,
    is_square: bool,
    measures: &[Measure],
    work: impl FnOnce(&mut RowCounter<'_>),
) -> ConnectivityMatrix {
    let all: Vec<Measure> = std::iter::once(Measure::Count).chain(measures.iter().cloned()).collect();
    let mut collected = CollectedRows::new(axis(rows), axis(elements.len()), all);
    let mut counter =
        RowCounter::new(elements, seeds.clone(), rows, is_square, measures, STEP_MM, &mut collected).unwrap();
    assert!(counter.has_kernel());
    work(&mut counter);
    counter.finish().unwrap();
    collected.finish().unwrap()
}

#[test]
fn gpu_rows_agree_with_the_cpu() {
    if !arcuate_emulation::available("rows that GPUs count") {
        return;
    }
    let lines = Lines::new();
    let all = SEEDS * EACH;
    for (what, elements, seeds, rows, is_square) in cases() {
        for measures in [vec![], vec![Measure::MeanLength]] {
            let on_host = |counter: &mut RowCounter<'_>| {
                counter.take(lines.batch()).unwrap();
                assert_eq!(counter.streamlines(), lines.numbers.len() as u64);
            };
            let expected = count(&elements, &seeds, rows, is_square, &measures, on_host);
            let entries = expected.pattern().unwrap().columns.len();
            assert!(entries > 15, "{what}: {entries} entries");
            for ordinals in [&[0][..], &[0, 1]] {
                // Continues only if there is a second GPU.
                let Ok(gpus) = Gpus::open(ordinals) else { continue };
                // The streamlines are counted in four ways: in one piece; in pieces that end within rows; a
                // second time after a GPU has failed; and in parts. Each part is completed before the next
                // one begins, so that parts end where rows end.
                let parts = [(4 * EACH, false, true)].into_iter().filter(|_| seeds.rows.is_none());
                let pieces = [(all, false, false), (53, false, false), (100, true, false)];
                for (piece, fails, in_parts) in pieces.into_iter().chain(parts) {
                    let found = count(&elements, &seeds, rows, is_square, &measures, |counter| {
                        for gpu in gpus.iter() {
                            assert!(counter.begin_on(gpu).unwrap().unwrap() >= EACH);
                        }
                        let mut begin = 0;
                        while begin < all {
                            let end = all.min(begin + piece);
                            let share = (end - begin).div_ceil(gpus.len() as u64);
                            for (n, gpu) in gpus.iter().enumerate() {
                                let first = end.min(begin + n as u64 * share);
                                // Each GPU gets its share of the streamlines in two batches.
                                let last = end.min(first + share);
                                let middle = u64::midpoint(first, last);
                                lines.give(gpu, first..middle, counter);
                                lines.give(gpu, middle..last, counter);
                            }
                            if fails && end > all / 2 {
                                counter.forget();
                                return on_host(counter);
                            }
                            counter.done_below(end).unwrap();
                            if in_parts {
                                counter.collect().unwrap();
                                counter.pause().unwrap();
                                for gpu in gpus.iter() {
                                    counter.begin_on(gpu).unwrap();
                                }
                            }
                            begin = end;
                        }
                        counter.collect().unwrap();
                        assert_eq!(counter.streamlines(), lines.numbers.len() as u64);
                    });
                    assert!(found == expected, "{what}, {measures:?}, {ordinals:?}, pieces of {piece}");
                }
            }
        }
    }
}

#[test]
fn rows_are_limited_by_memory() {
    if !arcuate_emulation::available("rows in little memory") {
        return;
    }
    let mut voxels = PassedElements::new(None);
    voxels.add_voxels(&mask([20, 20, 18], 1, 2)).unwrap();
    let seeds = SeedRows { each: EACH, rows: None };
    let mut maximum = Vec::new();
    for cap in [None, Some(1 << 18), Some(1 << 17)] {
        let gpu = Gpus::open(&[0]).unwrap().with_memory_cap(cap);
        count(&voxels, &seeds, SEEDS as usize, false, &[], |counter| {
            maximum.push(counter.begin_on(gpu.first()).unwrap().unwrap() / EACH);
        });
    }
    // With enough memory, all rows of the 60 seeds fit. A row has 3,600 columns of 4 bytes. The elements of
    // the voxels need memory, too.
    assert_eq!(maximum[0], SEEDS - 1);
    assert!(maximum[1] < 18 && maximum[2] < maximum[1] && maximum[2] >= 1, "{maximum:?}");
}
