//! Judges the streamlines of a simulated brain, whose connections are known.

use super::numbers::{number, percentage};
use crate::record::Record;
use arcuate_report::{Judgement, Verdict, human};

/// Heading of the report section about the comparison with the simulated brain.
pub const TRUTH: &str = "Compared with the truth";
/// Name that the record of a command uses for the number of connections (pairs of regions) in the simulated
/// brain.
pub const CONNECTIONS: &str = "simulated connections";
/// Name that the record of a command uses for the number of simulated connections that are found: a
/// streamline with a weight above 0 joins their regions.
pub const FOUND: &str = "simulated connections found by supported streamlines";
/// Name that the record of a command uses for the number of supported streamlines (weight above 0) that were
/// compared with the simulated brain.
pub const COMPARED: &str = "supported streamlines compared with the simulation";
/// Name that the record of a command uses for the number of supported streamlines (weight above 0) that have
/// an end in no region.
pub const OUTSIDE: &str = "supported streamlines that end outside all regions";
/// Name that the record of a command uses for the number of supported streamlines (weight above 0) that join
/// two regions.
pub const JOINED: &str = "supported streamlines that join two regions";
/// Name that the record of a command uses for the number of supported streamlines (weight above 0) that join
/// two regions without a connection in the simulated brain.
pub const FALSELY_JOINED: &str = "supported streamlines that join two regions falsely";

/// Minimum percentage of the simulated connections that must be found for the verdict "doubtful". Most
/// tractograms of the ISMRM 2015 challenge contained 90 % of the true bundles (Maier-Hein et al. 2017,
/// doi:10.1038/s41467-017-01285-x).
const FOUND_DOUBTFUL: f64 = 90.0;
/// Limits of the percentage of false streamlines among those that join two regions: good up to the first
/// value, bad above the second. A streamline is false if the simulated brain has no connection between its
/// regions.
const FALSE_GOOD: f64 = 10.0;
const FALSE_DOUBTFUL: f64 = 30.0;
/// Limits of the percentage of supported streamlines that have an end in no region: good up to the first
/// value, bad above the second.
const OUTSIDE_GOOD: f64 = 20.0;
const OUTSIDE_DOUBTFUL: f64 = 50.0;

/// Judges the percentage of the simulated connections that were found.
pub(super) fn connections(record: &Record) -> Option<Judgement> {
    let (all, found) = (number(record, CONNECTIONS)?, number(record, FOUND)?);
    let share = percentage(found, all);
    Some(Judgement {
        sentence: format!(
            "The supported streamlines contain {found} of the {all} connections of the simulated brain."
        ),
        verdict: Verdict::at_least(share, 100.0, FOUND_DOUBTFUL),
        criterion: format!("connections found: {share:.0} %; good if all, bad below {FOUND_DOUBTFUL} %"),
    })
}

/// Judges the percentage of streamlines that join two regions without a connection in the simulated brain.
pub(super) fn false_connections(record: &Record) -> Option<Judgement> {
    let (joined, falsely) = (number(record, JOINED)?, number(record, FALSELY_JOINED)?);
    let share = percentage(falsely, joined);
    let [joined, falsely] = [joined, falsely].map(|count| human::count(count as u64));
    Some(Judgement {
        sentence: format!(
            "{joined} supported streamlines join two regions; {falsely} ({share:.1} %) of them join regions without \
             a true connection."
        ),
        verdict: Verdict::at_most(share, FALSE_GOOD, FALSE_DOUBTFUL),
        criterion: format!(
            "false streamlines: {share:.1} %; good up to {FALSE_GOOD} %, bad above {FALSE_DOUBTFUL} %"
        ),
    })
}

/// Judges the percentage of supported streamlines that connect nothing because they have an end in no region.
pub(super) fn ends_outside(record: &Record) -> Option<Judgement> {
    let (compared, outside) = (number(record, COMPARED)?, number(record, OUTSIDE)?);
    if compared <= 0.0 {
        return None;
    }
    let share = percentage(outside, compared);
    let [compared, outside] = [compared, outside].map(|count| human::count(count as u64));
    Some(Judgement {
        sentence: format!(
            "{outside} of {compared} supported streamlines ({share:.0} %) end outside all regions."
        ),
        verdict: Verdict::at_most(share, OUTSIDE_GOOD, OUTSIDE_DOUBTFUL),
        criterion: format!(
            "streamlines with an end in no region: {share:.1} %; good up to {OUTSIDE_GOOD} %, bad above \
             {OUTSIDE_DOUBTFUL} %"
        ),
    })
}
