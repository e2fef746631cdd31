//! Surfaces as regions. Results of each rule are computed by hand in a straight field, as in `rules.rs`.
//! Results in complex fields are compared with tests of single segments, and GPU results with CPU results.

use crate::common::samples::{field, follow, from_points, oblique, points, tangled, unit_grid};
use crate::samples::independence::{all_options, regions, table};
use crate::samples::many_regions::{compare, sheets};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Affine, Control, Point, Surface, SurfaceGeometry};
use arcuate_track::{
    Constraints, Mapping, OrientationTable, PlacedConstraints, Region, RegionTest, SampleOptions,
    SampleOutputs, Seeds, WaypointCondition, track_samples,
};
use std::sync::Arc;

const SHAPE: [usize; 3] = [40, 3, 3];

/// Creates a closed box around the field, between two x.
fn cuboid(x: [f32; 2]) -> Arc<Surface> {
    let vertices = (0..8).map(|n| [x[n & 1], [-5.0, 8.0][n >> 1 & 1], [-6.0, 9.0][n >> 2]]);
    let triangles = vec![
        [0, 2, 1],
        [1, 2, 3],
        [4, 5, 6],
        [5, 7, 6],
        [0, 1, 4],
        [1, 5, 4],
        [2, 6, 3],
        [3, 6, 7],
        [0, 4, 2],
        [2, 4, 6],
        [1, 3, 5],
        [3, 7, 5],
    ];
    let surface = Surface::new(vertices.collect(), triangles, None).unwrap();
    surface.require_closed("box").unwrap();
    Arc::new(surface)
}

/// Region of the walls of a box.
fn walls(from: f32, to: f32) -> Region {
    Region::of_surface("walls", cuboid([from, to]), None)
}

/// Region of an open wall across x.
fn wall(x: f32) -> Region {
    let vertices = vec![[x, -5.0, -6.0], [x, 8.0, -6.0], [x, -5.0, 9.0], [x, 8.0, 9.0]];
    let wall = Surface::new(vertices, vec![[0, 1, 2], [1, 3, 2]], None).unwrap();
    Region::of_surface("wall", Arc::new(wall), None)
}

/// Region of the interior of a box.
fn within(from: f32, to: f32) -> Region {
    Region::inside_of("inside", cuboid([from, to]), None, None).unwrap()
}

fn ends_from(x: f64, regions: &Constraints, device: &Device) -> Option<[f32; 2]> {
    let table = field(&unit_grid(SHAPE), |_| [1.0, 0.0, 0.0]);
    let options = SampleOptions { step_mm: 1.0, nearest: true, ..SampleOptions::default() };
    let (streamlines, tracks) = follow(&table, &from_points(&[[x, 1.0, 1.0]], 1), regions, &options, device);
    assert_eq!(tracks.summary.streamlines, streamlines.len() as u64);
    if streamlines.is_empty() {
        return None;
    }
    let points = points(&streamlines, 0);
    let mut ends = [points[0][0], points[points.len() - 1][0]].map(f32::round);
    ends.sort_by(f32::total_cmp);
    Some(ends)
}

