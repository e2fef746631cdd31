//! Constraints, maps and seeds in other spaces, with displacements that vary in space.

use crate::common::samples::{oblique, region, tangled};
use arcuate_compute::Device;
use arcuate_compute::cuda::Gpus;
use arcuate_core::{Affine, Control, Grid, Tractogram, Volume};
use arcuate_track::{
    Constraints, Jitter, Mapping, OrientationTable, Region, SampleOptions, SampleOutputs, SampleTracks,
    Seeds, track_samples,
};
use std::sync::Arc;

/// Creates a mapping with a displacement field on a separate grid. Each component varies with several
/// coordinates.
pub(crate) fn warped(shape: [usize; 3], sizes: [f64; 3], origin: [f64; 3], strength: f64) -> Arc<Mapping> {
    let grid = Grid::new(shape, Affine::scaling(sizes, origin)).unwrap();
    let values = (0..grid.len()).flat_map(|voxel| {
        let [x, y, z] = grid.centre(voxel);
        [
            (0.21 * y + 0.4 * z.sin()).sin(),
            (0.17 * z - 0.3 * x).cos(),
            (0.23 * x + 0.19 * y).sin() + (0.11 * z).cos(),
        ]
        .map(|u| (strength * u) as f32)
    });
    let affine =
        Affine::from_rows([[0.98, 0.1, 0.0, 1.0], [-0.1, 1.02, 0.05, -2.0], [0.0, -0.05, 1.0, 0.5]]).unwrap();
    Arc::new(Mapping { affine, displacement: Some(Volume::new(grid, 3, values.collect()).unwrap()) })
}

pub(crate) fn table() -> OrientationTable {
    tangled(&oblique([24, 22, 20]), 2, 3)
}

fn follow(
    table: &OrientationTable,
    seeds: &Seeds,
    regions: &Constraints,
    device: &Device,
) -> (Tractogram, SampleTracks) {
    let mut streamlines = Tractogram::new();
    let grid = Grid::new([40, 36, 44], Affine::scaling([1.5, 1.6, 1.4], [-32.0, -20.0, -20.0])).unwrap();
    let map = Some((grid, Some(warped([9, 8, 10], [7.0, 8.0, 6.0], [-30.0, -25.0, -20.0], 2.0))));
    let outputs =
        SampleOutputs { map, lengths: true, sink: Some(&mut streamlines), ..SampleOutputs::default() };
    let options = SampleOptions { seed: 11, ..SampleOptions::default() };
    let tracks =
        track_samples(table, seeds, regions, &options, outputs, device, &Control::default()).unwrap();
    (streamlines, tracks)
}

/// Regions in two warped spaces, and in the space of the orientations.
pub(crate) fn regions(table: &OrientationTable) -> Constraints {
    let fine = Grid::new([50, 50, 50], Affine::scaling([1.3; 3], [-34.0, -24.0, -22.0])).unwrap();
    let coarse = Grid::new([20, 20, 20], Affine::scaling([3.2; 3], [-34.0, -24.0, -22.0])).unwrap();
    let in_fine = warped([11, 12, 13], [5.0; 3], [-30.0, -20.0, -25.0], 1.5);
    let in_coarse = warped([8, 8, 8], [9.0; 3], [-31.0, -29.0, -27.0], 3.0);
    let place =
        |region: Region, mapping: &Arc<Mapping>| Region { mapping: Some(Arc::clone(mapping)), ..region };
    Constraints {
        waypoints: vec![place(region("way", &fine, |[i, j, k]| (i + j + k) % 9 < 3), &in_fine)],
        stop: vec![place(region("stop", &fine, |[i, j, k]| (3 * i + j + 2 * k) % 31 == 0), &in_fine)],
        avoid: vec![place(region("avoid", &coarse, |[i, j, k]| (i * 7 + j * 3 + k) % 40 == 0), &in_coarse)],
        targets: vec![region("target", table.grid(), |[i, j, k]| (i + 2 * j + k) % 5 == 0)],
        ..Constraints::default()
    }
}

/// Returns the voxel of a region's grid that contains a point.
fn voxel_of(region: &Region, point: [f64; 3]) -> Option<usize> {
    let there = region.mapping.as_ref().map_or(point, |mapping| mapping.apply(point));
    region.mask().unwrap().grid().voxel_at(there)
}

pub(crate) fn seeds_by(mapping: Arc<Mapping>, jitter: Jitter) -> Seeds {
    let grid = Grid::new([12, 12, 12], Affine::scaling([2.5, 1.0, 4.0], [-15.0, -6.0, -20.0])).unwrap();
    let mask = region("seeds", &grid, |[i, j, k]| i > 2 && i < 9 && j > 2 && j < 9 && k > 3 && k < 8)
        .mask()
        .unwrap()
        .clone();
    Seeds::Voxels { mask, mapping: Some(mapping), each: 12, jitter }
}

