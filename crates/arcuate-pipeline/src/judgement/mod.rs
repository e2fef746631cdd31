//! Judges the results of a command. A judgement is a sentence about a result, a verdict, and the criterion of
//! the verdict.
//!
//! All limits between good, doubtful and bad results are in this folder. `docs/src/reference/report.md` lists
//! the limits with their sources.

mod evaluation;
mod fits;
#[cfg(feature = "models")]
mod models;
mod numbers;
mod scan;
#[cfg(all(test, feature = "models"))]
mod tests;
mod tracking;
mod truth;

pub use truth::{COMPARED, CONNECTIONS, FALSELY_JOINED, FOUND, JOINED, OUTSIDE, TRUTH};

use crate::record::Record;
pub use arcuate_report::{Judgement, Verdict};
use std::cmp::Reverse;

/// Maximum number of judgements on a page.
pub const MOST: usize = 3;

/// A rule judges one aspect of a result. It returns `None` if the record has no data about this aspect.
type Rule = fn(&Record) -> Option<Judgement>;

/// All rules, each with its importance. The rule with the smallest number is the most important.
const RULES: &[(u8, Rule)] = &[
    (0, truth::connections),
    (1, truth::false_connections),
    (2, truth::ends_outside),
    (4, scan::scan),
    (12, fits::gradient_axes),
    (11, fits::tensors),
    (10, fits::deconvolution),
    #[cfg(feature = "models")]
    (9, models::models),
    #[cfg(feature = "models")]
    (8, models::chains),
    #[cfg(feature = "models")]
    (7, models::comparison),
    (5, tracking::streamlines),
    (6, tracking::seeds),
    (13, tracking::lengths),
    (3, evaluation::error),
    (14, evaluation::convergence),
];

/// Judges the results of a record. Returns at most [`MOST`] judgements. The worst verdicts are first. Among
/// equal verdicts, those of the most important rules are first. A doubtful or bad verdict is therefore never
/// omitted in favour of a good one.
pub fn judge(record: &Record) -> Vec<Judgement> {
    let judge = |(importance, rule): &(u8, Rule)| Some((*importance, rule(record)?));
    let mut judged: Vec<(u8, Judgement)> = RULES.iter().filter_map(judge).collect();
    judged.sort_by_key(|(importance, judgement)| (Reverse(judgement.verdict), *importance));
    judged.truncate(MOST);
    judged.into_iter().map(|(_, judgement)| judgement).collect()
}