fn rules(device: &Device) {
    let ends = |regions: &Constraints| ends_from(20.0, regions, device);
    let whole = Some([-1.0, 40.0]);

    // The first point beyond a surface or on it is kept.
    let stop = |region: Region| Constraints { stop: vec![region], ..Constraints::default() };
    assert_eq!(ends(&stop(walls(25.5, 30.5))), Some([-1.0, 26.0]));
    assert_eq!(ends(&stop(walls(26.0, 30.0))), Some([-1.0, 26.0]));
    assert_eq!(ends(&stop(walls(5.5, 10.0))), Some([10.0, 40.0]));
    assert_eq!(ends(&stop(wall(25.5))), Some([-1.0, 26.0]));
    // A seed on a surface does not stop the streamline.
    assert_eq!(ends(&stop(walls(20.0, 30.0))), Some([-1.0, 30.0]));
    assert_eq!(ends(&stop(walls(10.0, 20.0))), Some([10.0, 40.0]));
    // Both walls are between two points.
    assert_eq!(ends(&stop(walls(25.2, 25.8))), Some([-1.0, 26.0]));
    // The interior acts as a mask. Points on a surface belong to the side of larger coordinates.
    assert_eq!(ends(&stop(within(25.5, 30.5))), Some([-1.0, 26.0]));
    assert_eq!(ends(&stop(within(26.0, 30.0))), Some([-1.0, 26.0]));
    assert_eq!(ends(&stop(within(19.5, 21.5))), Some([-1.0, 21.0]));
    assert_eq!(ends(&stop(within(25.2, 25.8))), whole);
    // Two interiors overlap, and there are the walls of a box.
    let two = Constraints {
        stop: vec![within(28.0, 32.0), within(30.5, 35.0), walls(3.5, 4.5)],
        ..Constraints::default()
    };
    assert_eq!(ends(&two), Some([4.0, 28.0]));

    // A half stops before its second contact. A seed on a surface is the first contact of both halves.
    let exit = |region: Region| Constraints { stop_on_exit: vec![region], ..Constraints::default() };
    assert_eq!(ends(&exit(walls(25.5, 30.5))), Some([-1.0, 30.0]));
    assert_eq!(ends(&exit(walls(15.5, 25.5))), whole);
    assert_eq!(ends(&exit(walls(20.0, 30.0))), Some([-1.0, 29.0]));
    assert_eq!(ends(&exit(walls(10.0, 20.0))), Some([11.0, 40.0]));
    assert_eq!(ends(&exit(wall(25.5))), whole);
    assert_eq!(ends(&exit(within(25.5, 30.5))), Some([-1.0, 30.0]));
    assert_eq!(ends(&exit(within(26.0, 30.0))), Some([-1.0, 29.0]));
    assert_eq!(ends(&exit(within(15.5, 25.5))), whole);

    // A half that touches a surface to avoid is rejected, but a seed on the surface does not count.
    let avoid = |region: Region| Constraints { avoid: vec![region], ..Constraints::default() };
    assert_eq!(ends(&avoid(walls(25.5, 30.5))), Some([-1.0, 20.0]));
    assert_eq!(ends(&avoid(wall(20.0))), whole);
    assert_eq!(ends(&avoid(within(25.5, 30.5))), Some([-1.0, 20.0]));
    assert_eq!(ends(&avoid(within(19.5, 21.5))), None);
    assert_eq!(ends(&avoid(within(25.2, 25.8))), whole);

    // Surfaces between two points count as waypoints, but seeds on them do not. The first half goes to lower
    // x.
    let ways = |regions: Vec<Region>| Constraints { waypoints: regions, ..Constraints::default() };
    let second = Some([20.0, 40.0]);
    assert_eq!(ends(&ways(vec![walls(25.2, 25.8)])), second);
    assert_eq!(ends(&ways(vec![wall(20.0)])), None);
    assert_eq!(ends(&ways(vec![within(25.2, 25.8)])), None);
    assert_eq!(ends(&ways(vec![within(24.5, 25.5), wall(5.0)])), whole);
    let ordered = |regions| Constraints { in_order: true, ..ways(regions) };
    assert_eq!(ends(&ordered(vec![wall(23.5), wall(26.5)])), second);
    assert_eq!(ends(&ordered(vec![wall(26.5), wall(23.5)])), None);

    let table = field(&unit_grid(SHAPE), |_| [1.0, 0.0, 0.0]);
    let targets = vec![wall(25.5), within(3.5, 4.5), wall(20.0), within(25.2, 25.8), walls(30.0, 31.0)];
    let targets = Constraints { targets, ..Constraints::default() };
    let options = SampleOptions { step_mm: 1.0, nearest: true, ..SampleOptions::default() };
    let (_, tracks) = follow(&table, &from_points(&[[20.0, 1.0, 1.0]], 3), &targets, &options, device);
    assert_eq!(tracks.target_hits, [[3], [3], [0], [0], [3]]);
}

#[test]
fn rules_of_surfaces() {
    rules(&Device::Cpu);
}

#[test]
fn rules_of_surfaces_on_a_gpu() {
    if !arcuate_emulation::available("rules_of_surfaces_on_a_gpu") {
        return;
    }
    rules(&gpu());
}

