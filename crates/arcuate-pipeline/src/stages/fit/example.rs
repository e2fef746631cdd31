//! The example voxel of a fit of signal models. The results show its measured signals, the signals that the
//! models predict, and the fitted parameters.

use crate::output_files::{Kind, OutputFile};
use crate::record::Table;
use crate::scan::{shown_value, unit_name};
use crate::series::Series;
use crate::signals_table::{HEADING, signals_table};
use arcuate_core::{GradientTable, Result, Volume};
use arcuate_io::write_file;
use arcuate_model::fit::{FitOptions, ModelFit, Status, predicted_signals};
use arcuate_model::language::{Form, Model, Parameter};
use rayon::prelude::*;
use serde_json::{Value, json};
use std::path::Path;

/// File of the measured and predicted signals of the example voxel.
pub(super) const FILE: &str = "example_voxel.csv";
/// Minimum number of measurements of a shell for computing how much the signal varies with the gradient
/// direction.
const DIRECTIONS: usize = 6;

/// Returns the name of the first orientation parameter that the model fits.
pub(super) fn orientation<'a>(model: &'a Model, freed: &[&str]) -> Option<&'a str> {
    let is_fitted = |parameter: &&Parameter| {
        matches!(parameter.form(), Form::Orientation { .. })
            && (!parameter.is_fixed() || freed.contains(&parameter.name()))
    };
    model.parameters().iter().find(is_fitted).map(Parameter::name)
}

/// Describes the file of the measured signals and of those that a model predicts, and how the report shows
/// it.
pub(super) fn output_file(model: &Model, freed: &[&str]) -> OutputFile {
    let (place, caption) = match orientation(model, freed) {
        Some(name) => (
            format!("|cos| of the angle between gradient and {name}"),
            "Dots are measured. Lines are predicted; dashes, where the prediction depends on more than this angle.",
        ),
        None => (
            "measurements of each shell, the highest predicted signal first".to_owned(),
            "Dots are measured, lines are predicted. The model has no orientation by which to order measurements.",
        ),
    };
    let kind = Kind::Signals { place: place.into(), section: HEADING.into() };
    OutputFile::shown(FILE, "Measured and predicted signals", kind).with_caption(caption).with_content(
        "Measured and predicted signals of one voxel, one row per fitted measurement: number of the volume, b-value, \
         b-value of its shell, place, measured, predicted",
    )
}

/// The voxel that was chosen as the example of a fit, and the reason for this choice.
pub(super) struct Choice {
    pub(super) voxel: usize,
    why: String,
}

/// The data of the example voxel.
pub(super) struct Example<'a> {
    dwi: &'a Volume<f32>,
    gradients: &'a GradientTable,
    choice: Choice,
    /// Indices of the fitted measurements.
    measurements: Vec<usize>,
    predicted: Vec<Vec<f64>>,
}

/// Returns how the fit ended in a voxel, for example that it converged.
pub(super) fn status(fit: &ModelFit, voxel: usize) -> Status {
    Status::ALL[fit.status.voxel(voxel)[0] as usize].0
}

/// Returns the mean of the finite values.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) =
        values.filter(|v| v.is_finite()).fold((0.0, 0usize), |(sum, count), value| (sum + value, count + 1));
    sum / count as f64
}

/// Returns how much the signal of a voxel varies over the measurements of a shell: its standard deviation,
/// divided by the mean signal without diffusion weighting. Returns 0 if this ratio is not a positive number.
fn variation(signals: &[f32], shell: &[usize], unweighted: &[usize]) -> f64 {
    let of = |m: &usize| f64::from(signals[*m]);
    let middle = mean(shell.iter().map(of));
    let square = mean(shell.iter().map(|m| (of(m) - middle).powi(2)));
    let variation = square.sqrt() / mean(unweighted.iter().map(of));
    if variation.is_finite() && variation > 0.0 { variation } else { 0.0 }
}

