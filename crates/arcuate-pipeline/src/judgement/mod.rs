//! Judges results: plain sentences, each with a verdict and the criterion of the verdict.
//!
//! Every limit of a report is in this folder. `docs/src/reference/report.md` lists the limits with their sources.

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
