// Made of kernels.cu by `cargo xtask kernels`: change that, not this.
// sources and options: 4d757382296cdefbbc3f90aada463c11b5a9d75a53a8345e09db798ce5a255c3
// products: f89942547b904204067279f56e560cf8414e5b9ba2a0cd591b2cac6b00b5601f
//! The kernels of `kernels.cu`, each as a function that gives it to a stream.
//!
//! # Safety
//!
//! What [`Stream::launch`] asks for, but for the types: memory is as long as the kernel takes it to be.
#![allow(unsafe_code, clippy::too_many_arguments)]

use arcuate_compute::cuda::{Argument, CudaResult, Grid, Input, KernelImages, Output, Stream};
use arcuate_compute::kernel_images;

pub(super) static IMAGES: KernelImages = kernel_images!("kernels");

/// `struct SamplePlan` as the kernels have it.
#[repr(C)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
pub(super) struct SamplePlan {
    pub(super) seed: u64,
    pub(super) informed: u64,
    pub(super) of_signal: u64,
    pub(super) voxels: u32,
    pub(super) measurements: u32,
    pub(super) chain: u32,
    pub(super) first_sweep: u32,
    pub(super) burn_in: u32,
    pub(super) jumps: u32,
    pub(super) interval: u32,
    pub(super) window: u32,
    pub(super) adapts_throughout: u32,
    pub(super) likelihood: u32,
    pub(super) samples_noise: u32,
    pub(super) resting: u32,
    pub(super) low: [f32; 16],
    pub(super) high: [f32; 16],
    pub(super) log: [f32; 16],
    pub(super) linear: [f32; 16],
    pub(super) square: [f32; 16],
    pub(super) middle: [f32; 16],
}

/// Launches `sample` of these: `0_8_14_0_256`, `0_8_14_1_192`, `0_32_10_0_256`, `0_32_10_1_192`,
/// `1_8_14_0_256`, `1_8_14_1_192`, `1_32_10_0_256`, `1_32_10_1_192`, `2_8_14_0_256`, `2_8_14_1_192`,
/// `2_32_10_0_256`, `2_32_10_1_192`, `3_8_14_0_192`, `3_8_14_1_256`, `3_32_10_0_256`, `3_32_10_1_192`,
/// `4_8_14_0_256`, `4_8_14_1_192`, `4_32_10_0_256`, `4_32_10_1_192`, `5_8_14_0_256`, `5_8_14_1_192`,
/// `5_32_10_0_256`, `5_32_10_1_192`, `6_8_14_0_192`, `6_8_14_1_256`, `6_32_10_0_256`, `6_32_10_1_192`,
/// `7_32_10_0_256`, `8_32_10_0_256`, `9_32_10_0_256`, `10_32_10_0_256`, `11_32_10_0_256`, `12_32_10_0_256`,
/// `13_32_10_0_256`, `14_32_10_0_256`, `15_32_10_0_256`, `16_32_10_0_256`, `17_32_10_0_256`,
/// `18_32_10_0_256`, `19_32_10_0_256`, `20_32_10_0_256`, `21_32_10_0_256`, `22_32_10_0_256`,
/// `23_32_10_0_256`, `24_32_10_0_256`, `25_32_10_0_256`.
pub(super) unsafe fn sample<'a>(
    numbers: [u32; 5],
    stream: &Stream,
    grid: Grid,
    plan: SamplePlan,
    signals: impl Into<Input<'a, f32>>,
    items: impl Into<Input<'a, u32>>,
    factors: impl Into<Input<'a, f32>>,
    usable: impl Into<Input<'a, u32>>,
    maps: impl Into<Input<'a, f32>>,
    columns: impl Into<Input<'a, f32>>,
    uniforms: impl Into<Input<'a, f32>>,
    values: impl Into<Output<'a, f32>>,
    widths: impl Into<Output<'a, f32>>,
    accepted: impl Into<Output<'a, u32>>,
    totals: impl Into<Output<'a, u32>>,
    samples: impl Into<Output<'a, f32>>,
) -> CudaResult<()> {
    let name = format!("sample_{}_{}_{}_{}_{}", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    let kernel = IMAGES.kernel(stream.gpu(), &name)?;
    let arguments = [
        Argument::plain(&plan),
        Argument::from(signals.into()),
        Argument::from(items.into()),
        Argument::from(factors.into()),
        Argument::from(usable.into()),
        Argument::from(maps.into()),
        Argument::from(columns.into()),
        Argument::from(uniforms.into()),
        Argument::from(values.into()),
        Argument::from(widths.into()),
        Argument::from(accepted.into()),
        Argument::from(totals.into()),
        Argument::from(samples.into()),
    ];
    // SAFETY: the kernel takes these types; the rest is promised by the caller.
    unsafe { stream.launch(&kernel, grid, &arguments) }
}
