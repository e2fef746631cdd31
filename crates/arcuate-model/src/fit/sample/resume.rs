//! Where chains ended, as an image, so that they can go on in a later run.
//!
//! A voxel has the number of sweeps that were done, then for each chain its numbers (in base units and units of the scaled signal, σ
//! last), the widths of proposals, and how many were accepted since widths were changed. Single precision holds all of it; chains
//! in double precision go on from the nearest numbers.

use super::plan::{ChainPlan, ChainState};
use crate::special::watson::Series;
use arcuate_core::{Error, Grid, Result, Volume};

/// Numbers of a voxel in a chain.
fn numbers_of_chain<T: Series>(plan: &ChainPlan<T>) -> usize {
    plan.state_numbers() + 2 * plan.of.len()
}

/// The image of chains that ended in these states; 0 in voxels without chains.
pub(super) fn image<T: Series>(
    plan: &ChainPlan<T>,
    states: &[ChainState<T>],
    items: &[usize],
    grid: &Grid,
) -> Volume<f32> {
    let (numbers, moves) = (plan.state_numbers(), plan.of.len());
    let mut image = Volume::filled(*grid, 1 + states.len() * numbers_of_chain(plan), 0.0f32);
    for (voxel, &item) in items.iter().enumerate() {
        let of_chain = |state: &ChainState<T>| {
            let own = |values: &[T], count: usize| -> Vec<f32> {
                values[voxel * count..][..count].iter().map(|value| value.double() as f32).collect()
            };
            // Counts are no larger than a window of sweeps, all of which a float holds.
            let accepted = state.accepted[voxel * moves..][..moves].iter().map(|count| *count as f32);
            let mut all = own(&state.numbers, numbers);
            all.extend(own(&state.widths, moves));
            all.extend(accepted);
            all
        };
        let sweeps = states.first().map_or(0, |state| state.sweeps) as f32;
        let values: Vec<f32> = std::iter::once(sweeps).chain(states.iter().flat_map(of_chain)).collect();
        image.voxel_mut(item).copy_from_slice(&values);
    }
    image
}

/// How many sweeps the chains of these voxels have done: the same in all of them.
pub(super) fn sweeps(image: &Volume<f32>, items: &[usize]) -> Result<u32> {
    let of_item = |item: &usize| image.voxel(*item)[0];
    let first = items.iter().map(of_item).find(|sweeps| *sweeps != 0.0).unwrap_or(0.0);
    let is_count = first >= 1.0 && first < (1u32 << 24) as f32 && first.fract() == 0.0;
    if !is_count || items.iter().any(|item| ![0.0, first].contains(&of_item(item))) {
        return Err(refused("its first volume is not the same number of sweeps in every voxel".to_owned()));
    }
    Ok(first as u32)
}

fn refused(problem: String) -> Error {
    Error::invalid(
        "state of chains",
        problem,
        "give the image that chains of the same model and options have left",
    )
}

/// The states that the image has of these voxels, chain after chain.
pub(super) fn states<T: Series>(
    plan: &ChainPlan<T>,
    chains: u32,
    image: &Volume<f32>,
    items: &[usize],
) -> Result<Vec<ChainState<T>>> {
    let (numbers, moves, of_chain) = (plan.state_numbers(), plan.of.len(), numbers_of_chain(plan));
    let wanted = 1 + chains as usize * of_chain;
    if image.channels() != wanted {
        let problem =
            format!("it has {} volumes, and {chains} chains of this model have {wanted}", image.channels());
        return Err(refused(problem));
    }
    let missing = items.iter().filter(|item| image.voxel(**item)[0] == 0.0).count();
    if missing > 0 {
        let problem = format!("{missing} of {} voxels in the mask have had no chains", items.len());
        return Err(refused(problem));
    }
    let sweeps = sweeps(image, items)?;
    let mut states = Vec::new();
    for chain in 0..chains as usize {
        let mut state = ChainState {
            numbers: Vec::new(),
            widths: Vec::new(),
            accepted: Vec::new(),
            total: vec![0; items.len() * moves],
            sweeps,
        };
        for &item in items {
            let own = &image.voxel(item)[1 + chain * of_chain..][..of_chain];
            let (of_numbers, rest) = own.split_at(numbers);
            let (widths, accepted) = rest.split_at(moves);
            let is_right = of_numbers.iter().all(|value| value.is_finite())
                && widths.iter().all(|width| *width > 0.0 && width.is_finite())
                && accepted.iter().all(|count| (0.0..16_777_216.0).contains(count));
            if !is_right {
                return Err(refused("it holds what no chain has".to_owned()));
            }
            state.numbers.extend(of_numbers.iter().map(|value| T::of(f64::from(*value))));
            state.widths.extend(widths.iter().map(|width| T::of(f64::from(*width))));
            state.accepted.extend(accepted.iter().map(|count| *count as u32));
        }
        states.push(state);
    }
    Ok(states)
}
