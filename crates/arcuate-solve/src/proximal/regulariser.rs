use crate::Real;
use arcuate_core::{Error, Result};
use std::ops::Range;

/// A penalty on the unknowns x: R(x) = Σ_i λ_i |x_i| + Σ_g λ_g ‖x_g‖₂ with unknowns i and groups g.
/// Optionally, x ≥ 0 is required. The weights λ are in the unit of Aᵀy.
#[derive(Debug, Clone, PartialEq)]
pub struct Regulariser {
    columns: usize,
    non_negative: bool,
    l1: Vec<(Range<usize>, f64)>,
    groups: Option<GroupPenalty>,
}

/// The penalty λ_g ‖x_g‖₂ on disjoint groups g of unknowns. The norm is not squared, so that the penalty
/// removes whole groups (Yuan and Lin 2006, doi:10.1111/j.1467-9868.2005.00532.x). Unknowns in no group have
/// no penalty of this kind.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupPenalty {
    starts: Vec<usize>,
    members: Vec<u32>,
    weights: Vec<f64>,
}

fn is_penalty(penalty: f64) -> bool {
    penalty >= 0.0 && penalty.is_finite()
}

impl GroupPenalty {
    /// Creates the penalty on groups. Group g has the unknowns `members[starts[g]..starts[g + 1]]` and the
    /// penalty λ_g = `weights[g]`.
    ///
    /// Returns an error if `starts` does not have one more element than `weights`, or does not increase from
    /// 0 to the number of members. Also returns an error if an unknown is in two groups, or if a penalty is
    /// negative or not finite.
    pub fn new(starts: Vec<usize>, members: Vec<u32>, weights: Vec<f64>) -> Result<Self> {
        let fail = |problem: String, advice: &str| Err(Error::invalid("group penalty", problem, advice));
        let ends = starts.len() == weights.len() + 1 && starts[0] == 0;
        if !(ends && starts.is_sorted() && starts.last() == Some(&members.len())) {
            let problem = format!(
                "the starts of {} groups do not rise from 0 to {} members",
                weights.len(),
                members.len()
            );
            return fail(problem, "give the first member of each group and, last, the number of members");
        }
        if let Some(wrong) = weights.iter().find(|&&weight| !is_penalty(weight)) {
            return fail(format!("λ is {wrong}"), "give finite numbers of 0 or more");
        }
        let mut sorted = members.clone();
        sorted.sort_unstable();
        if let Some([twice, ..]) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return fail(format!("unknown {twice} stands twice"), "give each unknown to one group");
        }
        Ok(Self { starts, members, weights })
    }

    /// Shrinks the norm of x in each group by the proximal map of `length` times this penalty. Returns the
    /// penalty of the result.
    pub(crate) fn shrink<T: Real>(&self, x: &mut [T], length: f64) -> f64 {
        let mut penalty = 0.0;
        for (members, weight) in self.iter() {
            let norm_of = |x: &[T]| norm(members.iter().map(|&m| x[m as usize]));
            let factor = Penalties::<T>::shrink_group(norm_of(x), length * weight);
            for &m in members {
                x[m as usize] = T::of(x[m as usize].double() * factor);
            }
            penalty += weight * norm_of(x);
        }
        penalty
    }

    /// Returns the number of groups.
    pub fn len(&self) -> usize {
        self.weights.len()
    }

    /// Returns whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.weights.is_empty()
    }

    /// Returns, for each group, the index of its first member. The last element of the result is the number
    /// of members.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Returns the unknowns of all groups, group by group.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// Returns the penalty λ_g of each group.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Returns, for each group, its members (indices of unknowns) and its penalty λ_g.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[u32], f64)> {
        self.starts.windows(2).zip(&self.weights).map(|(s, &weight)| (&self.members[s[0]..s[1]], weight))
    }
}

