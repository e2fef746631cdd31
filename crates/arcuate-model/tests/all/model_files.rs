//! Tests the model files of the documentation. Their signals are compared with other implementations
//! (`oracles/model_files.py`), and fits must find the true parameters.

use arcuate_compute::Device;
use arcuate_core::{Affine, GradientTable, Grid, Mask, Orientations, PulseTiming, Volume};
use arcuate_model::average_directions;
use arcuate_model::fit::{FitOptions, MeasurementColumn, ModelFit, Prediction, fit_models};
use arcuate_model::language::Model;
use arcuate_model::models::MODEL_FILES;

macro_rules! file {
    ($name:literal) => {
        include_str!(concat!("../../../../docs/src/models/", $name, ".toml"))
    };
}

const FILES: [(&str, &str); 9] = [
    ("T2", file!("T2")),
    ("T2-two", file!("T2-two")),
    ("inversion-recovery", file!("inversion-recovery")),
    ("ivim", file!("ivim")),
    ("kurtosis", file!("kurtosis")),
    ("sandi", file!("sandi")),
    ("ssfp-ball-1-stick", file!("ssfp-ball-1-stick")),
    ("exvivo-ball-2-sticks", file!("exvivo-ball-2-sticks")),
    ("tortuous-zeppelin", file!("tortuous-zeppelin")),
];

fn text(name: &str) -> &'static str {
    FILES.iter().find(|(file, _)| *file == name).unwrap().1
}

fn model(name: &str) -> Model {
    Model::parse(name, text(name)).unwrap_or_else(|error| panic!("{error}"))
}

fn column(name: &str, values: &[f64]) -> MeasurementColumn {
    MeasurementColumn { name: name.into(), values: values.into() }
}

fn signals(model: &Model, table: &GradientTable, columns: &[MeasurementColumn], numbers: &[f64]) -> Vec<f64> {
    Prediction::new(model, table, columns).unwrap().signals(numbers)
}

fn near(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < tolerance, "{found} {expected}");
    }
}

/// Fits a model to these signals in one voxel, in double precision.
fn fitted(model: &Model, table: &GradientTable, options: &FitOptions, signals: &[f64]) -> ModelFit {
    let grid = Grid::new([1, 1, 1], Affine::identity()).unwrap();
    let mask = Mask::new(grid, vec![true]).unwrap();
    let dwi =
        Volume::new(grid, signals.len(), signals.iter().map(|signal| *signal as f32).collect()).unwrap();
    let fits = fit_models(std::slice::from_ref(model), &dwi, table, &mask, &Device::Cpu, options).unwrap();
    fits.into_iter().next().unwrap()
}

fn value(fit: &ModelFit, name: &str) -> f64 {
    f64::from(fit.maps.iter().find(|map| map.name == name).expect(name).volume.values()[0])
}

fn finds(fit: &ModelFit, truth: &[(&str, f64)], tolerance: f64) {
    for (name, truth) in truth {
        let found = value(fit, name);
        assert!((found / truth - 1.0).abs() < tolerance, "{}: {name} {found} {truth}", fit.model);
    }
}

#[test]
fn model_files_of_the_documentation_are_found_by_name() {
    let mut names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    names.sort_unstable();
    assert_eq!(names, MODEL_FILES);
    let message_of = |name: &str| arcuate_model::models::model(name).unwrap_err().to_string();
    assert_eq!(
        message_of("kurtosis"),
        "kurtosis: no built-in model has this name, and the documentation has a model file of it; copy \
         docs/src/models/kurtosis.toml from Arcuate's source code, and give ./kurtosis.toml"
    );
    assert!(message_of("SANDI").contains("give ./sandi.toml"));
}

#[test]
fn every_model_file_is_named_as_its_model_and_states_its_source() {
    for (name, text) in FILES {
        let model = model(name);
        assert_eq!(model.name(), name);
        assert!(!model.about().is_empty() && model.title() != name, "{name}");
        assert!(name == "T2" || name == "tortuous-zeppelin" || !model.references().is_empty(), "{name}");
        assert!(text.ends_with('\n') && !text.contains('\t'), "{name}");
    }
}

