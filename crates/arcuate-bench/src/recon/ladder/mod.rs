//! Times the optimisation steps of a textbook for a fast Fourier sum at arbitrary voxel positions. For the
//! kernel of the last step, also searches for the fastest number of threads, voxels per thread and unrolled
//! iterations.
#![allow(unsafe_code)]

mod kernels;
mod sample;

use super::kirk::{SAMPLES, SPOKES, error};
use super::on_gpu::no_gpu;
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_compute::Device;
use arcuate_compute::cuda::{Buffer, CudaResult, Gpu, Grid, Stream};
use arcuate_core::narrow;
use arcuate_phantom::{Ellipsoids, KSpaceOptions, Trajectory, measure_k_space};
use arcuate_recon::Shape;
use kernels::LadderPlan;
use sample::Sample;

const VOXELS: usize = 128;
/// The number of threads per block in all steps but the last. In the last step, the benchmark searches for
/// the fastest number.
const THREADS: u32 = 256;
/// Compiled variants of the kernel of the last step, each as number of voxels per thread and number of
/// unrolled loop iterations.
const SHAPES: [[u32; 2]; 10] =
    [[1, 1], [1, 4], [1, 8], [2, 1], [2, 4], [2, 8], [4, 1], [4, 4], [4, 8], [8, 1]];
/// The search uses one of `SEARCHED` samples.
const SEARCHED: usize = 8;

#[derive(Debug, Clone, Copy)]
enum Step {
    Naive,
    Registers,
    Shared,
    Layout,
    Hardware,
    Tuned { shape: [u32; 2], threads: u32 },
}

/// The voxel positions, the k-space samples and the sums in GPU memory. The samples are stored in two
/// layouts, because the kernels of the steps differ in this.
struct Ladder {
    places: [Buffer<f32>; 3],
    arrays: [Buffer<f32>; 5],
    structures: Buffer<Sample>,
    sums: [Buffer<f32>; 2],
}

impl Ladder {
    fn new(
        gpu: &Gpu,
        stream: &Stream,
        voxels: &[[f64; 3]],
        samples: &[[f64; 3]],
        data: &[f32],
    ) -> Outcome<Self> {
        let of_axis = |places: &[[f64; 3]], axis: usize| {
            gpu.upload(stream, &places.iter().map(|place| place[axis] as f32).collect::<Vec<_>>())
        };
        let part = |part: usize| {
            gpu.upload(stream, &data.chunks_exact(2).map(|value| value[part]).collect::<Vec<_>>())
        };
        let structures = samples.iter().zip(data.chunks_exact(2)).map(|(place, value)| Sample {
            place: place.map(|k| k as f32),
            value: [value[0], value[1]],
            unused: [0.0; 3],
        });
        Ok(Self {
            places: [of_axis(voxels, 0)?, of_axis(voxels, 1)?, of_axis(voxels, 2)?],
            arrays: [of_axis(samples, 0)?, of_axis(samples, 1)?, of_axis(samples, 2)?, part(0)?, part(1)?],
            structures: gpu.upload(stream, &structures.collect::<Vec<_>>())?,
            sums: [gpu.alloc(voxels.len())?, gpu.alloc(voxels.len())?],
        })
    }

    /// Starts the kernel of an optimisation step, which sums over the first `samples` k-space samples.
    fn run(&mut self, stream: &Stream, step: Step, samples: usize) -> CudaResult<()> {
        let Self { places: [x, y, z], arrays: [kx, ky, kz, re, im], structures, sums } = self;
        let plan = LadderPlan { voxels: narrow::<u32>(x.len()), samples: narrow::<u32>(samples) };
        let voxels = x.len();
        sums.iter_mut().try_for_each(|sums| sums.zero(stream))?;
        let [out_re, out_im] = sums;
        let grid = Grid::for_items(voxels, THREADS);
        let (x, y, z, kx, ky, kz, re, im) = (&*x, &*y, &*z, &*kx, &*ky, &*kz, &*re, &*im);
        let structures = &*structures;
        // SAFETY: the buffers have this number of voxels and at least this number of samples.
        unsafe {
            match step {
                Step::Naive => {
                    kernels::ladder_1_naive(stream, grid, plan, x, y, z, kx, ky, kz, re, im, out_re, out_im)
                }
                Step::Registers => kernels::ladder_2_registers(
                    stream, grid, plan, x, y, z, kx, ky, kz, re, im, out_re, out_im,
                ),
                Step::Shared => {
                    kernels::ladder_3_shared(stream, grid, plan, x, y, z, kx, ky, kz, re, im, out_re, out_im)
                }
                Step::Layout => {
                    kernels::ladder_4_layout(stream, grid, plan, x, y, z, structures, out_re, out_im)
                }
                Step::Hardware => {
                    kernels::ladder_5_hardware(stream, grid, plan, x, y, z, structures, out_re, out_im)
                }
                Step::Tuned { shape, threads } => {
                    let grid = Grid::for_items(voxels.div_ceil(shape[0] as usize), threads);
                    kernels::ladder_6_tuned(shape, stream, grid, plan, x, y, z, structures, out_re, out_im)
                }
            }
        }
    }

