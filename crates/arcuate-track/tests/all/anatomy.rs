//! Anatomically constrained tracking in a block with known tissues.

use crate::common::samples::field;
use arcuate_compute::Device;
use arcuate_core::{Affine, Control, FiveTissues, Grid, Mask, Tractogram, Volume};
use arcuate_track::{
    Anatomy, Constraints, DirectionField, Draws, Region, SampleOptions, SampleOutputs, Seeds, Termination,
    TrackOptions, TrackSummary, WalkOptions, track, track_samples, track_tensor,
};
use std::sync::Arc;

/// Length of the block along x, in voxels of 1 mm.
const LENGTH: usize = 40;

fn grid() -> Grid {
    Grid::new([LENGTH, 5, 5], Affine::identity()).unwrap()
}

/// Creates tissues that change only along x. Each row has the first voxel of a section and its tissue volume.
/// Voxels before the first row have no tissue.
fn tissues(of: &[(usize, usize)]) -> Arc<FiveTissues> {
    let grid = grid();
    let mut image = Volume::filled(grid, 5, 0f32);
    for voxel in 0..grid.len() {
        let x = grid.coordinates(voxel)[0];
        if let Some((_, tissue)) = of.iter().rev().find(|(first, _)| x >= *first) {
            image.values_mut()[5 * voxel + tissue] = 1.0;
        }
    }
    Arc::new(FiveTissues::new(image).unwrap())
}

const CORTEX: usize = 0;
const NUCLEUS: usize = 1;
const WHITE: usize = 2;
const CSF: usize = 3;
const LESION: usize = 4;

/// Field with directions along x everywhere.
struct AlongX {
    grid: Grid,
    /// Streamlines stop at this x.
    end: f32,
    /// Position with the lowest support. `None` if the field has no support.
    least_at: Option<f32>,
}

impl DirectionField for AlongX {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn holds(&self, place: [f32; 3]) -> bool {
        self.grid.voxel_containing(place.map(f64::from)).is_some()
    }

    fn direction(
        &self,
        place: [f32; 3],
        _: [f32; 3],
        _: &Draws,
    ) -> std::result::Result<[f32; 3], Termination> {
        if place[0] < self.end { Ok([1.0, 0.0, 0.0]) } else { Err(Termination::Fraction) }
    }

    fn support(&self, place: [f32; 3], _: [f32; 3]) -> Option<f32> {
        self.least_at.map(|minimum| (place[0] - minimum).abs())
    }
}

fn along_x() -> AlongX {
    AlongX { grid: grid(), end: f32::INFINITY, least_at: None }
}

fn at(x: f64) -> Seeds {
    Seeds::points(vec![[x, 2.0, 2.0]])
}

fn follow(field: &impl DirectionField, anatomy: &Anatomy, seeds: &Seeds) -> (Tractogram, TrackSummary) {
    let constraints = Constraints { anatomy: Some(anatomy.clone()), ..Constraints::default() };
    let mut lines = Tractogram::new();
    let options = WalkOptions { step_mm: 0.4, ..WalkOptions::default() };
    let summary = track(field, seeds, &constraints, &options, &mut lines, &Control::default()).unwrap();
    (lines, summary)
}

/// Returns the x coordinates of both ends of the only streamline, in ascending order.
fn ends(lines: &Tractogram) -> [f32; 2] {
    assert_eq!(lines.len(), 1, "one streamline");
    let line = lines.streamline(0);
    let mut ends = [line[0][0], line[line.len() - 1][0]];
    ends.sort_by(f32::total_cmp);
    ends
}

fn near(found: [f32; 2], expected: [f32; 2], within: f32) {
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() <= within, "{found} instead of {expected}");
    }
}

