//! Times geodesic tracking of paths (rays) through the whole volume and from seeds, as in a thesis of 2010
//! (section 4.6.2, table 4.1). Measures the number of steps per second, the time for a few rays, and the time
//! for preparing the tensor field. Also times a complete run on a real scan.

use crate::measure::{median, scan, seconds};
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_compute::{Device, Purpose, Random};
use arcuate_core::{Affine, Control, Grid, Mask, StreamlineBatch, StreamlineSink, Volume, saturating};
use arcuate_model::{TensorOptions, fit_tensor};
use arcuate_track::{
    Directions, Field, GeodesicIntegrator as Integrator, GeodesicOptions, Geodesics, RayTiming, Seeds,
    Selection, Targets,
};

/// The start point and the initial direction of a ray (the path that tracking follows from a seed).
type Ray = ([f64; 3], [f64; 3]);

/// Number of voxels of the volume along each axis; the voxels have edges of 1 mm. The rays and the principal
/// diffusion direction are along y.
const SHAPE: [usize; 3] = [64, 256, 64];
const SEEDS: usize = 4096;
const STEPS: u32 = 2048;
/// Length of a tracking step in voxels. With this small length, no ray reaches the edge of the volume.
const STEP: f64 = 0.05;

pub(crate) fn run(options: &Options) -> Outcome {
    let device = options.geodesic.rays_on.open(None)?;
    let rays = options.geodesic.rays;
    println!("geodesic rays on {device}: {rays} rays of {STEPS} steps of {STEP} voxel");
    let uniform = image(SHAPE, |_| [0.001, 0.003, 0.001, 0.0, 0.0, 0.0])?;
    let turning = image(SHAPE, |at| {
        let angle = 0.3 * (at[1] * 0.1).sin();
        let (sin, cos) = angle.sin_cos();
        let part = |a: f64, b: f64| 2e-3 * a * b;
        [1e-3 + part(sin, sin), 1e-3 + part(cos, cos), 1e-3, part(sin, cos), 0.0, 0.0]
    })?;

    let heun = GeodesicOptions {
        field: Field::Trilinear,
        integrator: Integrator::Heun,
        step_mm: Some(STEP),
        max_length_mm: Some(1000.0),
        max_steps: Some(STEPS),
        end_loops: false,
        ..GeodesicOptions::default()
    };
    let spline = GeodesicOptions { field: Field::Spline, ..heun.clone() };
    let double = GeodesicOptions { double: true, ..heun.clone() };
    let plain = RayTiming { repeats: options.turns, ..RayTiming::default() };
    let measured = RayTiming { connectivity: true, ..plain.clone() };

    let rate = |what: &str,
                tensor: &Volume<f32>,
                options: &GeodesicOptions,
                rays: &[Ray],
                how: &RayTiming| {
        let times = Geodesics::new(tensor, options, &device)?.time(rays, how)?;
        let time = median(&times.seconds);
        println!("  {what:<44} {:>9.2} ms {:>10.1} M steps/s", 1e3 * time, 1e-6 * times.steps as f64 / time);
        Outcome::Ok(())
    };
    for pattern in Pattern::ALL {
        rate(&format!("{pattern:?}, trilinear, Heun"), &uniform, &heun, &pattern.rays(rays), &plain)?;
    }
    let c = Pattern::C.rays(rays);
    rate("turning, trilinear, Heun", &turning, &heun, &c, &plain)?;
    rate("turning, with connectivity", &turning, &heun, &c, &measured)?;
    rate("turning, double precision", &turning, &double, &c, &plain)?;
    rate("C, spline, Heun", &uniform, &spline, &c, &plain)?;
    rate("turning, spline, Heun", &turning, &spline, &c, &plain)?;
    rate("turning, spline, with connectivity", &turning, &spline, &c, &measured)?;
    for steps_between_sorts in [64, 256, 512] {
        let how = RayTiming { steps_between_sorts, ..plain.clone() };
        rate(
            &format!("D, {steps_between_sorts} steps between sorts"),
            &uniform,
            &heun,
            &Pattern::D.rays(rays),
            &how,
        )?;
        rate(&format!("turning, {steps_between_sorts} steps between sorts"), &turning, &heun, &c, &how)?;
    }
    println!("few rays, table 5.4:");
    for count in [1024, 2048, 3072, 4096] {
        rate(&format!("D, {count} rays"), &uniform, &heun, &Pattern::D.rays(count), &plain)?;
    }
    for pattern in Pattern::ALL {
        rate(&format!("{pattern:?}, {SEEDS} rays"), &uniform, &heun, &pattern.rays(SEEDS), &plain)?;
    }
    println!("block size, figure 5.8, and step size, figure 5.10:");
    for block_threads in [32, 64, 96, 128] {
        let how = RayTiming { block_threads, ..plain.clone() };
        rate(&format!("turning, {block_threads} threads a block"), &turning, &heun, &c, &how)?;
    }
    for step in [0.0125, 0.025, 0.05, 0.1, 0.2, 0.4] {
        // Limits the number of tracking steps, so that the rays stay within the volume.
        let steps = saturating::<u32>((STEP / step * f64::from(STEPS)).min(f64::from(STEPS)));
        let other = GeodesicOptions { step_mm: Some(step), max_steps: Some(steps), ..heun.clone() };
        rate(&format!("turning, steps of {step} voxel"), &turning, &other, &c, &plain)?;
    }
    preparation(options, &device)?;
    real(options, &device)
}

