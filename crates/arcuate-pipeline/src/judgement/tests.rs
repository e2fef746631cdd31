//! Results that give each verdict, and the choice of judgements for a page.

use super::truth::COMPARED as COMPARED_WITH_TRUTH;
use super::*;
use crate::record::{Iteration, Table, VOXELS_COMPUTED};
use crate::scan::{COMPARED, OUTLIERS, SIGNAL_TO_NOISE};
use crate::stages::commit::MEAN_RMSE;
use crate::stages::evaluation::{END_OF_FIT, NOISE, SUPPORTED};
use crate::stages::life::{RMSE_WITH, RMSE_WITHOUT};
use crate::stages::tensor::{LONGER_PATHS, NEGATIVE_EIGENVALUE};
use crate::stages::tracking::{ACCEPTED, AT_MAXIMUM_LENGTH, MAIN_REJECTION, MEAN_LENGTH, SEEDS, STREAMLINES};
use crate::stages::{csd, fit};
use Verdict::{Bad, Doubtful, Good};

/// Creates a record with these figures.
fn with(figures: &[(&str, f64)]) -> Record {
    let mut record = Record::default();
    for (name, value) in figures {
        record.figure(name, *value);
    }
    record
}

/// Returns the verdicts of a page.
fn verdicts(record: &Record) -> Vec<Verdict> {
    judge(record).into_iter().map(|judgement| judgement.verdict).collect()
}

#[test]
fn every_criterion_gives_all_verdicts() {
    let cases: &[(&[(&str, f64)], Verdict)] = &[
        (&[(CONNECTIONS, 15.0), (FOUND, 15.0)], Good),
        (&[(CONNECTIONS, 15.0), (FOUND, 14.0)], Doubtful),
        (&[(CONNECTIONS, 15.0), (FOUND, 13.0)], Bad),
        (&[(JOINED, 1000.0), (FALSELY_JOINED, 100.0)], Good),
        (&[(JOINED, 1000.0), (FALSELY_JOINED, 101.0)], Doubtful),
        (&[(JOINED, 1000.0), (FALSELY_JOINED, 301.0)], Bad),
        (&[(COMPARED_WITH_TRUTH, 1000.0), (OUTSIDE, 200.0)], Good),
        (&[(COMPARED_WITH_TRUTH, 1000.0), (OUTSIDE, 201.0)], Doubtful),
        (&[(COMPARED_WITH_TRUTH, 1000.0), (OUTSIDE, 501.0)], Bad),
        (&[(SIGNAL_TO_NOISE, 20.0)], Good),
        (&[(SIGNAL_TO_NOISE, 19.9)], Doubtful),
        (&[(SIGNAL_TO_NOISE, 9.9)], Bad),
        (&[(SIGNAL_TO_NOISE, 30.0), (OUTLIERS, 0.0), (COMPARED, 60.0)], Good),
        (&[(SIGNAL_TO_NOISE, 30.0), (OUTLIERS, 1.0), (COMPARED, 60.0)], Doubtful),
        (&[(SIGNAL_TO_NOISE, 30.0), (OUTLIERS, 7.0), (COMPARED, 60.0)], Bad),
        (&[(OUTLIERS, 0.0), (COMPARED, 60.0)], Good),
        (&[(LONGER_PATHS, 4.0)], Good),
        (&[(LONGER_PATHS, 6.0)], Bad),
        (&[(NEGATIVE_EIGENVALUE, 10.0), (VOXELS_COMPUTED, 1000.0)], Good),
        (&[(NEGATIVE_EIGENVALUE, 11.0), (VOXELS_COMPUTED, 1000.0)], Doubtful),
        (&[(NEGATIVE_EIGENVALUE, 51.0), (VOXELS_COMPUTED, 1000.0)], Bad),
        (&[(csd::NOT_CONVERGED, 10.0), (VOXELS_COMPUTED, 1000.0)], Good),
        (&[(csd::NOT_CONVERGED, 50.0), (VOXELS_COMPUTED, 1000.0)], Doubtful),
        (&[(csd::NOT_CONVERGED, 51.0), (VOXELS_COMPUTED, 1000.0)], Bad),
        (&[(fit::VOXELS_FITTED, 1000.0), ("voxels not converged: evaluations ran out", 9.0)], Good),
        (&[(fit::VOXELS_FITTED, 1000.0), ("voxels not converged: evaluations ran out", 40.0)], Doubtful),
        (&[(fit::VOXELS_FITTED, 1000.0), ("voxels not converged: evaluations ran out", 60.0)], Bad),
        (&[("voxels with R̂ above 1.1, f1", 5.0), ("voxels with R̂ above 1.1, f2", 1.0)], Good),
        (&[("voxels with R̂ above 1.1, f1", 1.0), ("voxels with R̂ above 1.1, f2", 6.0)], Doubtful),
        (&[("noddi: voxels with R̂ above 1.1, f1", 21.0)], Bad),
        (&[(STREAMLINES, 1000.0), (MEAN_LENGTH, 70.0)], Good),
        (&[(STREAMLINES, 999.0), (MEAN_LENGTH, 70.0)], Doubtful),
        (&[(ACCEPTED, 99.0), (MEAN_LENGTH, 70.0)], Bad),
        (&[(ACCEPTED, 0.0), (MEAN_LENGTH, 0.0)], Bad),
        (&[(STREAMLINES, 1000.0), (MEAN_LENGTH, 70.0), (SEEDS, 5000.0)], Good),
        (&[(STREAMLINES, 1000.0), (MEAN_LENGTH, 70.0), (SEEDS, 5001.0)], Doubtful),
        (&[(STREAMLINES, 99.0), (MEAN_LENGTH, 70.0), (SEEDS, 5000.0)], Bad),
        (&[(SEEDS, 1000.0), ("seeds not tracked: in voxels without orientations", 201.0)], Doubtful),
        (&[(SEEDS, 1000.0), ("seeds not tracked: in voxels without orientations", 501.0)], Bad),
        (&[(AT_MAXIMUM_LENGTH, 1.0)], Good),
        (&[(AT_MAXIMUM_LENGTH, 1.1)], Doubtful),
        (&[(AT_MAXIMUM_LENGTH, 11.0)], Bad),
        (&[(SUPPORTED, 50.0), (MEAN_RMSE, 0.141), (NOISE, 0.1)], Good),
        (&[(SUPPORTED, 50.0), (MEAN_RMSE, 0.142), (NOISE, 0.1)], Doubtful),
        (&[(SUPPORTED, 50.0), (MEAN_RMSE, 0.283), (NOISE, 0.1)], Bad),
        (&[(SUPPORTED, 50.0), (RMSE_WITHOUT, 90.0), (RMSE_WITH, 40.0), (NOISE, 30.0)], Good),
        (&[(SUPPORTED, 50.0), (RMSE_WITHOUT, 90.0), (RMSE_WITH, 40.0)], Good),
        (&[(SUPPORTED, 50.0), (RMSE_WITHOUT, 90.0), (RMSE_WITH, 70.0)], Doubtful),
        (&[(SUPPORTED, 50.0), (RMSE_WITHOUT, 90.0), (RMSE_WITH, 89.0)], Bad),
    ];
    for (figures, expected) in cases {
        let judged = judge(&with(figures));
        let [judgement] = judged.as_slice() else { panic!("{figures:?}: {judged:?}") };
        assert_eq!(judgement.verdict, *expected, "{figures:?}: {judgement:?}");
        assert!(judgement.sentence.ends_with('.'), "{judgement:?}");
        assert!(judgement.criterion.contains("; good "), "{judgement:?}");
    }
}

