//! Judges the results of LiFE and COMMIT: the error of the predicted signal, and the convergence of the
//! solver.

use super::numbers::number;
use crate::record::Record;
use crate::stages::commit::MEAN_RMSE;
use crate::stages::evaluation::{END_OF_FIT, NOISE, SUPPORTED};
use crate::stages::life::{RMSE_WITH, RMSE_WITHOUT};
use arcuate_report::{Judgement, Verdict, human};
use std::f64::consts::SQRT_2;

/// Limits of the prediction error divided by the noise: good up to the first value, bad above the second. Two
/// measurements of the same signal differ by √2 times the noise. If the ratio is below √2, the prediction is
/// better than a second measurement (Rokem et al. 2015, doi:10.1371/journal.pone.0123272).
const NOISE_GOOD: f64 = SQRT_2;
const NOISE_DOUBTFUL: f64 = 2.0 * SQRT_2;
/// Limits of the percentage of the signal variance that weighted streamlines explain: good from the first
/// value, bad below the second. These limits are used for LiFE if the noise is unknown.
const EXPLAINED_GOOD: f64 = 50.0;
const EXPLAINED_DOUBTFUL: f64 = 10.0;

/// Judges the error of the signal that LiFE or COMMIT predicts. If the noise at b = 0 is known, the error is
/// divided by it. If not, the explained signal variance is judged.
pub(super) fn error(record: &Record) -> Option<Judgement> {
    let supported = human::count(number(record, SUPPORTED)? as u64);
    let of_life = number(record, RMSE_WITHOUT).zip(number(record, RMSE_WITH));
    let error = of_life.map(|(_, with)| with).or_else(|| number(record, MEAN_RMSE))?;
    if let Some(noise) = number(record, NOISE).filter(|noise| *noise > 0.0) {
        let ratio = error / noise;
        return Some(Judgement {
            sentence: format!(
                "The {supported} supported streamlines predict the signal with an error of {ratio:.1} times the noise."
            ),
            verdict: Verdict::at_most(ratio, NOISE_GOOD, NOISE_DOUBTFUL),
            criterion: format!(
                "mean error divided by the noise at b = 0: {ratio:.2}; good up to {NOISE_GOOD:.2} (a repeated measurement), \
                 bad above {NOISE_DOUBTFUL:.2}"
            ),
        });
    }
    let (without, with) = of_life?;
    let explained = 100.0 * (1.0 - (with / without).powi(2));
    Some(Judgement {
        sentence: format!(
            "The {supported} supported streamlines explain {explained:.0} % of the signal variance."
        ),
        verdict: Verdict::at_least(explained, EXPLAINED_GOOD, EXPLAINED_DOUBTFUL),
        criterion: format!(
            "explained variance: {explained:.0} %; good from {EXPLAINED_GOOD} %, bad below {EXPLAINED_DOUBTFUL} %"
        ),
    })
}

/// Judges whether the solver of LiFE or COMMIT reached its tolerance.
pub(super) fn convergence(record: &Record) -> Option<Judgement> {
    number(record, SUPPORTED)?;
    let last = record.convergence.last()?;
    let stopped = record.figures.0.iter().any(|(name, _)| name == END_OF_FIT);
    let sentence = if stopped {
        format!("The solver stopped before its tolerance, after {} iterations.", last.number)
    } else {
        format!("The solver reached its tolerance after {} iterations.", last.number)
    };
    Some(Judgement {
        sentence,
        verdict: if stopped { Verdict::Doubtful } else { Verdict::Good },
        criterion: "tolerance of the solver: good if reached, doubtful if not".to_owned(),
    })
}