    /// Returns the median time of an optimisation step in seconds, measured by the clock of the GPU.
    fn time(&mut self, stream: &Stream, step: Step, samples: usize, turns: usize) -> Outcome<f64> {
        Ok(stream.time(turns, || self.run(stream, step, samples))?.median())
    }

    /// Returns the sums, scaled like Fᴴd.
    fn image(&self, stream: &Stream) -> Outcome<Vec<f32>> {
        let [re, im] = [self.sums[0].to_vec(stream)?, self.sums[1].to_vec(stream)?];
        let scale = 1.0 / (re.len() as f32).sqrt();
        Ok(re.into_iter().zip(im).flat_map(|(re, im)| [scale * re, scale * im]).collect())
    }
}

pub(crate) fn run(options: &Options) -> Outcome {
    let device = options.recon.recon_on.open(None)?;
    let Device::Cuda(gpus) = &device else { return Err(no_gpu("recon-ladder").into()) };
    let shape = Shape::new([VOXELS; 3])?;
    let path = Trajectory::RadialInSpace { voxels: VOXELS, spokes: SPOKES, samples: SAMPLES }.path()?;
    let scan = KSpaceOptions { shape: [VOXELS; 3], field_of_view_mm: [220.0; 3], snr: None, seed: 0 };
    let data = measure_k_space(&Ellipsoids::shepp_logan_head(220.0), &path.samples, None, &scan);
    let data: Vec<f32> = data.into_iter().flatten().collect();
    let stream = gpus.first().stream()?;
    let mut ladder = Ladder::new(gpus.first(), &stream, &shape.positions(), &path.samples, &data)?;
    let all = path.samples.len();
    println!("recon-ladder on {device}: {VOXELS}³ voxels, {all} samples");
    let mut best = (f64::INFINITY, SHAPES[0], THREADS);
    println!("  search over an eighth of the samples, ms for 64, 128, 256 and 512 threads");
    for shape in SHAPES {
        print!("    {} voxels, {} samples unrolled:", shape[0], shape[1]);
        for threads in [64, 128, 256, 512] {
            let time =
                ladder.time(&stream, Step::Tuned { shape, threads }, all / SEARCHED, options.turns.min(3))?;
            print!(" {:>8.2}", 1e3 * time);
            if time < best.0 {
                best = (time, shape, threads);
            }
        }
        println!();
    }
    let (_, tuned, threads) = best;
    let mut first = None;
    for (name, step) in [
        ("1 naive", Step::Naive),
        ("2 registers", Step::Registers),
        ("3 samples in shared memory", Step::Shared),
        ("4 as structures", Step::Layout),
        ("5 the hardware's functions", Step::Hardware),
        ("6 tuned", Step::Tuned { shape: tuned, threads }),
    ] {
        let time = ladder.time(&stream, step, all, options.turns.min(3))?;
        let first = *first.get_or_insert(time);
        let error = error(&path.samples, shape, &data, &ladder.image(&stream)?)?;
        let rate = 1e-12 * (shape.voxels() * all) as f64 / time;
        println!(
            "  {name:<28} {:>9.1} ms {rate:>7.3} T pairs/s {:>6.1} × {error:>9.1e}",
            1e3 * time,
            first / time
        );
    }
    println!("  of the last: {} voxels, {} samples unrolled, {threads} threads", tuned[0], tuned[1]);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_recon::ScatteredSums;
    use arcuate_solve::{LinearOperator, checks};

    #[test]
    fn all_steps_give_the_same_sums() {
        if !arcuate_emulation::available("all_steps_give_the_same_sums") {
            return;
        }
        let golden = |n: usize| 2.0 * (n as f64 * 0.618_033_988_749_894_9).fract() - 1.0;
        let samples: Vec<[f64; 3]> =
            (0..700).map(|n| [0, 1, 2].map(|axis| 8.0 * golden(3 * n + axis))).collect();
        let data: Vec<f32> = (0..2 * samples.len()).map(|n| golden(7 * n + 1) as f32).collect();
        let shape = Shape::new([7, 6, 13]).unwrap();
        let scale = 1.0 / (shape.voxels() as f64).sqrt();
        let reference = ScatteredSums::<f64>::new(shape.positions(), samples.clone(), scale).unwrap();
        let wide: Vec<f64> = data.iter().map(|&value| f64::from(value)).collect();
        let mut expected = vec![0.0; 2 * shape.voxels()];
        reference.adjoint(&wide, &mut expected);
        let gpu = Gpu::open(0).unwrap();
        let stream = gpu.stream().unwrap();
        let mut ladder = Ladder::new(&gpu, &stream, &shape.positions(), &samples, &data).unwrap();
        let tuned =
            SHAPES.into_iter().flat_map(|shape| [64, 512].map(|threads| Step::Tuned { shape, threads }));
        let steps = [Step::Naive, Step::Registers, Step::Shared, Step::Layout, Step::Hardware];
        for step in steps.into_iter().chain(tuned) {
            ladder.run(&stream, step, samples.len()).unwrap();
            let image: Vec<f64> = ladder.image(&stream).unwrap().iter().map(|&v| f64::from(v)).collect();
            // The tolerance allows for the rounding of phases of up to 12 turns (12 · 2π) to single
            // precision.
            let error = checks::relative_difference(&image, &expected);
            assert!(error < 5e-6, "{step:?} {error:e}");
        }
    }
}
