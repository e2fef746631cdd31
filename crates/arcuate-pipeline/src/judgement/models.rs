//! Judges fits of signal models, Markov chains, and the comparison of models.

use super::fits::failed;
use super::numbers::{number, percentage};
use crate::figures::{COMPARISON, Figure};
use crate::record::Record;
use crate::stages::fit::{APART, INDEPENDENT, SEPARATION, UNMIXED, VOXELS_FITTED};
use arcuate_model::fit::Status;
use arcuate_report::{Judgement, Verdict, human};
use serde_json::Value;

/// Limits of the percentage of voxels in which the Markov chains do not agree: good up to the first value,
/// bad above the second.
const UNMIXED_GOOD: f64 = 5.0;
const UNMIXED_DOUBTFUL: f64 = 20.0;
/// Limits of the difference of an information criterion between the two best models. From the first value,
/// the difference is very strong evidence for the best model. Below the second value, it is negligible (Kass
/// and Raftery 1995, doi:10.1080/01621459.1995.10476572).
const SEPARATION_GOOD: f64 = 10.0;
const SEPARATION_DOUBTFUL: f64 = 2.0;

/// Judges fits of signal models by the percentage of voxels in which the fit has not converged. If there are
/// several models, the model with the worst verdict is judged.
pub(super) fn models(record: &Record) -> Option<Judgement> {
    let fitted = figures_of_models(record, VOXELS_FITTED);
    let of_model = |(model, all): &(String, f64)| {
        let failures = number(record, &format!("{model}voxels {}", Status::Limit.says())).unwrap_or(0.0);
        let name = model.trim_end_matches(": ");
        let what = if name.is_empty() { "The model".to_owned() } else { format!("The model {name}") };
        failed("fits that have not converged", &what, failures, *all)
    };
    fitted.iter().filter_map(of_model).max_by_key(|judgement| judgement.verdict)
}

/// Judges posterior samples by the percentage of voxels in which the Markov chains disagree. The parameter
/// with the largest percentage is judged. A single chain is doubtful.
pub(super) fn chains(record: &Record) -> Option<Judgement> {
    let shares = record.figures.0.iter().filter(|(name, _)| name.contains(UNMIXED));
    let worst = shares.filter_map(|(_, figure)| figure.value.as_f64()).max_by(f64::total_cmp);
    let Some(worst) = worst else { return single_chain(record) };
    let voxels = figures_of_models(record, &format!("voxels {}", Status::Sampled.says()))
        .first()
        .map(|(_, voxels)| *voxels);
    let voxels = voxels.map(|voxels| format!(" of {} voxels", human::count(voxels as u64)));
    Some(Judgement {
        sentence: format!(
            "The Markov chains agree in {:.1} %{} for the worst parameter.",
            100.0 - worst,
            voxels.unwrap_or_else(|| " of the voxels".to_owned())
        ),
        verdict: Verdict::at_most(worst, UNMIXED_GOOD, UNMIXED_DOUBTFUL),
        criterion: format!(
            "{UNMIXED} {APART}: {worst:.1} %; good up to {UNMIXED_GOOD} %, bad above {UNMIXED_DOUBTFUL} %"
        ),
    })
}

/// Judges posterior samples of a single Markov chain, whose agreement with other chains is unknown.
fn single_chain(record: &Record) -> Option<Judgement> {
    let of_samples = format!("{INDEPENDENT}, ");
    let medians = record.figures.0.iter().filter(|(name, _)| name.contains(&of_samples));
    let fewest = medians.filter_map(|(_, figure)| figure.value.as_f64()).min_by(f64::total_cmp)?;
    Some(Judgement {
        sentence: format!(
            "There is one Markov chain only, so agreement of chains cannot be checked; the worst parameter has a median of \
             {fewest:.0} independent samples."
        ),
        verdict: Verdict::Doubtful,
        criterion: "number of chains: 1; good is possible only with at least 2".to_owned(),
    })
}

/// Maximum number of models that the sentence about a comparison names.
const MOST_MODELS: usize = 4;

/// Judges a comparison of signal models by the median difference of the information criterion between the two
/// best models.
pub(super) fn comparison(record: &Record) -> Option<Judgement> {
    let (name, figure) = record.figures.0.iter().find(|(name, _)| name.starts_with(SEPARATION))?;
    let criterion = name.trim_start_matches(SEPARATION);
    let difference = figure.value.as_f64()?;
    let table = record.tables.iter().find(|table| table.title == COMPARISON)?;
    let of_row = |row: &Vec<Value>| {
        Some((row.get(1)?.as_str()?.to_owned(), row.get(table.columns.len() - 2)?.as_f64()?))
    };
    let mut rows: Vec<(String, f64)> = table.rows.iter().filter_map(of_row).collect();
    let all: f64 = rows.iter().map(|(_, voxels)| voxels).sum();
    rows.sort_by(|a, b| b.1.total_cmp(&a.1));
    let named = rows.iter().take(MOST_MODELS);
    let shares: Vec<String> =
        named.map(|(model, voxels)| format!("{model} in {:.0} %", percentage(*voxels, all))).collect();
    let (last, others) = shares.split_last()?;
    let shares = if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
    Some(Judgement {
        sentence: format!("The signal supports {shares} of the voxels."),
        verdict: Verdict::at_least(difference, SEPARATION_GOOD, SEPARATION_DOUBTFUL),
        criterion: format!(
            "median difference of {criterion} between the two best models: {}; good from {SEPARATION_GOOD}, bad below \
             {SEPARATION_DOUBTFUL}",
            human::number(difference, 3)
        ),
    })
}

/// Searches the record for the number called `name` of each signal model. If there are several models, the
/// name of the model precedes this name. Returns the number for each model, with the text that precedes the
/// name.
fn figures_of_models(record: &Record, name: &str) -> Vec<(String, f64)> {
    let of_model = |(known, figure): &(String, Figure)| {
        let prefix = known.strip_suffix(name)?;
        let is_prefix = prefix.is_empty() || prefix.ends_with(": ");
        is_prefix.then(|| figure.value.as_f64()).flatten().map(|value| (prefix.to_owned(), value))
    };
    record.figures.0.iter().filter_map(of_model).collect()
}
