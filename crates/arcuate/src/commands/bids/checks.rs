//! Checks whether the metadata of a BIDS dataset agree with its images and gradient tables.

use arcuate_bids::dataset::Dataset;
use arcuate_bids::participants::{FILE_NAME, Participants};
use arcuate_bids::scans::Scan;
use arcuate_core::{Error, Result, is_file_or_link};
use serde_json::Value;

/// Warns of participants that have data and no row in the table, or a row and no data.
pub(super) fn compare_participants(dataset: &Dataset) {
    let path = dataset.root.join(FILE_NAME);
    if !is_file_or_link(&path) {
        return;
    }
    let table = match Participants::read(&path) {
        Ok(table) => table,
        Err(error) => return tracing::warn!("{error}"),
    };
    let (listed, known) = (table.labels(), dataset.participants());
    let missing: Vec<&str> =
        known.iter().map(String::as_str).filter(|label| !listed.contains(label)).collect();
    if !missing.is_empty() {
        tracing::warn!(
            "{}: the table of participants has no row for sub-{}",
            path.display(),
            missing.join(", sub-")
        );
    }
    let without: Vec<&str> =
        listed.into_iter().filter(|label| !known.iter().any(|one| one == label)).collect();
    if !without.is_empty() {
        tracing::warn!(
            "{}: the table of participants lists sub-{}, which has no files",
            path.display(),
            without.join(", sub-")
        );
    }
}

/// Returns an error if the sidecar of a series contradicts its file name. Warns of times that cannot be in
/// seconds.
pub(super) fn compare_sidecar(scan: &Scan) -> Result<()> {
    let path = scan.series.path.display();
    if let Some(space) = scan.metadata.get("Space").and_then(Value::as_str)
        && scan.name.get("space").is_some_and(|label| label != space)
    {
        let problem = format!("the JSON sidecar of the series states the space {space}");
        return Err(Error::invalid(path, problem, "correct the sidecar, or use --skip-bids-validation"));
    }
    for (key, minimum, maximum, unit) in [("EchoTime", 0.005, 1.0, "s"), ("RepetitionTime", 0.1, 100.0, "s")]
    {
        let value = scan.metadata.get(key).and_then(Value::as_f64);
        if let Some(value) = value.filter(|value| !(minimum..=maximum).contains(value)) {
            tracing::warn!(
                "{path}: the JSON sidecar has {key} {value}, which is not a possible value in {unit}"
            );
        }
    }
    Ok(())
}
