//! Tests with cases that were computed by hand: streamlines along a row of voxels and through sheets of
//! triangles.

use super::{PairCounter, PairMemory, PassedElements, RowCounter, SeedRows};
use crate::EntrySum;
use arcuate_core::{
    Affine, Axis, CollectedRows, ConnectivityMatrix, ElementKind, Grid, Mapping, Mask, Measure, Point,
    SeedOf, StreamlineBatch, StreamlineSink, Surface,
};
use std::sync::Arc;

/// Creates a mask of the listed voxels. The grid has eight voxels of 2 mm along x, with centres at 0, 2, … 14
/// mm.
fn mask(inside: &[usize]) -> Mask {
    let grid = Grid::new([8, 1, 1], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
    Mask::new(grid, (0..8).map(|voxel| inside.contains(&voxel)).collect()).unwrap()
}

fn axis(n: usize) -> Axis {
    Axis::new(ElementKind::Element, (0..n as u64).collect(), Vec::new()).unwrap()
}

/// Streamlines, with the number of each streamline's seed and the index of its seed point.
#[derive(Default)]
struct Lines {
    offsets: Vec<u64>,
    points: Vec<Point>,
    seeds: Vec<SeedOf>,
}

impl Lines {
    fn new(lines: &[(u64, u32, Vec<Point>)]) -> Self {
        let mut all = Self { offsets: vec![0], ..Self::default() };
        for (number, point, line) in lines {
            all.points.extend(line);
            all.offsets.push(all.points.len() as u64);
            all.seeds.push(SeedOf { number: *number, point: *point });
        }
        all
    }

    fn batch(&self) -> StreamlineBatch<'_> {
        StreamlineBatch::new(&self.offsets, &self.points).with_seeds(&self.seeds)
    }
}

/// Creates a streamline along the x axis with points at these positions in mm.
fn along(x: &[f32]) -> Vec<Point> {
    x.iter().map(|&x| [x, 0.0, 0.0]).collect()
}

const MEASURES: [Measure; 2] = [Measure::MeanLength, Measure::Count];

fn lengths() -> Vec<Measure> {
    vec![Measure::MeanLength, Measure::Sum("length".to_owned())]
}

fn all_measures() -> Vec<Measure> {
    [vec![Measure::Count], lengths()].concat()
}

fn rows(
    columns: &PassedElements,
    rows: usize,
    seeds: SeedRows,
    is_square: bool,
    lines: &Lines,
    parts: &[usize],
) -> ConnectivityMatrix {
    let mut collected = CollectedRows::new(axis(rows), axis(columns.len()), all_measures());
    let mut counter =
        RowCounter::new(columns, seeds, rows, is_square, &lengths(), 0.5, &mut collected).unwrap();
    let mut first = 0;
    for &end in parts {
        counter.take(lines.batch().part(first..end)).unwrap();
        first = end;
    }
    assert_eq!(counter.streamlines(), lines.seeds.len() as u64);
    let entries = counter.finish().unwrap();
    let matrix = collected.finish().unwrap();
    assert_eq!(matrix.pattern().unwrap().columns.len() as u64, entries);
    matrix
}

fn whole(matrix: &ConnectivityMatrix, measure: &Measure) -> Vec<Vec<f64>> {
    let [rows, columns] = matrix.shape();
    let row = |row| (0..columns).map(|column| matrix.get(measure, row, column).unwrap()).collect();
    (0..rows).map(row).collect()
}

/// Creates two streamlines for each of two seeds, in the voxels at 4 mm and 8 mm. The third seed, at 12 mm,
/// has none.
fn four() -> Lines {
    Lines::new(&[
        // This streamline goes from its seed at 4 mm to 2 mm and to 7.5 mm. It passes the voxels 1, 2, 3 and
        // 4.
        (0, 2, along(&[2.0, 3.0, 4.0, 5.5, 6.5, 7.5])),
        // This streamline has one half only. It passes the voxel of the second seed twice.
        (1, 0, along(&[4.0, 8.0, 6.0, 8.0])),
        // Both halves of this streamline pass the voxel at 4 mm: after three steps in the first half, and
        // after one in the second.
        (2, 3, along(&[4.5, 6.0, 7.0, 8.0, 4.0])),
        (3, 0, along(&[8.0])),
    ])
}

