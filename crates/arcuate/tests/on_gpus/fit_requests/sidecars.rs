//! Additional results of a fit: criteria of one model, predicted series and quantiles of samples. Also fits by search alone,
//! and fits of averages over directions.

use super::samples::noisy;
use super::{DIRECTIONS, changed, figure, fit, map, sticks, write_row};

const SHORT: &str = "--method mcmc --burn-in 200 --jumps 400 --interval 4 --random-seed 3";

/// A criterion is n ln(RSS / n) plus a penalty for each unknown: S₀, d, f, and two for the orientation.
#[test]
fn criteria_count_s0_as_a_parameter() {
    let scratch = noisy();
    scratch.succeed(&fit("ball-1-stick --criteria aic,bic,aicc --out out"));
    let residual = map(&scratch, "out/residual.nii.gz");
    let (n, k) = (43.0, 5.0);
    for (name, cost) in
        [("aic", 2.0 * k), ("bic", k * f64::ln(n)), ("aicc", 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0))]
    {
        let found = map(&scratch, &format!("out/{name}.nii.gz"));
        for (found, residual) in found.iter().zip(&residual) {
            let expected = n * (f64::from(*residual).powi(2)).ln() + cost;
            assert!((f64::from(*found) - expected).abs() < 1e-3, "{name}: {found} {expected}");
        }
    }
    // Fixed parameters do not count. A comparison also writes the criteria of each model.
    scratch.succeed(&fit("ball-1-stick --criteria bic --fix d=1.2e-3 --out fixed"));
    let residual = f64::from(map(&scratch, "fixed/residual.nii.gz")[0]);
    let expected = n * residual.powi(2).ln() + 4.0 * n.ln();
    assert!((f64::from(map(&scratch, "fixed/bic.nii.gz")[0]) - expected).abs() < 1e-3);
    scratch.succeed(&fit("ball-1-stick,ball-2-sticks --compare bic --criteria aic,bic --out several"));
    let files = scratch.listing("several");
    for name in ["best_model.nii.gz", "ball-1-stick/aic.nii.gz", "ball-2-sticks/bic.nii.gz"] {
        assert!(files.iter().any(|file| file == name), "{name}: {files:?}");
    }
    scratch.fail(
        &fit("ball-1-stick --criteria bic-maximum --out no"),
        2,
        "error: --criteria bic-maximum: a best fit has no posterior samples, which this criterion needs; add \
         --method mcmc, or take aic, aicc or bic",
    );
    scratch.fail(
        &fit("ball-1-stick --compare bic --out no"),
        2,
        "error: --compare: there is one model; give several, separated by commas, or write its --criteria",
    );
}

#[test]
fn residuals_agree_with_predicted_series() {
    let scratch = noisy();
    write_row(&scratch, "mask.nii.gz", &[vec![0.0], vec![1.0]]);
    for (more, count) in [("", 43), ("--shells 0,2000", 23)] {
        scratch.succeed(&fit(&format!("ball-1-stick --predicted --force --out out {more}")));
        let (predicted, left) =
            (map(&scratch, "out/predicted.nii.gz"), map(&scratch, "out/residuals.nii.gz"));
        assert_eq!((predicted.len(), left.len()), (2 * count, 2 * count));
        assert!(
            predicted[..count].iter().chain(&left[..count]).all(|value| *value == 0.0),
            "outside the mask"
        );
        let dwi = map(&scratch, "dwi.nii.gz");
        let own: Vec<f32> = dwi[43..].to_vec();
        let used = (0..43).filter(|m| more.is_empty() || *m < 3 || *m >= 23);
        for ((m, predicted), left) in used.zip(&predicted[count..]).zip(&left[count..]) {
            assert!((own[m] - predicted - left).abs() < 1e-3, "{m}");
        }
        let square = left[count..].iter().map(|left| f64::from(*left).powi(2)).sum::<f64>();
        let residual = f64::from(map(&scratch, "out/residual.nii.gz")[1]);
        assert!(((square / count as f64).sqrt() / residual - 1.0).abs() < 1e-4, "{residual}");
    }
    // Each of several models has its own predicted series. With chains, the prediction uses the means of the
    // samples.
    scratch.succeed(&fit(&format!("ball-1-stick,ball-2-sticks --predicted --out several {SHORT}")));
    for model in ["ball-1-stick", "ball-2-sticks"] {
        let left = map(&scratch, &format!("several/{model}/residuals.nii.gz"));
        let square = left[43..].iter().map(|left| f64::from(*left).powi(2)).sum::<f64>();
        let residual = f64::from(map(&scratch, &format!("several/{model}/residual.nii.gz"))[1]);
        assert!(((square / 43.0).sqrt() / residual - 1.0).abs() < 1e-3, "{model}");
    }
}

