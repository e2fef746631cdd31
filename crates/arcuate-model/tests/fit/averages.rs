//! Tests models of averages over directions. Fits take into account how many measurements each average has.

use crate::simulation::simulate;
use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::{GradientTable, Orientations, Volume};
use arcuate_model::fit::sample::{Deviation, Noise, SampleOptions, sample_model};
use arcuate_model::fit::{Criterion, FitOptions, ModelFit, fit_models, predicted_series, warn_of_guesses};
use arcuate_model::language::{Model, Prior};
use arcuate_model::{average_directions, averaged_for};

/// Creates a model of a ball, and of sticks averaged over all directions.
fn powder() -> Model {
    let text = r#"
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
    Model::parse("powder.toml", text).unwrap()
}

/// Creates a gradient table from the number of directions and the b-value of each shell. The first shell has
/// b = 0.
fn table(shells: &[(usize, f64)]) -> GradientTable {
    let (mut directions, mut b_values) = (Vec::new(), Vec::new());
    for &(count, b) in shells {
        directions.extend_from_slice(&Orientations::half_sphere(count.max(6)).directions()[..count]);
        b_values.extend(vec![b; count]);
    }
    GradientTable::new(&directions, b_values, 50.0).unwrap()
}

/// Numbers of directions and b-values of shells. The shell at 1500 s/mm² has ten times as many directions as
/// the shell at 800 s/mm².
const UNEVEN: [(usize, f64); 5] = [(9, 0.0), (3, 400.0), (6, 800.0), (60, 1500.0), (90, 2500.0)];

fn values<'a>(fit: &'a ModelFit, name: &str) -> &'a [f32] {
    fit.maps.iter().find(|map| map.name == name).unwrap().volume.values()
}

fn errors<'a>(fit: &'a ModelFit, name: &str) -> &'a [f32] {
    fit.standard_errors.iter().find(|map| map.name == name).unwrap().volume.values()
}

fn deviation(found: &[f32], truth: impl Fn(usize) -> f64) -> f64 {
    let squares = found.iter().enumerate().map(|(n, found)| (f64::from(*found) - truth(n)).powi(2));
    (squares.sum::<f64>() / found.len() as f64).sqrt()
}

fn mean(values: &[f32]) -> f64 {
    values.iter().map(|value| f64::from(*value)).sum::<f64>() / values.len() as f64
}

/// The sum of squared residuals of all measurements equals that of the averages plus a constant, if each
/// average counts as often as it has measurements. Both fits therefore agree.
#[test]
fn fits_of_averages_agree_with_fits_of_measurements() {
    let (model, table) = (powder(), table(&UNEVEN));
    let simulated = simulate(&model, &table, 300, 20.0, 5);
    let (averaged, means) = average_directions(&simulated.dwi, &table).unwrap();
    let options = FitOptions { standard_errors: true, ..FitOptions::default() };
    let fit = |dwi: &Volume<f32>, table: &GradientTable| {
        let models = std::slice::from_ref(&model);
        fit_models(models, dwi, table, &simulated.mask, &Device::Cpu, &options).unwrap().remove(0)
    };
    let (of_all, of_means) = (fit(&simulated.dwi, &table), fit(&averaged, &means));
    for name in ["s0", "d", "f"] {
        for (a, b) in values(&of_all, name).iter().zip(values(&of_means, name)) {
            assert!((a - b).abs() <= 1e-3 * a.abs().max(*b), "{name}: {a} {b}");
        }
        // Both fits estimate the noise from the residuals. The fit of all measurements has 165 degrees of
        // freedom, and the fit of averages has 10.
        let ratio = mean(errors(&of_means, name)) / mean(errors(&of_all, name));
        assert!((0.85..1.15).contains(&ratio), "{name}: {ratio}");
    }
    let ratio = mean(of_means.residual.values()) / mean(of_all.residual.values());
    assert!((0.8..1.0).contains(&ratio), "three unknowns of thirteen: {ratio}");
    // If all averages have the same weight, the averages of few directions at low b have too much influence.
    // The scatter of f is then larger.
    let even = means.clone().with_averaged(vec![1; means.len()]).unwrap();
    let without = fit(&averaged, &even);
    let scatter = |fit: &ModelFit| deviation(values(fit, "f"), |n| simulated.truth[n][2]);
    assert!(scatter(&of_means) < 0.8 * scatter(&without), "{} {}", scatter(&of_means), scatter(&without));
    // The predicted signals are averages that are not multiplied by their weights.
    let predicted = predicted_series(std::slice::from_ref(&model), 0, &of_means, &means, &options).unwrap();
    for voxel in 0..predicted.grid().len() {
        for (predicted, measured) in predicted.voxel(voxel).iter().zip(averaged.voxel(voxel)) {
            assert!((predicted - measured).abs() < 0.25 * simulated.truth[voxel][0] as f32);
        }
    }
    // The expected criterion is n ln(RSS / n) + k ln n, with nine measurements at b = 0 and four averages.
    let (n, k) = (13.0f64, 3.0);
    let bic = of_means.criterion(Criterion::Bic);
    for (found, residual) in bic.values().iter().zip(of_means.residual.values()) {
        let expected = n * f64::from(*residual).powi(2).ln() + k * n.ln();
        assert!((f64::from(*found) - expected).abs() < 1e-3);
    }
}

