//! Judges the noise of a scan, and the number of its outlier measurements.

use super::numbers::{number, percentage};
use crate::record::Record;
use crate::scan::{COMPARED, NOISY, OUTLIERS, SIGNAL_TO_NOISE};
use arcuate_report::{Judgement, Verdict};

/// Minimum signal-to-noise ratio at b = 0 for a good verdict. With a smaller ratio, noise biases the
/// anisotropy (Mukherjee et al. 2008, doi:10.3174/ajnr.A1052).
const RATIO_GOOD: f64 = 20.0;
/// Maximum percentage of outlier measurements for the verdict "doubtful". A scan without outlier measurements
/// is good.
const OUTLIERS_DOUBTFUL: f64 = 10.0;

/// Judges a scan by its signal-to-noise ratio and by its percentage of outlier measurements. The verdict is
/// the worse of the two.
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
