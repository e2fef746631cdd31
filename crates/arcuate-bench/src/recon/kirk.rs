//! Times exact (non-uniform) Fourier sums at the size of a textbook's example: 128³ voxels and 284,592
//! k-space samples. The sums are the adjoint transform Fᴴd of the data d, and the convolution kernel Q of the
//! operator FᴴF.

use super::on_gpu::product_seconds;
use crate::measure::{median, seconds};
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_compute::Device;
use arcuate_core::Control;
use arcuate_phantom::{Ellipsoids, KSpaceOptions, Trajectory, measure_k_space};
use arcuate_recon::{
    FourierSums, Functions, Iterative, Kernel, Scan, ScatteredSums, Shape, Toeplitz, iterate, time_adjoint,
    time_scattered,
};
use arcuate_solve::{LinearOperator, SolverOperator};
use std::sync::Arc;

/// `SPOKES` is the number of half spokes of a three-dimensional radial trajectory, ordered by golden means,
/// and `SAMPLES` the number of samples of each. Together, they give the 284,592 samples of the textbook,
/// which does not state its trajectory.
pub(super) const SPOKES: usize = 2904;
pub(super) const SAMPLES: usize = 98;
const VOXELS: usize = 128;
const ITERATIONS: usize = 30;
/// The number of voxels at which the result is compared with sums in double precision.
const CHECKED: usize = 200;

pub(crate) fn run(options: &Options) -> Outcome {
    let device = options.recon.recon_on.open(None)?;
    println!("recon-kirk on {device}: {VOXELS}³ voxels, {} samples", SPOKES * SAMPLES);
    let shape = Shape::new([VOXELS; 3])?;
    let path = Trajectory::RadialInSpace { voxels: VOXELS, spokes: SPOKES, samples: SAMPLES }.path()?;
    let scan = KSpaceOptions { shape: [VOXELS; 3], field_of_view_mm: [220.0; 3], snr: None, seed: 0 };
    let data = measure_k_space(&Ellipsoids::shepp_logan_head(220.0), &path.samples, None, &scan);
    let data: Vec<f32> = data.into_iter().flatten().collect();
    let sums = FourierSums::<f32>::new(shape, path.samples.clone())?.on(device.clone());
    let mut image = vec![0f32; sums.columns()];
    let work = 4.0 * shape.voxels() as f64 * path.samples.len() as f64;
    timed("Fᴴd on the grid", &sums, &device, &data, &mut image, work, options.turns)?;
    println!("    error against double precision: {:.1e}", error(&path.samples, shape, &data, &image)?);
    let mut forward = vec![0f32; sums.rows()];
    let mut times = Vec::new();
    for _ in 0..3 {
        times.push(seconds(|| {
            sums.forward(&image, &mut forward);
            Ok(())
        })?);
    }
    println!("  Fρ on the grid, with transfers {:>8.1} ms", 1e3 * median(&times[1..]));
    if let Device::Cuda(gpus) = &device {
        let factor = 1.0 / (shape.voxels() as f64).sqrt();
        let anywhere = ScatteredSums::<f32>::new(shape.positions(), path.samples.clone(), factor)?;
        for (functions, name) in [(Functions::Hardware, "hardware's"), (Functions::Own, "our own")] {
            let sums = anywhere.clone().with_functions(functions);
            let times = time_scattered(&sums, gpus.first(), &data, &mut image, options.turns)?;
            let (time, error) = (times.median(), error(&path.samples, shape, &data, &image)?);
            let rate = 1e-12 * (shape.voxels() * path.samples.len()) as f64 / time;
            println!("  Fᴴd anywhere, {name:<10} {:>10.2} ms {rate:>8.2} T pairs/s", 1e3 * time);
            println!("    error against double precision: {error:.1e}");
        }
    }
    // The lags at which the kernel Q is computed: all lags along x and z, and half of the lags along y.
    let lags = Shape::new([2 * VOXELS - 1, VOXELS, 2 * VOXELS - 1])?;
    let stretch = (2 * VOXELS - 1) as f64 / VOXELS as f64;
    let stretched: Vec<[f64; 3]> =
        path.samples.iter().map(|k| [stretch * k[0], k[1], stretch * k[2]]).collect();
    let of_lags = FourierSums::<f32>::new(lags, stretched)?.on(device.clone());
    let mut found = vec![0f32; of_lags.columns()];
    let work = 4.0 * lags.voxels() as f64 * path.samples.len() as f64;
    if let Device::Cuda(_) = device {
        timed("sums of Q", &of_lags, &device, &data, &mut found, work, options.turns)?;
    }
    let mut all = Vec::new();
    for _ in 0..2 {
        all.push(seconds(|| {
            std::hint::black_box(Kernel::new(&sums, None));
            Ok(())
        })?);
    }
    println!("  Q, with all transfers and its transform {:>10.1} ms", 1e3 * all[1]);
    let kernel = Arc::new(Kernel::new(&sums, None));
    let toeplitz = Toeplitz::new(sums, None, kernel)?;
    let scan = Scan::new(shape, path.samples, data)?;
    product(&toeplitz, &image, options.turns)?;
    solve(&scan, &toeplitz, options.turns)
}

