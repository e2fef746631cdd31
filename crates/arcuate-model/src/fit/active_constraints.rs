//! Inequality constraints of a model that hold with equality after a fit.

use super::plan::ModelPlan;
use super::unknowns::Unknown;
use super::voxels::Voxels;
use crate::language::{Id, Input, Node, Program};
use arcuate_core::Result;
use arcuate_numbers::Real;
use rayon::prelude::*;

/// Maximum difference between the two sides of a constraint that counts as equality, as a fraction of the sum
/// of the absolute values of all terms. The steps of a fit satisfy nonlinear constraints within 1e-6
/// (`curved_constraints.rs`), and single precision has a rounding error of 1e-7.
const EQUAL: f64 = 1e-5;

/// Number of voxels in which an inequality constraint of a model holds with equality after the fit.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct AtConstraint {
    /// The constraint as written in the model.
    pub constraint: String,
    /// Number of voxels in which both sides of the constraint are equal.
    pub voxels: usize,
}

/// The inequality constraints of a model whose two sides can become equal in a fit: those with at least one
/// fitted parameter.
pub(super) struct Inequalities {
    program: Program,
    each: Vec<Inequality>,
}

struct Inequality {
    text: String,
    sides: [Id; 2],
    /// For each fitted value in the inequality, the index of the value and the derivative of (left side −
    /// right side) with respect to it.
    slopes: Vec<(u16, Id)>,
}

impl Inequalities {
    pub(super) fn new<T: Real>(plan: &ModelPlan<T>) -> Result<Self> {
        let (mut program, sides) = plan.model.constraint_program(&plan.roles)?;
        let moves = |number: u16| {
            let of_unknown = |(unknown, rests): (&Unknown, &bool)| {
                let first = unknown.place();
                let numbers = if matches!(unknown, Unknown::Number(_)) { 1 } else { 3 };
                !rests && (first..first + numbers).contains(&number)
            };
            plan.unknowns.iter().zip(&plan.resting).any(of_unknown)
        };
        let mut each = Vec::new();
        for ((sides, value), constraint) in
            sides.into_iter().zip(&plan.program.constraints).zip(plan.model.constraints())
        {
            let free = |id: &Id| match program.node(*id) {
                Node::Input(Input::Parameter(n)) => Some(n),
                _ => None,
            };
            let mut numbers: Vec<u16> = program.reachable(&sides).iter().filter_map(free).collect();
            numbers.sort_unstable();
            if value.is_equality || !numbers.iter().any(|&n| moves(n)) {
                continue;
            }
            let difference = program.subtract(sides[0], sides[1]);
            let inputs: Vec<Input> = numbers.iter().map(|&n| Input::Parameter(n)).collect();
            let slopes = numbers.into_iter().zip(program.gradient(difference, &inputs)).collect();
            each.push(Inequality { text: constraint.text().to_owned(), sides, slopes });
        }
        Ok(Self { program, each })
    }

    /// Returns whether each inequality constraint holds with equality in each voxel. The result has one flag
    /// per constraint, voxel by voxel.
    pub(super) fn at_equality<T: Real>(&self, plan: &ModelPlan<T>, voxels: &Voxels<T>) -> Vec<bool> {
        if self.each.is_empty() {
            return Vec::new();
        }
        let of_voxel = |values: &mut Vec<f64>, voxel: usize| -> Vec<bool> {
            let number = |n: u16| voxels.numbers(voxel)[usize::from(n)].double();
            self.program.evaluate_in(values, |input| match input {
                Input::Parameter(n) => number(n),
                Input::Setting(n) => plan.settings[usize::from(n)],
                Input::Map(n) => voxels.maps(voxel)[usize::from(n)].double(),
                _ => f64::NAN,
            });
            let is_equal = |of: &Inequality| {
                let [left, right] = of.sides.map(|side| values[side.index()]);
                let terms = of.slopes.iter().map(|(n, slope)| (values[slope.index()] * number(*n)).abs());
                (left - right).abs() <= EQUAL * terms.fold(left.abs() + right.abs(), |sum, term| sum + term)
            };
            self.each.iter().map(is_equal).collect()
        };
        (0..voxels.len()).into_par_iter().map_init(Vec::new, of_voxel).flatten_iter().collect()
    }

    /// Returns whether at least one inequality constraint holds with equality in a voxel. Reads the flags
    /// that [`at_equality`](Self::at_equality) returned.
    pub(super) fn any_at(&self, at_equality: &[bool], voxel: usize) -> bool {
        let count = self.each.len();
        at_equality.get(voxel * count..(voxel + 1) * count).is_some_and(|own| own.contains(&true))
    }

    /// Returns, for each inequality constraint, the number of voxels in which it holds with equality.
    /// Constraints that hold with equality in no voxel are omitted.
    pub(super) fn counts(&self, at_equality: &[bool], counts: impl Fn(usize) -> bool) -> Vec<AtConstraint> {
        let mut found: Vec<AtConstraint> =
            self.each.iter().map(|of| AtConstraint { constraint: of.text.clone(), voxels: 0 }).collect();
        for (voxel, own) in at_equality.chunks(self.each.len().max(1)).enumerate() {
            if counts(voxel) {
                found
                    .iter_mut()
                    .zip(own)
                    .for_each(|(found, is_equal)| found.voxels += usize::from(*is_equal));
            }
        }
        found.retain(|found| found.voxels > 0);
        found
    }
}