#[test]
fn relaxation_agrees_with_hand_calculations() {
    let table = GradientTable::unknown(3).unwrap();
    let te = [column("te", &[0.0, 20.0, 200.0])];
    let found = signals(&model("T2"), &table, &te, &[1000.0, 40.0]);
    near(&found, &[1000.0, 606.530_659_712_633_4, 6.737_946_999_085_467], 1e-12);
    let found = signals(&model("T2-two"), &table, &te, &[1000.0, 0.25, 20.0, 100.0]);
    let fast = [250.0, 91.969_860_292_860_58, 0.011_349_982_440_621_21];
    let slow = [750.0, 614.048_064_808_486_4, 101.501_462_427_453];
    near(&found, &[0, 1, 2].map(|n: usize| fast[n] + slow[n]), 1e-9);
    // The repetition time is nearly infinite, so that recovery is complete. The signal 1 − 2 exp(−ln 2) is 0
    // if ti is T1 ln 2.
    let columns = [column("ti", &[0.0, 693.147_180_559_945_3, 1000.0]), column("repetition", &[1e9; 3])];
    let found = signals(&model("inversion-recovery"), &table, &columns, &[1000.0, 1000.0, 1.0]);
    assert!(
        (found[0] - 1000.0).abs() < 1e-9
            && found[1] < 1e-9
            && (found[2] - 264.241_117_657_115_4).abs() < 1e-9
    );
}

#[test]
fn relaxation_parameters_are_recovered() {
    let te: Vec<f64> = (1..=32).map(|echo| 10.0 * f64::from(echo)).collect();
    let table = GradientTable::unknown(32).unwrap();
    let columns = vec![column("te", &te)];
    let two = model("T2-two");
    let truth = [800.0, 0.2, 18.0, 85.0];
    let options = FitOptions { columns: columns.clone(), ..FitOptions::default() };
    let fit = fitted(&two, &table, &options, &signals(&two, &table, &columns, &truth));
    finds(&fit, &[("s0", 800.0), ("f_short", 0.2), ("t2_short", 18.0), ("t2_long", 85.0)], 1e-3);
    let ti = [50.0, 150.0, 400.0, 800.0, 1300.0, 2000.0, 3000.0, 4500.0];
    let table = GradientTable::unknown(8).unwrap();
    let columns = vec![column("ti", &ti), column("repetition", &[6000.0; 8])];
    let recovery = model("inversion-recovery");
    for t1 in [350.0, 900.0, 1600.0, 4000.0] {
        let truth = [500.0, t1, 0.93];
        let options = FitOptions { columns: columns.clone(), ..FitOptions::default() };
        let fit = fitted(&recovery, &table, &options, &signals(&recovery, &table, &columns, &truth));
        finds(&fit, &[("s0", 500.0), ("t1", t1), ("efficiency", 0.93)], 1e-4);
    }
}

#[test]
fn perfusion_and_kurtosis_agree_with_dipy() {
    let b = [0.0, 10.0, 20.0, 50.0, 100.0, 200.0, 400.0, 800.0];
    let table = GradientTable::new(&[[1.0, 0.0, 0.0]; 8], b.to_vec(), 0.0).unwrap();
    let found = signals(&model("ivim"), &table, &[], &[1000.0, 0.12, 12e-3, 0.9e-3]);
    let expected = [
        1000.0,
        978.545985726,
        958.697051803,
        907.135180344,
        840.402748468,
        745.923940437,
        614.942736588,
        428.350112693,
    ];
    near(&found, &expected, 1e-9);
    finds(
        &fitted(&model("ivim"), &table, &FitOptions::default(), &expected),
        &[("s0", 1000.0), ("f", 0.12), ("d_star", 12e-3), ("d", 0.9e-3)],
        1e-3,
    );
    let of_shell = [[0.6, 0.0, 0.8], [0.0, 0.8, 0.6], [-0.48, 0.64, 0.6]];
    let directions = [&[[1.0, 0.0, 0.0]][..], &of_shell, &of_shell].concat();
    let b = [0.0, 1000.0, 1000.0, 1000.0, 2500.0, 2500.0, 2500.0];
    let table = GradientTable::new(&directions, b.to_vec(), 50.0).unwrap();
    let numbers = [
        1000.0, 1.4e-3, 0.7e-3, 0.5e-3, 0.2e-3, -0.1e-3, 0.15e-3, 1.1, 0.9, 0.7, 0.1, -0.05, 0.08, 0.03,
        -0.02, 0.04, 0.31, 0.25, 0.28, 0.06, -0.03, 0.02,
    ];
    let found = signals(&model("kurtosis"), &table, &[], &numbers);
    let expected =
        [1000.0, 528.137055148, 517.905074868, 484.879063647, 283.654993026, 296.037049084, 252.309548615];
    near(&found, &expected, 1e-9);
}

