//! Compares LiFE on two shells with SciPy. SciPy solves the same problem with explicit isotropic columns
//! (`oracles/life_shells.py`).

use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::{Affine, GradientTable, Grid, Mask, Orientations, Tractogram, Volume};
use arcuate_evaluate::{Element, Life, LifeOptions, LifeProblem, Solver};
use arcuate_solve::StoppingRule;
use arcuate_test_support::with_captured_log;

/// The b-value in s/mm² and the number of axes of each shell.
const SHELLS: [(f64, usize); 2] = [(1000.0, 20), (2500.0, 24)];

/// A straight streamline: its start in mm, its direction, and its number of points, which are 0.25 mm apart.
type Straight = ([f64; 3], [f64; 3], usize);
const STREAMLINES: [Straight; 6] = [
    ([-0.4, 0.1, 0.2], [1.0, 0.0, 0.0], 27),
    ([-0.4, 2.1, 0.3], [1.0, 0.0, 0.0], 27),
    ([0.3, -0.4, 1.9], [0.0, 1.0, 0.0], 20),
    ([4.2, -0.3, 0.1], [0.0, 1.0, 0.0], 19),
    ([0.1, 0.3, -0.2], [0.6, 0.8, 0.0], 18),
    ([6.2, 3.9, 0.1], [-0.8, 0.0, 0.6], 14),
];

/// Results that the oracle prints: the objective ½‖y − Mw − levels‖² with a level for each voxel and shell,
/// and the weights.
const OBJECTIVE: f64 = 5_767_587.11;
const WEIGHTS: [f64; 6] =
    [0.020_945_257, 0.045_125_553, 0.024_774_592, 0.028_041_319, 0.010_611_431, 0.025_682_180];

fn table(jitter: f64) -> GradientTable {
    let golden = std::f64::consts::PI * (3.0 - 5f64.sqrt());
    let (mut directions, mut b_values) = (vec![[0.0; 3]; 2], vec![0.0; 2]);
    for (b, axes) in SHELLS {
        for k in 0..axes {
            let z = (k as f64 + 0.5) / axes as f64;
            let (sin, cos) = (golden * k as f64).sin_cos();
            let r = (1.0 - z * z).sqrt();
            directions.push([r * cos, r * sin, z]);
            b_values.push(b + jitter * ((k % 3) as f64 - 1.0));
        }
    }
    GradientTable::new(&directions, b_values, 50.0).unwrap()
}

fn series(table: &GradientTable, isotropic_alone: bool) -> Volume<f32> {
    let grid = Grid::new([4, 3, 2], Affine::scaling([2.0; 3], [0.0; 3])).unwrap();
    let value = |v: usize, m: usize| {
        let (b, g, u) = (table.b_values()[m], table.directions()[m], STREAMLINES[v % 6].1);
        let cosine: f64 = (0..3).map(|n| g[n] * u[n]).sum();
        let isotropic = 0.5 * (-0.9e-3 * b).exp() + 0.1 * (-2.5e-3 * b).exp();
        let rest = if isotropic_alone {
            0.4 * (-0.7e-3 * b).exp()
        } else {
            0.4 * (-1.7e-3 * b * cosine * cosine).exp() + 0.01 * (12.9898 * m as f64 + 3.7 * v as f64).sin()
        };
        ((900.0 + 20.0 * v as f64) * (isotropic + rest)) as f32
    };
    let values = (0..grid.len()).flat_map(|v| (0..table.len()).map(move |m| (v, m)));
    Volume::new(grid, table.len(), values.map(|(v, m)| value(v, m)).collect()).unwrap()
}

fn streamlines() -> Tractogram {
    let mut tractogram = Tractogram::new();
    for (start, direction, points) in STREAMLINES {
        let point = |n: usize| std::array::from_fn(|c| (start[c] + 0.25 * n as f64 * direction[c]) as f32);
        tractogram.push(&(0..points).map(point).collect::<Vec<_>>());
    }
    tractogram
}

fn options() -> LifeOptions {
    let directions = [0, 2, 4, 5].map(|n: usize| STREAMLINES[n].1);
    LifeOptions {
        orientations: Orientations::new(&directions).unwrap(),
        stopping: StoppingRule { tolerance: 1e-10, iterations: 20_000 },
        ..LifeOptions::default()
    }
}

fn solve<T: Element>(
    dwi: &Volume<f32>,
    table: &GradientTable,
    options: &LifeOptions,
    device: &Device,
) -> (LifeProblem<T>, Life) {
    let problem =
        LifeProblem::new(dwi, table, &Mask::full(*dwi.grid()), &streamlines(), options, device).unwrap();
    let life = problem.solve(options, |_| true);
    (problem, life)
}

fn devices() -> Vec<Device> {
    let mut devices = vec![Device::Cpu];
    if arcuate_emulation::available("LiFE on two shells on a GPU") {
        devices.push(DeviceChoice::Cuda(vec![0]).open(None).unwrap());
    }
    devices
}