#[test]
fn streamlines_end_at_the_cortex() {
    let block = tissues(&[(0, CORTEX), (10, WHITE), (30, CORTEX)]);
    let anatomy = Anatomy::new(block);
    let (lines, summary) = follow(&along_x(), &anatomy, &at(20.0));
    // The fractions are equal half-way between voxel centres. The search finds this position to a thousandth
    // of a step.
    near(ends(&lines), [9.5, 29.5], 1e-3);
    assert_eq!((summary.terminated.cortical_grey, summary.streamlines), (2, 1));
    let (lines, _) = follow(&along_x(), &Anatomy { crop_at_interface: false, ..anatomy }, &at(20.0));
    let [first, last] = ends(&lines);
    assert!((first..first + 0.4).contains(&9.5) && (last - 0.4..=last).contains(&29.5), "{first} {last}");
}

#[test]
fn streamlines_must_not_end_in_csf_or_white_matter() {
    let csf = Anatomy::new(tissues(&[(0, CORTEX), (10, WHITE), (30, CSF)]));
    let (lines, summary) = follow(&along_x(), &csf, &at(20.0));
    assert_eq!((lines.len(), summary.rejected.anatomy), (0, 1));
    assert!(summary.terminated.csf >= 1);
    let field = AlongX { end: 25.0, ..along_x() };
    let white = Anatomy::new(tissues(&[(0, CORTEX), (10, WHITE)]));
    let (lines, summary) = follow(&field, &white, &at(20.0));
    assert_eq!((lines.len(), summary.rejected.anatomy), (0, 1));
    // Streamlines may end in a lesion, in a nucleus and at the edge of the brain.
    for (there, last) in [(LESION, 25.0), (NUCLEUS, 25.0)] {
        let anatomy = Anatomy::new(tissues(&[(0, CORTEX), (10, WHITE), (22, there)]));
        near(ends(&follow(&field, &anatomy, &at(20.0)).0), [9.5, last], 0.4);
    }
    let half = Grid::new([26, 5, 5], Affine::identity()).unwrap();
    let mut image = Volume::filled(half, 5, 0f32);
    image.values_mut().iter_mut().skip(WHITE).step_by(5).for_each(|white| *white = 1.0);
    let beyond = Anatomy::new(Arc::new(FiveTissues::new(image).unwrap()));
    let (lines, summary) = follow(&along_x(), &beyond, &at(20.0));
    near(ends(&lines), [0.0, 25.5], 0.9);
    assert!(summary.terminated.left_brain == 1);
}

#[test]
fn seeds_in_csf_or_outside_are_rejected() {
    let anatomy = Anatomy::new(tissues(&[(2, CORTEX), (10, WHITE), (30, CSF)]));
    for x in [35.0, 0.4] {
        let (_, summary) = follow(&along_x(), &anatomy, &at(x));
        assert_eq!((summary.rejected.seed_outside, summary.streamlines), (1, 0), "{x}");
    }
    // A streamline in grey matter only is rejected.
    let grey = Anatomy::new(tissues(&[(0, CORTEX)]));
    let (_, summary) = follow(&along_x(), &grey, &at(20.0));
    assert_eq!(summary.rejected.anatomy, 1);
}

#[test]
fn streamlines_do_not_pass_through_nuclei() {
    let block = tissues(&[(0, CORTEX), (5, WHITE), (20, NUCLEUS), (28, WHITE), (35, CORTEX)]);
    let anatomy = Anatomy::new(block);
    let field = AlongX { least_at: Some(22.0), ..along_x() };
    let (lines, summary) = follow(&field, &anatomy, &at(10.0));
    near(ends(&lines), [4.5, 22.0], 0.2001);
    assert_eq!(summary.terminated.sub_cortical_grey, 1);
    // A field without support truncates the streamline at the deepest point, the first one with only nucleus.
    near(ends(&follow(&along_x(), &anatomy, &at(10.0)).0), [4.5, 20.0], 0.4);
    // A streamline that begins in a nucleus leaves it in one direction and ends in it in the other.
    let (lines, summary) = follow(&field, &anatomy, &at(25.0));
    assert_eq!(
        (lines.len(), summary.terminated.cortical_grey, summary.terminated.sub_cortical_grey),
        (1, 1, 1)
    );
    let found = ends(&lines);
    let [one, other] = [[4.5, 22.0], [22.0, 34.5]];
    let distance = |e: [f32; 2]| (found[0] - e[0]).abs().max((found[1] - e[1]).abs());
    // Either half may leave the nucleus, so at most one half has passed the point of lowest support.
    assert!(distance(one) < 3.5 || distance(other) < 3.5, "{found:?}");
    // If the field ends in a nucleus, the streamline may end there.
    let field = AlongX { end: 25.0, ..along_x() };
    near(ends(&follow(&field, &anatomy, &at(10.0)).0), [4.5, 25.0], 0.4);
}

