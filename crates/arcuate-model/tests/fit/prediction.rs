//! Tests the signals that fits predict for the measurements to which they were fitted.

use crate::simulation::{simulate, table};
use arcuate_compute::Device;
use arcuate_core::{GradientTable, Volume};
use arcuate_model::fit::{
    FitOptions, MeasurementColumn, ModelMeasurements, Override, OverrideKind, Source, fit_models,
    predicted_signals,
};
use arcuate_model::language::Model;
use arcuate_model::models::model;

/// Fits models to noisy signals of NODDI. Checks in every voxel that the root mean square of measured minus
/// predicted signals is the residual of the fit.
fn check(models: &[Model], table: &GradientTable, options: &FitOptions) {
    let simulated = simulate(&model("noddi-watson").unwrap(), table, 20, 30.0, 5);
    let fits = fit_models(models, &simulated.dwi, table, &simulated.mask, &Device::Cpu, options).unwrap();
    let used = options.measurements.of(table).unwrap();
    let voxels: Vec<usize> = (0..20).collect();
    let of_voxels = predicted_signals(models, &fits, table, options, &voxels).unwrap();
    assert_eq!(of_voxels.len(), voxels.len());
    for (voxel, predicted) in of_voxels.iter().enumerate() {
        assert_eq!(predicted.len(), models.len());
        for (fit, predicted) in fits.iter().zip(predicted) {
            assert_eq!(predicted.len(), used.len());
            let square =
                |(&m, signal): (&usize, &f64)| (f64::from(simulated.dwi.voxel(voxel)[m]) - signal).powi(2);
            let sum: f64 = used.iter().zip(predicted).map(square).sum();
            let found = (sum / used.len() as f64).sqrt();
            let expected = f64::from(fit.residual.voxel(voxel)[0]);
            // The tolerance is small although maps are in single precision. The residual is near its minimum,
            // so that an error of 1e-7 of the signal hardly changes it.
            assert!(
                (found / expected - 1.0).abs() < 1e-5,
                "{} in voxel {voxel}: {found} {expected}",
                fit.model
            );
        }
    }
}

fn change(parameter: &str, what: OverrideKind) -> Override {
    Override { parameter: parameter.into(), what }
}

#[test]
fn residuals_agree_with_predictions() {
    let models = ["noddi-watson", "ball-2-sticks", "tensor-nonlinear"].map(|name| model(name).unwrap());
    let table = table(&[1000.0, 2000.0], 40);
    check(&models, &table, &FitOptions::default());
    check(
        &models,
        &table,
        &FitOptions { measurements: ModelMeasurements::UpTo(1500.0), ..FitOptions::default() },
    );
}

#[test]
fn predictions_use_fixed_and_freed_parameters() {
    let table = table(&[1000.0, 2000.0], 40);
    let noddi = [model("noddi-watson").unwrap()];
    let grid = *simulate(&noddi[0], &table, 20, 30.0, 5).dwi.grid();
    let diffusivities = Volume::new(grid, 1, (0..20).map(|n| 1.2e-3 + 3e-5 * n as f32).collect()).unwrap();
    for overrides in [
        vec![
            change("d_parallel", OverrideKind::Fixed(Source::Number(1.4e-3))),
            change("ndi", OverrideKind::Kept),
        ],
        vec![change("d_parallel", OverrideKind::Fixed(Source::Map(Box::new(diffusivities.clone()))))],
        vec![
            change("d_parallel", OverrideKind::Free),
            change("fwf", OverrideKind::Fixed(Source::Number(0.2))),
        ],
        vec![change("d_parallel", OverrideKind::StartingAt(Source::Map(Box::new(diffusivities))))],
    ] {
        check(&noddi, &table, &FitOptions { overrides, ..FitOptions::default() });
    }
}

#[test]
fn predictions_use_columns_and_maps() {
    let text = r#"name = "mine"
signal = "s0 * gain * exp(-b * d * (1 - spread * dot(g, n)^2) - delay * rate)"
[parameters.s0]
unit = "signal"
bounds = [0, inf]
start = "mean_b0"
[parameters.d]
unit = "mm²/s"
bounds = [0, 5e-3]
start = "tensor.md"
[parameters.spread]
bounds = [0, 1]
start = 0.5
[parameters.n]
kind = "orientation"
start = "tensor.v1"
[measurements.delay]
unit = "ms"
bounds = [0, 100]
[maps.rate]
unit = "1/ms"
bounds = [0, 1]
[maps.gain]
bounds = [0.5, 2]
"#;
    let table = table(&[1000.0, 2000.0], 40);
    let mine = [Model::parse("mine.toml", text).unwrap()];
    let grid = *simulate(&model("noddi-watson").unwrap(), &table, 20, 30.0, 5).dwi.grid();
    let map = |first: f32, step: f32| {
        Volume::new(grid, 1, (0..20).map(|n| first + step * n as f32).collect()).unwrap()
    };
    let delays = (0..table.len()).map(|m| (m % 7) as f64).collect();
    let options = FitOptions {
        columns: vec![MeasurementColumn { name: "delay".into(), values: delays }],
        maps: vec![("rate".into(), map(0.01, 0.002)), ("gain".into(), map(0.6, 0.05))],
        ..FitOptions::default()
    };
    check(&mine, &table, &options);
}
