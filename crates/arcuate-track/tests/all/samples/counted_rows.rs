//! Matrix rows that GPUs count during tracking equal the rows that the CPU counts from streamlines.

use crate::common::samples::{from_points, region};
use crate::samples::independence::{all_options, regions, seeds, table};
use crate::samples::many_regions::sheets;
use arcuate_compute::cuda::Gpus;
use arcuate_compute::{Device, DeviceStreamlineSink};
use arcuate_connect::{PassedElements, RowCounter, SeedRows};
use arcuate_core::{Axis, CollectedRows, ConnectivityMatrix, Control, ElementKind, Grid, Measure, Surface};
use arcuate_track::{
    Constraints, OrientationTable, Region, SampleOptions, SampleOutputs, SampleTracks, Seeds, track_samples,
};
use std::sync::Arc;

/// Creates a wavy sheet through the voxels, around this k.
fn sheet(grid: &Grid, k: f64) -> Surface {
    let (width, height) = (16u32, 15u32);
    let vertices = (0..width * height).map(|n| {
        let (i, j) = (2.0 * f64::from(n % width) - 0.5, 2.0 * f64::from(n / width) - 0.5);
        grid.affine().apply([i, j, k + 1.4 * (0.4 * i).sin() + (0.3 * j).cos()]).map(|c| c as f32)
    });
    let corner = |x: u32, y: u32| x + width * y;
    let squares = (0..height - 1).flat_map(|y| (0..width - 1).map(move |x| (x, y)));
    let triangles = squares.flat_map(|(x, y)| {
        let [a, b, c, d] = [corner(x, y), corner(x + 1, y), corner(x + 1, y + 1), corner(x, y + 1)];
        [[a, b, c], [a, c, d]]
    });
    Surface::new(vertices.collect(), triangles.collect(), None).unwrap()
}

/// Input of a tracking run, and the elements to count.
struct Case {
    name: &'static str,
    seeds: Seeds,
    constraints: Constraints,
    options: SampleOptions,
    elements: PassedElements,
    rows: SeedRows,
    row_count: usize,
    is_square: bool,
    measures: Vec<Measure>,
}

fn axis(n: usize) -> Axis {
    Axis::new(ElementKind::Element, (0..n as u64).collect(), Vec::new()).unwrap()
}

impl Case {
    /// Returns the matrix, the tracking results, and the number of counted streamlines.
    fn on(&self, table: &OrientationTable, device: &Device) -> (ConnectivityMatrix, SampleTracks, u64) {
        let all = std::iter::once(Measure::Count).chain(self.measures.iter().cloned()).collect();
        let mut collected = CollectedRows::new(axis(self.row_count), axis(self.elements.len()), all);
        let mut counter = RowCounter::new(
            &self.elements,
            self.rows.clone(),
            self.row_count,
            self.is_square,
            &self.measures,
            self.options.step_mm,
            &mut collected,
        )
        .unwrap();
        let outputs = SampleOutputs {
            map: Some((*table.grid(), None)),
            lengths: true,
            device_sink: Some(&mut counter as &mut dyn DeviceStreamlineSink),
            ..SampleOutputs::default()
        };
        let control = Control::default();
        let tracks =
            track_samples(table, &self.seeds, &self.constraints, &self.options, outputs, device, &control);
        let (tracks, counted) = (tracks.unwrap(), counter.streamlines());
        counter.finish().unwrap();
        (collected.finish().unwrap(), tracks, counted)
    }
}