#[test]
fn nan_figures_are_judged_as_bad() {
    let mut record = Record::default();
    record.measure(SIGNAL_TO_NOISE, f64::NAN, "");
    // JSON has no NaN: the figure is null, and there is nothing to judge.
    assert_eq!(verdicts(&record), []);
    assert_eq!(Verdict::at_least(f64::NAN, 2.0, 1.0), Bad);
    assert_eq!(Verdict::at_most(f64::NAN, 1.0, 2.0), Bad);
}

#[test]
fn records_without_results_have_no_judgement() {
    assert_eq!(judge(&Record::default()), []);
    assert_eq!(verdicts(&with(&[("voxels", 7.0), (SUPPORTED, 3.0), (NEGATIVE_EIGENVALUE, 1.0)])), []);
}

#[test]
fn solvers_that_stopped_early_are_doubtful() {
    let iteration = |number| Iteration {
        number,
        products: 0,
        objective: 1.0,
        projected_gradient: None,
        relative_gap: None,
        relative_residual: None,
        positive_weights: None,
        seconds: 0.0,
    };
    let mut record = with(&[(SUPPORTED, 50.0)]);
    record.convergence = vec![iteration(0), iteration(77)];
    let judged = judge(&record);
    assert_eq!(judged[0].verdict, Good);
    assert!(judged[0].sentence.contains("after 77 iterations"), "{judged:?}");
    record.figure(END_OF_FIT, "before its tolerance");
    assert_eq!(verdicts(&record), [Doubtful]);
}