#[test]
fn kurtosis_tensors_are_recovered() {
    let shell = Orientations::half_sphere(40);
    let mut directions = vec![[1.0, 0.0, 0.0]; 4];
    let mut b = vec![0.0; 4];
    for shell_b in [1000.0, 2000.0] {
        directions.extend(shell.directions());
        b.extend(vec![shell_b; 40]);
    }
    let table = GradientTable::new(&directions, b, 50.0).unwrap();
    let numbers = [
        1000.0, 1.4e-3, 0.7e-3, 0.5e-3, 0.2e-3, -0.1e-3, 0.15e-3, 1.1, 0.9, 0.7, 0.1, -0.05, 0.08, 0.03,
        -0.02, 0.04, 0.31, 0.25, 0.28, 0.06, -0.03, 0.02,
    ];
    let kurtosis = model("kurtosis");
    let fit = fitted(&kurtosis, &table, &FitOptions::default(), &signals(&kurtosis, &table, &[], &numbers));
    // The expected values were computed by hand: 2.6e-3 / 3, and (2.7 + 2 · 0.84) / 5.
    finds(
        &fit,
        &[("md", 2.6e-3 / 3.0), ("mkt", 0.876), ("wxxxx", 1.1), ("wyyzz", 0.28), ("wxxxy", 0.1)],
        1e-3,
    );
}

/// Creates a table with the shells and the pulse timing of `oracles/model_files.py`, with this number of
/// directions per shell.
fn timed(directions: usize) -> GradientTable {
    let shell = Orientations::half_sphere(directions);
    let (mut all, mut b) = (Vec::new(), Vec::new());
    for shell_b in [0.0, 1000.0, 3000.0, 6000.0, 10_000.0] {
        all.extend(shell.directions());
        b.extend(vec![shell_b; directions]);
    }
    let timing = |&b: &f64| PulseTiming::with_b_value(b, 0.03, 0.01, 0.08).unwrap();
    let timings = b.iter().map(timing).collect();
    GradientTable::new(&all, b, 50.0).unwrap().with_timings(timings).unwrap()
}

