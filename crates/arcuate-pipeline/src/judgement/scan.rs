//! Judges the noise of a scan, and the measurements that stand out.

use super::numbers::{number, percentage};
use crate::record::Record;
use crate::scan::{COMPARED, NOISY, OUTLIERS, SIGNAL_TO_NOISE};
use arcuate_report::{Judgement, Verdict};

/// Minimum of the signal-to-noise ratio at b = 0 for unbiased anisotropy (Mukherjee et al. 2008,
/// doi:10.3174/ajnr.A1052).
const RATIO_GOOD: f64 = 20.0;
/// Doubtful maximum of measurements that stand out, in percent.
const OUTLIERS_DOUBTFUL: f64 = 10.0;

/// Judges a scan by its signal-to-noise ratio and by the measurements that stand out. The worse of the two counts.
pub(super) fn scan(record: &Record) -> Option<Judgement> {
    let ratio = number(record, SIGNAL_TO_NOISE);
    let outliers = number(record, OUTLIERS).zip(number(record, COMPARED)).filter(|(_, all)| *all > 0.0);
    let (mut clauses, mut criteria, mut verdicts) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(ratio) = ratio {
        clauses.push(format!("the signal-to-noise ratio at b = 0 is {ratio:.0}"));
        criteria
            .push(format!("signal-to-noise ratio: {ratio:.1}; good from {RATIO_GOOD}, bad below {NOISY}"));
        verdicts.push(Verdict::at_least(ratio, RATIO_GOOD, NOISY));
    }
    if let Some((outliers, all)) = outliers {
        let share = percentage(outliers, all);
        clauses.push(format!("{outliers} of {all} measurements stand out"));
        criteria.push(format!(
            "measurements that stand out: {share:.1} %; good if none, bad above {OUTLIERS_DOUBTFUL} %"
        ));
        verdicts.push(Verdict::at_most(share, 0.0, OUTLIERS_DOUBTFUL));
    }
    let verdict = verdicts.into_iter().max()?;
    Some(Judgement {
        sentence: format!("In the scan, {}.", clauses.join(" and ")),
        verdict,
        criterion: criteria.join(". Also, "),
    })
}
