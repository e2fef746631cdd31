//! Deconvolution of the voxels of a mask on a device.

use crate::on_gpus::{self, DeviceSolver};
use crate::voxels::{self, Distributions, check};
use arcuate_compute::{Device, with_fallback};
use arcuate_core::{Control, Mask, Result, Volume};

/// Fits every voxel of `mask`. The same bits at any number of threads, on the processor and on any number of GPUs: no voxel
/// sees another.
pub(crate) fn solve_volume<S: DeviceSolver>(
    solver: &S,
    dwi: &Volume<f32>,
    mask: &Mask,
    device: &Device,
    control: &Control,
) -> Result<Distributions> {
    check(solver.measurements(), dwi, mask)?;
    with_fallback("deconvolution", device, |device| match device {
        Device::Cpu => voxels::solve_voxels(solver, dwi, mask, control),
        Device::Cuda(gpus) => on_gpus::solve_voxels(solver, dwi, mask, gpus, control),
    })
}