#[test]
fn sandi_averages_agree_with_sixty_roots() {
    let sandi = model("sandi");
    assert!(sandi.averages_directions());
    let table = timed(1);
    let numbers = [1000.0, 0.5, 0.3, 1.9e-3, 0.9e-3, 6.0];
    let found = signals(&sandi, &table, &[], &numbers);
    let expected = [1000.0, 655.532673698, 415.730440215, 288.853450356, 203.327164089];
    near(&found, &expected, 1e-8);
    // The neurites have uniformly distributed orientations, and each shell has 100 directions. The model is
    // fitted to the average of each shell.
    let many = timed(100);
    let axes = Orientations::half_sphere(1000);
    let soma_and_rest: Vec<f64> = [0.0, 1.0, 3.0, 6.0, 10.0]
        .iter()
        .zip(&expected)
        .map(|(b, all): (&f64, &f64)| {
            let stick =
                (0..10_000).map(|n| (-b * 1.9 * ((f64::from(n) + 0.5) / 1e4).powi(2)).exp()).sum::<f64>();
            all - 500.0 * stick / 1e4
        })
        .collect();
    let voxel: Vec<f32> = (0..many.len())
        .map(|m| {
            let (b, g) = (1e-3 * many.b_values()[m], many.directions()[m]);
            let along = |n: &[f64; 3]| (g[0] * n[0] + g[1] * n[1] + g[2] * n[2]).powi(2);
            let sticks: f64 = axes.directions().iter().map(|n| (-b * 1.9 * along(n)).exp()).sum();
            (soma_and_rest[m / 100] + 500.0 * sticks / 1000.0) as f32
        })
        .collect();
    let grid = Grid::new([1, 1, 1], Affine::identity()).unwrap();
    let (averaged, shells) = average_directions(&Volume::new(grid, 500, voxel).unwrap(), &many).unwrap();
    // Measurements at b = 0 have no direction and are not averaged.
    assert_eq!(shells.averaged().unwrap(), [vec![1; 100], vec![100; 4]].concat());
    near(
        &averaged.voxel(0)[99..].iter().map(|signal| f64::from(*signal)).collect::<Vec<_>>(),
        &expected,
        1e-3,
    );
    // Seven shells with one timing determine the six parameters.
    let b = [0.0, 500.0, 1000.0, 2000.0, 3000.0, 5000.0, 8000.0, 12_000.0];
    let timing = |&b: &f64| PulseTiming::with_b_value(b, 0.03, 0.01, 0.08).unwrap();
    let table = GradientTable::new(&[[0.0, 0.0, 1.0]; 8], b.to_vec(), 50.0).unwrap();
    let table = table.with_timings(b.iter().map(timing).collect()).unwrap();
    let fit = fitted(&sandi, &table, &FitOptions::default(), &signals(&sandi, &table, &[], &numbers));
    finds(&fit, &[("f_neurite", 0.5), ("f_soma", 0.3), ("radius", 6.0)], 0.02);
    // A model of averages must not use the direction, or additional numbers per measurement.
    let refused = |from: &str, to: &str| {
        Model::parse("sandi.toml", &text("sandi").replacen(from, to, 1)).unwrap_err().to_string()
    };
    let advice = "leave `averages` out, or write the average";
    let error = refused("powder_stick(b * d_neurite)", "exp(-b * d_neurite * g.x^2)");
    assert!(error.ends_with(&format!("averages over directions have no `g`; {advice}")), "{error}");
    let error = refused("\"directions\"", "\"shells\"");
    assert!(error.ends_with("`averages` is not \"directions\"; give \"directions\""), "{error}");
    let with_column = "[measurements.te]\nunit = \"ms\"\n\n[parameters.s0]";
    let error = Model::parse(
        "sandi.toml",
        &text("sandi").replacen("[parameters.s0]", with_column, 1).replacen(
            "exp(-b * d_extra)",
            "exp(-b * d_extra - te / 1 [ms])",
            1,
        ),
    );
    let error = error.unwrap_err().to_string();
    assert!(
        error.ends_with(&format!("averages over directions have no `te` of a measurement; {advice}")),
        "{error}"
    );
}

/// Settings of a measurement: gradient (mT/m), pulse duration (ms), TR (ms) and flip angle (degrees).
type SteadyState = [f64; 4];

fn steady(settings: &[SteadyState]) -> Vec<MeasurementColumn> {
    let of = |n: usize| settings.iter().map(|setting| setting[n]).collect::<Vec<f64>>();
    ["gradient", "pulse", "tr", "flip"].iter().enumerate().map(|(n, name)| column(name, &of(n))).collect()
}

/// Returns the model with the maps replaced by fixed parameters that have the values of this voxel, because
/// predictions have no maps.
fn without_maps() -> Model {
    let mut text = text("ssfp-ball-1-stick").to_owned();
    for (map, value) in [("t1", 600.0), ("t2", 40.0), ("b1", 0.9)] {
        let fixed = format!("[parameters.{map}]\nfixed = true\nstart = {value}");
        text = text.replace(&format!("[maps.{map}]"), &fixed);
    }
    Model::parse("steady.toml", &text).unwrap()
}

#[test]
fn steady_states_agree_with_isochromat_simulations() {
    let settings = [
        [0.0, 10.0, 40.0, 30.0],
        [38.0, 18.0, 40.0, 30.0],
        [50.0, 5.0, 30.0, 70.0],
        [100.0, 8.0, 30.0, 90.0],
        [20.0, 10.0, 60.0, 15.0],
    ];
    let table = GradientTable::new(&[[-0.48, 0.64, 0.6]; 5], vec![1000.0; 5], 50.0).unwrap();
    let found = signals(&without_maps(), &table, &steady(&settings), &[1000.0, 0.3e-3, 0.5, 0.0, 0.6, 0.8]);
    let expected = [15.7483393896, 3.96820078033, 17.9041014811, 8.11938778022, 1.44969926353];
    near(&found, &expected, 1e-6);
}

