//! Tests nonlinear constraints between parameters: the results of fits, the moves of chains, and the models
//! that are rejected.

use arcuate_compute::Device;
use arcuate_core::{Affine, GradientTable, Grid, Mask, Volume};
use arcuate_model::fit::sample::{Deviation, Noise, SampleOptions, sample_model};
use arcuate_model::fit::{
    BoundsMethod, FitOptions, MeasurementColumn, ModelFit, Override, OverrideKind, Source, check_models,
    fit_models,
};
use arcuate_model::language::Model;

/// Creates the text of a model with two measurements, which are the coordinates x and y of a point in a
/// plane, in units of s0. The coordinates have a constraint.
fn plane(constraint: &str, starts: [f64; 2], more: &str) -> String {
    format!(
        r#"name = "plane"
constraints = ["{constraint}"]
signal = "s0 * (along_x * x + along_y * y)"
[measurements.along_x]
[measurements.along_y]
[parameters.s0]
unit = "signal"
bounds = [0, inf]
start = "largest"
[parameters.x]
bounds = [-3, 3]
start = {}
[parameters.y]
bounds = [-3, 3]
start = {}
{more}"#,
        starts[0], starts[1]
    )
}

fn change(parameter: &str, what: OverrideKind) -> Override {
    Override { parameter: parameter.into(), what }
}

/// Returns options of a fit in which a signal of 1 is a coordinate of 1.
fn options(single_precision: bool) -> FitOptions {
    let column =
        |name: &str, values: [f64; 2]| MeasurementColumn { name: name.into(), values: values.into() };
    FitOptions {
        single_precision,
        overrides: vec![change("s0", OverrideKind::Fixed(Source::Number(1.0)))],
        columns: vec![column("along_x", [1.0, 0.0]), column("along_y", [0.0, 1.0])],
        ..FitOptions::default()
    }
}

fn row(points: &[[f32; 2]]) -> (Volume<f32>, Mask) {
    let grid = Grid::new([points.len(), 1, 1], Affine::identity()).unwrap();
    let mask = Mask::new(grid, vec![true; points.len()]).unwrap();
    (Volume::new(grid, 2, points.concat()).unwrap(), mask)
}

/// Returns the points that the fitted model predicts for these measured points.
fn fitted(text: &str, points: &[[f32; 2]], single: bool) -> (Vec<[f64; 2]>, ModelFit) {
    let model = Model::parse("plane.toml", text).unwrap();
    let (dwi, mask) = row(points);
    let gradients = GradientTable::unknown(2).unwrap();
    let fits = fit_models(&[model], &dwi, &gradients, &mask, &Device::Cpu, &options(single)).unwrap();
    let fit = fits.into_iter().next().unwrap();
    let map = |name: &str| fit.maps.iter().find(|map| map.name == name).unwrap().volume.clone();
    let (x, y) = (map("x"), map("y"));
    let found = x.values().iter().zip(y.values()).map(|(x, y)| [f64::from(*x), f64::from(*y)]).collect();
    (found, fit)
}

fn near(found: [f64; 2], expected: [f64; 2], tolerance: f64) {
    let far = (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs());
    assert!(far < tolerance, "{found:?} for {expected:?}");
}

/// If a measured point is outside a disc, the nearest point of the disc is on the line to its centre. Points
/// inside the disc are fitted exactly.
#[test]
fn fits_stop_at_the_nearest_point_of_a_disc() {
    let root = 5f64.sqrt();
    let points = [[2.0, 1.0], [0.3, -0.2], [-0.5, 2.5], [0.0, 1.7], [1.0, 0.0], [2.9, -2.9], [-0.05, 0.9]];
    let expected = [
        [2.0 / root, 1.0 / root],
        [0.3, -0.2],
        [-0.5 / 6.5f64.sqrt(), 2.5 / 6.5f64.sqrt()],
        [0.0, 1.0],
        [1.0, 0.0],
        [0.5f64.sqrt(), -(0.5f64.sqrt())],
        [-0.05, 0.9],
    ];
    // Fits start at the centre of the disc, at its edge, or inside. From the edge, the path to some of the
    // points leads around the disc.
    for start in [[0.0, 0.0], [0.0, -1.0], [0.9, 0.3]] {
        for (single, tolerance) in [(false, 1e-4), (true, 2e-3)] {
            let (found, fit) = fitted(&plane("x^2 + y^2 <= 1", start, ""), &points, single);
            for (found, expected) in found.iter().zip(expected) {
                near(*found, expected, tolerance);
                let size = found[0].hypot(found[1]);
                assert!(size <= 1.0 + if single { 3e-5 } else { 3e-6 }, "{found:?} is outside");
            }
            assert_eq!(fit.status.values(), [2.0, 1.0, 2.0, 2.0, 2.0, 2.0, 1.0], "single {single}");
            assert_eq!(
                fit.describe_ends(),
                ["constraint x^2 + y^2 <= 1 holds with equality in 71.4 % of the voxels"]
            );
        }
    }
}

