//! What models maps are of, by what the draft of diffusion models (BEP016) has for that: `Model`, and the `ResponseFunction` of
//! deconvolution.

use super::results::{Results, figure, number, word};
use crate::addresses::encoded;
use arcuate_core::Result;
use arcuate_pipeline::record::Record;
use arcuate_pipeline::responses;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Options that say nothing of results.
const NO_PARAMETERS: [&str; 4] = ["device", "names", "out", "method"];

/// What models are called in names of files, and in full.
const MODELS: [(&str, &str); 6] = [
    ("tensor", "Diffusion tensor"),
    (
        "csd",
        "Fibre orientation distributions by constrained spherical deconvolution, with tissues of other diffusion beside them",
    ),
    ("mtnorm", "Intensities by which tissues add up to the same everywhere"),
    (
        "bs",
        "Ball and two sticks: free diffusion and two fibre populations, as means of posterior distributions",
    ),
    (
        "commit",
        "Convex optimisation modelling for microstructure informed tractography: what streamlines, tissue around them and free water contribute to the signal",
    ),
    ("life", "Linear fascicle evaluation: the signal that weighted streamlines explain"),
];

/// What a model is, where to read of it, and with which parameters it was fitted.
pub(super) fn model(label: &str, record: &Record) -> Option<Value> {
    let (_, description) = MODELS.iter().find(|(known, _)| *known == label)?;
    let mut model = json!({"Description": description, "Parameters": parameters(record)});
    if let Some(url) = paper(record) {
        model["URL"] = url.into();
    }
    Some(model)
}

/// The address of the first paper that a record cites and that has one.
pub(super) fn paper(record: &Record) -> Option<String> {
    let mut papers = record.references.iter().filter_map(|reference| reference.split("doi:").nth(1));
    papers.next().map(|doi| format!("https://doi.org/{}", encoded(doi.trim_end_matches('.'))))
}

/// Options in the words of BIDS: `b0-threshold` is `B0Threshold`.
fn key(option: &str) -> String {
    let capitalised = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    option.split('-').map(capitalised).collect()
}

/// Whether an option names files that went in, which are sources.
fn is_of_files(value: &Value, record: &Record) -> bool {
    match value {
        Value::String(text) => {
            record.inputs.iter().any(|input| !text.is_empty() && Path::new(&input.path).starts_with(text))
        }
        Value::Array(values) => values.iter().any(|value| is_of_files(value, record)),
        _ => false,
    }
}

/// With which options a command was called, and how it fitted.
fn parameters(record: &Record) -> Map<String, Value> {
    let said = record.options.0.iter();
    let mut parameters: Map<String, Value> = said
        .filter(|(name, value)| !NO_PARAMETERS.contains(&name.as_str()) && !is_of_files(value, record))
        .map(|(name, value)| (key(name), value.clone()))
        .collect();
    if let Some(method) = word(record, "method") {
        parameters.insert("FitMethod".into(), method.into());
    }
    if let Some(reweightings) = number(record, "reweightings") {
        let method = if reweightings > 0.0 { "iwls" } else { "wls" };
        parameters.insert("FitMethod".into(), method.into());
        parameters.insert("Iterations".into(), json!(reweightings as u64));
    }
    if let Some(samples) = figure(record, "samples of a voxel") {
        parameters.insert("Samples".into(), samples.clone());
    }
    parameters
}

/// The response function of a tissue (`wm`), if the run has it: a list of even zonal coefficients for each shell, whose b-values are
/// not in the draft.
pub(super) fn response(tissue: &str, results: &Results) -> Result<Option<Value>> {
    let Some(path) = results.file(&format!("responses/response_{tissue}.txt"))? else { return Ok(None) };
    let response = responses::read(&path)?;
    let mut value = json!({"Type": "zsh", "Coefficients": response.rows()});
    if let Some(b_values) = response.b_values() {
        value["BValues"] = json!(b_values);
    }
    Ok(Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_become_parameters() {
        let record = json!({
            "options": {"reweightings": 2, "b0-threshold": 50, "mask": "a/mask.nii", "responses": ["a/responses"], "device": "auto"},
            "inputs": [
                {"path": "a/mask.nii", "bytes": 1, "sha256": ""},
                {"path": "a/responses/response_wm.txt", "bytes": 1, "sha256": ""},
            ],
            "references": ["Nobody (2000)", "A (2001) B. doi:10.1002/1(1)2<3>4"],
        });
        let record: Record = serde_json::from_value(record).unwrap();
        let model = model("tensor", &record).unwrap();
        let expected = json!({"Reweightings": 2, "B0Threshold": 50, "FitMethod": "iwls", "Iterations": 2});
        assert_eq!(model["Parameters"], expected);
        assert_eq!(model["URL"], "https://doi.org/10.1002/1%281%292%3C3%3E4");
        assert_eq!(super::model("other", &record), None);
    }
}
