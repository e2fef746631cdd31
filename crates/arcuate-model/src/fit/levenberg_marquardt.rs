//! Nonlinear least squares in sixteen voxels at once (Levenberg 1944; Marquardt 1963; bounds by projection after
//! Kanzow, Yamashita and Fukushima 2004, doi:10.1016/j.cam.2004.02.013).
//!
//! When the fit of a voxel is finished, its SIMD lane takes the next voxel at once, so that all lanes stay in
//! use. The result of a voxel is bit-identical whatever the other lanes compute. `minimiser.rs` and
//! `trial_step.rs` contain the method.

use super::arithmetic::{Flag, LaneFlags};
use super::curved_constraints::Curves;
use super::evaluation::{Evaluation, get_lane, set_lane};
use super::interpreter::{Row, WIDTH};
use super::minimiser::Minimiser;
use super::stage::{Control, StagePlan};
use super::status::Status;
use super::trial_step::{State, TrialStep};
use super::voxels::Voxels;
use arcuate_numbers::{Lanes, Operations, Real};

/// Runs one stage of a fit (a Levenberg–Marquardt minimisation) on all voxels that do not have an error status,
/// starting from their current parameter values.
#[inline(always)]
pub(crate) fn minimise<T: Real>(stage: &StagePlan<T>, control: Control<T>, voxels: &mut Voxels<T>) {
    let zero = Lanes::all(0.0);
    let counts = [voxels.measurements(), voxels.map_count()];
    let mut evaluation = Evaluation::new(&stage.schedule, &stage.unknowns, counts);
    let mut fit = Minimiser::new(stage, control.bounds, voxels.number_count(), zero, || zero);
    fit.stored = vec![zero; voxels.number_count()];
    let mut curves = stage.curved.as_ref().map(|curved| Curves::new(curved, stage.unknowns.len()));
    let mut next = 0;
    let (mut lanes, mut evaluations) = ([None; WIDTH], [0; WIDTH]);
    // Set for SIMD lanes whose damping starts again.
    let mut is_new = LaneFlags::of(|_| true);
    loop {
        for lane in 0..WIDTH {
            if lanes[lane].is_none() {
                lanes[lane] = (next..voxels.len()).find(|&voxel| voxels.is_wanted(voxel));
                next = lanes[lane].map_or(voxels.len(), |voxel| voxel + 1);
                if let Some(voxel) = lanes[lane] {
                    evaluation.load(lane, voxels.signals(voxel), voxels.maps(voxel));
                    set_lane(&mut fit.stored, lane, voxels.numbers(voxel));
                }
            }
        }
        if lanes.iter().all(Option::is_none) {
            return;
        }
        let is_first = LaneFlags::of(|lane| evaluations[lane] == 0);
        if let Some(branch) = is_first.branch() {
            fit.enter(&branch);
        }
        evaluation.sum(&fit.state.trial, &mut fit.state.tried);
        evaluations = evaluations.map(|count| count + 1);
        let may_go_on = LaneFlags::of(|lane| lanes[lane].is_some() && evaluations[lane] < stage.evaluations);
        let limits = [Lanes([control.tolerance; WIDTH]), Lanes([control.floor; WIDTH]) * evaluation.squares];
        let outcome = fit.advance(
            [is_new, is_first, may_go_on],
            limits,
            #[inline(always)]
            |step, state| match &mut curves {
                None => step.propose(state, &[]),
                Some(curves) => propose_on_curves(stage, curves, step, state),
            },
        );
        if let Some(branch) = outcome.is_done.branch() {
            fit.leave(outcome.is_done, &branch);
        }
        for lane in 0..WIDTH {
            let Some(voxel) = lanes[lane].filter(|_| outcome.is_done.is_set(lane)) else { continue };
            let status = if outcome.failed.is_set(lane) {
                Status::NoModel
            } else if outcome.converged.is_set(lane) {
                Status::Converged
            } else {
                Status::Limit
            };
            get_lane(&fit.stored, lane, voxels.numbers_mut(voxel));
            voxels.end(voxel, status, fit.state.best.cost.0[lane], evaluations[lane]);
            (lanes[lane], evaluations[lane]) = (None, 0);
        }
        is_new = outcome.is_new | outcome.is_done;
    }
}

/// Computes the next trial step of a model with nonlinear constraints, and projects the trial values back to the
/// constraints. If this fails, the trial values are set to those before the step. The step itself is unchanged, so
/// that a decrease lost by the projection counts as a bad step. This prevents oscillations around the minimum.
#[inline(always)]
fn propose_on_curves<T: Real>(
    stage: &StagePlan<T>,
    curves: &mut Curves<T>,
    step: &mut TrialStep<'_, T, Row<T>>,
    state: &mut State<Row<T>>,
) {
    let zero = Lanes::all(0.0);
    step.propose(state, curves.evaluate(&state.numbers));
    let State { numbers, trial, predicted, .. } = state;
    let failed = curves.bring_back(&stage.unknowns, &stage.bounds, &step.scales, trial);
    for (trial, number) in trial.iter_mut().zip(numbers.iter()) {
        *trial = failed.if_above(zero, *number, *trial);
    }
    // If the predicted decrease is too small, the fit ends. After a step that the constraints rejected, the fit
    // must not end, so that the prediction is infinite.
    *predicted = failed.if_above(zero, Lanes::all(f64::INFINITY), *predicted);
}