/// Field of forks: beyond x = 22, a fifth of the steps lead to the side, where tracking stops.
struct Forks {
    grid: Grid,
}

impl DirectionField for Forks {
    fn grid(&self) -> &Grid {
        &self.grid
    }

    fn holds(&self, place: [f32; 3]) -> bool {
        self.grid.voxel_containing(place.map(f64::from)).is_some()
    }

    fn direction(
        &self,
        place: [f32; 3],
        before: [f32; 3],
        draws: &Draws,
    ) -> std::result::Result<[f32; 3], Termination> {
        if (place[1] - 2.0).abs() > 1.0 {
            return Err(Termination::Fraction);
        }
        let off = place[0] > 22.0 && before != [0.0; 3] && draws.uniform()[0] < 0.2;
        let direction = if off { [0.6, 0.8, 0.0] } else { [1.0, 0.0, 0.0] };
        Ok(direction)
    }
}

#[test]
fn halves_with_invalid_ends_are_tracked_again() {
    let once = Anatomy::new(tissues(&[(0, CORTEX), (10, WHITE), (30, CORTEX)]));
    let anatomy = Anatomy { back_track: true, ..once.clone() };
    let field = Forks { grid: grid() };
    let seeds = Seeds::Points {
        points: vec![[20.0, 2.0, 2.0]],
        mapping: None,
        each: 400,
        jitter: arcuate_track::Jitter::None,
    };
    let (_, without) = follow(&field, &once, &seeds);
    let (lines, with) = follow(&field, &anatomy, &seeds);
    // A fifth of about twenty steps lead to the side, and four such steps are too many. About half of the
    // streamlines are lost. Back-tracking recovers almost all of them.
    assert!(without.streamlines < 240, "{}", without.streamlines);
    assert!(with.streamlines > 380, "{}", with.streamlines);
    for n in 0..lines.len() {
        let line = lines.streamline(n);
        let mut ends = [line[0][0], line[line.len() - 1][0]];
        ends.sort_by(f32::total_cmp);
        near(ends, [9.5, 29.5], 1e-3);
        // The points of the streamline have no gaps.
        for pair in line.windows(2) {
            let length = (0..3).map(|c| (pair[1][c] - pair[0][c]).powi(2)).sum::<f32>().sqrt();
            assert!(length < 0.4001, "{length}");
        }
    }
    // Only the final streamline counts for targets, not the points that back-tracking removed.
    let mut far = vec![false; grid().len()];
    for (voxel, far) in far.iter_mut().enumerate() {
        *far = grid().coordinates(voxel)[1] != 2;
    }
    let target = Region::of_mask("beside", Mask::new(grid(), far.clone()).unwrap(), None);
    let as_stepped = Anatomy { crop_at_interface: false, ..anatomy };
    let lines = follow(&field, &as_stepped, &seeds).0;
    let constraints =
        Constraints { anatomy: Some(as_stepped), targets: vec![target], ..Constraints::default() };
    let options = WalkOptions { step_mm: 0.4, ..WalkOptions::default() };
    let mut same = Tractogram::new();
    let summary = track(&field, &seeds, &constraints, &options, &mut same, &Control::default()).unwrap();
    assert_eq!(same, lines);
    let met = |n: usize| {
        let line = lines.streamline(n);
        line.iter().any(|p| grid().voxel_at(p.map(f64::from)).is_some_and(|voxel| far[voxel]))
    };
    assert_eq!(summary.targets[0], (0..lines.len()).filter(|&n| met(n)).count() as u64);
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let once = Anatomy::new(tissues(&[(0, CORTEX), (10, WHITE), (30, CORTEX)]));
    let anatomy = Anatomy { back_track: true, ..once };
    let seeds = Seeds::Interface { tissues: Arc::clone(&anatomy.tissues), mapping: None, count: 2000 };
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| follow(&Forks { grid: grid() }, &anatomy, &seeds))
    };
    let (lines, summary) = run(1);
    assert!(summary.streamlines > 500, "{summary:?}");
    assert_eq!(run(3), (lines, summary));
}