#[test]
fn seeds_by_seeds_excludes_the_own_seed() {
    let mut seeds = PassedElements::new(None);
    seeds.add_voxels(&mask(&[2, 4, 6])).unwrap();
    let each = SeedRows { each: 2, rows: None };
    for parts in [&[4][..], &[1, 2, 3, 4], &[3, 4]] {
        let matrix = rows(&seeds, 3, each.clone(), true, &four(), parts);
        assert_eq!(whole(&matrix, &Measure::Count), [[0.0, 2.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3]]);
        // The two streamlines of the first seed reach the second seed after three steps and one step of 0.5
        // mm. The streamline of the second seed reaches the first seed after three steps, in its first half.
        assert_eq!(whole(&matrix, &Measure::MeanLength), [[0.0, 1.0, 0.0], [1.5, 0.0, 0.0], [0.0; 3]]);
        let sums = whole(&matrix, &Measure::Sum("length".to_owned()));
        assert_eq!(sums, [[0.0, 2.0, 0.0], [1.5, 0.0, 0.0], [0.0; 3]]);
    }
}

#[test]
fn seeds_by_targets_includes_the_seed_voxel() {
    let mut targets = PassedElements::new(None);
    targets.add_voxels(&mask(&[1, 2, 3, 4])).unwrap();
    let matrix = rows(&targets, 3, SeedRows { each: 2, rows: None }, false, &four(), &[4]);
    assert_eq!(whole(&matrix, &Measure::Count)[0], [1.0, 2.0, 2.0, 2.0]);
    assert_eq!(whole(&matrix, &Measure::Count)[1], [0.0, 1.0, 1.0, 2.0]);
    // The mean lengths have steps of 0.5 mm. The voxel at 2 mm is reached after two steps, and the seed's own
    // voxel after none. The voxel at 6 mm is reached after one and two steps, and the voxel at 8 mm after
    // three steps and one.
    assert_eq!(whole(&matrix, &Measure::MeanLength)[0], [1.0, 0.0, 0.75, 1.0]);
    assert_eq!(whole(&matrix, &Measure::MeanLength)[1], [0.0, 1.5, 1.0, 0.0]);
}

#[test]
fn points_are_mapped_to_the_space_of_the_elements() {
    let mut targets =
        PassedElements::new(Some(Arc::new(Mapping::affine(Affine::scaling([1.0; 3], [4.0, 0.0, 0.0])))));
    targets.add_voxels(&mask(&[1, 2, 3, 4])).unwrap();
    let matrix = rows(&targets, 2, SeedRows { each: 2, rows: None }, false, &four(), &[4]);
    assert_eq!(whole(&matrix, &Measure::Count), [[0.0, 0.0, 1.0, 2.0], [0.0, 0.0, 0.0, 1.0]]);
}

#[test]
fn regions_may_overlap_and_have_rows_of_several_seeds() {
    let mut regions = PassedElements::new(None);
    for inside in [&[0, 1, 2][..], &[2, 3], &[4, 5], &[2, 3, 4]] {
        regions.add_region(&mask(inside)).unwrap();
    }
    assert_eq!(regions.len(), 4);
    // Each streamline has its own seed. The first two seeds are in region 0, the others in region 2.
    let seeds = SeedRows { each: 1, rows: Some(vec![0, 0, 2, 2]) };
    let matrix = rows(&regions, 4, seeds, true, &four(), &[4]);
    let none = [0.0; 4];
    assert_eq!(whole(&matrix, &Measure::Count), [[0.0, 2.0, 2.0, 2.0], none, [1.0, 1.0, 0.0, 1.0], none]);
    // The second streamline begins in voxel 2, which belongs to the regions 1 and 3, but the seed point does
    // not count. It passes region 3 after one step, and region 1 after two.
    assert_eq!(whole(&matrix, &Measure::MeanLength)[0], [0.0, 0.75, 1.0, 0.5]);
}

/// Creates a square sheet of two triangles perpendicular to the x axis, at this x. Its vertices are 0 to 3.
/// The diagonal from vertex 0 to vertex 2 crosses the axis.
fn sheet(x: f32) -> Surface {
    let vertices = vec![[x, -4.0, -4.0], [x, 4.0, -4.0], [x, 4.0, 4.0], [x, -4.0, 4.0]];
    Surface::new(vertices, vec![[0, 1, 2], [0, 2, 3]], None).unwrap()
}