#[test]
fn sticks_are_recovered_from_steady_states() {
    let shell = Orientations::half_sphere(30);
    let mut directions = vec![[0.0, 0.0, 1.0]; 2];
    let mut settings = vec![[0.0, 15.0, 40.0, 30.0]; 2];
    for (gradient, flip) in [(40.0, 25.0), (40.0, 80.0)] {
        directions.extend(shell.directions());
        settings.extend(vec![[gradient, 15.0, 40.0, flip]; 30]);
    }
    let mut b = vec![1000.0; settings.len()];
    b[..2].fill(0.0);
    let table = GradientTable::new(&directions, b, 50.0).unwrap();
    let columns = steady(&settings);
    let truth = [1000.0, 0.25e-3, 0.4, 0.48, -0.64, 0.6];
    let measured = signals(&without_maps(), &table, &columns, &truth);
    let grid = Grid::new([1, 1, 1], Affine::identity()).unwrap();
    let map = |name: &str, value: f32| (name.to_owned(), Volume::new(grid, 1, vec![value]).unwrap());
    let maps = vec![map("t1", 600.0), map("t2", 40.0), map("b1", 0.9)];
    let options = FitOptions { columns, maps, ..FitOptions::default() };
    let fit = fitted(&model("ssfp-ball-1-stick"), &table, &options, &measured);
    finds(&fit, &[("s0", 1000.0), ("d", 0.25e-3), ("f", 0.4)], 1e-3);
    let n = fit.maps.iter().find(|map| map.name == "n").unwrap().volume.voxel(0).to_vec();
    let cosine = 0.48 * f64::from(n[0]) - 0.64 * f64::from(n[1]) + 0.6 * f64::from(n[2]);
    assert!(cosine.abs() > 0.9999, "{n:?}");
    // If a map is missing, the error names it.
    let none = FitOptions { maps: options.maps[..2].to_vec(), ..options };
    let error = arcuate_model::fit::check_models(&[model("ssfp-ball-1-stick")], &table, &none).unwrap_err();
    assert_eq!(error.to_string(), "b1: the model ssfp-ball-1-stick needs this map; give ‘map’ b1=IMAGE");
}

#[test]
fn fixed_tissue_and_tortuous_zeppelins_are_recovered() {
    let mut directions = vec![[1.0, 0.0, 0.0]; 4];
    let mut b = vec![0.0; 4];
    for shell_b in [1500.0, 4000.0, 8000.0] {
        directions.extend(Orientations::half_sphere(40).directions());
        b.extend(vec![shell_b; 40]);
    }
    let table = GradientTable::new(&directions, b, 50.0).unwrap();
    let fixed = model("exvivo-ball-2-sticks");
    let truth = [1000.0, 0.45e-3, 0.1, 0.5, 1.0, 0.0, 0.0, 0.25, 0.0, 0.8, 0.6];
    let fit = fitted(&fixed, &table, &FitOptions::default(), &signals(&fixed, &table, &[], &truth));
    finds(&fit, &[("d", 0.45e-3), ("f_dot", 0.1), ("f1", 0.5), ("f2", 0.25)], 1e-3);
    // The fitted parameters satisfy the constraint d_radial <= (1 − f) d. The second voxel's truth violates
    // it, so that the fit ends at equality.
    let zeppelin = model("tortuous-zeppelin");
    for (radial, inside) in [(0.2e-3, true), (0.9e-3, false)] {
        let truth = [1000.0, 1.7e-3, radial, 0.6, 0.0, 0.6, 0.8];
        let fit = fitted(&zeppelin, &table, &FitOptions::default(), &signals(&zeppelin, &table, &[], &truth));
        let [d, d_radial, f] = ["d", "d_radial", "f"].map(|name| value(&fit, name));
        let slack = 1e3 * ((1.0 - f) * d - d_radial);
        assert!(slack > -1e-5, "{slack}");
        if inside {
            finds(&fit, &[("d", 1.7e-3), ("d_radial", radial), ("f", 0.6)], 1e-3);
        } else {
            assert!(slack < 1e-4, "{slack}");
        }
    }
}