fn gpu() -> Device {
    Device::Cuda(Gpus::open(&[0]).unwrap())
}

/// Creates a closed folded surface around the middle of a grid, scaled by `size`. Vertices are at multiples
/// of 1/8 mm.
fn folded(table: &OrientationTable, size: f64) -> Arc<Surface> {
    let (rings, around) = (14, 20);
    let grid = table.grid();
    let middle = grid.affine().apply(grid.shape().map(|n| 0.5 * n as f64));
    let place = |polar: f64, azimuth: f64| -> Point {
        let radius = size * (8.0 + 2.0 * (6.0 * azimuth).sin() * polar.sin() + (7.0 * polar).sin());
        let along = [polar.sin() * azimuth.cos(), polar.sin() * azimuth.sin(), polar.cos()];
        [0, 1, 2].map(|axis| ((8.0 * (middle[axis] + radius * along[axis])).round() / 8.0) as f32)
    };
    let polar = |ring: usize| std::f64::consts::PI * ring as f64 / (rings + 1) as f64;
    let azimuth = |n: usize| 2.0 * std::f64::consts::PI * n as f64 / around as f64;
    let mut vertices = vec![place(0.0, 0.0)];
    for ring in 1..=rings {
        vertices.extend((0..around).map(|n| place(polar(ring), azimuth(n))));
    }
    vertices.push(place(std::f64::consts::PI, 0.0));
    let at = |ring: usize, n: usize| (1 + (ring - 1) * around + n % around) as u32;
    let last = vertices.len() as u32 - 1;
    let mut triangles = Vec::new();
    for n in 0..around {
        triangles.push([0, at(1, n), at(1, n + 1)]);
        triangles.push([last, at(rings, n + 1), at(rings, n)]);
        for ring in 1..rings {
            triangles.push([at(ring, n), at(ring + 1, n), at(ring + 1, n + 1)]);
            triangles.push([at(ring, n), at(ring + 1, n + 1), at(ring, n + 1)]);
        }
    }
    let surface = Surface::new(vertices, triangles, None).unwrap();
    surface.require_closed("folded").unwrap();
    Arc::new(surface)
}

/// Seeds at the vertices of a surface.
fn vertices(surface: &Surface, each: u32) -> Seeds {
    let points: Vec<[f64; 3]> = surface.vertices().iter().map(|v| v.map(f64::from)).collect();
    from_points(&points, each)
}

/// Compares the results of tracking with tests of every single segment of the streamlines.
#[test]
fn tracking_agrees_with_single_segment_tests() {
    let table = table();
    let (inner, outer) = (folded(&table, 0.8), folded(&table, 1.3));
    let geometry = SurfaceGeometry::new(&outer).unwrap();
    let met = |geometry: &SurfaceGeometry, line: &[Point]| -> Vec<bool> {
        let met =
            |pair: &[Point]| geometry.first_contact(pair[0].map(f64::from), pair[1].map(f64::from)).is_some();
        line.windows(2).map(met).collect()
    };
    let seeds = vertices(&inner, 4);
    let options = SampleOptions { step_mm: 0.7, ..all_options()[0].clone() };
    let region = || Region::of_surface("outer", Arc::clone(&outer), None);

    let stop = Constraints { stop: vec![region()], ..Constraints::default() };
    let (streamlines, tracks) = follow(&table, &seeds, &stop, &options, &Device::Cpu);
    let mut ended = 0;
    for line in streamlines.as_batch().iter() {
        // Both ends of a streamline are ends of its halves. No segment between them touches the surface.
        let met = met(&geometry, line);
        assert!(met[1..met.len() - 1].iter().all(|met| !met));
        ended += usize::from(met[0]) + usize::from(met[met.len() - 1]);
    }
    assert!(ended > 100 && tracks.summary.terminated.stop >= ended as u64, "{ended}");

    let within = Region::inside_of("outer", Arc::clone(&outer), None, None).unwrap();
    let stop = Constraints { stop: vec![within], ..Constraints::default() };
    let outside = vertices(&outer.as_ref().clone().transformed(&larger(&table, 1.1)), 3);
    let (streamlines, tracks) = follow(&table, &outside, &stop, &options, &Device::Cpu);
    let mut ended = 0;
    for line in streamlines.as_batch().iter() {
        let is_inside: Vec<bool> =
            line.iter().map(|point| geometry.is_inside(point.map(f64::from))).collect();
        assert!(is_inside[1..line.len() - 1].iter().filter(|inside| **inside).count() <= 1);
        ended += usize::from(is_inside[0]) + usize::from(is_inside[line.len() - 1]);
    }
    assert!(ended > 30 && tracks.summary.terminated.stop >= ended as u64, "{ended}");

    // If no region stops the streamlines, tests of finished streamlines give the same targets as tracking.
    let small = folded(&table, 0.5);
    let geometry = SurfaceGeometry::new(&small).unwrap();
    let targets = vec![Region::of_surface("small", small, None)];
    let targets = Constraints { targets, ..Constraints::default() };
    let (streamlines, tracks) = follow(&table, &seeds, &targets, &options, &Device::Cpu);
    let placed: PlacedConstraints = targets.place().unwrap();
    let expected = streamlines.as_batch().iter().filter(|line| met(&geometry, line).contains(&true)).count();
    let found =
        streamlines.as_batch().iter().filter(|line| placed.targets_met(line, RegionTest::Line)[0]).count();
    assert_eq!((found, tracks.summary.targets.clone()), (expected, vec![expected as u64]));
    assert!(expected > 50 && expected < streamlines.len(), "{expected}");
}