impl Regulariser {
    /// Creates a regulariser for `columns` unknowns. `l1` has ranges of unknowns, each with the λ_i of its
    /// unknowns. Outside all ranges, λ_i is 0.
    ///
    /// Returns an error if a penalty is negative or not finite, if ranges overlap, or if an unknown is beyond
    /// `columns`.
    pub fn new(
        columns: usize,
        non_negative: bool,
        l1: Vec<(Range<usize>, f64)>,
        groups: Option<GroupPenalty>,
    ) -> Result<Self> {
        let fail = |problem: String, advice: &str| Err(Error::invalid("regulariser", problem, advice));
        let mut sorted: Vec<_> = l1.iter().filter(|(range, _)| !range.is_empty()).collect();
        sorted.sort_by_key(|(range, _)| range.start);
        if let Some((range, penalty)) = l1.iter().find(|(_, penalty)| !is_penalty(*penalty)) {
            return fail(format!("λ of {range:?} is {penalty}"), "give finite numbers of 0 or more");
        }
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0.end > pair[1].0.start) {
            let problem = format!("the ranges {:?} and {:?} overlap", pair[0].0, pair[1].0);
            return fail(problem, "give each unknown one penalty");
        }
        let last = sorted.last().map_or(0, |(range, _)| range.end);
        let member = groups.iter().flat_map(|g| &g.members).max().map_or(0, |&m| m as usize + 1);
        if last.max(member) > columns {
            let problem = format!("it names unknown {} of {columns}", last.max(member) - 1);
            return fail(problem, "count unknowns from 0");
        }
        Ok(Self { columns, non_negative, l1, groups })
    }

    /// Creates a regulariser that only requires x ≥ 0, without a penalty.
    pub fn non_negative(columns: usize) -> Self {
        Self { columns, non_negative: true, l1: Vec::new(), groups: None }
    }

    /// Creates a regulariser without a penalty. `non_negative` states whether it requires x ≥ 0.
    pub(crate) fn without_penalty(columns: usize, non_negative: bool) -> Self {
        Self { non_negative, ..Self::non_negative(columns) }
    }

    /// Creates a regulariser that requires x ≥ 0 and has the same λ_i for all unknowns.
    ///
    /// # Panics
    ///
    /// Panics if λ_i is negative or not finite.
    pub(crate) fn uniform(columns: usize, lambda: f64) -> Self {
        assert!(is_penalty(lambda), "a penalty is a number of 0 or more");
        Self { l1: vec![(0..columns, lambda)], ..Self::non_negative(columns) }
    }

    /// Returns the number of unknowns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns whether x ≥ 0 is required.
    pub fn is_non_negative(&self) -> bool {
        self.non_negative
    }

    /// Returns the ranges of unknowns with a penalty, each with the λ_i of its unknowns.
    pub fn l1(&self) -> &[(Range<usize>, f64)] {
        &self.l1
    }

    /// Returns the penalty on groups. Returns `None` if there is none.
    pub fn groups(&self) -> Option<&GroupPenalty> {
        self.groups.as_ref()
    }

    /// Multiplies all λ_i by `l1`, and all λ_g by `groups`. With such factors, a sequence of penalties is
    /// created.
    ///
    /// # Panics
    ///
    /// Panics if a factor is negative or not finite.
    #[must_use]
    pub fn scaled(&self, l1: f64, groups: f64) -> Self {
        assert!(is_penalty(l1) && is_penalty(groups), "factors are finite numbers of 0 or more");
        let mut scaled = self.clone();
        for (_, penalty) in &mut scaled.l1 {
            *penalty *= l1;
        }
        if let Some(penalty) = &mut scaled.groups {
            for weight in &mut penalty.weights {
                *weight *= groups;
            }
        }
        scaled
    }

    /// Returns the penalty R(x).
    ///
    /// # Panics
    ///
    /// Panics if x has fewer elements than the regulariser has unknowns.
    pub fn value<T: Real>(&self, x: &[T]) -> f64 {
        let l1: f64 = self
            .l1
            .iter()
            .map(|(range, penalty)| penalty * x[range.clone()].iter().map(|x| x.double().abs()).sum::<f64>())
            .sum();
        let groups = self.groups.iter().flat_map(GroupPenalty::iter);
        l1 + groups
            .map(|(members, weight)| weight * norm(members.iter().map(|&m| x[m as usize])))
            .sum::<f64>()
    }
}

/// Returns the norm ‖v‖₂. The squares are added in order.
pub(crate) fn norm<T: Real>(values: impl Iterator<Item = T>) -> f64 {
    values.map(|v| v.double() * v.double()).sum::<f64>().sqrt()
}

/// A regulariser in the form that solvers use, with one λ_i for each unknown. If an unknown must stay 0, its
/// λ_i is infinite.
pub(crate) struct Penalties<'a, T> {
    pub(crate) non_negative: bool,
    /// The penalty λ_i of each unknown. The list is empty if all of them are 0.
    pub(crate) l1: Vec<T>,
    pub(crate) groups: Option<&'a GroupPenalty>,
}

impl<'a, T: Real> Penalties<'a, T> {
    /// Fixes the unknowns of `fixed` at 0.
    pub(crate) fn new(regulariser: &'a Regulariser, fixed: Option<&[bool]>) -> Self {
        let mut l1 = Vec::new();
        if fixed.is_some() || regulariser.l1.iter().any(|(_, penalty)| *penalty > 0.0) {
            l1 = vec![T::zero(); regulariser.columns];
            for (range, penalty) in &regulariser.l1 {
                l1[range.clone()].fill(T::of(*penalty));
            }
            for (l1, _) in l1.iter_mut().zip(fixed.unwrap_or_default()).filter(|(_, fixed)| **fixed) {
                *l1 = T::infinity();
            }
        }
        let groups = regulariser.groups.as_ref().filter(|groups| !groups.is_empty());
        Self { non_negative: regulariser.non_negative, l1, groups }
    }

    /// Returns λ_i of an unknown.
    pub(crate) fn l1(&self, i: usize) -> f64 {
        self.l1.get(i).map_or(0.0, |l1| l1.double())
    }

    /// Returns [v − threshold]₊ if x ≥ 0 is required. If signs are free, returns the soft threshold of v.
    #[inline(always)]
    pub(crate) fn shrink(&self, v: f64, threshold: f64) -> f64 {
        if self.non_negative {
            (v - threshold).max(0.0)
        } else if v.abs() <= threshold {
            0.0
        } else {
            v - threshold.copysign(v)
        }
    }

    /// Returns the factor [1 − threshold / norm]₊, by which the proximal map shrinks a group of unknowns with
    /// this norm.
    pub(crate) fn shrink_group(norm: f64, threshold: f64) -> f64 {
        if norm > threshold { 1.0 - threshold / norm } else { 0.0 }
    }

    /// Applies the proximal map of `length` · R to x. Soft thresholds of unknowns are applied first, and then
    /// the factors of the groups. This order gives the exact result for disjoint groups (Jenatton et al.
    /// 2011, Journal of Machine Learning Research 12:2297; Simon et al. 2013,
    /// doi:10.1080/10618600.2012.681250).
    pub(crate) fn prox(&self, length: f64, x: &mut [f64]) {
        for (i, x) in x.iter_mut().enumerate() {
            *x = self.shrink(*x, length * self.l1(i));
        }
        for (members, weight) in self.groups.iter().flat_map(|groups| groups.iter()) {
            let factor = Self::shrink_group(norm(members.iter().map(|&m| x[m as usize])), length * weight);
            for &m in members {
                x[m as usize] *= factor;
            }
        }
    }
}
