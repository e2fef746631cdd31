//! Judges streamlines of a simulated brain by its known connections.

use super::numbers::{number, percentage};
use crate::record::Record;
use arcuate_report::{Judgement, Verdict, human};

/// Name of the figure for the number of connections of the simulated brain.
pub const CONNECTIONS: &str = "simulated connections";
/// Name of the figure for the number of simulated connections that supported streamlines contain.
pub const FOUND: &str = "simulated connections found by supported streamlines";
/// Name of the figure for the number of supported streamlines that join two regions.
pub const JOINED: &str = "supported streamlines that join two regions";
/// Name of the figure for the number of supported streamlines that join two regions without a simulated connection.
pub const FALSELY_JOINED: &str = "supported streamlines that join two regions falsely";

/// Doubtful minimum of found connections, in percent. Most tractograms of the ISMRM 2015 challenge contained 90 % of the
/// true bundles (Maier-Hein et al. 2017, doi:10.1038/s41467-017-01285-x).
const FOUND_DOUBTFUL: f64 = 90.0;
/// Maximum of false streamlines among those that join two regions, in percent.
const FALSE_GOOD: f64 = 10.0;
const FALSE_DOUBTFUL: f64 = 30.0;

/// Judges the number of simulated connections that were found.
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

/// Judges the number of streamlines that join regions without a simulated connection.
pub(super) fn false_connections(record: &Record) -> Option<Judgement> {
    let (joined, falsely) = (number(record, JOINED)?, number(record, FALSELY_JOINED)?);
    let share = percentage(falsely, joined);
    let [joined, falsely] = [joined, falsely].map(|count| human::count(count as u64));
    Some(Judgement {
        sentence: format!(
            "{falsely} of {joined} supported streamlines between two regions connect regions without a true connection."
        ),
        verdict: Verdict::at_most(share, FALSE_GOOD, FALSE_DOUBTFUL),
        criterion: format!(
            "false streamlines: {share:.1} %; good up to {FALSE_GOOD} %, bad above {FALSE_DOUBTFUL} %"
        ),
    })
}