#[test]
fn fits_of_averages_have_the_same_bits_on_a_gpu() {
    if !arcuate_emulation::available("fits of averages on a GPU") {
        return;
    }
    let (model, table) = (powder(), table(&UNEVEN));
    let simulated = simulate(&model, &table, 20, 20.0, 6);
    let (averaged, means) =
        averaged_for(std::slice::from_ref(&model), &simulated.dwi, &table).unwrap().unwrap();
    let bits = |volume: &Volume<f32>| volume.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    let sampling = SampleOptions { burn_in: 20, jumps: 20, interval: 4, ..SampleOptions::default() };
    for single_precision in [false, true] {
        let options = FitOptions { single_precision, ..FitOptions::default() };
        let fit = |device: &Device| {
            let models = std::slice::from_ref(&model);
            fit_models(models, &averaged, &means, &simulated.mask, device, &options).unwrap().remove(0)
        };
        let gpu = DeviceChoice::Cuda(vec![0]).open(None).unwrap();
        let (here, there) = (fit(&Device::Cpu), fit(&gpu));
        assert_eq!(bits(&here.residual), bits(&there.residual));
        for (a, b) in here.maps.iter().zip(&there.maps) {
            assert_eq!(bits(&a.volume), bits(&b.volume), "{}", a.name);
        }
        let sample = |device: &Device| {
            sample_model(&model, &averaged, &means, &simulated.mask, device, &options, &sampling).unwrap()
        };
        let (here, there) = (sample(&Device::Cpu), sample(&gpu));
        for parameter in &here.parameters {
            assert_eq!(
                bits(&here.samples_of(parameter)),
                bits(&there.samples_of(parameter)),
                "{}",
                parameter.name
            );
        }
    }
}

#[test]
fn samples_of_averages_have_the_noise_of_one_measurement() {
    let (model, table) = (powder(), table(&UNEVEN));
    let simulated = simulate(&model, &table, 40, 20.0, 7);
    let (averaged, means) = average_directions(&simulated.dwi, &table).unwrap();
    let sample = |dwi: &Volume<f32>, table: &GradientTable, noise: Noise| {
        let sampling = SampleOptions { noise, jumps: 2000, interval: 10, ..SampleOptions::default() };
        let options = FitOptions::default();
        sample_model(&model, dwi, table, &simulated.mask, &Device::Cpu, &options, &sampling)
    };
    let sampled = || Noise::Gaussian(Deviation::Sampled(Prior::LogUniform));
    let found = sample(&averaged, &means, sampled()).unwrap();
    let sigma = found.parameters.iter().find(|parameter| parameter.name == "sigma").unwrap();
    let s0 = simulated.truth.iter().map(|numbers| numbers[0]).sum::<f64>() / 40.0;
    let ratio = mean(found.mean_of(sigma).values()) / (s0 / 20.0);
    assert!((0.9..1.25).contains(&ratio), "{ratio}");
    // The posterior distributions from all measurements and from their averages have the same width.
    let whole = sample(&simulated.dwi, &table, sampled()).unwrap();
    let width = |of: &arcuate_model::fit::sample::ModelSamples| {
        let f = of.parameters.iter().find(|parameter| parameter.name == "f").unwrap();
        mean(of.spread_of(f).values())
    };
    let ratio = width(&found) / width(&whole);
    assert!((0.85..1.25).contains(&ratio), "{ratio}");
    // The mean of several magnitudes has another distribution than a single magnitude.
    let refused = sample(&averaged, &means, Noise::Rician(Deviation::Sampled(Prior::LogUniform)));
    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("the mean of several magnitudes has no Rician distribution"), "{refused}");
}

/// Returns the warnings about undetermined parameters of the model with this gradient table.
fn warnings(table: &GradientTable) -> Vec<String> {
    let options = FitOptions::default();
    arcuate_test_support::warnings(|| warn_of_guesses(&[powder()], table, &options).unwrap()).1
}

#[test]
fn averages_determine_parameters_that_single_measurements_cannot() {
    let table = table(&[(13, 0.0), (30, 1000.0), (60, 2000.0)]);
    let dwi = simulate(&powder(), &table, 1, 30.0, 8).dwi;
    let (_, means) = average_directions(&dwi, &table).unwrap();
    assert_eq!(means.describe_shells(), "13 × b 0, 30 × b 1000, 60 × b 2000, averaged over directions");
    assert_eq!(warnings(&means), Vec::<String>::new());
    let single = means.with_averaged(vec![1; 15]).unwrap();
    let messages = warnings(&single);
    assert_eq!(messages.len(), 1);
    let warning = "these measurements (13 × b 0, 1 × b 1000, 1 × b 2000, averaged over directions) do not determine f. ";
    assert!(messages[0].contains(warning), "{messages:?}");
}

/// Repeated measurements at b = 0 do not help to determine another unknown.
#[test]
fn more_unknowns_than_averages_are_rejected() {
    let table = table(&[(13, 0.0), (30, 1000.0)]);
    let simulated = simulate(&powder(), &table, 1, 30.0, 9);
    let (averaged, means) = average_directions(&simulated.dwi, &table).unwrap();
    let options = FitOptions::default();
    let refused = fit_models(&[powder()], &averaged, &means, &simulated.mask, &Device::Cpu, &options);
    let refused = refused.err().unwrap().to_string();
    assert!(refused.contains("2 measurements cannot determine 3 unknowns of powder"), "{refused}");
}