/// Times the application of the operator FᴴF to an image.
fn product(toeplitz: &Toeplitz<f32>, image: &[f32], turns: usize) -> Outcome {
    let time = if let Some(on_device) = toeplitz.device_normal() {
        product_seconds(on_device, image, 4 * turns)?
    } else {
        let mut out = vec![0f32; image.len()];
        let mut times = Vec::new();
        for _ in 0..turns {
            times.push(seconds(|| {
                toeplitz.normal(image, &mut out);
                Ok(())
            })?);
        }
        median(&times)
    };
    println!("  FᴴF by transforms        {:>10.3} ms", 1e3 * time);
    Ok(())
}

/// Times the computation of Fᴴd, and 30 iterations of conjugate gradients with a known kernel Q. The data d
/// and the image are in host memory.
fn solve(scan: &Scan<f32>, toeplitz: &Toeplitz<f32>, turns: usize) -> Outcome {
    let options = Iterative { tolerance: 0.0, iterations: ITERATIONS, ..Iterative::default() };
    let (mut all, mut iterations) = (Vec::new(), Vec::new());
    for _ in 0..=turns {
        all.push(seconds(|| {
            let done = iterate(scan, toeplitz, &options, &Control::default(), |_| {})?;
            iterations.push(done.trace.last().map_or(0.0, |point| point.elapsed.as_secs_f64()));
            Ok(())
        })?);
    }
    let (all, iterations) = (median(&all[1..]), median(&iterations[1..]));
    println!(
        "  {ITERATIONS} iterations with Fᴴd   {:>10.2} ms, {:.2} of them iterations ({:.0} %)",
        1e3 * all,
        1e3 * iterations,
        100.0 * iterations / all
    );
    Ok(())
}

/// Prints the time of an adjoint operation. On a GPU, transfers are not included.
fn timed(
    what: &str,
    sums: &FourierSums<f32>,
    device: &Device,
    data: &[f32],
    image: &mut [f32],
    work: f64,
    turns: usize,
) -> Outcome {
    let time = match device {
        Device::Cuda(gpus) => time_adjoint(sums, gpus.first(), data, image, turns)?.median(),
        Device::Cpu => seconds(|| {
            sums.adjoint(data, image);
            Ok(())
        })?,
    };
    println!("  {what:<24} {:>10.2} ms {:>8.1} TFLOP/s", 1e3 * time, 1e-12 * work / time);
    Ok(())
}

/// Returns the relative error of an image at [`CHECKED`] voxels. The reference are sums in double precision.
pub(super) fn error(samples: &[[f64; 3]], shape: Shape, data: &[f32], image: &[f32]) -> Outcome<f64> {
    let chosen: Vec<usize> = (0..CHECKED).map(|n| (n * 1_000_003) % shape.voxels()).collect();
    let places: Vec<[f64; 3]> = chosen
        .iter()
        .map(|&n| {
            let at = [n % VOXELS, n / VOXELS % VOXELS, n / VOXELS / VOXELS];
            [0, 1, 2].map(|axis| shape.position(axis, at[axis]))
        })
        .collect();
    let scale = 1.0 / (shape.voxels() as f64).sqrt();
    let reference = ScatteredSums::<f64>::new(places, samples.to_vec(), scale)?;
    let wide: Vec<f64> = data.iter().map(|&value| f64::from(value)).collect();
    let mut expected = vec![0.0; 2 * CHECKED];
    reference.adjoint(&wide, &mut expected);
    let (mut apart, mut size) = (0.0, 0.0);
    for (n, expected) in chosen.iter().zip(expected.chunks_exact(2)) {
        for part in 0..2 {
            apart += (f64::from(image[2 * n + part]) - expected[part]).powi(2);
            size += expected[part].powi(2);
        }
    }
    Ok((apart / size).sqrt())
}