/// Creates a tensor image with voxels of 1 mm. `tensor` computes the six tensor elements at a position.
fn image(shape: [usize; 3], tensor: impl Fn([f64; 3]) -> [f64; 6]) -> Outcome<Volume<f32>> {
    let grid = Grid::new(shape, Affine::scaling([1.0; 3], [0.0; 3]))?;
    let values = (0..grid.len()).flat_map(|voxel| tensor(grid.centre(voxel)).map(|element| element as f32));
    Ok(Volume::new(grid, 6, values.collect())?)
}

/// The positions of the seeds. They are those of table 4.1, repeated.
#[derive(Debug, Clone, Copy)]
enum Pattern {
    A,
    B,
    C,
    D,
    E,
}

impl Pattern {
    const ALL: [Self; 5] = [Self::A, Self::B, Self::C, Self::D, Self::E];

    fn rays(self, count: usize) -> Vec<Ray> {
        let ray = |n: usize| {
            let seed = n % SEEDS;
            let (thread, block) = ((seed % 64) as f64, (seed / 64) as f64);
            let mut random = Random::new(0, Purpose::Seeding, seed as u64);
            let mut below = |limit: f64| limit * random.uniform();
            let at = match self {
                Self::A => [32.0, 1.0, 32.0],
                Self::B => [thread, 1.0, 32.0],
                Self::C => [thread, 1.0, block],
                Self::D => [below(63.0), below(1.0), below(63.0)],
                Self::E => [below(63.0), below(127.0), below(63.0)],
            };
            (at, [0.0, 1.0, 0.0])
        };
        (0..count).map(ray).collect()
    }
}

