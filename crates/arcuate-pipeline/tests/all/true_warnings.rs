//! Tests warnings: ten simulated scans without a fault give no warning, and ten scans with the fault give
//! one.

use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, Control, GradientTable, Grid, Mask, Orientations, Volume};
use arcuate_fod::estimate::{TournierOptions, tournier_response};
use arcuate_fod::{SingleShell, SingleShellOptions};
use arcuate_model::fit::{FitOptions, ModelFit, Prediction, Status, fit_models, warn_of_guesses};
use arcuate_model::language::Model;
use arcuate_model::models::model;
use arcuate_model::{
    AxesCheck, TensorOptions, average_directions, check_axes, fit_tensor, scan_quality, tensor_maps,
};
use arcuate_phantom::{Phantom, PhantomOptions, default_gradients, multi_shell_gradients, simulate};
use arcuate_pipeline::fod_basis::warn_of_another_basis;
use arcuate_track::FodImage;
use std::sync::OnceLock;

/// Simulates a small brain with voxels of 4 mm.
fn brain(gradients: &GradientTable, snr: f64, seed: u64) -> Phantom {
    let options = PhantomOptions {
        voxel_size_mm: 4.0,
        snr: Some(snr),
        seed,
        streamlines_per_bundle: 1,
        samples_per_edge: 2,
        ..PhantomOptions::default()
    };
    simulate(gradients, &options).unwrap()
}

/// Ten single-shell scans: number of directions, b in s/mm² and signal-to-noise ratio.
const SCANS: [(usize, f64, f64); 10] = [
    (32, 1000.0, 10.0),
    (32, 1000.0, 30.0),
    (32, 2000.0, 15.0),
    (45, 1000.0, 20.0),
    (45, 2000.0, 12.0),
    (45, 3000.0, 40.0),
    (64, 1000.0, 50.0),
    (64, 2000.0, 10.0),
    (64, 3000.0, 15.0),
    (64, 3000.0, 30.0),
];

fn scans() -> &'static [Phantom] {
    static SIMULATED: OnceLock<Vec<Phantom>> = OnceLock::new();
    SIMULATED.get_or_init(|| {
        let of = |(n, &(directions, b, snr)): (usize, &(usize, f64, f64))| {
            brain(&default_gradients(directions, b, 4).unwrap(), snr, n as u64 + 1)
        };
        SCANS.iter().enumerate().map(of).collect()
    })
}

/// Returns the warnings of `work`.
fn warnings(work: impl FnOnce(Control)) -> Vec<String> {
    arcuate_test_support::warnings(|| work(Control::default())).1
}

/// Masks that a user may choose: the brain, and its white matter.
fn masks(phantom: &Phantom) -> [&Mask; 2] {
    [&phantom.brain_mask, &phantom.white_matter]
}

#[test]
fn dropped_slices_are_reported_for_any_mask() {
    for (n, phantom) in scans().iter().enumerate() {
        for mask in masks(phantom) {
            let found = scan_quality(&phantom.dwi, &phantom.gradients, mask).unwrap();
            assert_eq!(found.dropped_slices, [], "scan {n}");
        }
        let (mut dwi, [nx, ny, nz]) = (phantom.dwi.clone(), phantom.dwi.grid().shape());
        let (measurement, slice) = (6 + 2 * n, nz / 2 - 2 + n % 5);
        for voxel in slice * nx * ny..(slice + 1) * nx * ny {
            dwi.voxel_mut(voxel)[measurement] *= 0.5;
        }
        for mask in masks(phantom) {
            let found = scan_quality(&dwi, &phantom.gradients, mask).unwrap();
            let places: Vec<_> = found.dropped_slices.iter().map(|d| (d.measurement, d.slice)).collect();
            assert_eq!(places, [(measurement, slice)], "scan {n}");
        }
    }
}