#[test]
fn weights_agree_with_explicit_isotropic_columns() {
    let table = table(10.0);
    let dwi = series(&table, false);
    for device in devices() {
        for solver in [Solver::ProjectedBarzilaiBorwein, Solver::Sbbnnls] {
            let (_, life) = solve::<f64>(&dwi, &table, &LifeOptions { solver, ..options() }, &device);
            // The tolerance is 2e-9, because the oracle prints nine digits.
            assert!(
                (life.objective / OBJECTIVE - 1.0).abs() < 2e-9,
                "{device}, {solver:?}: {}",
                life.objective
            );
            for (weight, expected) in life.weights.iter().zip(WEIGHTS) {
                assert!((weight - expected).abs() < 2e-9, "{device}, {solver:?}: {:?}", life.weights);
            }
        }
    }
}

#[test]
fn isotropic_tissue_supports_no_streamline() {
    let table = table(0.0);
    let dwi = series(&table, true);
    for device in devices() {
        let (problem, life) = solve::<f32>(&dwi, &table, &options(), &device);
        // The weights are 0. If one mean over both shells were subtracted instead, each streamline would have
        // a weight of 0.025 to 0.033.
        assert_eq!(life.weights, [0.0; 6], "{device}");
        // The levels of the shells explain isotropic signals completely, except for rounding of the series to
        // single precision.
        let errors = problem.rmse(&[0.0; 6]);
        assert!(errors.iter().all(|&error| error < 1e-3), "{errors:?}");
    }
}

#[test]
fn errors_are_computed_after_subtracting_shell_levels() {
    let table = table(10.0);
    let dwi = series(&table, false);
    let (problem, life) = solve::<f64>(&dwi, &table, &options(), &Device::Cpu);
    for &voxel in problem.encoding().voxels() {
        let mut squares = 0.0;
        for (_, shell) in &table.measurements_by_shell()[1..] {
            let signal: Vec<f64> = shell.iter().map(|&m| f64::from(dwi.voxel(voxel as usize)[m])).collect();
            let mean = signal.iter().sum::<f64>() / signal.len() as f64;
            squares += signal.iter().map(|s| (s - mean).powi(2)).sum::<f64>();
        }
        let expected = (squares / 44.0).sqrt();
        let before = f64::from(life.rmse_before.voxel(voxel as usize)[0]);
        // The values of the map are in single precision.
        assert!((before / expected - 1.0).abs() < 1e-6, "{before}, {expected}");
    }
    let total = |errors: Vec<f64>| errors.iter().map(|error| error.powi(2)).sum::<f64>() * 44.0 / 2.0;
    assert!((total(problem.rmse(&life.weights)) / OBJECTIVE - 1.0).abs() < 2e-9);
    // A virtual lesion uses the same errors. Its refit has only the remaining streamlines.
    let lesion = problem.virtual_lesion(&life, &[0, 1], Some(&options())).unwrap();
    assert!(lesion.rmse_without > lesion.rmse_with);
}

#[test]
fn selecting_one_shell_equals_a_series_of_that_shell() {
    let table = table(10.0);
    let dwi = series(&table, false);
    let inner: Vec<usize> = (0..22).collect();
    let alone = table.of_measurements(&inner);
    let values =
        (0..dwi.grid().len()).flat_map(|v| inner.iter().map(|&m| dwi.voxel(v)[m]).collect::<Vec<_>>());
    let dwi_alone = Volume::new(*dwi.grid(), inner.len(), values.collect()).unwrap();
    let chosen = LifeOptions { shells: Some(vec![1000.0]), ..options() };
    let (_, of_two) = solve::<f32>(&dwi, &table, &chosen, &Device::Cpu);
    let (_, of_one) = solve::<f32>(&dwi_alone, &alone, &options(), &Device::Cpu);
    assert_eq!(of_two.weights, of_one.weights);
    assert_eq!(of_two.objective.to_bits(), of_one.objective.to_bits());
}

#[test]
fn excluded_measurements_are_reported() {
    let two = table(0.0);
    // Adds a third shell with 6 axes.
    let mut directions = two.directions().to_vec();
    let mut b_values = two.b_values().to_vec();
    directions.extend(Orientations::half_sphere(6).directions());
    b_values.extend([300.0; 6]);
    let table = GradientTable::new(&directions, b_values, 50.0).unwrap();
    let dwi = series(&table, false);
    let ((problem, _), log) =
        with_captured_log(tracing::Level::WARN, || solve::<f32>(&dwi, &table, &options(), &Device::Cpu));
    assert_eq!(problem.operator().directions(), 44);
    assert!(
        log.contains(
            "LiFE does not use 6 × b 300, which have far fewer gradient directions than 20 × b 1000, 24 × b \
             2500; to use these measurements, list their shells in ‘shells’"
        ),
        "{log}"
    );
    let all = LifeOptions { shells: Some(vec![300.0, 1000.0, 2500.0]), ..options() };
    let ((problem, _), log) =
        with_captured_log(tracing::Level::WARN, || solve::<f32>(&dwi, &table, &all, &Device::Cpu));
    assert_eq!((problem.operator().directions(), log.contains("does not use")), (50, false));
}
