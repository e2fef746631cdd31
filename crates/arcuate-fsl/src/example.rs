//! An example voxel for the report: its measured signals, and the signals that the model predicts with the
//! means of the posterior samples.

use super::model::{FibreModel, THRESHOLD};
use arcuate_core::{GradientTable, Result, Volume};
use arcuate_model::fit::sample::ModelSamples;
use arcuate_model::fit::{FitOptions, ModelFit, predicted_signals};
use arcuate_pipeline::output_files::{Kind, OutputFile};
use arcuate_pipeline::record::Table;
use arcuate_pipeline::scan::{shown_value, unit_name};
use arcuate_pipeline::signals_table::{HEADING, signals_table};
use serde_json::{Value, json};

/// Describes the file with the signals of the example voxel, and how the report shows it.
pub(super) fn output_file(name: &'static str) -> OutputFile {
    let place = "|cos| of the angle between gradient and fibre 1".into();
    let kind = Kind::Signals { place, section: HEADING.into() };
    OutputFile::shown(name, "Measured and predicted signals", kind)
        .with_caption("Dots are measured. Lines are predicted; dashes, where the prediction depends on more than this angle.")
}

/// Signals and parameters of a voxel.
pub(super) struct Example {
    /// Table (CSV) of the signals.
    pub(super) signals: String,
    pub(super) table: Table,
}

impl Example {
    /// Selects the example voxel and computes the table of its signals. The candidates are the voxels in
    /// which the fraction of the second fibre is above the threshold. If there are none, all voxels are
    /// candidates. The selected voxel has the median fraction of the second fibre among the candidates.
    pub(super) fn of(
        model: &FibreModel,
        drawn: &ModelSamples,
        dwi: &Volume<f32>,
        gradients: &GradientTable,
        options: &FitOptions,
    ) -> Result<Option<Self>> {
        let map = |name: &str| drawn.fit.maps.iter().find(|map| map.name == name);
        let place = usize::from(model.fibres.len() > 1);
        let (Some([part, _]), Some([_, axis])) = (model.fibres.get(place), model.fibres.first()) else {
            return Ok(None);
        };
        let (Some(part), Some(axis)) = (map(part), map(axis)) else { return Ok(None) };
        let of_voxel = |voxel: usize| part.volume.voxel(voxel)[0];
        let mut candidates: Vec<usize> =
            drawn.voxels.iter().copied().filter(|&voxel| f64::from(of_voxel(voxel)) >= THRESHOLD).collect();
        let is_usual = !candidates.is_empty();
        if !is_usual {
            candidates.clone_from(&drawn.voxels);
        }
        candidates.sort_by(|&a, &b| of_voxel(a).total_cmp(&of_voxel(b)).then(a.cmp(&b)));
        let Some(&voxel) = candidates.get(candidates.len().saturating_sub(1) / 2) else { return Ok(None) };
        let fits = std::slice::from_ref(&drawn.fit);
        let predicted =
            predicted_signals(std::slice::from_ref(&model.model), fits, gradients, options, &[voxel])?
                .remove(0);
        let measurements = options.measurements.of(gradients)?;
        let used = gradients.of_measurements(&measurements);
        let axis = Some(axis.volume.voxel(voxel));
        let signals =
            signals_table(&used, &measurements, dwi.voxel(voxel), predicted.first().map(Vec::as_slice), axis);
        let [i, j, k] = dwi.grid().coordinates(voxel);
        let among = if is_usual { " of the voxels in which it counts" } else { "" };
        let text = format!(
            "Voxel {i}, {j}, {k}, counted from 0: the one{among} in which the part of fibre {} is the median. Parameters are \
             means of the samples.",
            place + 1
        );
        let columns = ["parameter", "value", "unit"].map(String::from).to_vec();
        let (title, section) = (HEADING.into(), HEADING.into());
        Ok(Some(Self {
            signals,
            table: Table { title, section, text, columns, rows: rows(&drawn.fit, voxel) },
        }))
    }
}

/// Returns the rows of a table with the model parameters of a voxel.
fn rows(fit: &ModelFit, voxel: usize) -> Vec<Vec<Value>> {
    let row = |name: &str, numbers: &[f32], unit: &str| {
        let value = match numbers {
            [number] => {
                let (number, unit) = shown_value(*number, unit);
                return vec![json!(name), json!(number), json!(unit)];
            }
            _ => json!(numbers.iter().map(|n| format!("{n:.3}")).collect::<Vec<_>>().join(", ")),
        };
        vec![json!(name), value, json!(unit_name(unit))]
    };
    let residual = row("residual", fit.residual.voxel(voxel), "signal");
    fit.maps.iter().map(|map| row(&map.name, map.volume.voxel(voxel), &map.unit)).chain([residual]).collect()
}
