//! Reproduces figure 14.19 of a textbook's chapter, which compares the image quality of reconstructions. They
//! use gridding or conjugate gradients, double or single precision, and the trigonometric functions of the
//! library or of the GPU hardware.

use super::kirk::{SAMPLES, SPOKES};
use crate::measure::seconds;
use crate::options::Options;
use crate::outcome::Outcome;
use arcuate_compute::Device;
use arcuate_core::Control;
use arcuate_phantom::{Ellipsoids, KSpaceOptions, Trajectory, compare_images, measure_k_space, object_image};
use arcuate_recon::{
    DensityCompensation, Element, FourierSums, Functions, GriddingOptions, Interpolation, Iterative, Kernel,
    Reconstruction, Scan, Shape, Toeplitz, grid, iterate,
};
use std::sync::Arc;

const FIELD_OF_VIEW: f64 = 220.0;
/// Signal-to-noise ratio: the maximum intensity of the object, divided by the standard deviation of the noise
/// in the image of a fully sampled scan.
const SNR: f64 = 20.0;
const ITERATIONS: usize = 30;

/// Simulated k-space data with a name. They are samples either of the analytic object or of its voxel image.
/// The voxel image has no edges within a voxel.
struct Data {
    name: String,
    values: Vec<[f64; 2]>,
}

/// A simulated scan and its ground truth.
struct Problem {
    shape: Shape,
    samples: Arc<[[f64; 3]]>,
    truth: Vec<[f32; 2]>,
}

pub(crate) fn run(options: &Options) -> Outcome {
    let device = options.recon.recon_on.open(None)?;
    for &voxels in &options.recon.voxels {
        let problem = Problem::new(voxels)?;
        println!(
            "recon-figure on {device}: {voxels}³ voxels, {} samples of {SPOKES} half spokes by golden means",
            problem.samples.len()
        );
        println!("  {:<34} {:>9} {:>10} {:>10}", "", "PSNR, dB", "error, %", "s");
        let data = problem.data(&device)?;
        let operators = Operators::new(&problem, &device)?;
        for data in &data {
            println!("  {}", data.name);
            problem.grid_all(data)?;
            operators.solve_all(&problem, data)?;
        }
    }
    Ok(())
}

impl Problem {
    fn new(voxels: usize) -> Outcome<Self> {
        let path = Trajectory::RadialInSpace { voxels, spokes: SPOKES, samples: SAMPLES }.path()?;
        let object = Ellipsoids::shepp_logan_head(FIELD_OF_VIEW);
        let truth = object_image(&object, [voxels; 3], [FIELD_OF_VIEW; 3]);
        let truth = truth.into_iter().map(|value| [value, 0.0]).collect();
        Ok(Self { shape: Shape::new([voxels; 3])?, samples: path.samples.into(), truth })
    }

    /// Returns four sets of k-space data: of the analytic object and of its voxel image, each with and
    /// without noise. Both noisy sets have the same noise.
    fn data(&self, device: &Device) -> Outcome<Vec<Data>> {
        let measure = |snr| {
            let scan = KSpaceOptions {
                shape: self.shape.lengths(),
                field_of_view_mm: [FIELD_OF_VIEW; 3],
                snr,
                seed: 1,
            };
            let object = Ellipsoids::shepp_logan_head(FIELD_OF_VIEW);
            let data = measure_k_space(&object, &self.samples, None, &scan);
            data.into_iter().map(|value| value.map(f64::from)).collect::<Vec<_>>()
        };
        let (analytic, noisy) = (measure(None), measure(Some(SNR)));
        let sums = FourierSums::<f64>::new(self.shape, Arc::clone(&self.samples))?.on(device.clone());
        let image: Vec<f64> = self.truth.iter().flatten().map(|&value| f64::from(value)).collect();
        let mut discrete = vec![0.0; 2 * self.samples.len()];
        sums.forward_all(&image, &mut discrete);
        let discrete: Vec<[f64; 2]> = discrete.chunks_exact(2).map(|value| [value[0], value[1]]).collect();
        let noise = noisy.iter().zip(&analytic).map(|(a, b)| [a[0] - b[0], a[1] - b[1]]);
        let noisy_discrete = discrete.iter().zip(noise).map(|(a, b)| [a[0] + b[0], a[1] + b[1]]).collect();
        Ok([("of voxels", discrete, noisy_discrete), ("of the object", analytic, noisy)]
            .into_iter()
            .flat_map(|(name, without, with)| {
                [
                    Data { name: format!("data {name}, no noise"), values: without },
                    Data { name: format!("data {name}, noise at an SNR of {SNR}"), values: with },
                ]
            })
            .collect())
    }