#[test]
fn interface_seeds_are_on_the_interface() {
    let block = tissues(&[(0, CORTEX), (10, WHITE), (30, CORTEX)]);
    let anatomy = Anatomy::new(Arc::clone(&block));
    let seeds = Seeds::Interface { tissues: block, mapping: None, count: 500 };
    let (lines, summary) = follow(&along_x(), &anatomy, &seeds);
    assert_eq!((summary.seeds, summary.streamlines, summary.rejected.seed_outside), (500, 500, 0));
    // One half of each streamline ends at once. The other half crosses the block.
    (0..lines.len()).for_each(|n| {
        let line = lines.streamline(n);
        let mut ends = [line[0][0], line[line.len() - 1][0]];
        ends.sort_by(f32::total_cmp);
        near(ends, [9.5, 29.5], 2e-3);
    });
    // Tensor tracking has the same result.
    let (lines, summary) = along_tensors(&anatomy, &seeds);
    assert_eq!((summary.seeds, summary.streamlines), (500, 500));
    assert_eq!(lines.len(), 500);
    let only = Seeds::Interface { tissues: tissues(&[(0, WHITE)]), mapping: None, count: 1 };
    let options = WalkOptions::default();
    let constraints = Constraints::default();
    let nothing = &mut Tractogram::new();
    let refused = track(&along_x(), &only, &constraints, &options, nothing, &Control::default()).unwrap_err();
    assert!(refused.to_string().contains("meet nowhere"), "{refused}");
}

fn along_tensors(anatomy: &Anatomy, seeds: &Seeds) -> (Tractogram, TrackSummary) {
    let tensor = [1.7e-3f32, 0.3e-3, 0.3e-3, 0.0, 0.0, 0.0];
    let grid = grid();
    let values = tensor.iter().copied().cycle().take(6 * grid.len()).collect();
    let tensor = Volume::new(grid, 6, values).unwrap();
    let constraints = Constraints { anatomy: Some(anatomy.clone()), ..Constraints::default() };
    let options =
        TrackOptions { constraints, step_mm: Some(0.4), min_length_mm: Some(1.0), ..TrackOptions::default() };
    let mut lines = Tractogram::new();
    let (device, control) = (Device::Cpu, Control::default());
    let summary = track_tensor(&tensor, seeds, &options, &device, &mut lines, &control).unwrap();
    (lines, summary)
}