#[test]
fn masks_and_maps_are_mapped_by_displacements() {
    let table = table();
    let regions = regions(&table);
    let mapping = warped([10, 9, 8], [5.0, 6.0, 7.0], [-24.0, -24.0, -24.0], 1.0);
    let (streamlines, tracks) = follow(&table, &seeds_by(mapping, Jitter::Voxel), &regions, &Device::Cpu);
    assert!(streamlines.len() > 200, "{}", streamlines.len());
    // Few points are too near to a boundary for single precision. All other points must agree with double
    // precision.
    let (mut avoided, mut stopped, mut without) = (0, 0, 0);
    for streamline in streamlines.as_batch().iter() {
        let inside = |region: &Region, point: &[f32; 3]| {
            voxel_of(region, point.map(f64::from)).is_some_and(|voxel| region.mask().unwrap().contains(voxel))
        };
        avoided += streamline.iter().filter(|point| inside(&regions.avoid[0], point)).count();
        // Ends and seeds may be in a region to stop in.
        let within = streamline.iter().filter(|point| inside(&regions.stop[0], point)).count();
        stopped += usize::from(within > 3);
        without += usize::from(!streamline.iter().any(|point| inside(&regions.waypoints[0], point)));
    }
    assert!(avoided <= 2 && stopped <= 1 && without <= 1, "{avoided} {stopped} {without}");
    assert!(tracks.map.unwrap().counts().iter().sum::<u32>() > 5000);
}

/// Returns the seeds of streamlines, mapped back to the space of the seeds by iteration: x = A⁻¹(y − u(x)).
fn begins(table: &OrientationTable, seeds: &Seeds, mapping: &Mapping) -> Vec<[f64; 3]> {
    let mut streamlines = Tractogram::new();
    let options = SampleOptions { max_steps: 4, seed: 2, ..SampleOptions::default() };
    let outputs = SampleOutputs { sink: Some(&mut streamlines), ..SampleOutputs::default() };
    let none = Constraints::default();
    track_samples(table, seeds, &none, &options, outputs, &Device::Cpu, &Control::default()).unwrap();
    let inverse = mapping.affine.inverse().unwrap();
    let back = |y: [f64; 3]| {
        let mut x = inverse.apply(y);
        for _ in 0..60 {
            let (all, plain) = (mapping.apply(x), mapping.affine.apply(x));
            x = inverse.apply(std::array::from_fn(|axis| y[axis] - (all[axis] - plain[axis])));
        }
        x
    };
    // Each streamline has one step on each side of the seed.
    let whole = streamlines.as_batch();
    whole.iter().filter(|points| points.len() == 3).map(|points| back(points[1].map(f64::from))).collect()
}

#[test]
fn seeds_are_distributed_around_mapped_positions() {
    let table = table();
    let grid = Grid::new([12, 12, 12], Affine::scaling([2.5, 1.0, 4.0], [-14.0, 2.0, 1.0])).unwrap();
    // The tolerance covers the iterative inverse and single precision.
    let rounding = 2e-3;
    for strength in [0.0, 1.0] {
        for at in [[5, 6, 6], [6, 8, 5], [7, 7, 6]] {
            let mapping = warped([10, 9, 8], [5.0, 6.0, 7.0], [-24.0, -24.0, -24.0], strength);
            let mask = region("seed", &grid, |voxel| voxel == at).mask().unwrap().clone();
            let found = |jitter| {
                let mapping = Arc::clone(&mapping);
                let way = Arc::clone(&mapping);
                let seeds = Seeds::Voxels { mask: mask.clone(), mapping: Some(mapping), each: 800, jitter };
                let found = begins(&table, &seeds, &way);
                assert!(found.len() > 100, "{at:?}: {} are few", found.len());
                found
            };
            let centre = grid.affine().apply(at.map(|n| n as f64));
            let largest = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0_f64, f64::max);
            let away = |x: &[f64; 3]| (0..3).map(|axis| (x[axis] - centre[axis]).powi(2)).sum::<f64>().sqrt();
            assert!(largest(&mut found(Jitter::None).iter().map(away)) < rounding);
            let furthest = largest(&mut found(Jitter::BallMm(1.5)).iter().map(away));
            assert!((1.4..1.5 + rounding).contains(&furthest), "{furthest}");
            let anywhere = found(Jitter::Voxel);
            for axis in 0..3 {
                let far = |x: &[f64; 3]| (grid.inverse().apply(*x)[axis] - at[axis] as f64).abs();
                let furthest = largest(&mut anywhere.iter().map(far));
                assert!((0.45..0.5 + rounding).contains(&furthest), "{axis}: {furthest}");
            }
        }
    }
}

#[test]
fn gpu_results_with_displacements_agree_with_the_cpu() {
    if !arcuate_emulation::available("gpu_results_with_displacements_agree_with_the_cpu") {
        return;
    }
    let table = table();
    let regions = regions(&table);
    let gpus = Device::Cuda(Gpus::open(&[0]).unwrap());
    for (jitter, strength) in [(Jitter::None, 1.0), (Jitter::Voxel, 2.0), (Jitter::BallMm(2.0), 0.5)] {
        let mapping = warped([10, 9, 8], [5.0, 6.0, 7.0], [-24.0, -24.0, -24.0], strength);
        let seeds = seeds_by(mapping, jitter);
        let (expected, on_host) = follow(&table, &seeds, &regions, &Device::Cpu);
        let (found, there) = follow(&table, &seeds, &regions, &gpus);
        assert!(expected.len() > 200, "{}", expected.len());
        assert_eq!(there.summary, on_host.summary, "{jitter:?}");
        assert!(
            there.map == on_host.map && there.target_hits == on_host.target_hits,
            "{jitter:?}: other counts"
        );
        let bits =
            |t: &Tractogram| -> Vec<u32> { t.positions().iter().flatten().map(|c| c.to_bits()).collect() };
        assert!(
            found.offsets() == expected.offsets() && bits(&found) == bits(&expected),
            "{jitter:?}: other bits"
        );
    }
}