/// On the curve x y = 1, the sum of squares (x − 3/2)² + (1/x − 3/2)² is smallest at x = 1. A search only
/// uses combinations that satisfy the constraint.
#[test]
fn equality_constraints_and_searches_satisfy_constraints() {
    let (found, _) = fitted(&plane("x * y = 1", [2.0, 0.5], ""), &[[1.5, 1.5]], false);
    near(found[0], [1.0, 1.0], 1e-4);
    // This model has a linear and a nonlinear constraint. For the first point, the nearest point of half a
    // disc is its corner.
    let both = plane("x^2 + y^2 <= 1\", \"y <= x", [0.0, 0.0], "");
    let (found, _) = fitted(&both, &[[0.5, 2.0], [2.0, 1.0]], false);
    near(found[0], [0.5f64.sqrt(), 0.5f64.sqrt()], 1e-4);
    near(found[1], [2.0 / 5f64.sqrt(), 1.0 / 5f64.sqrt()], 1e-4);
    // Only one combination of the search grids satisfies the constraint.
    let searched = plane("x * y >= 4", [1.0, 1.0], "").replace("start = 1\n", "grid = [-1, 1, 2.5]\n");
    assert_eq!(searched.matches("grid").count(), 2);
    let (found, _) = fitted(&searched, &[[2.7, 2.9], [0.1, 0.1]], false);
    near(found[0], [2.7, 2.9], 1e-5);
    near(found[1], [2.0, 2.0], 1e-4);
}

#[test]
fn fits_that_end_on_an_inequality_are_counted_and_have_status_2() {
    let points = [[1.0, 0.5], [0.5, 1.0], [2.0, -1.0], [0.2, 0.3], [3.5, 0.0], [-3.5, 0.5]];
    let at_lower_bound = "x is at its lower bound (-3) in 16.7 %";
    for single in [false, true] {
        // The same constraint is written as x <= y and as y − x >= 0. In the second form, neither side has
        // the size of the terms.
        for text in ["x <= y", "y - x >= 0"] {
            let (found, fit) = fitted(&plane(text, [0.0, 0.5], ""), &points, single);
            near(found[0], [0.75, 0.75], 1e-5);
            near(found[1], [0.5, 1.0], 1e-5);
            assert_eq!(fit.status.values(), [2.0, 1.0, 2.0, 1.0, 2.0, 2.0], "{text}, single {single}");
            assert_eq!(
                fit.describe_ends(),
                [
                    format!("{at_lower_bound} of the voxels"),
                    format!("constraint {text} holds with equality in 50.0 % of the voxels")
                ]
            );
        }
        // The counts do not include equality constraints, or inequalities that no fit reaches.
        let (_, fit) = fitted(&plane("x = y", [0.0, 0.0], ""), &points, single);
        assert!(fit.at_constraints.is_empty());
        let (_, fit) = fitted(&plane("x <= y + 10", [0.0, 0.5], ""), &points, single);
        assert!(fit.at_constraints.is_empty());
        assert_eq!(fit.status.values(), [1.0, 1.0, 1.0, 1.0, 2.0, 2.0]);
        let expected_text = format!("{at_lower_bound} and at its upper bound (3) in 16.7 % of the voxels");
        assert_eq!(fit.describe_ends(), [expected_text]);
    }
}

/// If one factor of a product is a fixed parameter, the product is a linear constraint. Fits with linear
/// constraints are bit-identical to earlier versions.
#[test]
fn a_product_with_a_fixed_parameter_is_linear() {
    let text = plane("x * y <= 0.5", [0.25, 0.5], "").replace("start = 0.5\n", "start = 0.5\nfixed = true\n");
    let model = Model::parse("plane.toml", &text).unwrap();
    let (dwi, mask) = row(&[[2.0, 1.0]]);
    let gradients = GradientTable::unknown(2).unwrap();
    let fits =
        fit_models(std::slice::from_ref(&model), &dwi, &gradients, &mask, &Device::Cpu, &options(false))
            .unwrap();
    let x = fits[0].maps.iter().find(|map| map.name == "x").unwrap().volume.values()[0];
    assert_eq!(x, 1.0);
    // A fit that keeps bounds by transforms also keeps linear constraints.
    let transformed = FitOptions { bounds: BoundsMethod::Transform, ..options(false) };
    check_models(&[model], &gradients, &transformed).unwrap();
}