/// Scaling about the middle of a field.
fn larger(table: &OrientationTable, scale: f64) -> Affine {
    let grid = table.grid();
    let middle = grid.affine().apply(grid.shape().map(|n| 0.5 * n as f64));
    Affine::scaling([scale; 3], middle.map(|c| (1.0 - scale) * c))
}

fn with_surfaces(table: &OrientationTable) -> Vec<Constraints> {
    let [small, middle, large] = [0.5, 0.9, 1.3].map(|size| folded(table, size));
    let met = |surface: &Arc<Surface>| Region::of_surface("met", Arc::clone(surface), None);
    let inside =
        |surface: &Arc<Surface>| Region::inside_of("inside", Arc::clone(surface), None, None).unwrap();
    let ribbon = Region::inside_of("ribbon", Arc::clone(&large), Some(Arc::clone(&middle)), None).unwrap();
    let patch: Vec<u32> = (0..60).collect();
    let patch = Region::of_vertices("patch", Arc::clone(&middle), &patch, None).unwrap();
    let plain = Constraints::default;
    vec![
        Constraints { stop: vec![met(&large)], targets: vec![met(&small), patch.clone()], ..plain() },
        Constraints { stop: vec![inside(&small), ribbon.clone()], ..plain() },
        Constraints {
            stop_on_exit: vec![met(&middle), inside(&large)],
            targets: vec![ribbon.clone()],
            ..plain()
        },
        Constraints { avoid: vec![patch.clone(), inside(&small)], waypoints: vec![met(&large)], ..plain() },
        Constraints {
            waypoints: vec![patch, ribbon],
            condition: WaypointCondition::Any,
            targets: vec![inside(&middle)],
            ..plain()
        },
        // These constraints have masks and a surface.
        Constraints { stop_on_exit: vec![met(&middle)], ..regions(table) },
    ]
}

#[test]
fn surfaces_give_bit_identical_results_on_a_gpu() {
    if !arcuate_emulation::available("surfaces_give_bit_identical_results_on_a_gpu") {
        return;
    }
    let table = table();
    let seeds = vertices(&folded(&table, 0.9), 1);
    for (n, regions) in with_surfaces(&table).into_iter().enumerate() {
        let options = &all_options()[n % 2];
        let tracks = compare(&table, &seeds, &regions, options, &format!("surfaces {n}"));
        assert!(tracks.summary.streamlines > 0 && tracks.summary.mean_steps() > 3.0, "{n}");
        // The result is the same with more regions than one word has bits.
        let targets = [regions.targets.clone(), sheets(table.grid(), 40, 0)].concat();
        let regions = Constraints { targets, ..regions };
        let many = compare(&table, &seeds, &regions, options, &format!("many and surfaces {n}"));
        assert_eq!(many.summary.streamlines, tracks.summary.streamlines, "{n}");
    }
}

