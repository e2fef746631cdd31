//! Sorts groups of parameters that can be exchanged without changing the signal, such as the parameters of
//! several fibre populations.

use super::plan::ModelPlan;
use super::voxels::Voxels;
use crate::language::Role;
use arcuate_numbers::Real;
use std::ops::Range;

/// Sorts interchangeable groups of parameters (such as fibre populations) in each voxel by the value of their
/// first parameter, largest first.
pub(super) fn sort_interchangeable<T: Real>(plan: &ModelPlan<T>, voxels: &mut Voxels<T>) {
    let groups = groups(plan);
    if groups.len() < 2 {
        return;
    }
    for voxel in 0..voxels.len() {
        let numbers = voxels.numbers(voxel).to_vec();
        let order = order(&groups, |place| numbers[place].double());
        for (to, from) in order.into_iter().enumerate() {
            for (to, from) in groups[to].iter().zip(&groups[from]) {
                voxels.numbers_mut(voxel)[to.clone()].copy_from_slice(&numbers[from.clone()]);
            }
        }
    }
}

/// Returns the groups of interchangeable parameters as ranges of indices of their values. An example is the
/// fibre populations of a model.
pub(super) fn groups<T: Real>(plan: &ModelPlan<T>) -> Vec<Vec<Range<usize>>> {
    // A fibre population with a known (fixed) parameter keeps its position.
    let is_found = |&n: &usize| {
        let (role, first) = plan.program.places[n];
        let found = plan.unknowns.iter().zip(&plan.resting);
        role == Role::Free && found.into_iter().any(|(of, rests)| usize::from(of.place()) == first && !rests)
    };
    let of_group = |group: &Vec<usize>| {
        let range = |&n: &usize| {
            let (_, first) = plan.program.places[n];
            first..first + plan.model.parameters()[n].numbers()
        };
        group.iter().map(range).collect()
    };
    plan.model.alike().iter().filter(|group| group.iter().all(is_found)).map(of_group).collect()
}

/// Returns the indices of the groups of parameters, sorted by the value of the group's first parameter,
/// largest first.
pub(super) fn order(groups: &[Vec<Range<usize>>], number: impl Fn(usize) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..groups.len()).collect();
    let first = |group: usize| number(groups[group][0].start);
    order.sort_by(|&a, &b| first(b).total_cmp(&first(a)));
    order
}