#[test]
fn moved_volumes_are_reported_for_any_mask() {
    for (n, phantom) in scans().iter().enumerate() {
        for mask in masks(phantom) {
            let found = scan_quality(&phantom.dwi, &phantom.gradients, mask).unwrap();
            assert_eq!(found.unlike_volumes, [], "scan {n}");
        }
        let (mut dwi, [_, ny, _]) = (phantom.dwi.clone(), phantom.dwi.grid().shape());
        let measurement = 5 + n;
        for voxel in 0..dwi.grid().len() {
            let [i, j, k] = dwi.grid().coordinates(voxel);
            let from = dwi.grid().index([i, (j + ny / 2) % ny, k]);
            dwi.voxel_mut(voxel)[measurement] = phantom.dwi.voxel(from)[measurement];
        }
        for mask in masks(phantom) {
            let found = scan_quality(&dwi, &phantom.gradients, mask).unwrap();
            let places: Vec<usize> = found.unlike_volumes.iter().map(|unlike| unlike.measurement).collect();
            assert_eq!(places, [measurement], "scan {n}");
        }
    }
}

#[test]
fn flipped_gradient_axes_give_a_warning() {
    for (n, phantom) in scans().iter().enumerate() {
        let is_doubtful = |gradients: &GradientTable| {
            let (dwi, mask) = (&phantom.dwi, &phantom.brain_mask);
            let fit = fit_tensor(dwi, gradients, mask, &Device::Cpu, &TensorOptions::default()).unwrap();
            let maps = tensor_maps(&fit.tensor).unwrap();
            let check = check_axes(&maps.eigenvectors.channels_at(&[0, 1, 2]), &maps.fa, mask).unwrap();
            check.is_some_and(|check: AxesCheck| check.is_doubtful())
        };
        assert!(!is_doubtful(&phantom.gradients), "scan {n}");
        let flip = |d: &[f64; 3]| std::array::from_fn(|axis| if axis == n % 3 { -d[axis] } else { d[axis] });
        let flipped: Vec<[f64; 3]> = phantom.gradients.directions().iter().map(flip).collect();
        let flipped = GradientTable::new(&flipped, phantom.gradients.b_values().to_vec(), 50.0).unwrap();
        assert!(is_doubtful(&flipped), "scan {n}");
    }
}

/// Returns the FODs of a third of the white matter, fitted to a single shell, and their mask.
fn distributions(phantom: &Phantom) -> (Volume<f32>, Mask) {
    let (control, directions) = (Control::default(), Orientations::half_sphere(150));
    let directions = directions.directions();
    let mask = &phantom.white_matter;
    let options = TournierOptions { voxels: 100, iterations: 3, ..TournierOptions::default() };
    let found =
        tournier_response(&phantom.dwi, &phantom.gradients, mask, directions, &options, &control).unwrap();
    let fit =
        SingleShell::new(&phantom.gradients, &found.response, directions, &SingleShellOptions::default());
    let (grid, middle) = (*mask.grid(), mask.grid().shape()[2] / 2);
    let is_near = |voxel: usize| mask.contains(voxel) && grid.coordinates(voxel)[2].abs_diff(middle) <= 3;
    let mask = Mask::new(grid, (0..grid.len()).map(is_near).collect()).unwrap();
    let found = fit.unwrap().fit_volume(&phantom.dwi, &mask, &Device::Cpu, &control).unwrap();
    (found.coefficients.into_iter().next().unwrap(), mask)
}

/// Converts coefficients from the MRtrix basis to another one. For each degree and order, `of` returns the
/// order of the MRtrix coefficient to use, and its sign.
fn in_basis(coefficients: &Volume<f32>, of: impl Fn(i64, i64) -> (i64, f32)) -> Volume<f32> {
    let mut other = coefficients.clone();
    let place = |l: i64, m: i64| (l * (l + 1) / 2 + m) as usize;
    for voxel in 0..other.grid().len() {
        let from = coefficients.voxel(voxel);
        let out = other.voxel_mut(voxel);
        for l in (0..=8).step_by(2).take_while(|&l| place(l, l) < from.len()) {
            for m in -l..=l {
                let (order, sign) = of(l, m);
                out[place(l, m)] = sign * from[place(l, order)];
            }
        }
    }
    other
}

