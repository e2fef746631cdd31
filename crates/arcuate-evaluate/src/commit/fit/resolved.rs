//! Converts penalties to the form that the solver needs: numerical values of λ, and groups of unknowns with
//! weights. Also finds the penalty that removes all streamlines, at which a path of decreasing penalties
//! starts.

use super::super::{CommitProblem, GroupWeights, Penalty, StreamlineGroups, Strength};
use super::FitOptions;
use arcuate_core::{Result, narrow};
use arcuate_solve::{
    GroupPenalty, ProximalPoint, ProximalProblem, Regulariser, SolverElement, SolverOperator, fista,
};
use std::ops::Range;

/// The penalties of one fit, as numbers.
pub(super) struct Resolved {
    columns: usize,
    /// Ranges of the extra-axonal and the isotropic unknowns, each with the λ of its penalty.
    pub(super) others: [(Range<usize>, f64); 2],
    /// Range of the intra-axonal unknowns (the amounts of streamlines), with the λ of their penalty.
    pub(super) streamlines: (Range<usize>, f64),
    /// Groups of unknowns with their weights w_g, and the λ that multiplies all weights. `None` if there are
    /// no groups.
    pub(super) groups: Option<(GroupPenalty, f64)>,
    /// For each unknown, true if it is fixed at 0. `None` if no unknown is fixed.
    pub(super) fixed: Option<Vec<bool>>,
    /// Smallest penalty on streamlines that removes all of them, divided by the requested penalty. Infinite
    /// if no penalty is requested.
    largest: f64,
}

impl Resolved {
    /// Returns the penalties in the form that the solver needs. The penalties on streamlines are multiplied
    /// by `factor`.
    pub(super) fn regulariser(&self, factor: f64) -> Result<Regulariser> {
        let mut l1 = self.others.to_vec();
        l1.push((self.streamlines.0.clone(), factor * self.streamlines.1));
        let groups = self.groups.as_ref().map(|(unit, lambda)| {
            let weights = unit.weights().iter().map(|weight| factor * lambda * weight).collect();
            GroupPenalty::new(unit.starts().to_vec(), unit.members().to_vec(), weights)
        });
        Regulariser::new(self.columns, true, l1, groups.transpose()?)
    }

    /// Returns the penalties of a path of decreasing penalties, each divided by the requested penalty. The
    /// path has `points` values with equal ratios. The first value is the penalty that removes all
    /// streamlines, and the last value is 1.
    pub(super) fn path_factors(&self, points: usize) -> Vec<f64> {
        // There is no path of penalties if the requested penalty is 0 or already removes all streamlines.
        let leads_down = self.largest.is_finite() && self.largest > 1.0;
        let last = if leads_down { points.max(1) - 1 } else { 0 };
        let factor = |n| if n == last { 1.0 } else { self.largest.powf(1.0 - n as f64 / last as f64) };
        (0..=last).map(factor).collect()
    }
}

impl<T: SolverElement, A: SolverOperator<T>> CommitProblem<T, A> {
    /// Returns the ranges of extra-axonal and isotropic unknowns, each with the λ of their penalty.
    pub(super) fn other_penalties(&self, penalty: &Penalty) -> [(Range<usize>, f64); 2] {
        let (columns, layout) = (self.layout().len(), self.layout());
        let none = Regulariser::non_negative(columns);
        let free = ProximalProblem::new(self.operator(), self.data(), &none);
        let of = |strength: Option<Strength>, range: Range<usize>| {
            let lambda = match strength {
                Some(Strength::Fraction(fraction)) => {
                    fraction * free.largest_useful_l1(&vec![T::zero(); columns], range.clone())
                }
                Some(Strength::Absolute(lambda)) => lambda,
                None => 0.0,
            };
            (range, lambda)
        };
        [of(penalty.extra, layout.extra_unknowns()), of(penalty.isotropic, layout.isotropic_unknowns())]
    }