#[test]
fn all_vertices_of_a_crossed_triangle_are_passed() {
    let mut elements = PassedElements::new(None);
    // The elements 0 to 2 are the vertices 0, 2 and 3 of the sheet at 3 mm. Element 3 is vertex 3 of the
    // sheet at 7 mm.
    elements.add_vertices(&sheet(3.0), &[0, 2, 3]).unwrap();
    elements.add_vertices(&sheet(7.0), &[3]).unwrap();
    let line = |y: f32, z: f32, x: &[f32]| -> Vec<Point> { x.iter().map(|&x| [x, y, z]).collect() };
    let lines = Lines::new(&[
        // This streamline passes only the triangle 0 1 2 of the first sheet. It ends on the second sheet, in
        // the triangle without vertex 3.
        (0, 0, line(1.0, -1.0, &[1.0, 2.0, 4.0, 7.0])),
        // This streamline passes only the triangle 0 2 3 of the first sheet.
        (1, 0, line(-1.0, 1.0, &[1.0, 3.0, 4.0])),
        // This streamline starts on the first sheet and moves away from it, which does not count. Then it
        // reaches the second sheet.
        (2, 0, line(-1.0, 1.0, &[3.0, 5.0, 8.0])),
        // This streamline passes through the common edge of both triangles, from the other side.
        (3, 2, line(0.0, 0.0, &[1.0, 2.5, 5.0, 5.0])),
    ]);
    let matrix = rows(&elements, 4, SeedRows { each: 1, rows: None }, false, &lines, &[4]);
    let expected = [[1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.0]];
    assert_eq!(whole(&matrix, &Measure::Count), expected);
    assert_eq!(whole(&matrix, &Measure::MeanLength)[0], [1.0, 1.0, 0.0, 0.0]);
    assert_eq!(whole(&matrix, &Measure::MeanLength)[3], [0.5, 0.5, 0.5, 0.0]);
    // If rows and columns have the same elements, triangles with the seed's own vertex do not count. The
    // first two seeds are vertices of both triangles, so that their streamlines pass nothing.
    let matrix = rows(&elements, 4, SeedRows { each: 1, rows: None }, true, &lines, &[4]);
    let expected = [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [1.0, 1.0, 1.0, 0.0]];
    assert_eq!(whole(&matrix, &Measure::Count), expected);
}

#[test]
fn regions_consist_of_triangles_and_interiors() {
    let mut regions = PassedElements::new(None);
    regions.add_triangles(&sheet(3.0), &[0]).unwrap();
    regions.add_triangles(&sheet(3.0), &[1]).unwrap();
    let [x, y, z] = [4.5, -2.0, -2.0];
    let tetrahedron = vec![[x, y, z], [x + 9.0, y, z], [x, y + 9.0, z], [x, y, z + 9.0]];
    let tetrahedron =
        Surface::new(tetrahedron, vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]], None).unwrap();
    regions.add_inside(&[Arc::new(tetrahedron)]).unwrap();
    let lines = Lines::new(&[
        (0, 0, vec![[2.0, 1.0, -1.0], [4.0, 1.0, -1.0], [5.0, 1.0, -1.0]]),
        (1, 0, vec![[2.0, -1.0, 1.0], [4.0, -1.0, 1.0], [20.0, -1.0, 1.0]]),
    ]);
    let seeds = SeedRows { each: 1, rows: None };
    let matrix = rows(&regions, 2, seeds, false, &lines, &[2]);
    assert_eq!(whole(&matrix, &Measure::Count), [[1.0, 0.0, 1.0], [0.0, 1.0, 0.0]]);
}

#[test]
fn pairs_are_passed_by_the_same_streamline() {
    let mut a = PassedElements::new(None);
    a.add_voxels(&mask(&[1, 2, 4])).unwrap();
    let mut b = PassedElements::new(None);
    b.add_voxels(&mask(&[3, 4])).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (most_bytes, folder) in [(0, None), (0, Some(folder.path())), (u64::MAX, None)] {
        let memory = PairMemory { most_bytes, folder };
        let symmetric = (&a, axis(3));
        let mut counter = PairCounter::new(symmetric, None, &lengths(), 0.5, memory).unwrap();
        counter.take(four().batch().part(0..3)).unwrap();
        counter.take(four().batch().part(3..4)).unwrap();
        assert_eq!(counter.streamlines(), 4);
        let mut collected = CollectedRows::new(axis(3), axis(3), all_measures());
        counter.pass_rows(&mut collected).unwrap();
        let matrix = collected.finish().unwrap();
        // The first streamline passes the voxels 1, 2 and 4. The second passes voxel 4, and does not return
        // to voxel 2, where it begins. The third passes the voxels 2 and 4.
        assert_eq!(whole(&matrix, &Measure::Count), [[0.0, 1.0, 1.0], [1.0, 0.0, 2.0], [1.0, 2.0, 0.0]]);
        // Lengths are in steps of 0.5 mm. From voxel 1 to voxel 4, the first streamline has two steps before
        // its seed and three after it. From voxel 2 to voxel 4, it has one and three. The third streamline
        // has three minus one.
        assert_eq!(matrix.get(&Measure::MeanLength, 0, 2), Some(2.5));
        assert_eq!(matrix.get(&Measure::MeanLength, 1, 2), Some(1.5));

        let columns = Some((&b, axis(2)));
        let mut counter = PairCounter::new((&a, axis(3)), columns, &lengths(), 0.5, memory).unwrap();
        counter.take(four().batch()).unwrap();
        let mut collected = CollectedRows::new(axis(3), axis(2), all_measures());
        counter.pass_rows(&mut collected).unwrap();
        let matrix = collected.finish().unwrap();
        // The first streamline passes the row voxels 1, 2 and 4, the second 4, and the third 2 and 4. All
        // three pass both column voxels, 3 and 4.
        assert_eq!(whole(&matrix, &Measure::Count), [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]);
        let lengths = whole(&matrix, &Measure::MeanLength);
        assert_eq!(lengths, [[1.5, 2.5], [0.75, 1.5], [2.0 / 3.0, 0.0]]);
    }
}

