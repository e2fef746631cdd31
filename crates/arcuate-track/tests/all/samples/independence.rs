//! Results do not depend on threads, chunks or other requested outputs.

use crate::common::samples::{count, follow, oblique, region, tangled};
use arcuate_compute::Device;
use arcuate_core::Tractogram;
use arcuate_track::{
    Constraints, InitialFibre, Jitter, OrientationTable, SampleIntegrator, SampleOptions, SampleTracks, Seeds,
};

pub(crate) fn table() -> OrientationTable {
    tangled(&oblique([30, 28, 24]), 3, 7)
}

pub(crate) fn regions(table: &OrientationTable) -> Constraints {
    let grid = *table.grid();
    Constraints {
        avoid: vec![region("avoid", &grid, |[i, j, _]| i == 4 && j > 10)],
        stop: vec![region("stop", &grid, |[_, j, k]| j == 23 && k > 4)],
        stop_on_exit: vec![region("exit", &grid, |[i, j, k]| i > 20 && j < 9 && k > 12)],
        waypoints: vec![
            region("first", &grid, |[i, _, _]| i == 12),
            region("second", &grid, |[_, j, _]| j == 12),
        ],
        targets: vec![region("target", &grid, |[_, _, k]| k == 15)],
        ..Constraints::default()
    }
}

pub(crate) fn seeds(table: &OrientationTable, each: u32) -> Seeds {
    let mask =
        region("seeds", table.grid(), |[i, j, k]| (10..19).contains(&i) && (9..18).contains(&j) && k == 11)
            .mask()
            .unwrap()
            .clone();
    Seeds::Voxels { mask, mapping: None, each, jitter: Jitter::BallMm(1.5) }
}

pub(crate) fn all_options() -> Vec<SampleOptions> {
    let plain = SampleOptions { seed: 5, ..SampleOptions::default() };
    vec![
        plain.clone(),
        SampleOptions {
            integrator: SampleIntegrator::ModifiedEuler,
            loop_check: true,
            min_cosine: 0.5,
            initial: InitialFibre::InProportion,
            ..plain.clone()
        },
        SampleOptions {
            fraction_stops: true,
            nearest: true,
            initial: InitialFibre::Random,
            min_length_mm: 5.0,
            max_length_mm: Some(60.0),
            ..plain.clone()
        },
        SampleOptions {
            initial: InitialFibre::RandomOfAll,
            step_mm: 1.2,
            loop_check: true,
            min_half_length_mm: 4.0,
            ..plain
        },
    ]
}

fn on(
    threads: usize,
    work: impl FnOnce() -> (Tractogram, SampleTracks) + Send,
) -> (Tractogram, SampleTracks) {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let table = table();
    let (regions, seeds) = (regions(&table), seeds(&table, 40));
    for options in all_options() {
        let work = || follow(&table, &seeds, &regions, &options, &Device::Cpu);
        let one = on(1, work);
        assert!(one.1.summary.streamlines > 100 && one.1.summary.acceptance() < 0.9, "{:?}", one.1.summary);
        assert!(one == on(16, work));
        // Counts are the same without stored streamlines.
        assert!(one.1 == count(&table, &seeds, &regions, &options, &Device::Cpu));
    }
}

#[test]
fn selected_streamlines_are_the_first_of_all() {
    let table = table();
    let (regions, seeds) = (regions(&table), seeds(&table, 40));
    for options in all_options() {
        let (all, tracks) = follow(&table, &seeds, &regions, &options, &Device::Cpu);
        let wanted = tracks.summary.streamlines / 3;
        let options = SampleOptions { select: Some(wanted), ..options };
        let (some, selected) = follow(&table, &seeds, &regions, &options, &Device::Cpu);
        assert_eq!((some.len() as u64, selected.summary.streamlines), (wanted, wanted));
        assert!(all.positions().starts_with(some.positions()));
        assert!(selected.summary.seeds < tracks.summary.seeds);
        let counted = count(&table, &seeds, &regions, &options, &Device::Cpu);
        assert!(counted == selected);
        // Each voxel that a streamline passes is counted once for it.
        let map = selected.map.unwrap();
        let mut expected = vec![0; map.counts().len()];
        for streamline in some.as_batch().iter() {
            let voxels = streamline.iter().filter_map(|p| map.grid().voxel_at(p.map(f64::from)));
            for voxel in voxels.collect::<std::collections::HashSet<_>>() {
                expected[voxel] += 1;
            }
        }
        // A point on a face between two voxels may be rounded to either voxel, but this is rare.
        let differing = expected.iter().zip(map.counts()).filter(|(a, b)| a != b).count();
        assert!(differing <= 4, "{differing}");
    }
}

#[test]
fn random_seeds_change_streamlines_but_not_maps() {
    let table = table();
    let seeds = seeds(&table, 300);
    let map = |seed| {
        let options = SampleOptions { seed, ..SampleOptions::default() };
        count(&table, &seeds, &Constraints::default(), &options, &Device::Cpu).map.unwrap()
    };
    let (one, other) = (map(1), map(2));
    assert!(one != other);
    let pairs: Vec<[f64; 2]> =
        one.counts().iter().zip(other.counts()).map(|(&a, &b)| [a, b].map(f64::from)).collect();
    assert!(correlation(&pairs) > 0.999, "{}", correlation(&pairs));
}

fn correlation(pairs: &[[f64; 2]]) -> f64 {
    let n = pairs.len() as f64;
    let mean = [0, 1].map(|side: usize| pairs.iter().map(|pair| pair[side]).sum::<f64>() / n);
    let product = |a: usize, b: usize| pairs.iter().map(|p| (p[a] - mean[a]) * (p[b] - mean[b])).sum::<f64>();
    product(0, 1) / (product(0, 0) * product(1, 1)).sqrt()
}
