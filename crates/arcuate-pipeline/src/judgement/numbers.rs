//! Numbers of a record.

use crate::record::Record;
use crate::run::Stage;

/// Returns the number of a figure, or `None` if the record does not have it or if it is no number.
pub(super) fn number(record: &Record, name: &str) -> Option<f64> {
    let figure = record.figures.0.iter().find(|(known, _)| known == name);
    figure.and_then(|(_, figure)| figure.value.as_f64())
}

/// Returns a figure as the report shows it.
pub(super) fn shown(record: &Record, name: &str) -> Option<String> {
    let figure = record.figures.0.iter().find(|(known, _)| known == name);
    figure.map(|(_, figure)| figure.shown())
}

/// Returns the number of a figure of a step. A run renames it if an earlier step has a figure of the same name.
pub(super) fn number_of_step(record: &Record, name: &str, step: Stage) -> Option<f64> {
    number(record, &format!("{name} ({})", step.name())).or_else(|| number(record, name))
}

/// Returns `part` of `whole` in percent, or 0 if `whole` is 0.
pub(super) fn percentage(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}