#[test]
fn tensor_tracking_ends_where_sample_tracking_does() {
    for (of, seed, expected) in [
        (&[(0, CORTEX), (10, WHITE), (30, CORTEX)][..], 20.0, Some([9.5, 29.5])),
        (&[(0, CORTEX), (10, WHITE), (30, CSF)], 20.0, None),
        (&[(0, CORTEX), (5, WHITE), (20, NUCLEUS), (28, WHITE), (35, CORTEX)], 10.0, Some([4.5, 20.0])),
        (&[(0, CSF), (5, WHITE)], 10.0, None),
    ] {
        let anatomy = Anatomy::new(tissues(of));
        for method in [
            arcuate_track::Method::Tensor,
            arcuate_track::Method::Fact,
            arcuate_track::Method::TensorDeflection { f: 0.0, g: 0.5 },
        ] {
            let tensor = [1.7e-3f32, 0.3e-3, 0.3e-3, 0.0, 0.0, 0.0];
            let grid = grid();
            let values = tensor.iter().copied().cycle().take(6 * grid.len()).collect();
            let tensor = Volume::new(grid, 6, values).unwrap();
            let constraints = Constraints { anatomy: Some(anatomy.clone()), ..Constraints::default() };
            let step_mm = (method != arcuate_track::Method::Fact).then_some(0.4);
            let options = TrackOptions {
                method,
                constraints,
                step_mm,
                integrator: if method == arcuate_track::Method::Fact {
                    arcuate_track::Integrator::Euler
                } else {
                    TrackOptions::default().integrator
                },
                min_length_mm: Some(1.0),
                ..TrackOptions::default()
            };
            let mut lines = Tractogram::new();
            let control = Control::default();
            let summary =
                track_tensor(&tensor, &at(seed), &options, &Device::Cpu, &mut lines, &control).unwrap();
            match expected {
                // FACT places points on voxel faces, and one of these faces is the interface.
                Some(expected) => near(ends(&lines), expected, 0.51),
                None => assert_eq!((lines.len(), summary.rejected.anatomy), (0, 1), "{method:?}"),
            }
        }
    }
}

#[test]
fn sample_tracking_uses_tissues_on_the_cpu() {
    let block = tissues(&[(0, CORTEX), (10, WHITE), (30, CORTEX)]);
    let table = field(&grid(), |_| [1.0, 0.0, 0.0]);
    let anatomy = Anatomy::new(block);
    let constraints = Constraints { anatomy: Some(anatomy), ..Constraints::default() };
    let options = SampleOptions { step_mm: 0.4, ..SampleOptions::default() };
    // Seeds must not be near the outer faces of the image, where tracking may draw a voxel outside.
    let inner = (0..grid().len()).map(|voxel| matches!(grid().coordinates(voxel), [15..25, 2, 2]));
    let seeds = Seeds::random(Mask::new(grid(), inner.collect()).unwrap(), 300);
    let run = |device: &Device| {
        let mut lines = Tractogram::new();
        let map = Some((grid(), None));
        let outputs = SampleOutputs { map, sink: Some(&mut lines), ..SampleOutputs::default() };
        let control = Control::default();
        let tracks =
            track_samples(&table, &seeds, &constraints, &options, outputs, device, &control).unwrap();
        (lines, tracks)
    };
    let (lines, tracks) = run(&Device::Cpu);
    assert_eq!((lines.len(), tracks.summary.streamlines), (300, 300));
    assert_eq!(tracks.summary.terminated.cortical_grey, 600);
    (0..lines.len()).for_each(|n| {
        let line = lines.streamline(n);
        let mut ends = [line[0][0], line[line.len() - 1][0]];
        ends.sort_by(f32::total_cmp);
        near(ends, [9.5, 29.5], 2e-3);
    });
    // Each streamline visits white matter. In grey matter it visits at most the voxel of its last point.
    let map = tracks.map.unwrap();
    for (voxel, &count) in map.counts().iter().enumerate() {
        let x = grid().coordinates(voxel)[0];
        assert!(count == 0 || (9..=31).contains(&x), "{count} visits at {x} mm");
    }
    // The GPU implementation does not support tissues, so the CPU tracks with bit-identical results.
    if !arcuate_emulation::available("sample_tracking_uses_tissues_on_the_cpu") {
        return;
    }
    let (again, of_gpu) = run(&Device::Cuda(arcuate_compute::cuda::Gpus::open(&[0]).unwrap()));
    assert_eq!(again, lines);
    assert!(of_gpu.device_name.contains("processor"), "{}", of_gpu.device_name);
}