#[test]
fn pairs_of_partial_runs_add_up() {
    let mut a = PassedElements::new(None);
    a.add_voxels(&mask(&[1, 2, 4])).unwrap();
    let mut b = PassedElements::new(None);
    b.add_voxels(&mask(&[3, 4])).unwrap();
    for columns in [None, Some((&b, axis(2)))] {
        for most_bytes in [0, u64::MAX] {
            let memory = PairMemory { most_bytes, folder: None };
            let none = || PairCounter::new((&a, axis(3)), columns.clone(), &lengths(), 0.5, memory).unwrap();
            let matrix = |counter: PairCounter<'_>| {
                let of_columns = columns.as_ref().map_or_else(|| axis(3), |(_, axis)| axis.clone());
                let mut collected = CollectedRows::new(axis(3), of_columns, all_measures());
                counter.pass_rows(&mut collected).unwrap();
                let matrix = collected.finish().unwrap();
                MEASURES.map(|measure| whole(&matrix, &measure))
            };
            let mut all = none();
            all.take(four().batch()).unwrap();
            let mut sum = none();
            for part in [0..1, 1..4] {
                let mut counter = none();
                counter.take(four().batch().part(part)).unwrap();
                counter.for_each_entry_sum(|entry| sum.add(entry)).unwrap();
            }
            let beyond = EntrySum { row: 3, column: 0, count: 1, length: 1 };
            assert!(sum.add(beyond).is_err());
            assert!(sum.add(EntrySum { row: 0, column: 3, ..beyond }).is_err());
            assert_eq!(matrix(sum), matrix(all), "{most_bytes}");
        }
    }
}

#[test]
fn empty_requests_are_rejected() {
    let mut elements = PassedElements::new(None);
    elements.add_voxels(&mask(&[2])).unwrap();
    let each = || SeedRows { each: 1, rows: Some(vec![0, 1, 1]) };
    let none = PairMemory { most_bytes: 0, folder: None };
    let mut collected = CollectedRows::new(axis(2), axis(1), all_measures());
    for (measures, step) in [(&MEASURES[..], 0.5), (&MEASURES[..1], 0.0), (&MEASURES[..1], f64::NAN)] {
        assert!(RowCounter::new(&elements, each(), 4, false, measures, step, &mut collected).is_err());
    }
    assert!(PairCounter::new((&elements, axis(2)), None, &[], 0.5, none).is_err());
    let mut counter = RowCounter::new(&elements, each(), 4, false, &[], 0.5, &mut collected).unwrap();
    let lines = Lines::new(&[(1, 0, along(&[4.0])), (0, 0, along(&[4.0]))]);
    let without = StreamlineBatch::new(&lines.offsets, &lines.points);
    assert!(counter.take(without).unwrap_err().problem().contains("no seed numbers"));
    let error = counter.take(lines.batch()).unwrap_err();
    assert_eq!(
        error.problem(),
        "the seed of streamline 0 is not a row of the matrix, or is not in the order of the rows"
    );
    let beyond = Lines::new(&[(3, 0, along(&[4.0]))]);
    assert!(counter.take(beyond.batch()).is_err());
    let mut pairs = PairCounter::new((&elements, axis(1)), None, &[], 0.5, none).unwrap();
    assert!(pairs.take(without).is_err());
}
