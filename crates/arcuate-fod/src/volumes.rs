//! Deconvolution of all voxels of a mask on a device (the CPU or GPUs).

use crate::on_gpus::{self, DeviceSolver};
use crate::usable::Screened;
use crate::voxels::{self, Distributions, check};
use arcuate_compute::{Device, with_fallback};
use arcuate_core::{Control, Mask, NotComputed, Result, Volume};
use std::collections::BTreeMap;

/// Minimum number of voxels in a group with the same unusable measurements, if the group is fitted on GPUs.
/// Smaller groups are fitted on the CPU.
const MANY: usize = 1 << 8;

/// Fits every voxel of `mask`. Voxels are independent of each other, so that the result is bit-identical on
/// the CPU and on any number of GPUs, and for any number of threads. If a voxel has measurements that cannot
/// be used, it is fitted to its other measurements. One warning states how many voxels could not be computed
/// and how many measurements were not used.
pub(crate) fn solve_volume<S: DeviceSolver>(
    solver: &S,
    dwi: &Volume<f32>,
    mask: &Mask,
    device: &Device,
    control: &Control,
) -> Result<Distributions> {
    check(solver.measurements(), dwi, mask)?;
    let Screened { complete, incomplete, counts } = Screened::new(dwi, mask, solver.shells())?;
    let mut found = if complete.is_empty() {
        Distributions::zeros(&complete, &solver.counts())
    } else {
        solve_on(solver, dwi, &complete, device, control)?
    };
    let done = found.counts.voxels;
    found.counts = found.counts.plus(&counts);
    found.counts.voxels = counts.voxels;
    let (many, few) = incomplete.into_iter().partition(|(_, voxels)| voxels.len() >= MANY);
    solve_alike(solver, dwi, many, device, &mut found, control)?;
    voxels::solve_incomplete(solver, dwi, &few, &mut found, control)?;
    found.counts.require_some()?;
    if done < counts.voxels {
        control.progress(counts.voxels as u64, counts.voxels as u64)?;
    }
    found.counts.warn("deconvolution", control);
    Ok(found)
}

/// Fits the voxels in which all measurements can be used.
fn solve_on<S: DeviceSolver>(
    solver: &S,
    dwi: &Volume<f32>,
    mask: &Mask,
    device: &Device,
    control: &Control,
) -> Result<Distributions> {
    with_fallback("deconvolution", device, |device| match device {
        Device::Cpu => voxels::solve_voxels(solver, dwi, mask, control),
        Device::Cuda(gpus) => on_gpus::solve_voxels(solver, dwi, mask, gpus, control),
    })
}

/// Fits large groups of voxels with the same unusable measurements, for example voxels in which one volume is
/// damaged.
fn solve_alike<S: DeviceSolver>(
    solver: &S,
    dwi: &Volume<f32>,
    incomplete: BTreeMap<Vec<usize>, Vec<usize>>,
    device: &Device,
    found: &mut Distributions,
    control: &Control,
) -> Result<()> {
    if incomplete.is_empty() {
        return Ok(());
    }
    // In these fits, the measurements that are not used are set to 0, whatever their values in the series
    // are.
    let finite = dwi.map(|signal| if signal.is_finite() { signal } else { 0.0 });
    let silent = control.without_progress();
    for (unused, voxels) in incomplete {
        let reduced = if unused.is_empty() { None } else { solver.without(&unused) };
        if reduced.is_none() && !unused.is_empty() {
            found.counts.add(NotComputed::TooFew, voxels.len());
            continue;
        }
        let mut inside = vec![false; dwi.grid().len()];
        for &voxel in &voxels {
            inside[voxel] = true;
        }
        let mask = Mask::new(*dwi.grid(), inside)?;
        let part = solve_on(reduced.as_ref().unwrap_or(solver), &finite, &mask, device, &silent)?;
        found.take(&part, &voxels);
    }
    Ok(())
}
