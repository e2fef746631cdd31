//! Parameters that could change places, such as those of fibre populations, in one order.

use super::plan::ModelPlan;
use super::voxels::Voxels;
use crate::language::Role;
use crate::special::watson::Series;
use std::ops::Range;

/// Sorts what is alike by its first number, the largest first.
pub(super) fn sort_alike<T: Series>(plan: &ModelPlan<T>, voxels: &mut Voxels<T>) {
    // What is taken as known has its place, and so has what belongs to it.
    let is_found = |&n: &usize| {
        let (role, first) = plan.program.places[n];
        let found = plan.unknowns.iter().zip(&plan.resting);
        role == Role::Free && found.into_iter().any(|(of, rests)| usize::from(of.place()) == first && !rests)
    };
    let groups: Vec<Vec<Range<usize>>> = plan
        .model
        .alike()
        .iter()
        .filter(|group| group.iter().all(is_found))
        .map(|group| {
            let range = |&n: &usize| {
                let (_, first) = plan.program.places[n];
                first..first + plan.model.parameters()[n].numbers()
            };
            group.iter().map(range).collect()
        })
        .collect();
    if groups.len() < 2 {
        return;
    }
    for voxel in 0..voxels.len() {
        let numbers = voxels.numbers(voxel).to_vec();
        let mut order: Vec<usize> = (0..groups.len()).collect();
        let first = |group: usize| numbers[groups[group][0].start].double();
        order.sort_by(|&a, &b| first(b).total_cmp(&first(a)));
        for (to, from) in order.into_iter().enumerate() {
            for (to, from) in groups[to].iter().zip(&groups[from]) {
                voxels.numbers_mut(voxel)[to.clone()].copy_from_slice(&numbers[from.clone()]);
            }
        }
    }
}