    /// Returns the best unknowns under the constraint that the amounts of all streamlines are 0.
    pub(super) fn without_streamlines(
        &self,
        others: &[(Range<usize>, f64); 2],
        options: &FitOptions,
        watch: &mut impl FnMut(&ProximalPoint) -> bool,
    ) -> Result<Vec<T>> {
        let columns = self.layout().len();
        let intra = self.layout().intra_unknowns();
        let start = vec![T::zero(); columns];
        if intra.len() == columns {
            return Ok(start);
        }
        let fixed: Vec<bool> = (0..columns).map(|column| intra.contains(&column)).collect();
        let regulariser = Regulariser::new(columns, true, others.to_vec(), None)?;
        let problem = ProximalProblem::new(self.operator(), self.data(), &regulariser).with_fixed(&fixed);
        Ok(fista(&problem, &start, &options.gap_rule(), watch).weights)
    }

    /// Converts all penalties to numbers. `rest` is the best fit without streamlines.
    pub(super) fn resolve(
        &self,
        options: &FitOptions,
        others: [(Range<usize>, f64); 2],
        rest: &[T],
        watch: &mut impl FnMut(&ProximalPoint) -> bool,
    ) -> Result<Resolved> {
        let (columns, range) = (self.layout().len(), self.layout().intra_unknowns());
        let free = Regulariser::new(columns, true, others.to_vec(), None)?;
        let free = ProximalProblem::new(self.operator(), self.data(), &free);
        let mut largest = f64::INFINITY;
        // Converts the strength of a penalty to λ. If the strength is a fraction, it is multiplied by `maximum`,
        // the smallest λ that removes all streamlines. If the strength is an absolute number, it is already
        // λ.
        let mut scaled = |strength: Strength, maximum: f64| {
            let (lambda, factor) = match strength {
                Strength::Fraction(fraction) => (fraction * maximum, fraction.recip()),
                Strength::Absolute(lambda) => (lambda, maximum / lambda),
            };
            if factor.is_finite() {
                largest = if largest.is_finite() { largest.max(factor) } else { factor };
            }
            lambda
        };
        let of_each = options.penalty.streamlines;
        let of_each = of_each.map_or(0.0, |s| scaled(s, free.largest_useful_l1(rest, range.clone())));
        let streamlines = (range, of_each);
        let Some((groups, strength)) = &options.penalty.groups else {
            return Ok(Resolved { columns, others, streamlines, groups: None, fixed: None, largest });
        };
        let (groups, fixed) = self.groups_of_unknowns(groups, || {
            fista(&free, &vec![T::zero(); columns], &options.gap_rule(), watch).weights
        })?;
        let l1 = others.iter().cloned().chain([streamlines.clone()]).collect();
        let unit = Regulariser::new(columns, true, l1, Some(groups.clone()))?;
        let problem = ProximalProblem::new(self.operator(), self.data(), &unit);
        let problem = fixed.as_ref().map_or(problem, |fixed| problem.with_fixed(fixed));
        let lambda = scaled(*strength, problem.largest_useful_group_factor(rest));
        Ok(Resolved { columns, others, streamlines, groups: Some((groups, lambda)), fixed, largest })
    }

    /// Returns the groups of unknowns with their weights w_g. For adaptive weights, also returns which
    /// unknowns are fixed at 0. `plain` returns the unknowns of the best fit without a penalty on
    /// streamlines.
    fn groups_of_unknowns(
        &self,
        groups: &StreamlineGroups,
        plain: impl FnOnce() -> Vec<T>,
    ) -> Result<(GroupPenalty, Option<Vec<bool>>)> {
        let intra = self.layout().intra;
        let members: Vec<u32> = groups
            .members
            .iter()
            .flat_map(|&f| (0..intra).map(move |j| narrow::<u32>(f as usize * intra + j)))
            .collect();
        let starts: Vec<usize> = groups.starts.iter().map(|start| start * intra).collect();
        let mut weights: Vec<f64> =
            (0..groups.len()).map(|g| (groups.members(g).len() as f64).sqrt()).collect();
        let mut fixed = None;
        if groups.weights == GroupWeights::Adaptive {
            let plain = plain();
            let mut held = vec![false; plain.len()];
            for (g, weight) in weights.iter_mut().enumerate() {
                let own = &members[starts[g]..starts[g + 1]];
                let norm = own.iter().map(|&m| plain[m as usize].double().powi(2)).sum::<f64>().sqrt();
                if norm > 0.0 {
                    *weight /= norm;
                } else {
                    *weight = 0.0;
                    for &m in own {
                        held[m as usize] = true;
                    }
                }
            }
            fixed = Some(held);
        }
        Ok((GroupPenalty::new(starts, members, weights)?, fixed))
    }
}