fn odd(m: i64) -> f32 {
    if m % 2 == 0 { 1.0 } else { -1.0 }
}

/// A basis: returns, for a degree and an order, the order of the MRtrix coefficient to use, and its sign.
type Basis = fn(i64, i64) -> (i64, f32);

/// Bases of other programs, and bases with a common mistake.
const OTHER_BASES: [(&str, Basis); 5] = [
    ("DIPY's older one", |_, m| (-m, 1.0)),
    ("DIPY's newer one", |_, m| (-m, if m < 0 { odd(m) } else { 1.0 })),
    ("without the phase of cosines", |_, m| (m, if m > 0 { odd(m) } else { 1.0 })),
    ("in the order 0, 1, −1, 2, −2", |l, m| {
        let place = m + l;
        (if place % 2 == 1 { (place + 1) / 2 } else { -place / 2 }, 1.0)
    }),
    ("without any phase", |_, m| (m, odd(m))),
];

#[test]
fn distributions_in_another_basis_give_a_warning() {
    for (n, phantom) in scans().iter().enumerate() {
        let (coefficients, mask) = distributions(phantom);
        let warnings_of = |of: Basis| {
            let image = FodImage::new(&in_basis(&coefficients, of), Some(&mask)).unwrap();
            warnings(|control| warn_of_another_basis(&image, "fod", &control).unwrap())
        };
        assert_eq!(warnings_of(|_, m| (m, 1.0)), Vec::<String>::new(), "scan {n}");
        for (name, basis) in OTHER_BASES {
            assert_eq!(warnings_of(basis).len(), 1, "scan {n}, {name}");
        }
    }
}

/// Ten two-shell protocols: directions at b = 1000 s/mm², directions at the second b, and the second b.
const SHELLS: [(usize, usize, f64); 10] = [
    (30, 60, 2000.0),
    (30, 60, 2500.0),
    (45, 45, 2500.0),
    (30, 90, 3000.0),
    (64, 64, 2000.0),
    (60, 90, 2500.0),
    (90, 90, 3000.0),
    (40, 80, 2200.0),
    (32, 64, 2800.0),
    (100, 100, 2000.0),
];

const POWDER: &str = r#"
name = "powder"
averages = "directions"
signal = "s0 * ((1 - f) * exp(-b * d) + f * powder_stick(b * d))"
[parameters.s0]
unit = "signal"
bounds = [0, inf]
start = "mean_b0"
[parameters.d]
unit = "mm²/s"
bounds = [0, 5e-3]
grid = [0.8e-3, 1.2e-3, 1.8e-3]
[parameters.f]
bounds = [0, 1]
grid = [0.3, 0.5, 0.7]
"#;

#[test]
fn undetermined_parameters_are_reported_as_guesses() {
    let powder = Model::parse("powder.toml", POWDER).unwrap();
    let warnings_of = |model: &Model, table: &GradientTable| {
        warnings(|control| {
            let options = FitOptions { control, ..FitOptions::default() };
            warn_of_guesses(std::slice::from_ref(model), table, &options).unwrap();
        })
    };
    let (noddi, tensor) = (model("noddi-watson").unwrap(), model("tensor-nonlinear").unwrap());
    for (n, (low, high, b)) in SHELLS.into_iter().enumerate() {
        let table = multi_shell_gradients(&[(low, 1000.0), (high, b)], 13).unwrap();
        let grid = Grid::new([1, 1, 1], Affine::identity()).unwrap();
        let (_, means) = average_directions(&Volume::filled(grid, table.len(), 1.0), &table).unwrap();
        for (model, table) in [(&powder, &means), (&noddi, &table), (&tensor, &table)] {
            assert_eq!(warnings_of(model, table), Vec::<String>::new(), "{low}, {high}, {b}");
        }
        // The first table treats each average as one measurement. The second has one shell for a two-shell
        // model.
        let few = multi_shell_gradients(&[(low, 1000.0), (high, 2000.0)], 3 + n).unwrap();
        let (_, few) = average_directions(&Volume::filled(grid, few.len(), 1.0), &few).unwrap();
        let single = few.clone().with_averaged(vec![1; few.len()]).unwrap();
        let one_shell = default_gradients(low, 1000.0, 6).unwrap();
        for (model, table) in [(&powder, &single), (&noddi, &one_shell)] {
            assert_eq!(warnings_of(model, table).len(), 1, "{low}, {high}, {b}");
        }
    }
}

