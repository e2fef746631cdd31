//! Runs Markov chains on the CPU. rayon distributes pieces of the mask over CPU threads, and SIMD code
//! processes sixteen voxels at once.

use super::chain::{Chains, Lane};
use super::plan::{ChainPlan, ChainState};
use super::values::{put, width};
use crate::fit::cpu::PIECE;
use crate::fit::interpreter::WIDTH;
use crate::fit::plan::Pipeline;
use crate::fit::progress::Count;
use crate::fit::voxels::Voxels;
use arcuate_core::{Result, Volume};
use arcuate_numbers::Real;
use rayon::prelude::*;

/// The input of the Markov chains of one model.
#[derive(Clone, Copy)]
pub(crate) struct Subject<'a, T: Real> {
    pub(crate) plan: &'a ChainPlan<T>,
    pub(crate) pipeline: &'a Pipeline<T>,
    pub(crate) dwi: &'a Volume<f32>,
    /// Indices of the sampled voxels in the image (`items`), and indices of the same voxels among those of
    /// the fit (`chosen`).
    pub(crate) items: &'a [usize],
    pub(crate) chosen: &'a [usize],
    pub(crate) voxels: &'a Voxels<T>,
    /// Number of chains per voxel.
    pub(crate) chains: usize,
    /// Counts the voxels whose chains are complete, to report progress.
    pub(crate) count: &'a Count<'a>,
}

/// Continues one chain of each voxel from a state, and updates the state. The samples are written to this
/// chain's positions in `values`, which has the samples of all chains. Returns an error if the run was
/// cancelled.
pub(crate) fn run<T: Real>(
    subject: Subject<'_, T>,
    chain: u32,
    state: &mut ChainState<T>,
    values: &mut [f32],
) -> Result<()> {
    let Subject { plan, pipeline, dwi, items, chains, .. } = subject;
    let per_voxel = width(plan);
    let pieces: Vec<ChainState<T>> = items
        .par_chunks(PIECE)
        .zip(values.par_chunks_mut(PIECE * chains * per_voxel))
        .enumerate()
        .map(|(piece, (items, values))| {
            let first = piece * PIECE;
            let mut part = state.part(plan, first..first + items.len());
            let signals = pipeline.signals_of(dwi, items);
            let mut samples = vec![T::of(0.0); items.len() * per_voxel];
            with_simd!(run_piece(subject, chain, (items, first), &signals, &mut part, &mut samples))?;
            put(&samples, per_voxel, [chain as usize, chains], values);
            Ok(part)
        })
        .collect::<Result<_>>()?;
    *state = ChainState::joined(&pieces, plan.burn_in + plan.jumps);
    Ok(())
}

/// Continues one chain of the voxels `items`, which begin at the voxel `first` of the sampled voxels.
#[inline(always)]
fn run_piece<T: Real>(
    subject: Subject<'_, T>,
    chain: u32,
    (items, first): (&[usize], usize),
    signals: &[f32],
    state: &mut ChainState<T>,
    samples: &mut [T],
) -> Result<()> {
    let Subject { plan, voxels, chosen, count, .. } = subject;
    let per_voxel = width(plan);
    let mut chains = Chains::new(plan);
    let mut at = 0;
    while at < items.len() {
        let end = (at + WIDTH).min(items.len());
        let mut lanes = Vec::with_capacity(WIDTH);
        for n in at..end {
            lanes.push(Lane {
                item: u64::from(chain) << 32 | items[n] as u64,
                factor: voxels.factor(chosen[first + n]),
                signals: &signals[n * plan.measurements..][..plan.measurements],
                maps: voxels.maps(chosen[first + n]),
                usable: voxels.usable(chosen[first + n]),
            });
        }
        chains.run(&lanes, at, state, &mut samples[at * per_voxel..end * per_voxel], count)?;
        count.add(end - at)?;
        at = end;
    }
    Ok(())
}