#[test]
fn quantiles_and_best_samples_agree_with_the_samples() {
    let scratch = noisy();
    scratch.succeed(&fit(&format!(
        "ball-1-stick --quantiles 0.025,0.5,1 --criteria bic,bic-maximum,dic,waic --sigma sampled --out out {SHORT}"
    )));
    for name in ["d", "f", "sigma"] {
        let quantiles = map(&scratch, &format!("out/{name}_quantiles.nii.gz"));
        let samples = map(&scratch, &format!("out/{name}_samples.nii.gz"));
        for (voxel, samples) in samples.chunks(100).enumerate() {
            let mut sorted = samples.to_vec();
            sorted.sort_by(f32::total_cmp);
            // The positions are 0.025 · 99 = 2.475 and 0.5 · 99 = 49.5, counted from 0.
            let expected =
                [sorted[2] + 0.475 * (sorted[3] - sorted[2]), 0.5 * (sorted[49] + sorted[50]), sorted[99]];
            for (found, expected) in quantiles[3 * voxel..].iter().zip(expected) {
                assert!((found / expected - 1.0).abs() < 1e-5, "{name}: {found} {expected}");
            }
        }
    }
    assert!(!scratch.path("out/n_quantiles.nii.gz").exists(), "orientations have none");
    // The model has 5 unknowns. This BIC belongs to the sample with the least sum of squares, so it is a
    // little above the BIC of the best fit.
    scratch.succeed(&fit("ball-1-stick --criteria bic --out best"));
    let [best, maximum] =
        ["best/bic", "out/bic_maximum"].map(|name| map(&scratch, &format!("{name}.nii.gz")));
    for (best, maximum) in best.iter().zip(&maximum) {
        assert!(*maximum > *best - 1e-2 && *maximum < *best + 8.0, "{maximum} {best}");
    }
    let median = figure(&scratch, "out/arcuate.json", "median BIC at the maximum").as_f64().unwrap();
    // For an even number of voxels, the median is the mean of the middle two.
    let mut known: Vec<f64> = maximum.iter().filter(|value| **value != 0.0).map(|v| f64::from(*v)).collect();
    known.sort_by(f64::total_cmp);
    let expected = f64::midpoint(known[(known.len() - 1) / 2], known[known.len() / 2]);
    assert!((expected - median).abs() < 1e-3, "{expected} {median}");
    for name in ["dic", "waic", "bic"] {
        assert!(map(&scratch, &format!("out/{name}.nii.gz")).iter().all(|value| *value != 0.0), "{name}");
    }
    scratch.succeed(&fit(&format!("ball-1-stick,ball-2-sticks --compare bic-maximum --out both {SHORT}")));
    assert_eq!(map(&scratch, "both/best_model.nii.gz").len(), 2);
    scratch.fail(
        &fit(&format!("ball-1-stick --quantiles 0.5,2 --out no {SHORT}")),
        2,
        "error: --quantiles: 2 is not a quantile; give numbers from 0 to 1, such as 0.025,0.5,0.975",
    );
    scratch.fail(
        &fit("ball-1-stick --quantiles 0.5 --out no"),
        2,
        "error: --quantiles: a fit has no chains; add --method mcmc, or leave out this option",
    );
}

#[test]
fn grid_search_fits_have_grid_values() {
    let scratch = sticks(&DIRECTIONS);
    scratch.succeed(&fit("ball-1-stick --method grid --out out"));
    // The true values are d = 1.2e-3, which is in the grid, and f = 0.6, which is halfway between 0.5 and
    // 0.7.
    assert_eq!(map(&scratch, "out/d.nii.gz"), [1.2e-3, 1.2e-3]);
    assert!(map(&scratch, "out/f.nii.gz").iter().all(|f| *f == 0.5 || *f == 0.7));
    assert_eq!(map(&scratch, "out/status.nii.gz"), [1.0, 1.0]);
    // A model file whose last stage is a search gives the same results.
    scratch.write("mine.toml", changed(&[("\n[[stages]]\nmethod = \"levenberg-marquardt\"\n", "")]));
    scratch.succeed(&fit("./mine.toml --out mine"));
    for name in ["d", "f", "n", "s0", "residual"] {
        let [ours, theirs] = ["out", "mine"].map(|folder| scratch.read(&format!("{folder}/{name}.nii.gz")));
        assert!(ours == theirs, "{name}");
    }
    for (words, code, expected) in [
        (
            "tensor-nonlinear --method grid",
            2,
            "--method grid: tensor-nonlinear has no parameter with a search grid; give a parameter a search \
             grid, or use another method",
        ),
        (
            "ball-1-stick --method grid --standard-errors",
            2,
            "--standard-errors: a search ends at a value of a grid, whose error is that of the grid; remove \
             this option, or choose another --method than grid",
        ),
        (
            "ball-1-stick --method grid --start f=0.4",
            2,
            "--start f=0.4: a search alone would not move it from where it starts; take it as known: --fix f=VALUE",
        ),
        (
            "ball-1-stick --method grid --chains 2",
            2,
            "--chains: a fit has no chains; add --method mcmc, or leave out this option",
        ),
    ] {
        scratch.fail(&fit(&format!("{words} --out no")), code, &format!("error: {expected}"));
    }
}

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

/// The mean signal of a stick over 20 evenly spread directions is nearly the mean over all directions, for
/// every orientation of the stick.
#[test]
fn models_of_averages_are_fitted_to_averages() {
    let scratch = sticks(&DIRECTIONS);
    scratch.write("powder.toml", POWDER);
    let result = scratch.run(&fit("./powder.toml --predicted --out out"));
    assert_eq!(result.code, 0, "{}", result.errors);
    for (name, truth) in [("f", 0.6), ("d", 1.2e-3), ("s0", 1000.0)] {
        for found in map(&scratch, &format!("out/{name}.nii.gz")) {
            assert!((f64::from(found) / truth - 1.0).abs() < 0.03, "{name}: {found}");
        }
    }
    // The prediction has the three measurements at b = 0 and one average for each shell. The shells in the
    // record are those of the measured series.
    assert_eq!(map(&scratch, "out/predicted.nii.gz").len(), 2 * 5);
    assert_eq!(figure(&scratch, "out/arcuate.json", "shells"), "3 × b 0, 20 × b 1000, 20 × b 2000 s/mm²");
    scratch.fail(
        &fit("ball-1-stick,./powder.toml --out no"),
        2,
        "error: MODEL: the model powder describes averages over directions, but the model ball-1-stick does \
         not; fit the models in separate commands",
    );
}
