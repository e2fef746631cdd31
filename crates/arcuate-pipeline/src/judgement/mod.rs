//! Judges the results of a command. A judgement is a sentence about a result, a verdict, and the criterion of
//! the verdict.
//!
//! All limits between good, doubtful and bad results are in this folder. `docs/src/reference/report.md` lists
//! the limits with their sources.

mod evaluation;
mod fits;
mod numbers;
mod scan;
#[cfg(test)]
mod tests;
mod tracking;
mod truth;

pub use truth::{CONNECTIONS, FALSELY_JOINED, FOUND, JOINED};

use crate::record::Record;
pub use arcuate_report::{Judgement, Verdict};
use std::cmp::Reverse;

/// Maximum number of judgements on a page.
pub const MOST: usize = 3;

/// A rule judges one aspect of a result. It returns `None` if the record has no data about this aspect.
type Rule = fn(&Record) -> Option<Judgement>;

/// All rules, each with its importance. The rule with the smallest number is the most important. The report
/// shows judgements in the order of this list.
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

/// Judges the results of a record. Returns at most [`MOST`] judgements. Bad verdicts are chosen first. Among
/// equal verdicts, those of the most important rules are chosen. The chosen judgements are in the order of
/// the steps of a run.
pub fn judge(record: &Record) -> Vec<Judgement> {
    let rules = RULES.iter().enumerate();
    let mut judged: Vec<(usize, u8, Judgement)> =
        rules.filter_map(|(place, (importance, rule))| Some((place, *importance, rule(record)?))).collect();
    judged.sort_by_key(|(_, importance, judgement)| (Reverse(judgement.verdict), *importance));
    judged.truncate(MOST);
    judged.sort_by_key(|(place, ..)| *place);
    judged.into_iter().map(|(.., judgement)| judgement).collect()
}
