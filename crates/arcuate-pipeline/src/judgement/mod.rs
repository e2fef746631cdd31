//! Judges results: plain sentences, each with a verdict and the criterion of the verdict.
//!
//! Every limit of a report is in this folder. `docs/src/reference/report.md` lists the limits with their sources.

mod evaluation;
mod fits;
mod scan;
#[cfg(test)]
mod tests;
mod tracking;
mod truth;

pub use truth::{CONNECTIONS, FALSELY_JOINED, FOUND, JOINED};

use crate::record::Record;
use crate::run::Stage;
pub use arcuate_report::{Judgement, Verdict};
use std::cmp::Reverse;

/// Maximum number of judgements on a page.
pub const MOST: usize = 3;

/// A rule judges one aspect of a result. It returns `None` if the record has no data about this aspect.
type Rule = fn(&Record) -> Option<Judgement>;

/// The rules in the order of a page, each with its importance. The smallest number is the most important.
const RULES: [(u8, Rule); 13] = [
    (0, truth::connections),
    (1, truth::false_connections),
    (3, scan::scan),
    (10, fits::gradient_axes),
    (9, fits::tensors),
    (8, fits::deconvolution),
    (7, fits::models),
    (6, fits::chains),
    (5, fits::comparison),
    (4, tracking::streamlines),
    (11, tracking::lengths),
    (2, evaluation::error),
    (12, evaluation::convergence),
];

/// Judges the results of a record. Returns at most [`MOST`] judgements. The worst results come first in the choice, then
/// the most important ones; the page shows the chosen ones in the order of the pipeline.
pub fn judge(record: &Record) -> Vec<Judgement> {
    let rules = RULES.iter().enumerate();
    let mut judged: Vec<(usize, u8, Judgement)> =
        rules.filter_map(|(place, (importance, rule))| Some((place, *importance, rule(record)?))).collect();
    judged.sort_by_key(|(_, importance, judgement)| (Reverse(judgement.verdict), *importance));
    judged.truncate(MOST);
    judged.sort_by_key(|(place, ..)| *place);
    judged.into_iter().map(|(.., judgement)| judgement).collect()
}

/// Returns the number of a figure, or `None` if the record does not have it or if it is no number.
fn number(record: &Record, name: &str) -> Option<f64> {
    let figure = record.figures.0.iter().find(|(known, _)| known == name);
    figure.and_then(|(_, figure)| figure.value.as_f64())
}

/// Returns a figure as the report shows it.
fn shown(record: &Record, name: &str) -> Option<String> {
    let figure = record.figures.0.iter().find(|(known, _)| known == name);
    figure.map(|(_, figure)| figure.shown())
}

/// Returns the number of a figure of a step. A run renames it if an earlier step has a figure of the same name.
fn number_of_step(record: &Record, name: &str, step: Stage) -> Option<f64> {
    number(record, &format!("{name} ({})", step.name())).or_else(|| number(record, name))
}

/// Returns `part` of `whole` in percent, or 0 if `whole` is 0.
fn percentage(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { 100.0 * part / whole } else { 0.0 }
}
