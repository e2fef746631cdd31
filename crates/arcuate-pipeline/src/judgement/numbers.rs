//! Numbers of a record.

use crate::record::Record;
use crate::run::Stage;

/// Returns the value of the figure called `name`. Returns `None` if the record has no such figure, or if its
/// value is not a number.
pub(super) fn number(record: &Record, name: &str) -> Option<f64> {
    let figure = record.figures.0.iter().find(|(known, _)| known == name);
    figure.and_then(|(_, figure)| figure.value.as_f64())
}

/// Returns the value of the figure called `name`, formatted as in the report.
pub(super) fn shown(record: &Record, name: &str) -> Option<String> {
    let figure = record.figures.0.iter().find(|(known, _)| known == name);
    figure.map(|(_, figure)| figure.shown())
}

/// Returns the value of a figure that the stage `step` of a run computed. If an earlier stage has a figure of
/// the same name, the name of the stage is appended to the name of the figure.
pub(super) fn number_of_step(record: &Record, name: &str, step: Stage) -> Option<f64> {
    number(record, &format!("{name} ({})", step.name())).or_else(|| number(record, name))
}

/// Returns `part` of `whole` in percent, or 0 if `whole` is 0.
pub(super) fn percentage(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}