/// If the signal does not depend on the parameters, samples are uniformly distributed in the allowed region.
/// In a disc of radius 1, the mean of x² is ¼.
#[test]
fn samples_stay_within_constraints() {
    let model = Model::parse("plane.toml", &plane("x^2 + y^2 <= 1", [0.2, 0.1], "")).unwrap();
    let (dwi, mask) = row(&[[0.5, 0.5], [2.0, 1.0]]);
    let gradients = GradientTable::unknown(2).unwrap();
    let sampling = SampleOptions {
        jumps: 40_000,
        interval: 10,
        noise: Noise::Gaussian(Deviation::Known(1e3)),
        ..SampleOptions::default()
    };
    for start in
        [arcuate_model::fit::sample::ChainStart::Fit, arcuate_model::fit::sample::ChainStart::Dispersed]
    {
        let sampling = SampleOptions { start, ..sampling.clone() };
        let samples =
            sample_model(&model, &dwi, &gradients, &mask, &Device::Cpu, &options(true), &sampling).unwrap();
        for voxel in 0..2 {
            let (mut square, mut count) = (0.0, 0);
            for sample in samples.of_voxel(voxel).unwrap() {
                let [x, y] = [0, 1].map(|n: usize| f64::from(samples.parameters[n].of(sample)[0]));
                assert!(x * x + y * y <= 1.0 + 1e-6, "{x} {y}");
                (square, count) = (square + x * x, count + 1);
            }
            let mean = square / f64::from(count);
            assert!((mean - 0.25).abs() < 0.015, "{mean} of {count}");
        }
    }
}

#[test]
fn impossible_constraints_are_rejected() {
    let refused = |text: &str| Model::parse("plane.toml", text).unwrap_err().to_string();
    assert_eq!(
        refused(&plane("x^2 + y^2 <= 1", [1.0, 1.0], "")),
        "plane.toml, line 2, column 16: no start value meets the constraints; change start or grid of its parameters"
    );
    assert_eq!(
        refused(&plane("x * y <= along_x", [0.0, 0.0], "")),
        "plane.toml, line 2, column 16: it is not the same for all voxels and measurements; write it in parameters alone"
    );
    let disc = Model::parse("plane.toml", &plane("x^2 + y^2 <= 1", [0.0, 0.0], "")).unwrap();
    let gradients = GradientTable::unknown(2).unwrap();
    let check = |model: &Model, options: &FitOptions| {
        check_models(std::slice::from_ref(model), &gradients, options).unwrap_err().to_string()
    };
    let with = |what: OverrideKind| {
        let mut options = options(false);
        options.overrides.push(change("x", what));
        options
    };
    let advice = "change ‘fix’ or ‘start’ of the parameters in this constraint";
    for what in [OverrideKind::StartingAt(Source::Number(2.0)), OverrideKind::Fixed(Source::Number(-1.5))] {
        assert_eq!(check(&disc, &with(what)), format!("x: no start meets `x^2 + y^2 <= 1`; {advice}"));
    }
    let image = Box::new(row(&[[0.0, 0.0]]).0.channel(0));
    assert_eq!(
        check(&disc, &with(OverrideKind::StartingAt(Source::Map(image)))),
        "x: it takes part in a constraint that is not linear, and starts elsewhere in each voxel; give a number"
    );
    let transformed = FitOptions { bounds: BoundsMethod::Transform, ..options(false) };
    assert_eq!(
        check(&disc, &transformed),
        "‘bounds’: plane has nonlinear constraints, which transformed parameters do not satisfy; choose \
         the projection method for bounds"
    );
    let stage = |name: &str| format!("[[stages]]\nmethod = \"grid\"\nparameters = [\"{name}\"]\n");
    let text = plane("x^2 + y^2 <= 1", [1.0, 1.0], &(stage("x") + &stage("y")));
    let twice = Model::parse("plane.toml", &text.replace("start = 1\n", "grid = [0, 0.5]\n")).unwrap();
    assert_eq!(
        check(&twice, &options(false)),
        "plane: two searches try parameters of constraints that are not linear; search all parameters of \
         nonlinear constraints in one stage"
    );
    // A chain cannot keep an equality constraint.
    let equal = Model::parse("plane.toml", &plane("x * y = 1", [2.0, 0.5], "")).unwrap();
    let (dwi, mask) = row(&[[0.5, 0.5]]);
    let error = sample_model(
        &equal,
        &dwi,
        &gradients,
        &mask,
        &Device::Cpu,
        &options(true),
        &SampleOptions::default(),
    )
    .unwrap_err();
    assert_eq!(
        error.to_string(),
        "plane: a Markov chain changes one parameter at a time, and cannot satisfy the constraint `x * y = \
         1`; in the model, express one of the constraint's parameters by the others"
    );
}
