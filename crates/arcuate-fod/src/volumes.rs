//! Deconvolution of the voxels of a mask on a device.

use crate::on_gpus::{self, DeviceSolver};
use crate::usable::Screened;
use crate::voxels::{self, Distributions, check};
use arcuate_compute::{Device, with_fallback};
use arcuate_core::{Control, Mask, Result, Volume};

/// Fits every voxel of `mask`. The same bits at any number of threads, on the processor and on any number of GPUs: no voxel
/// sees another. A voxel that lacks measurements is fitted to the others on the processor, whatever the device. One warning
/// counts voxels that could not be computed and measurements that were not used.
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
        with_fallback("deconvolution", device, |device| match device {
            Device::Cpu => voxels::solve_voxels(solver, dwi, &complete, control),
            Device::Cuda(gpus) => on_gpus::solve_voxels(solver, dwi, &complete, gpus, control),
        })?
    };
    let done = found.counts.voxels;
    found.counts = found.counts.plus(&counts);
    found.counts.voxels = counts.voxels;
    voxels::solve_incomplete(solver, dwi, &incomplete, &mut found, control)?;
    found.counts.require_some()?;
    if done < counts.voxels {
        control.progress(counts.voxels as u64, counts.voxels as u64)?;
    }
    found.counts.warn("deconvolution", control);
    Ok(found)
}