/// Model of a slow and a fast pool. The slow pool must not be larger than the fast one.
const POOLS: &str = r#"
name = "pools"
constraints = ["f <= 1 - f"]
signal = "s0 * (f * exp(-b * d_slow) + (1 - f) * exp(-b * d_fast))"
[parameters.s0]
unit = "signal"
bounds = [0, inf]
start = "mean_b0"
[parameters.f]
bounds = [0, 1]
grid = [0.2, 0.4]
[parameters.d_slow]
unit = "mm²/s"
bounds = [0, 3e-3]
start = 0.5e-3
fixed = true
[parameters.d_fast]
unit = "mm²/s"
bounds = [0, 3e-3]
start = 2e-3
fixed = true
"#;

/// Fits a model to twenty noisy voxels with these parameters. The noise is 1/30 of the first parameter, s0.
fn fitted(model: &Model, numbers: &[f64], seed: u64) -> ModelFit {
    let table = multi_shell_gradients(&[(30, 1000.0), (60, 2000.0)], 6).unwrap();
    let signals = Prediction::new(model, &table, &[]).unwrap().signals(numbers);
    let mut random = Random::new(seed, Purpose::Resampling, 0);
    let noise = numbers[0] / 30.0;
    let values =
        (0..20).flat_map(|_| signals.clone()).map(|signal| (signal + noise * random.normal()) as f32);
    let grid = Grid::new([20, 1, 1], Affine::identity()).unwrap();
    let dwi = Volume::new(grid, table.len(), values.collect()).unwrap();
    let (models, mask) = (std::slice::from_ref(model), Mask::full(grid));
    fit_models(models, &dwi, &table, &mask, &Device::Cpu, &FitOptions::default()).unwrap().remove(0)
}

/// Returns the number of voxels with a status.
fn count(fit: &ModelFit, status: Status) -> usize {
    fit.counts.iter().filter(|(of, _)| *of == status).map(|(_, count)| count).sum()
}

#[test]
fn fits_at_a_constraint_or_bound_are_reported() {
    let (pools, stick) = (Model::parse("pools.toml", POOLS).unwrap(), model("ball-1-stick").unwrap());
    for seed in 1..=10 {
        let axis = [0.36, 0.48, 0.8];
        let f = 0.3 + 0.04 * seed as f64;
        let within = [
            fitted(&pools, &[1000.0, 0.3], seed),
            fitted(&stick, &[&[1000.0, 1.2e-3, f][..], &axis].concat(), seed),
        ];
        for fit in within {
            assert_eq!(fit.describe_ends(), Vec::<String>::new(), "{} {seed}", fit.model);
            assert_eq!((fit.fitted(), count(&fit, Status::Converged)), (20, 20), "{} {seed}", fit.model);
        }
        // The first data have more slow signal than the constraint allows. The second have no slow or fibre
        // signal.
        let at_constraint = fitted(&pools, &[1000.0, 0.7], seed);
        let at_bound = fitted(&pools, &[1000.0, 0.0], seed);
        for (fit, expected) in [
            (&at_constraint, "constraint f <= 1 - f holds with equality in "),
            (&at_bound, "f is at its lower bound (0) in "),
        ] {
            let words = fit.describe_ends();
            assert!(words.iter().any(|word| word.starts_with(expected)), "{seed}: {words:?}");
            assert!(count(fit, Status::AtBound) > 0 && fit.fitted() == 20, "{seed}");
        }
    }
}
