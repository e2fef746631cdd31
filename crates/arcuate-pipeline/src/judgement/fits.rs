//! Judges fits in voxels: tensors and fibre orientation distributions.

use super::numbers::{number, number_of_step, percentage};
use crate::record::{Record, VOXELS_COMPUTED};
use crate::run::Stage;
use crate::stages::csd;
use crate::stages::tensor::{LONGER_PATHS, NEGATIVE_EIGENVALUE};
use arcuate_model::AxesCheck;
use arcuate_report::{Judgement, Verdict, human};

/// Limits of the percentage of voxels without a valid tensor, or in which a fit has not converged: good up to
/// the first value, bad above the second.
const FAILED_GOOD: f64 = 1.0;
const FAILED_DOUBTFUL: f64 = 5.0;

/// Judges the axes of the gradient table. If they are right, fibre directions continue from voxel to voxel
/// over longer paths than with other axes.
pub(super) fn gradient_axes(record: &Record) -> Option<Judgement> {
    let longer = number(record, LONGER_PATHS)?;
    let limit = 100.0 * (AxesCheck::LIMIT - 1.0);
    let is_bad = longer > limit;
    let sentence = if is_bad {
        "The axes of the gradient table seem to be wrong: fibres are more continuous with other axes."
    } else {
        "The axes of the gradient table agree with the image: fibres are most continuous with them."
    };
    Some(Judgement {
        sentence: sentence.to_owned(),
        verdict: if is_bad { Verdict::Bad } else { Verdict::Good },
        criterion: format!(
            "gain in path length with the best other axes: {longer:.0} %; good up to {limit:.0} %, bad above"
        ),
    })
}

/// Judges diffusion tensors by the percentage of voxels with a physically impossible tensor.
pub(super) fn tensors(record: &Record) -> Option<Judgement> {
    let invalid_number = number(record, NEGATIVE_EIGENVALUE)?;
    let all = number_of_step(record, VOXELS_COMPUTED, Stage::FitTensor)?;
    failed(
        "tensors that are physically impossible (a negative eigenvalue)",
        "The diffusion tensor",
        invalid_number,
        all,
    )
}

/// Judges fibre orientation distributions by the percentage of voxels in which the fit has not converged.
pub(super) fn deconvolution(record: &Record) -> Option<Judgement> {
    let failures = number(record, csd::NOT_CONVERGED)?;
    let all = number_of_step(record, VOXELS_COMPUTED, Stage::FitCsd)?;
    failed("fits that have not converged", "The fibre orientation distribution", failures, all)
}

/// Judges a fit by the percentage of voxels in which it failed.
pub(super) fn failed(failures_in_words: &str, what: &str, failures: f64, all: f64) -> Option<Judgement> {
    if all <= 0.0 {
        return None;
    }
    let share = percentage(failures, all);
    let [valid, all] = [all - failures, all].map(|count| human::count(count.max(0.0) as u64));
    Some(Judgement {
        sentence: format!("{what} could be fitted in {valid} of {all} voxels."),
        verdict: Verdict::at_most(share, FAILED_GOOD, FAILED_DOUBTFUL),
        criterion: format!(
            "{failures_in_words}: {share:.2} %; good up to {FAILED_GOOD} %, bad above {FAILED_DOUBTFUL} %"
        ),
    })
}