/// Chooses the example voxel, and describes why it was chosen.
///
/// The candidates are the voxels in which the most models were fitted and converged. Only the quarter whose
/// signal varies most with the gradient direction is kept, because other voxels show little structure. From
/// these, the voxel with the median residual of the first model is chosen. Its fit is neither unusually good
/// nor unusually bad.
pub(super) fn choose(
    series: &Series,
    options: &FitOptions,
    fits: &[ModelFit],
    several: bool,
) -> Result<Choice> {
    let Series { dwi, gradients, .. } = series;
    let measurements = options.measurements.of(gradients)?;
    let used = gradients.of_measurements(&measurements);
    let numbers = |of_used: Vec<usize>| of_used.into_iter().map(|m| measurements[m]).collect::<Vec<usize>>();
    let shell =
        used.measurements_by_shell().into_iter().rfind(|(b, all)| *b > 0.0 && all.len() >= DIRECTIONS);
    let shell = shell.map(|(b, all)| (b, numbers(all)));
    let unweighted = match used.b0_indices() {
        none if none.is_empty() => measurements.clone(),
        some => numbers(some),
    };
    let standing = |voxel: usize| {
        let count = |wanted: fn(Status) -> bool| fits.iter().filter(|fit| wanted(status(fit, voxel))).count();
        (count(Status::is_fitted), count(|status| status == Status::Converged))
    };
    let standings: Vec<(usize, usize)> = (0..dwi.grid().len()).into_par_iter().map(standing).collect();
    let best = standings.iter().copied().max().unwrap_or_default();
    let mut candidates: Vec<(usize, f64)> = standings
        .par_iter()
        .enumerate()
        .filter(|(_, standing)| **standing == best)
        .map(|(voxel, _)| {
            let shell = shell.as_ref().map_or(&[][..], |(_, all)| all);
            (voxel, variation(dwi.voxel(voxel), shell, &unweighted))
        })
        .collect();
    // The sort is stable: voxels with the same variation stay in the order of their index.
    if shell.is_some() {
        candidates.sort_by(|(_, a), (_, b)| b.total_cmp(a));
        candidates.truncate(candidates.len().div_ceil(4));
    }
    let residual = |voxel: usize| fits[0].residual.voxel(voxel)[0];
    candidates.sort_by(|(a, _), (b, _)| residual(*a).total_cmp(&residual(*b)).then(a.cmp(b)));
    let voxel = candidates[(candidates.len() - 1) / 2].0;
    let among = match (best.1 == fits.len(), fits.len()) {
        (true, 1) => "voxels in which the fit converged with no parameter at a bound",
        (true, _) => "voxels in which all fits converged with no parameter at a bound",
        (false, 1) => "fitted voxels",
        (false, _) => "voxels in which most models were fitted",
    };
    let varied = shell.map_or(String::new(), |(b, _)| {
        format!("in the quarter whose signals at b {b:.0} s/mm² vary most with direction, ")
    });
    let whose = if several { format!(" of {}", fits[0].model) } else { String::new() };
    Ok(Choice {
        voxel,
        why: format!("Chosen from the {among}: {varied}the one with the median residual{whose}."),
    })
}

impl<'a> Example<'a> {
    pub(super) fn new(
        models: &[Model],
        fits: &[ModelFit],
        series: &'a Series,
        options: &FitOptions,
        choice: Choice,
    ) -> Result<Self> {
        let Series { dwi, gradients, .. } = series;
        let measurements = options.measurements.of(gradients)?;
        let predicted = predicted_signals(models, fits, gradients, options, &[choice.voxel])?.remove(0);
        Ok(Self { dwi, gradients, choice, measurements, predicted })
    }

    /// Writes a table of the measured signals and of those that model number `n` predicts, with one row for
    /// each fitted measurement. The table column `place` is the horizontal position in the plot.
    pub(super) fn write(
        &self,
        path: &Path,
        n: usize,
        model: &Model,
        fit: &ModelFit,
        freed: &[&str],
    ) -> Result<()> {
        let predicted = &self.predicted[n];
        let used = self.gradients.of_measurements(&self.measurements);
        let axis = orientation(model, freed)
            .and_then(|name| fit.maps.iter().find(|map| map.name == name))
            .map(|map| map.volume.voxel(self.choice.voxel));
        let is_fitted = status(fit, self.choice.voxel).is_fitted();
        let measured = self.dwi.voxel(self.choice.voxel);
        let predicted = is_fitted.then_some(&predicted[..]);
        write_file(path, signals_table(&used, &self.measurements, measured, predicted, axis))
    }

    /// Returns a table of the voxel indices of the example voxel and of its fitted parameters.
    pub(super) fn table(&self, models: &[Model], fits: &[ModelFit]) -> Table {
        let several = models.len() > 1;
        let mut rows = Vec::new();
        for (model, fit) in models.iter().zip(fits) {
            let mut row = |name: &str, (value, unit): (Value, String)| {
                let cells = [json!(name), value, json!(unit)];
                let first = several.then(|| json!(model.name()));
                rows.push(first.into_iter().chain(cells).collect::<Vec<Value>>());
            };
            let status = status(fit, self.choice.voxel);
            if status.is_fitted() {
                for map in &fit.maps {
                    row(&map.name, value(map.volume.voxel(self.choice.voxel), &map.unit));
                }
                row("residual", value(fit.residual.voxel(self.choice.voxel), "signal"));
            }
            row("status", (json!(status.says()), String::new()));
        }
        let [x, y, z] = self.dwi.grid().coordinates(self.choice.voxel);
        let columns = ["parameter", "value", "unit"].map(String::from);
        Table {
            title: HEADING.into(),
            section: String::new(),
            text: format!("Voxel {x}, {y}, {z}, counted from 0. {}", self.choice.why),
            columns: several.then(|| "model".to_owned()).into_iter().chain(columns).collect(),
            rows,
        }
    }
}

/// Returns a table cell for the value of a map in a voxel, and the unit of the value. The cell contains a
/// number, or the three components of an orientation as text.
fn value(numbers: &[f32], unit: &str) -> (Value, String) {
    if let [number] = numbers {
        let (number, unit) = shown_value(*number, unit);
        return (json!(number), unit.into_owned());
    }
    let all = numbers.iter().map(|n| format!("{n:.3}")).collect::<Vec<_>>().join(", ");
    (json!(all), unit_name(unit).to_owned())
}
