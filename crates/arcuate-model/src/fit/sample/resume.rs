//! Stores the final state of Markov chains as an image, so that a later run can continue the chains.
//!
//! The first channel of the image is the number of completed sweeps. The state of each chain follows. It
//! begins with the parameter values and the proposal widths. The parameter values are in base units, with
//! signals in units of the scaled signal, and the noise σ is the last value. The proposal widths are followed
//! by the numbers of accepted proposals since the last adaptation of widths, and the order of the fibre
//! populations. The image has double precision, which represents all values exactly.

use super::plan::{ChainPlan, ChainState};
use arcuate_core::{Error, Grid, Result, Volume, saturating};
use arcuate_numbers::Real;

/// Returns the number of values that the image of chain states stores per voxel and chain.
fn numbers_of_chain<T: Real>(plan: &ChainPlan<T>) -> usize {
    plan.state_numbers() + 2 * plan.of.len() + plan.groups.len()
}

/// Returns an image of the final states of all chains. `orders` is the order of fibre populations for each
/// voxel and chain. Voxels without chains are 0.
pub(super) fn image<T: Real>(
    plan: &ChainPlan<T>,
    states: &[ChainState<T>],
    orders: &[Vec<Vec<usize>>],
    items: &[usize],
    grid: &Grid,
) -> Volume<f64> {
    let (numbers, moves) = (plan.state_numbers(), plan.of.len());
    let mut image = Volume::filled(*grid, 1 + states.len() * numbers_of_chain(plan), 0.0f64);
    for (voxel, &item) in items.iter().enumerate() {
        let of_chain = |(state, order): (&ChainState<T>, &Vec<usize>)| {
            let own = |values: &[T], count: usize| -> Vec<f64> {
                values[voxel * count..][..count].iter().map(|value| value.double()).collect()
            };
            let accepted = state.accepted[voxel * moves..][..moves].iter().map(|count| f64::from(*count));
            let mut all = own(&state.numbers, numbers);
            all.extend(own(&state.widths, moves));
            all.extend(accepted);
            all.extend(order.iter().map(|place| *place as f64));
            all
        };
        let sweeps = states.first().map_or(0.0, |state| f64::from(state.sweeps));
        let of_chains = states.iter().zip(&orders[voxel]).flat_map(of_chain);
        let values: Vec<f64> = std::iter::once(sweeps).chain(of_chains).collect();
        image.voxel_mut(item).copy_from_slice(&values);
    }
    image
}

/// Returns the number of completed sweeps from the image of chain states. The number must be the same in all
/// voxels.
pub(super) fn sweeps(image: &Volume<f64>, items: &[usize]) -> Result<u32> {
    let of_item = |item: &usize| image.voxel(*item)[0];
    let first = items.iter().map(of_item).find(|sweeps| *sweeps != 0.0).unwrap_or(0.0);
    let is_count = first >= 1.0 && first < f64::from(1u32 << 24) && first.fract() == 0.0;
    if !is_count || items.iter().any(|item| ![0.0, first].contains(&of_item(item))) {
        return Err(refused("its first volume is not the same number of sweeps in every voxel".to_owned()));
    }
    Ok(saturating::<u32>(first))
}

fn refused(problem: String) -> Error {
    Error::invalid(
        "‘resume’",
        problem,
        "give the state image that chains of the same model and options \
                                         wrote",
    )
}

/// The order of fibre populations in each chain, voxel by voxel.
pub(super) type Orders = Vec<Vec<usize>>;

/// Reads the chain states of these voxels from the image, chain by chain, and the orders of fibre
/// populations.
pub(super) fn states<T: Real>(
    plan: &ChainPlan<T>,
    chains: u32,
    image: &Volume<f64>,
    items: &[usize],
) -> Result<(Vec<ChainState<T>>, Orders)> {
    let (numbers, moves, of_chain) = (plan.state_numbers(), plan.of.len(), numbers_of_chain(plan));
    let groups = plan.groups.len();
    let expected = 1 + chains as usize * of_chain;
    if image.channels() != expected {
        let problem =
            format!("it has {} volumes, and {chains} chains of this model have {expected}", image.channels());
        return Err(refused(problem));
    }
    let missing = items.iter().filter(|item| image.voxel(**item)[0] == 0.0).count();
    if missing > 0 {
        let problem = format!("{missing} of {} voxels in the mask have had no chains", items.len());
        return Err(refused(problem));
    }
    let sweeps = sweeps(image, items)?;
    let (mut states, mut orders) = (Vec::new(), Vec::new());
    for chain in 0..chains as usize {
        let mut state = ChainState {
            numbers: Vec::new(),
            widths: Vec::new(),
            accepted: Vec::new(),
            total: vec![0; items.len() * moves],
            sweeps,
        };
        let mut order = Vec::with_capacity(items.len() * groups);
        for &item in items {
            let own = &image.voxel(item)[1 + chain * of_chain..][..of_chain];
            let (of_numbers, rest) = own.split_at(numbers);
            let (widths, rest) = rest.split_at(moves);
            let (accepted, places) = rest.split_at(moves);
            let is_once = |place: usize| places.iter().filter(|other| **other == place as f64).count() == 1;
            let is_right = of_numbers.iter().all(|value| value.is_finite())
                && widths.iter().all(|width| *width > 0.0 && width.is_finite())
                && accepted.iter().all(|count| (0.0..16_777_216.0).contains(count) && count.fract() == 0.0)
                && (0..groups).all(is_once);
            if !is_right {
                return Err(refused("it holds what no chain has".to_owned()));
            }
            state.numbers.extend(of_numbers.iter().map(|value| T::of(*value)));
            state.widths.extend(widths.iter().map(|width| T::of(*width)));
            state.accepted.extend(accepted.iter().map(|count| saturating::<u32>(*count)));
            order.extend(places.iter().map(|place| *place as usize));
        }
        states.push(state);
        orders.push(order);
    }
    Ok((states, orders))
}