fn preparation(options: &Options, device: &Device) -> Outcome {
    println!("preparation of the field, from tensors in memory to the first ray:");
    let shape = [256, 256, 128];
    let large = image(shape, |_| [0.001, 0.003, 0.001, 0.0, 0.0, 0.0])?;
    for field in [Field::Trilinear, Field::Spline] {
        let prepared = GeodesicOptions { field, max_steps: Some(1), ..GeodesicOptions::default() };
        let (mut all, mut upload, mut kernels) = (Vec::new(), Vec::new(), Vec::new());
        for _ in 0..options.turns.min(3) {
            all.push(seconds(|| {
                let how = RayTiming { repeats: 1, ..RayTiming::default() };
                let geodesics = Geodesics::new(&large, &prepared, device)?;
                if let Some(times) = geodesics.preparation() {
                    upload.push(times.upload);
                    kernels.push(times.kernels);
                }
                geodesics.time(&Pattern::A.rays(32), &how)?;
                Ok(())
            })?);
        }
        let voxels = shape.iter().product::<usize>() as f64;
        for (what, times) in [("all", &all), ("upload", &upload), ("kernels", &kernels)] {
            if !times.is_empty() {
                let time = median(times);
                println!(
                    "  {:<44} {:>9.2} ms {:>10.3} ns a voxel",
                    format!("{field:?}, {voxels:.1e} voxels, {what}"),
                    1e3 * time,
                    1e9 * time / voxels
                );
            }
        }
    }
    Ok(())
}

/// A receiver that discards all rays.
struct Forget {
    points: u64,
}

impl StreamlineSink for Forget {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> arcuate_core::Result<()> {
        self.points += batch.points().len() as u64;
        Ok(())
    }
}

/// Times geodesic tracking of the corpus callosum on a real scan, including file access. The seeds are in a
/// slab to the left of the midsagittal plane, and the targets are to the right of it.
fn real(options: &Options, device: &Device) -> Outcome {
    let Ok(path) = scan("dwi.nii.gz") else {
        println!("the real scan is not there");
        return Ok(());
    };
    let dwi = arcuate_io::read_volume(&path)?;
    let gradients =
        arcuate_io::fsl_gradients::read(&scan("dwi.bval")?, &scan("dwi.bvec")?, dwi.grid().affine(), None)?
            .table(&arcuate_io::GradientReading::default())?;
    let inside = arcuate_io::read_mask(&scan("mask.nii.gz")?)?;
    let tensor = fit_tensor(&dwi, &gradients, &inside, &Device::Cpu, &TensorOptions::default())?.tensor;
    let grid = *tensor.grid();
    let slab = |from: f64, to: f64| {
        let within = |voxel: usize| inside.contains(voxel) && (from..to).contains(&grid.centre(voxel)[0]);
        Mask::new(grid, (0..grid.len()).map(within).collect())
    };
    let seeds = Seeds::Grid { mask: slab(-14.0, -12.0)?, mapping: None, per_axis: 1 };
    let targets = Targets::from_masks(vec![("right".into(), slab(12.0, 14.0)?)])?;
    println!("a real scan, from end to end, the field with it:");
    for (what, field, integrator) in [
        ("trilinear, Heun", Field::Trilinear, Integrator::Heun),
        ("spline, Heun", Field::Spline, Integrator::Heun),
        ("spline, adaptive", Field::Spline, Integrator::default()),
    ] {
        let chosen = GeodesicOptions {
            field,
            integrator,
            directions: Directions::Sphere(50),
            mask: Some(inside.clone()),
            max_length_mm: Some(150.0),
            ..GeodesicOptions::default()
        };
        let (mut connect, mut all, mut rays, mut points) = (Vec::new(), Vec::new(), 0, 0);
        for _ in 0..options.turns.min(3) {
            connect.push(seconds(|| {
                let geodesics = Geodesics::new(&tensor, &chosen, device)?;
                let selection = Selection { best: Some(100), ..Selection::default() };
                rays = geodesics
                    .connect(&seeds, &targets, &selection, &Control::default())?
                    .summary
                    .terminated
                    .total();
                Ok(())
            })?);
            all.push(seconds(|| {
                let mut forget = Forget { points: 0 };
                Geodesics::new(&tensor, &chosen, device)?.all(&seeds, &mut forget, &Control::default())?;
                points = forget.points;
                Ok(())
            })?);
        }
        println!(
            "  {what:<20} {rays} rays: connections {:>8.1} ms, all with {points} points {:>8.1} ms",
            1e3 * median(&connect),
            1e3 * median(&all)
        );
    }
    Ok(())
}
