// Generated from `kernels.cu` by `cargo xtask kernels`. Change `kernels.cu`, not this file.
// Hash of the sources and compiler options: d28621d280bf2bc7ab92ee7408314a83478a64922380245cfdc1960355b458a4
// Hash of the generated code: f6b9fe7a7a1b8675b1ce89b4a7604b8509122213782acc8571c6582460a09dc5
//! The kernels of `kernels.cu`. Each function launches one kernel on a stream.
//!
//! # Safety
//!
//! The caller must ensure what [`Stream::launch`] requires, except that the types are already correct. Above
//! all, each buffer must be as long as the kernel assumes.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// `struct LadderPlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct LadderPlan {
    pub(super) voxels: u32,
    pub(super) samples: u32,
}

/// Launches `ladder_1_naive`.
pub(super) unsafe fn ladder_1_naive<'a>(
    stream: &Stream,
    grid: Grid,
    plan: LadderPlan,
    x: impl Into<Input<'a, f32>>,
    y: impl Into<Input<'a, f32>>,
    z: impl Into<Input<'a, f32>>,
    kx: impl Into<Input<'a, f32>>,
    ky: impl Into<Input<'a, f32>>,
    kz: impl Into<Input<'a, f32>>,
    re: impl Into<Input<'a, f32>>,
    im: impl Into<Input<'a, f32>>,
    out_re: impl Into<Output<'a, f32>>,
    out_im: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "ladder_1_naive")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(x.into()),
        Argument::from(y.into()),
        Argument::from(z.into()),
        Argument::from(kx.into()),
        Argument::from(ky.into()),
        Argument::from(kz.into()),
        Argument::from(re.into()),
        Argument::from(im.into()),
        Argument::from(out_re.into()),
        Argument::from(out_im.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `ladder_2_registers`.
pub(super) unsafe fn ladder_2_registers<'a>(
    stream: &Stream,
    grid: Grid,
    plan: LadderPlan,
    x: impl Into<Input<'a, f32>>,
    y: impl Into<Input<'a, f32>>,
    z: impl Into<Input<'a, f32>>,
    kx: impl Into<Input<'a, f32>>,
    ky: impl Into<Input<'a, f32>>,
    kz: impl Into<Input<'a, f32>>,
    re: impl Into<Input<'a, f32>>,
    im: impl Into<Input<'a, f32>>,
    out_re: impl Into<Output<'a, f32>>,
    out_im: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "ladder_2_registers")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(x.into()),
        Argument::from(y.into()),
        Argument::from(z.into()),
        Argument::from(kx.into()),
        Argument::from(ky.into()),
        Argument::from(kz.into()),
        Argument::from(re.into()),
        Argument::from(im.into()),
        Argument::from(out_re.into()),
        Argument::from(out_im.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `ladder_3_shared`.
pub(super) unsafe fn ladder_3_shared<'a>(
    stream: &Stream,
    grid: Grid,
    plan: LadderPlan,
    x: impl Into<Input<'a, f32>>,
    y: impl Into<Input<'a, f32>>,
    z: impl Into<Input<'a, f32>>,
    kx: impl Into<Input<'a, f32>>,
    ky: impl Into<Input<'a, f32>>,
    kz: impl Into<Input<'a, f32>>,
    re: impl Into<Input<'a, f32>>,
    im: impl Into<Input<'a, f32>>,
    out_re: impl Into<Output<'a, f32>>,
    out_im: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "ladder_3_shared")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(x.into()),
        Argument::from(y.into()),
        Argument::from(z.into()),
        Argument::from(kx.into()),
        Argument::from(ky.into()),
        Argument::from(kz.into()),
        Argument::from(re.into()),
        Argument::from(im.into()),
        Argument::from(out_re.into()),
        Argument::from(out_im.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `ladder_4_layout`.
pub(super) unsafe fn ladder_4_layout<'a>(
    stream: &Stream,
    grid: Grid,
    plan: LadderPlan,
    x: impl Into<Input<'a, f32>>,
    y: impl Into<Input<'a, f32>>,
    z: impl Into<Input<'a, f32>>,
    samples: impl Into<Input<'a, super::Sample>>,
    out_re: impl Into<Output<'a, f32>>,
    out_im: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "ladder_4_layout")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(x.into()),
        Argument::from(y.into()),
        Argument::from(z.into()),
        Argument::from(samples.into()),
        Argument::from(out_re.into()),
        Argument::from(out_im.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `ladder_5_hardware`.
pub(super) unsafe fn ladder_5_hardware<'a>(
    stream: &Stream,
    grid: Grid,
    plan: LadderPlan,
    x: impl Into<Input<'a, f32>>,
    y: impl Into<Input<'a, f32>>,
    z: impl Into<Input<'a, f32>>,
    samples: impl Into<Input<'a, super::Sample>>,
    out_re: impl Into<Output<'a, f32>>,
    out_im: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let kernel = IMAGES.kernel(stream.gpu(), "ladder_5_hardware")?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(x.into()),
        Argument::from(y.into()),
        Argument::from(z.into()),
        Argument::from(samples.into()),
        Argument::from(out_re.into()),
        Argument::from(out_im.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}

/// Launches `ladder_6_tuned` of these: `1_1`, `1_4`, `1_8`, `2_1`, `2_4`, `2_8`, `4_1`, `4_4`, `4_8`, `8_1`.
pub(super) unsafe fn ladder_6_tuned<'a>(
    numbers: [u32; 2],
    stream: &Stream,
    grid: Grid,
    plan: LadderPlan,
    x: impl Into<Input<'a, f32>>,
    y: impl Into<Input<'a, f32>>,
    z: impl Into<Input<'a, f32>>,
    samples: impl Into<Input<'a, super::Sample>>,
    out_re: impl Into<Output<'a, f32>>,
    out_im: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let name = format!("ladder_6_tuned_{}_{}", numbers[0], numbers[1]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(x.into()),
        Argument::from(y.into()),
        Argument::from(z.into()),
        Argument::from(samples.into()),
        Argument::from(out_re.into()),
        Argument::from(out_im.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}