#[test]
fn mapped_surfaces_and_long_segments_agree_on_a_gpu() {
    if !arcuate_emulation::available("mapped_surfaces_and_long_segments_agree_on_a_gpu") {
        return;
    }
    let table = tangled(&oblique([24, 22, 20]), 2, 3);
    let rows = [[1.5, 0.2, 0.0, 3.0], [-0.1, 1.6, 0.1, -4.0], [0.0, 0.1, 1.4, 5.0]];
    let there = Affine::from_rows(rows).unwrap();
    let mapping = Arc::new(Mapping::affine(there));
    let surface = Arc::new(folded(&table, 1.2).as_ref().clone().transformed(&there));
    let far = Arc::new(
        cuboid([-60.0, 60.0]).as_ref().clone().transformed(&Affine::scaling([1.0, 8.0, 8.0], [0.0; 3])),
    );
    let region = Region::of_surface("there", Arc::clone(&surface), Some(&mapping));
    let inside = Region::inside_of("there", surface, None, Some(&mapping)).unwrap();
    // The triangles are about 100 mm large, so their determinants are not small.
    let around = Region::inside_of("around", far, None, Some(&mapping)).unwrap();
    let regions = Constraints {
        stop_on_exit: vec![region.clone()],
        waypoints: vec![inside],
        targets: vec![around],
        ..Constraints::default()
    };
    let seeds = vertices(&folded(&table, 0.7), 1);
    for step_mm in [0.6, 3.5] {
        let options = SampleOptions { step_mm, ..SampleOptions::default() };
        let tracks = compare(&table, &seeds, &regions, &options, &format!("steps of {step_mm} mm"));
        assert!(tracks.summary.streamlines > 50, "{:?}", tracks.summary);
        assert!(tracks.target_hits[0].iter().sum::<u32>() > 0, "{step_mm}");
    }
}

#[test]
fn invalid_surface_constraints_are_rejected() {
    let table = table();
    let run = |constraints: &Constraints| {
        let seeds = Seeds::random(table.mask().unwrap(), 10);
        let outputs = SampleOutputs::default();
        track_samples(
            &table,
            &seeds,
            constraints,
            &SampleOptions::default(),
            outputs,
            &Device::Cpu,
            &Control::default(),
        )
    };
    // An open mesh has no inside.
    let open = Surface::new(cuboid([0.0, 1.0]).vertices().to_vec(), vec![[0, 1, 2]], None).unwrap();
    let error = Region::inside_of("lh.white", Arc::new(open.clone()), None, None).unwrap_err().to_string();
    assert!(error.starts_with("lh.white: the surface is not closed: 3 edges"), "{error}");
    let error = Region::of_vertices("label", Arc::new(open), &[7], None).unwrap_err().to_string();
    assert!(
        error.starts_with("label: no triangle of the surface contains one of the region's vertices"),
        "{error}"
    );
    // The surface is outside the image. A typical cause is a surface in FreeSurfer's coordinates.
    let beside = Arc::new(
        folded(&table, 0.5).as_ref().clone().transformed(&Affine::scaling([1.0; 3], [300.0, 0.0, 0.0])),
    );
    let beside = Region::of_surface("beside", beside, None);
    let error =
        run(&Constraints { waypoints: vec![beside], ..Constraints::default() }).unwrap_err().to_string();
    assert!(
        error.starts_with("beside: this waypoint region is outside the voxels that have fibre orientations"),
        "{error}"
    );
    // The surfaces are in two spaces.
    let one = Region::of_surface("one", folded(&table, 0.5), None);
    let mapping = Arc::new(Mapping::affine(Affine::identity()));
    let other = Region::of_surface("other", folded(&table, 0.6), Some(&mapping));
    let error =
        run(&Constraints { targets: vec![one, other], ..Constraints::default() }).unwrap_err().to_string();
    assert!(error.starts_with("other: the surface is in another space than one"), "{error}");
}