    fn scan<T: Element>(&self, data: &Data) -> Outcome<Scan<T>> {
        let values = data.values.iter().flatten().map(|&value| T::of(value)).collect();
        Ok(Scan::new(self.shape, Arc::clone(&self.samples), values)?)
    }

    fn grid_all(&self, data: &Data) -> Outcome {
        let scan = self.scan::<f64>(data)?;
        for (name, interpolation, density) in [
            ("trilinear, no compensation", Interpolation::Trilinear, DensityCompensation::None),
            ("trilinear, Pipe and Menon", Interpolation::Trilinear, DensityCompensation::PipeMenon),
            ("Kaiser-Bessel, no compensation", Interpolation::KaiserBessel, DensityCompensation::None),
            ("Kaiser-Bessel, Pipe and Menon", Interpolation::KaiserBessel, DensityCompensation::PipeMenon),
            ("Kaiser-Bessel, Voronoi", Interpolation::KaiserBessel, DensityCompensation::Voronoi),
        ] {
            let options = GriddingOptions { interpolation, density, ..GriddingOptions::default() };
            self.note(name, || Ok(grid(&scan, &options, &Control::default())?))?;
        }
        Ok(())
    }

    /// Reconstructs an image, and prints its quality.
    fn note<T: Element>(&self, name: &str, make: impl FnOnce() -> Outcome<Reconstruction<T>>) -> Outcome {
        let mut made = None;
        let time = seconds(|| {
            made = Some(make()?);
            Ok(())
        })?;
        let image: Vec<[f32; 2]> = made.map_or_else(Vec::new, |made| {
            made.image.chunks_exact(2).map(|v| [v[0].double() as f32, v[1].double() as f32]).collect()
        });
        let error = compare_images(&image, &self.truth)?;
        println!("    {name:<32} {:>9.3} {:>10.3} {time:>10.2}", error.psnr, 100.0 * error.nrmse);
        Ok(())
    }
}

/// Several implementations of the operator FᴴF.
struct Operators {
    double: Toeplitz<f64>,
    single: Vec<(&'static str, Toeplitz<f32>)>,
}

impl Operators {
    fn new(problem: &Problem, device: &Device) -> Outcome<Self> {
        let sums = FourierSums::<f32>::new(problem.shape, Arc::clone(&problem.samples))?;
        let mut implementations = vec![("conjugate gradients, f32, CPU", sums.clone())];
        if let Device::Cuda(_) = device {
            let there = sums.on(device.clone());
            implementations
                .push(("the same, GPU, library's sines", there.clone().pair_by_pair(Functions::Own)));
            implementations
                .push(("the same, GPU, hardware's sines", there.clone().pair_by_pair(Functions::Hardware)));
            implementations.push(("the same, GPU, tensor cores", there));
        }
        let single = implementations.into_iter().map(|(name, sums)| Ok((name, toeplitz(sums)?)));
        Ok(Self {
            double: toeplitz(FourierSums::<f64>::new(problem.shape, Arc::clone(&problem.samples))?)?,
            single: single.collect::<Outcome<_>>()?,
        })
    }

    fn solve_all(&self, problem: &Problem, data: &Data) -> Outcome {
        fn options<T: Element>() -> Iterative<T> {
            Iterative { tolerance: 0.0, iterations: ITERATIONS, ..Iterative::default() }
        }
        let scan = problem.scan::<f64>(data)?;
        problem.note("conjugate gradients, f64, CPU", || {
            Ok(iterate(&scan, &self.double, &options(), &Control::default(), |_| {})?)
        })?;
        let scan = problem.scan::<f32>(data)?;
        for (name, toeplitz) in &self.single {
            problem.note(name, || Ok(iterate(&scan, toeplitz, &options(), &Control::default(), |_| {})?))?;
        }
        Ok(())
    }
}

fn toeplitz<T: Element>(sums: FourierSums<T>) -> Outcome<Toeplitz<T>> {
    let kernel = Arc::new(Kernel::new(&sums, None));
    Ok(Toeplitz::new(sums, None, kernel)?)
}
