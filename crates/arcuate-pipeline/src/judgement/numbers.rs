//! Numbers of a record.

use crate::record::Record;
use crate::run::Stage;

/// Returns the number that the record of a command has under the name `name`. Returns `None` if the record
/// has no such result, or if it is not a number.
pub(super) fn number(record: &Record, name: &str) -> Option<f64> {
    let figure = record.figures.0.iter().find(|(known, _)| known == name);
    figure.and_then(|(_, figure)| figure.value.as_f64())
}

/// Returns the result that the record of a command has under the name `name`, formatted as in the report.
pub(super) fn shown(record: &Record, name: &str) -> Option<String> {
    let figure = record.figures.0.iter().find(|(known, _)| known == name);
    figure.map(|(_, figure)| figure.shown())
}

/// Returns a number that the stage `step` of a run added to the record. If an earlier stage added a result of
/// the same name, the name of the stage was appended to the name.
pub(super) fn number_of_step(record: &Record, name: &str, step: Stage) -> Option<f64> {
    number(record, &format!("{name} ({})", step.name())).or_else(|| number(record, name))
}

/// Returns `part` as a percentage of `whole`, or 0 if `whole` is 0.
pub(super) fn percentage(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}
