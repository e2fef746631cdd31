//! Computes initial states of chains that omit fibre populations which the data do not support. These
//! populations have a prior of automatic relevance determination, which can remove them.
//!
//! In a voxel with one fibre, a fit of two sticks may divide the signal fraction of this fibre between both
//! sticks. Moves of single parameters remove the second stick slowly, because the fraction of the first stick
//! has to grow at the same time. One in eight chains of default length that start at the fit of both sticks
//! does not remove the second stick. If the fit without a population has a lower Bayesian information
//! criterion, a chain starts at this fit. The fraction of the omitted population starts at a thousandth, and
//! grows if the posterior supports the population.

use super::step::MIN_RESIDUAL;
use crate::fit::Criterion;
use crate::fit::interchangeable::groups;
use crate::fit::options::Source;
use crate::fit::plan::{ModelPlan, Pipeline};
use crate::fit::voxels::Voxels;
use crate::language::{Prior, Role};
use arcuate_numbers::Real;
use std::ops::Range;

/// The index ranges of a fibre population's parameter values, with the signal fraction first.
type Population = Vec<Range<usize>>;

/// Returns the fibre populations whose signal fraction has a prior that draws the fraction to 0, in the order
/// of the model.
fn removable<T: Real>(plan: &ModelPlan<T>) -> Vec<Population> {
    let is_removable = |population: &Population| {
        let first = population[0].start;
        let parameters = plan.model.parameters().iter().zip(&plan.program.places);
        let relevant = parameters
            .filter(|(parameter, _)| matches!(parameter.prior(), Prior::Relevance { .. }))
            .any(|(_, (role, place))| *role == Role::Free && *place == first);
        relevant && plan.begin.bounds[first][0] == T::of(0.0)
    };
    groups(plan).into_iter().filter(is_removable).collect()
}

/// Adds fits without the last removable fibre population, without the last two populations, and so on. Each
/// of these fits starts at the result of the fit with all populations.
pub(super) fn add_smaller_fits<T: Real>(pipeline: &mut Pipeline<T>) {
    let place = pipeline.requested[0];
    let removable = removable(&pipeline.plans[place]);
    for count in 1..=removable.len() {
        let removed = &removable[removable.len() - count..];
        let mut plan = pipeline.plans[place].clone();
        let is_removed = |number: usize| removed.iter().flatten().any(|range| range.contains(&number));
        plan.stages.retain(|stage| stage.search.is_none());
        for stage in &mut plan.stages {
            for (unknown, rests) in stage.unknowns.iter().zip(&mut stage.resting) {
                *rests |= is_removed(usize::from(unknown.place()));
            }
        }
        for (unknown, rests) in plan.unknowns.iter().zip(&mut plan.resting) {
            *rests |= is_removed(usize::from(unknown.place()));
        }
        plan.given = (0..plan.program.free_numbers).map(|number| (number, place, number)).collect();
        plan.from_signals.clear();
        plan.sources = removed.iter().map(|of| (of[0].start, Source::Number(0.0), 1.0, 0.0)).collect();
        pipeline.requested.push(pipeline.plans.len());
        pipeline.plans.push(plan);
        pipeline.protocols.push(pipeline.protocols[place].clone());
    }
}

/// Returns the fit with the lowest criterion in each voxel, among the fit with all fibre populations and the
/// fits with fewer populations.
pub(super) fn best<T: Real>(pipeline: &Pipeline<T>, fits: Vec<Voxels<T>>) -> Voxels<T> {
    let mut fits = fits.into_iter();
    let mut best = fits.next().unwrap_or_else(|| Voxels::new(0, 0, Vec::new(), Vec::new()));
    let score = |voxels: &Voxels<T>, voxel: usize, place: usize| {
        let plan = &pipeline.plans[place];
        let unknowns = plan.resting.iter().filter(|rests| !**rests).count();
        let n = f64::from(voxels.usable(voxel));
        let squares = voxels.cost(voxel).double().max(MIN_RESIDUAL * MIN_RESIDUAL * n);
        Criterion::Bic.value(squares, n, unknowns as f64)
    };
    let mut scores: Vec<f64> =
        (0..best.len()).map(|voxel| score(&best, voxel, pipeline.requested[0])).collect();
    for (smaller, &place) in fits.zip(&pipeline.requested[1..]) {
        for (voxel, lowest) in scores.iter_mut().enumerate() {
            let is_fitted = [&best, &smaller].iter().all(|fit| fit.status(voxel).is_fitted());
            let of_smaller = score(&smaller, voxel, place);
            if is_fitted && of_smaller < *lowest {
                *lowest = of_smaller;
                best.numbers_mut(voxel).copy_from_slice(smaller.numbers(voxel));
                best.end(voxel, smaller.status(voxel), smaller.cost(voxel), 0);
            }
        }
    }
    best
}
