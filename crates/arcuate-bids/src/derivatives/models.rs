//! Metadata of the model that a map belongs to, following the diffusion model draft (BEP016). They are
//! `Model`, and the `ResponseFunction` of deconvolution.

use super::results::{Results, figure, number, word};
use crate::addresses::encoded;
use arcuate_core::Result;
use arcuate_pipeline::record::Record;
use arcuate_pipeline::responses;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Options of commands that do not affect the results, and are therefore not listed.
const NO_PARAMETERS: [&str; 4] = ["device", "names", "out", "method"];

/// The label of each model in file names, and its full name.
const MODELS: [(&str, &str); 6] = [
    ("tensor", "Diffusion tensor"),
    ("csd", "Fibre orientation distributions by constrained spherical deconvolution of several tissues"),
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

/// Returns the metadata of a model: its name, its reference and the parameters of the fit.
pub(super) fn model(label: &str, record: &Record) -> Option<Value> {
    let (_, description) = MODELS.iter().find(|(known, _)| *known == label)?;
    let mut model = json!({"Description": description, "Parameters": parameters(record)});
    if let Some(url) = paper(record) {
        model["URL"] = url.into();
    }
    Some(model)
}

/// Returns the web address of the first paper in a record's references that has a DOI.
pub(super) fn paper(record: &Record) -> Option<String> {
    let mut papers = record.references.iter().filter_map(|reference| reference.split("doi:").nth(1));
    papers.next().map(|doi| format!("https://doi.org/{}", encoded(doi.trim_end_matches('.'))))
}

/// Converts the name of an option to BIDS style: `b0-threshold` becomes `B0Threshold`.
fn key(option: &str) -> String {
    let capitalised = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    option.split('-').map(capitalised).collect()
}

/// Returns whether the value of an option names input files. Input files are listed as sources, not as
/// parameters.
fn is_of_files(value: &Value, record: &Record) -> bool {
    match value {
        Value::String(text) => {
            record.inputs.iter().any(|input| !text.is_empty() && Path::new(&input.path).starts_with(text))
        }
        Value::Array(values) => values.iter().any(|value| is_of_files(value, record)),
        _ => false,
    }
}

/// Returns the options of a command and the parameters of its fit.
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

/// Returns the response function of a tissue (such as `wm`), if the run has one. It is a list of even zonal
/// coefficients per shell. The draft has no field for the b-values.
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
