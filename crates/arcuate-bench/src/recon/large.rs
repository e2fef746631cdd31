//! Times the reconstruction of a whole head on GPUs with little memory: 256³ voxels, 32 coils, and 10 million
//! k-space samples.

use super::on_gpu::{no_gpu, product_seconds};
use crate::measure::{median, seconds};
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_compute::Device;
use arcuate_phantom::{Ellipsoids, Trajectory, object_image};
use arcuate_recon::{CoilMaps, FourierSums, Kernel, Sense, Shape, Toeplitz};
use arcuate_solve::{
    LinearOperator, QuadraticProblem, ResidualRule, SolverOperator, conjugate_gradients, normal_on_device,
};
use rayon::prelude::*;
use std::f64::consts::TAU;
use std::sync::Arc;
use std::time::Instant;

const VOXELS: usize = 256;
const COILS: usize = 32;
const SPOKES: usize = 78_125;
const SAMPLES: usize = 128;
const ITERATIONS: usize = 30;

pub(crate) fn run(options: &Options) -> Outcome {
    let cap = (options.recon.recon_memory * f64::from(1 << 30)) as u64;
    let device = options.recon.recon_on.open(Some(cap))?;
    let Device::Cuda(gpus) = &device else { return Err(no_gpu("recon-large").into()) };
    println!(
        "recon-large on {device}: {VOXELS}³ voxels, {COILS} coils, {} samples each, {:.0} GiB of GPU memory",
        SPOKES * SAMPLES,
        options.recon.recon_memory
    );
    let shape = Shape::new([VOXELS; 3])?;
    let path = Trajectory::RadialInSpace { voxels: VOXELS, spokes: SPOKES, samples: SAMPLES }.path()?;
    let sums = FourierSums::<f32>::new(shape, path.samples)?.on(device.clone());
    let started = Instant::now();
    let kernel = Arc::new(Kernel::new(&sums, None));
    println!("  Q, sums and transform    {:>10.2} s", started.elapsed().as_secs_f64());
    let coils = if options.recon.all_coils { COILS } else { 1 };
    let data = vec![0.5f32; coils * sums.rows()];
    let mut images = vec![0f32; coils * sums.columns()];
    let time = seconds(|| {
        sums.adjoint_all(&data, &mut images);
        Ok(())
    })?;
    println!("  Fᴴd of {coils:>2} coils          {time:>10.2} s");
    drop((data, images));
    let sense = Sense::new(Toeplitz::new(sums, None, kernel)?, maps(shape)?);
    let on_device = sense.device_normal().ok_or("the operator is not on the GPU")?;
    let truth = object_image(&Ellipsoids::shepp_logan_head(220.0), shape.lengths(), [220.0; 3]);
    let truth: Vec<f32> = truth.into_iter().flat_map(|value| [value, 0.0]).collect();
    let time = product_seconds(on_device, &truth, options.turns)?;
    println!("  FᴴF of all coils         {:>10.2} ms", 1e3 * time);
    // The right-hand side of the linear system that the reconstruction solves, for data without noise.
    let mut right_side = vec![0f32; truth.len()];
    normal_on_device(on_device, &truth, &mut right_side)?;
    let squared: f64 = truth.iter().zip(&right_side).map(|(&x, &b)| f64::from(x) * f64::from(b)).sum();
    let problem = QuadraticProblem::from_right_side(&sense, right_side, squared);
    let rule = ResidualRule { tolerance: 0.0, misfit: None, iterations: ITERATIONS };
    let (mut times, mut residual) = (Vec::new(), 0.0);
    for _ in 0..2 {
        times.push(seconds(|| {
            residual = conjugate_gradients(&problem, None, &rule, |_| true).residual;
            Ok(())
        })?);
    }
    println!(
        "  {ITERATIONS} iterations            {:>10.2} s, to a residual of {residual:.1e}",
        median(&times)
    );
    println!(
        "  held by the GPU          {:>10.2} GiB",
        gpus.first().allocated_bytes() as f64 / f64::from(1 << 30)
    );
    Ok(())
}

/// Creates smooth sensitivity maps of coils around the head. The time of a reconstruction does not depend on
/// the values of the maps.
fn maps(shape: Shape) -> Outcome<CoilMaps<f32>> {
    let [nx, ny, _] = shape.lengths();
    let mut values = vec![0f32; COILS * 2 * shape.voxels()];
    values.par_chunks_mut(2 * nx * ny).enumerate().for_each(|(n, slice)| {
        let (coil, z) = (n / VOXELS, n % VOXELS);
        let angle = TAU * coil as f64 / COILS as f64;
        for (n, value) in slice.chunks_exact_mut(2).enumerate() {
            let [x, y, z] = [n % nx, n / nx, z].map(|i| i as f64 / VOXELS as f64 - 0.5);
            let distance = (x - 0.6 * angle.cos()).powi(2) + (y - 0.6 * angle.sin()).powi(2) + z * z;
            let (sin, cos) = (angle + 2.0 * x).sin_cos();
            (value[0], value[1]) =
                ((cos / (1.0 + 9.0 * distance)) as f32, (sin / (1.0 + 9.0 * distance)) as f32);
        }
    });
    Ok(CoilMaps::new(shape, values)?)
}
