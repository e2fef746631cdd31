//! Judges the streamlines of tracking.

use super::numbers::{number, percentage, shown};
use crate::figures::Figure;
use crate::record::Record;
use crate::stages::tracking::{
    ACCEPTED, AT_MAXIMUM_LENGTH, MAIN_REJECTION, MEAN_LENGTH, NOT_TRACKED, SEEDS, STREAMLINES,
};
use arcuate_report::{Judgement, Verdict, human};
use std::fmt::Write;

/// Limits of the number of streamlines: good from the first value, bad below the second. The standard error
/// of a number of N streamlines is √N. This is 3 % of 1,000 streamlines, and 10 % of 100.
const NUMBER_GOOD: f64 = 1000.0;
const NUMBER_DOUBTFUL: f64 = 100.0;
/// Percentage of seeds without a kept streamline above which the sentence states the main reason.
const REJECTED_STATED: f64 = 50.0;
/// Percentage of seeds without a kept streamline above which the verdict is not better than doubtful.
const REJECTED_GOOD: f64 = 80.0;
/// Limits of the percentage of seeds in voxels without orientations: good up to the first value, bad above the
/// second.
const NOT_TRACKED_GOOD: f64 = 20.0;
const NOT_TRACKED_DOUBTFUL: f64 = 50.0;
/// Limits of the percentage of streamline ends that only the maximum length stopped: good up to the first
/// value, bad above the second. These streamlines often run in circles.
const AT_MAXIMUM_GOOD: f64 = 1.0;
const AT_MAXIMUM_DOUBTFUL: f64 = 10.0;

/// Judges the number of streamlines, whose standard error is its square root, and the percentage of seeds
/// without a kept streamline.
pub(super) fn streamlines(record: &Record) -> Option<Judgement> {
    let length = shown(record, MEAN_LENGTH);
    // Commands other than tracking also report a number of streamlines, but no mean length.
    let of_tracking = length.as_ref().and_then(|_| number(record, STREAMLINES));
    let streamlines = number(record, ACCEPTED).or(of_tracking)?;
    let count = human::count(streamlines as u64);
    let seeds = number(record, SEEDS).filter(|seeds| *seeds > 0.0);
    let rejected = seeds.map(|seeds| percentage(seeds - streamlines, seeds));
    let is_stated = rejected.is_some_and(|rejected| rejected > REJECTED_STATED);
    let reason = shown(record, MAIN_REJECTION).filter(|_| is_stated);
    let reason = reason.map_or_else(String::new, |reason| format!("; {reason}"));
    let (sentence, error) = if streamlines > 0.0 {
        let error = 100.0 / streamlines.sqrt();
        (
            match length {
                Some(length) => {
                    format!("Tracking gave {count} streamlines with a mean length of {length}{reason}.")
                }
                None => format!("Tracking gave {count} streamlines{reason}."),
            },
            format!(" (standard error of their number {error:.1} %)"),
        )
    } else {
        (format!("Tracking gave no streamline{reason}."), String::new())
    };
    let of_number = Verdict::at_least(streamlines, NUMBER_GOOD, NUMBER_DOUBTFUL);
    let of_seeds =
        rejected.map_or(Verdict::Good, |rejected| Verdict::at_most(rejected, REJECTED_GOOD, 100.0));
    let mut criterion = format!(
        "streamlines: {count}{error}; good from {}, bad below {}",
        human::count(NUMBER_GOOD as u64),
        human::count(NUMBER_DOUBTFUL as u64)
    );
    if let Some(rejected) = rejected.filter(|_| is_stated) {
        // Writing to a string cannot fail.
        let _ = write!(
            criterion,
            ". Also, seeds without a kept streamline: {rejected:.0} %; good up to {REJECTED_GOOD} %, doubtful above"
        );
    }
    Some(Judgement { sentence, verdict: of_number.max(of_seeds), criterion })
}

/// Judges the percentage of seeds in voxels without orientations. Returns `None` if it is good, because the
/// sentence only states a problem.
pub(super) fn seeds(record: &Record) -> Option<Judgement> {
    let seeds = number(record, SEEDS).filter(|seeds| *seeds > 0.0)?;
    let of_place = |(name, figure): &(String, Figure)| {
        Some((name.strip_prefix(NOT_TRACKED)?.to_owned(), figure.value.as_f64()?))
    };
    let (place, not_tracked) = record.figures.0.iter().find_map(of_place)?;
    let share = percentage(not_tracked, seeds);
    let verdict = Verdict::at_most(share, NOT_TRACKED_GOOD, NOT_TRACKED_DOUBTFUL);
    (verdict != Verdict::Good).then(|| Judgement {
        sentence: format!("{share:.0} % of the seeds are {place}."),
        verdict,
        criterion: format!(
            "seeds {place}: {share:.1} %; good up to {NOT_TRACKED_GOOD} %, bad above {NOT_TRACKED_DOUBTFUL} %"
        ),
    })
}

/// Judges the lengths of streamlines by the percentage of streamline ends that only the maximum length
/// stopped.
pub(super) fn lengths(record: &Record) -> Option<Judgement> {
    let share = number(record, AT_MAXIMUM_LENGTH)?;
    Some(Judgement {
        sentence: format!("The maximum length stopped {share:.1} % of the ends of streamlines."),
        verdict: Verdict::at_most(share, AT_MAXIMUM_GOOD, AT_MAXIMUM_DOUBTFUL),
        criterion: format!(
            "ends at the maximum length: {share:.1} %; good up to {AT_MAXIMUM_GOOD} %, bad above {AT_MAXIMUM_DOUBTFUL} %"
        ),
    })
}