fn cases(table: &OrientationTable) -> Vec<Case> {
    let grid = *table.grid();
    let few = regions(table);
    let plain = &all_options()[0];
    let mask = |inside: &dyn Fn([usize; 3]) -> bool| region("", &grid, inside).mask().unwrap().clone();
    let of_voxels = seeds(table, 5);
    let voxel_seeds = mask(&|[i, j, k]| (10..19).contains(&i) && (9..18).contains(&j) && k == 11);
    let rows_of_voxels = || SeedRows { each: 5, rows: None };
    let wall = |k: f64| Region::of_surface("wall", Arc::new(sheet(&grid, k)), None);
    let white = sheet(&grid, 11.0);
    let vertices: Vec<u32> = (0..white.vertices().len() as u32).collect();
    let on_white = |each: u32| {
        let points: Vec<[f64; 3]> = white.vertices().iter().map(|v| v.map(f64::from)).collect();
        from_points(&points[60..180], each)
    };

    let mut voxels = PassedElements::new(None);
    voxels.add_voxels(&voxel_seeds).unwrap();
    voxels.add_voxels(&mask(&|[i, _, k]| k != 11 && i % 3 == 1)).unwrap();
    voxels.add_voxels(&mask(&|[_, j, _]| j == 7)).unwrap();
    let mut overlapping = PassedElements::new(None);
    for n in 1..6 {
        overlapping.add_region(&mask(&|[i, j, k]| (i + j + k) % n == 0)).unwrap();
    }
    // Each point is in all of these regions, which are more than a lane can store.
    let mut everywhere = PassedElements::new(None);
    for n in 0..150 {
        everywhere.add_region(&mask(&|[i, j, k]| i + j + k >= n / 25)).unwrap();
    }
    let with_vertices = |seeds_first: bool| {
        let mut elements = PassedElements::new(None);
        let of_seeds: Vec<u32> = if seeds_first { (60..180).collect() } else { vertices.clone() };
        elements.add_vertices(&white, &of_seeds).unwrap();
        elements.add_voxels(&mask(&|[i, j, k]| (i + j + k) % 4 == 0)).unwrap();
        elements
    };
    let far = Constraints { targets: sheets(&grid, 40, 0), ..few.clone() };
    let lengths = vec![Measure::MeanLength];
    vec![
        Case {
            name: "voxels by voxels",
            seeds: of_voxels.clone(),
            constraints: few.clone(),
            options: plain.clone(),
            row_count: voxel_seeds.indices().len(),
            elements: voxels,
            rows: rows_of_voxels(),
            is_square: true,
            measures: lengths.clone(),
        },
        Case {
            name: "voxels by regions that overlap, more regions than a word has bits",
            seeds: of_voxels.clone(),
            constraints: far.clone(),
            options: all_options()[1].clone(),
            row_count: voxel_seeds.indices().len(),
            elements: overlapping,
            rows: rows_of_voxels(),
            is_square: false,
            measures: Vec::new(),
        },
        Case {
            name: "vertices by vertices and voxels, to a wall",
            seeds: on_white(4),
            constraints: Constraints { stop: vec![wall(15.0)], ..Constraints::default() },
            options: plain.clone(),
            row_count: 120,
            elements: with_vertices(true),
            rows: SeedRows { each: 4, rows: None },
            is_square: true,
            measures: Vec::new(),
        },
        Case {
            name: "regions by vertices and voxels, to walls, more regions than a word has bits",
            seeds: on_white(4),
            constraints: Constraints { stop: vec![wall(15.0)], avoid: vec![wall(4.0)], ..far },
            options: plain.clone(),
            row_count: 4,
            elements: with_vertices(false),
            rows: SeedRows { each: 4, rows: Some((0..120).map(|seed| seed / 30).collect()) },
            is_square: false,
            measures: lengths.clone(),
        },
        Case {
            name: "voxels by vertices, without a wall",
            seeds: of_voxels.clone(),
            constraints: few.clone(),
            options: all_options()[3].clone(),
            row_count: voxel_seeds.indices().len(),
            elements: with_vertices(false),
            rows: rows_of_voxels(),
            is_square: false,
            measures: lengths.clone(),
        },
        Case {
            name: "streamlines that meet more than there is room for",
            seeds: of_voxels,
            constraints: few,
            options: plain.clone(),
            row_count: voxel_seeds.indices().len(),
            elements: everywhere,
            rows: rows_of_voxels(),
            is_square: false,
            measures: lengths,
        },
    ]
}

#[test]
fn gpu_rows_agree_with_the_cpu() {
    if !arcuate_emulation::available("gpu_rows_agree_with_the_cpu") {
        return;
    }
    let table = table();
    let mut devices = vec![("a GPU", Device::Cuda(Gpus::open(&[0]).unwrap()))];
    // Two GPUs are tested, if available.
    devices.extend(Gpus::open(&[0, 1]).ok().map(|gpus| ("two GPUs", Device::Cuda(gpus))));
    for case in cases(&table) {
        let (expected, tracks, counted) = case.on(&table, &Device::Cpu);
        assert!(tracks.summary.streamlines > 50, "{}: {:?}", case.name, tracks.summary);
        assert_eq!(counted, tracks.summary.streamlines, "{}", case.name);
        let entries = expected.pattern().unwrap().columns.len();
        assert!(entries > 20, "{}: {entries} entries", case.name);
        for (which, device) in &devices {
            let (found, on_gpu, counted) = case.on(&table, device);
            assert!(on_gpu.device_name != "the processor", "{}", case.name);
            assert_eq!(on_gpu.summary, tracks.summary, "{}, {which}", case.name);
            assert_eq!(counted, tracks.summary.streamlines, "{}, {which}", case.name);
            assert!(
                on_gpu.map == tracks.map && on_gpu.target_hits == tracks.target_hits,
                "{}, {which}: other counts",
                case.name
            );
            assert!(found == expected, "{}, {which}: other rows", case.name);
        }
    }
}