#[test]
fn a_comparison_of_models_names_the_supported_models() {
    for (difference, expected) in [(10.0, Good), (9.9, Doubtful), (1.9, Bad)] {
        let mut record = with(&[(&format!("{}BIC", fit::SEPARATION), difference)]);
        let row =
            |name: &str, voxels: u64| vec![1.into(), name.into(), 5.into(), voxels.into(), "share".into()];
        record.tables.push(Table {
            title: fit::COMPARISON.into(),
            section: String::new(),
            text: String::new(),
            columns: ["number", "model", "unknowns", "voxels", "share"].map(String::from).to_vec(),
            rows: vec![row("ball-1-stick", 300), row("noddi", 700)],
        });
        let judged = judge(&record);
        assert_eq!(judged[0].verdict, expected, "{difference}");
        assert_eq!(
            judged[0].sentence,
            "The signal supports noddi in 70 % and ball-1-stick in 30 % of the voxels."
        );
    }
}

#[test]
fn the_worst_of_several_models_is_judged() {
    let status = "voxels not converged: evaluations ran out";
    let record = with(&[
        (&format!("noddi: {}", fit::VOXELS_FITTED), 1000.0),
        (&format!("noddi: {status}"), 200.0),
        (&format!("ball-1-stick: {}", fit::VOXELS_FITTED), 1000.0),
        (&format!("ball-1-stick: {status}"), 0.0),
    ]);
    let judged = judge(&record);
    assert_eq!(judged.len(), 1);
    assert!(judged[0].verdict == Bad && judged[0].sentence.contains("noddi"), "{judged:?}");
}

#[test]
fn judgements_are_selected_by_verdict_and_importance() {
    let run = [
        (SIGNAL_TO_NOISE, 30.0),
        (LONGER_PATHS, 0.0),
        (NEGATIVE_EIGENVALUE, 0.0),
        (VOXELS_COMPUTED, 1000.0),
        (STREAMLINES, 10_000.0),
        (MEAN_LENGTH, 70.0),
        (AT_MAXIMUM_LENGTH, 0.0),
        (SUPPORTED, 4000.0),
        (MEAN_RMSE, 0.05),
        (NOISE, 0.04),
    ];
    let beginnings = |record: &Record| -> Vec<String> {
        let first = |sentence: String| sentence.split(' ').take(2).collect::<Vec<_>>().join(" ");
        judge(record).into_iter().map(|judgement| first(judgement.sentence)).collect()
    };
    assert_eq!(beginnings(&with(&run)), ["The 4,000", "In the", "Tracking gave"]);
    // The judgement about wrong gradient axes is first although its rule is less important than those about
    // the error and the noise of the scan.
    let mut wrong = with(&run);
    wrong.figure(LONGER_PATHS, 40.0);
    assert_eq!(verdicts(&wrong), [Bad, Good, Good]);
    assert_eq!(beginnings(&wrong), ["The axes", "The 4,000", "In the"]);
}

#[test]
fn runs_judge_the_voxels_of_each_step() {
    let step = format!("{VOXELS_COMPUTED} (fit csd)");
    // The verdict is doubtful if the fit failed in 5 of 100 voxels, and good if it failed in 5 of 1,000.
    let figures = [(VOXELS_COMPUTED, 1000.0), (step.as_str(), 100.0), (csd::NOT_CONVERGED, 5.0)];
    assert_eq!(verdicts(&with(&figures)), [Doubtful]);
}

#[test]
fn rejected_seeds_are_stated_with_the_main_reason() {
    let mut record = with(&[(STREAMLINES, 2000.0), (MEAN_LENGTH, 70.0), (SEEDS, 6767.0)]);
    record.figure(MAIN_REJECTION, "4,767 of 6,767 streamlines were too short");
    let judged = judge(&record);
    assert!(judged[0].sentence.ends_with("; 4,767 of 6,767 streamlines were too short."), "{judged:?}");
    // If at least half of the seeds gave a kept streamline, the reason is not stated.
    record.figure(SEEDS, 4000.0);
    assert!(!judge(&record)[0].sentence.contains("too short"));
}

#[test]
fn a_single_chain_is_doubtful() {
    let record = with(&[
        ("samples of a voxel", 50.0),
        ("median of independent samples, f1", 40.0),
        ("median of independent samples in the tails, f1", 20.0),
        ("median of independent samples, f2", 31.0),
    ]);
    let judged = judge(&record);
    assert_eq!(judged[0].verdict, Doubtful);
    assert!(judged[0].sentence.contains("31 independent samples"), "{judged:?}");
}
