//! Returns the metadata of a diffusion model for the sidecars of its maps, following the draft of BIDS for
//! diffusion models (BEP016). The metadata are the key `Model` and, for deconvolution, the key
//! `ResponseFunction`.

use super::results::{Results, figure, number, word};
use crate::addresses::encoded;
use arcuate_core::Result;
use arcuate_pipeline::record::Record;
use arcuate_pipeline::responses;
use serde_json::{Map, Value, json};
use std::path::Path;

/// Options of the fit commands that the sidecar does not list among the parameters of the fit. They do not
/// affect the values of the maps, or the sidecar states them elsewhere.
const NO_PARAMETERS: [&str; 4] = ["device", "names", "out", "method"];

/// For each diffusion model, its label in file names and its full name.
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

/// Returns the metadata of the diffusion model with this label: its name, its reference and the parameters of
/// the fit.
pub(super) fn model(label: &str, record: &Record) -> Option<Value> {
    let (_, description) = MODELS.iter().find(|(known, _)| *known == label)?;
    let mut model = json!({"Description": description, "Parameters": parameters(record)});
    if let Some(url) = paper(record) {
        model["URL"] = url.into();
    }
    Some(model)
}

/// Returns the web address of the first publication that has a DOI in the references of a record (a JSON file
/// that describes a result).
pub(super) fn paper(record: &Record) -> Option<String> {
    let mut papers = record.references.iter().filter_map(|reference| reference.split("doi:").nth(1));
    papers.next().map(|doi| format!("https://doi.org/{}", encoded(doi.trim_end_matches('.'))))
}

/// Converts the name of a command-line option to the style of BIDS keys: `b0-threshold` becomes
/// `B0Threshold`.
fn key(option: &str) -> String {
    let capitalised = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map_or_else(String::new, |first| first.to_ascii_uppercase().to_string() + letters.as_str())
    };
    option.split('-').map(capitalised).collect()
}

/// Returns true if the value of a command-line option is the path of input files. Sidecars list input files
/// as sources, not as parameters.
fn is_of_files(value: &Value, record: &Record) -> bool {
    match value {
        Value::String(text) => {
            record.inputs.iter().any(|input| !text.is_empty() && Path::new(&input.path).starts_with(text))
        }
        Value::Array(values) => values.iter().any(|value| is_of_files(value, record)),
        _ => false,
    }
}

/// Returns the parameters of a fit for a sidecar: the options of the command and the parameters that the fit
/// recorded.
fn parameters(record: &Record) -> Map<String, Value> {
    let recorded = record.options.0.iter();
    let mut parameters: Map<String, Value> = recorded
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

/// Returns the metadata of the response function of a tissue (such as `wm`). `Coefficients` has the zonal
/// harmonic coefficients of even degree of each shell. `BValues` has the b-values of the shells, if they are
/// known; the draft does not define this key. Returns `None` if the run has no response function for the
/// tissue.
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
