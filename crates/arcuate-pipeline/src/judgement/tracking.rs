//! Judges the streamlines of tracking.

use super::numbers::{number, shown};
use crate::record::Record;
use crate::stages::tracking::{ACCEPTED, AT_MAXIMUM_LENGTH, MEAN_LENGTH, STREAMLINES};
use arcuate_report::{Judgement, Verdict, human};

/// Limits of the number of streamlines: good from the first value, bad below the second. The standard error
/// of a number of N streamlines is √N. This is 3 % of 1,000 streamlines, and 10 % of 100.
const NUMBER_GOOD: f64 = 1000.0;
const NUMBER_DOUBTFUL: f64 = 100.0;
/// Limits of the percentage of streamline ends that only the maximum length stopped: good up to the first
/// value, bad above the second. Such streamlines often run in circles.
const AT_MAXIMUM_GOOD: f64 = 1.0;
const AT_MAXIMUM_DOUBTFUL: f64 = 10.0;

/// Judges the number of streamlines, whose standard error is its square root.
pub(super) fn streamlines(record: &Record) -> Option<Judgement> {
    let length = shown(record, MEAN_LENGTH);
    // Commands other than tracking also report a number of streamlines, but no mean length.
    let of_tracking = length.as_ref().and_then(|_| number(record, STREAMLINES));
    let streamlines = number(record, ACCEPTED).or(of_tracking)?;
    let count = human::count(streamlines as u64);
    let (sentence, error) = if streamlines > 0.0 {
        let error = 100.0 / streamlines.sqrt();
        (
            match length {
                Some(length) => format!("Tracking gave {count} streamlines with a mean length of {length}."),
                None => format!("Tracking gave {count} streamlines."),
            },
            format!(" (standard error of their number {error:.1} %)"),
        )
    } else {
        ("Tracking gave no streamline.".to_owned(), String::new())
    };
    Some(Judgement {
        sentence,
        verdict: Verdict::at_least(streamlines, NUMBER_GOOD, NUMBER_DOUBTFUL),
        criterion: format!(
            "streamlines: {count}{error}; good from {}, bad below {}",
            human::count(NUMBER_GOOD as u64),
            human::count(NUMBER_DOUBTFUL as u64)
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
