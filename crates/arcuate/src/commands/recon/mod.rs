//! `arcuate recon`: images from k-space.

mod anatomy;
mod axes;
mod course;
mod outputs;
mod read;
mod verdict;

use crate::context::Context;
use crate::output::require_files_and_record;
use crate::precision::Precision;
use crate::record::{Iteration, Record};
use crate::references;
use anatomy::Anatomy;
use arcuate_core::{Error, Result};
use arcuate_io::{read_complex_array, read_toeplitz_kernel, write_toeplitz_kernel};
use arcuate_recon::{
    DensityCompensation, Differences, Element, GriddingOptions, Interpolation, Iterative, Kernel, Lambda,
    Reconstruct, Reconstruction, Toeplitz, TrajectoryUnit,
};
use arcuate_report::human;
use arcuate_solve::{Outcome, QuadraticPoint};
use axes::Axes;
use clap::{Args, ValueEnum};
use course::Course;
use read::Input;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use verdict::Verdict;

const REFERENCES: &[&str] = &[
    "Pruessmann KP et al. (2001) Advances in sensitivity encoding with arbitrary k-space trajectories. \
     doi:10.1002/mrm.1241",
    "Fessler JA et al. (2005) Toeplitz-based iterative image reconstruction for MRI with correction for magnetic field \
     inhomogeneity. doi:10.1109/TSP.2005.853152",
    "Stone SS et al. (2008) Accelerating advanced MRI reconstructions on GPUs. doi:10.1016/j.jpdc.2008.05.013",
];
const ANATOMY_REFERENCES: &[&str] = &[
    "Haldar JP et al. (2008) Anatomically constrained reconstruction from noisy data. doi:10.1002/mrm.21536",
];
const GRIDDING_REFERENCES: &[&str] = &[
    "Pipe JG, Menon P (1999) Sampling density compensation in MRI. \
     doi:10.1002/(SICI)1522-2594(199901)41:1<179::AID-MRM25>3.0.CO;2-V",
    "Beatty PJ, Nishimura DG, Pauly JM (2005) Rapid gridding reconstruction with a minimal oversampling ratio. \
     doi:10.1109/TMI.2005.848376",
];
const CURVE_REFERENCES: &[&str] = &[
    "Hansen PC (1992) Analysis of discrete ill-posed problems by means of the L-curve. doi:10.1137/1034115",
];

/// Reconstruct an image from k-space, along any trajectory
///
/// Solves (FᴴF + λ WᴴW) ρ = Fᴴd by conjugate gradients, with exact Fourier sums. Reads arrays of BART (.cfl with .hdr) or
/// NumPy (.npy), in BART's dimensions: k-space is 1 × samples × readouts × coils, the trajectory 3 × samples × readouts in
/// cycles per field of view, coil sensitivities x × y × z × coils. Writes the magnitude and, beside it, the phase in radians
/// (NAME_phase), or, where --out ends in .cfl, the complex image as BART's array. Several coils without sensitivities are
/// reconstructed one by one and combined by the root of the sum of squares.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct Recon {
    /// Samples of k-space
    kspace: PathBuf,
    /// Where the samples lie
    #[arg(long, value_name = "FILE")]
    trajectory: PathBuf,
    /// Sensitivities of the coils
    #[arg(long, value_name = "FILE")]
    coils: Option<PathBuf>,
    /// Image to write: .nii.gz, .nii, .mif, or .cfl
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Way to the image: cg solves for it; adjoint is Fᴴd alone; gridding interpolates to a grid, for comparison
    #[arg(long, value_name = "METHOD", value_enum, default_value = "cg")]
    method: Method,
    /// What λ penalises: tikhonov (the image's size), differences (of neighbours), or anatomy=IMAGE (differences where that
    /// image of the same anatomy has no edge; on other voxels it is resampled by world coordinates)
    #[arg(long, value_name = "PRIOR", default_value = "tikhonov")]
    prior: Prior,
    /// Weight of the prior, in units in which FᴴF is 1 of a Cartesian scan that samples all wave numbers once, whatever the
    /// scale of sensitivities; or auto: by the noise where --noise says it, else by the L-curve
    #[arg(long, value_name = "λ|auto", default_value = "1e-3")]
    lambda: LambdaChoice,
    /// Standard deviation of the noise in real and imaginary part of a sample: iterations end when the data are explained as
    /// well
    #[arg(long, value_name = "SIGMA")]
    noise: Option<f64>,
    /// Difference of the anatomical image that counts as an edge; by default three times the median difference
    #[arg(long, value_name = "VALUE")]
    edge: Option<f64>,
    /// Of gridding, what samples are weighed with: pipe-menon, voronoi (both by how dense they are), none, or a file with a
    /// number for each
    #[arg(long, value_name = "HOW|FILE", default_value = "pipe-menon")]
    density: Density,
    /// Of gridding, how samples are spread
    #[arg(long, value_name = "KERNEL", value_enum, default_value = "kaiser-bessel")]
    interpolation: Kernels,
    /// Of gridding, points of the grid for each voxel along an axis
    #[arg(long, value_name = "FACTOR", default_value_t = GriddingOptions::default().oversampling)]
    oversampling: f64,
    /// Iterations at most
    #[arg(long, value_name = "N", default_value_t = Iterative::<f32>::default().iterations)]
    iterations: usize,
    /// Stop when the residual has fallen to this fraction
    #[arg(long, value_name = "FRACTION", default_value_t = Iterative::<f32>::default().tolerance)]
    tolerance: f64,
    /// Voxels along each axis, as 256,256 or 128,128,64; by default those of --like, of the sensitivities, or twice the
    /// trajectory's largest wave number
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',', conflicts_with = "like")]
    size: Option<Vec<usize>>,
    /// Field of view in mm, one length (a slice is as thick as its voxels are wide) or three: the size of voxels, and of
    /// trajectories in 1/m
    #[arg(long, value_name = "MM", value_delimiter = ',')]
    fov: Option<Vec<f64>>,
    /// Image on whose voxels the result lies
    #[arg(long, value_name = "IMAGE")]
    like: Option<PathBuf>,
    /// Unit of the trajectory; by default cycles per field of view, unless its range speaks for another, which is an error
    #[arg(long, value_name = "UNIT", value_enum)]
    trajectory_unit: Option<Unit>,
    /// Complex weight of each sample, which the signal was multiplied with
    #[arg(long, value_name = "FILE")]
    sample_weights: Option<PathBuf>,
    /// Keep Q, the transform of the trajectory's FᴴF, for other scans along it
    #[arg(long, value_name = "FILE", conflicts_with = "q")]
    save_q: Option<PathBuf>,
    /// Q that --save-q kept
    #[arg(long, value_name = "FILE")]
    q: Option<PathBuf>,
    /// The true image, where it is known: the result is compared with it
    #[arg(long, value_name = "IMAGE")]
    truth: Option<PathBuf>,
    /// Write one image of complex numbers instead of magnitude and phase
    #[arg(long)]
    complex: bool,
    /// Precision of the arithmetic
    #[arg(long, value_name = "PRECISION", value_enum, default_value = "single")]
    precision: Precision,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Method {
    Cg,
    Adjoint,
    Gridding,
}

impl Method {
    fn name(self) -> &'static str {
        match self {
            Self::Cg => "cg",
            Self::Adjoint => "adjoint",
            Self::Gridding => "gridding",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kernels {
    /// By a window of four points
    KaiserBessel,
    /// Linearly along each axis
    Trilinear,
}

#[derive(Debug, Clone, PartialEq)]
enum Density {
    PipeMenon,
    Voronoi,
    None,
    File(PathBuf),
}

impl FromStr for Density {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        Ok(match text {
            "pipe-menon" => Self::PipeMenon,
            "voronoi" => Self::Voronoi,
            "none" => Self::None,
            path => Self::File(path.into()),
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Unit {
    /// Cycles per field of view, −n/2 to n/2
    Fov,
    /// Cycles per voxel, −½ to ½
    Voxel,
    /// Radians per voxel, −π to π
    Radian,
    /// 1/m
    PerMetre,
}

impl From<Unit> for TrajectoryUnit {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Fov => Self::FieldOfView,
            Unit::Voxel => Self::Voxel,
            Unit::Radian => Self::Radian,
            Unit::PerMetre => Self::PerMetre,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Prior {
    Tikhonov,
    Differences,
    Anatomy(PathBuf),
}

impl FromStr for Prior {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        match text.split_once('=') {
            None if text == "tikhonov" => Ok(Self::Tikhonov),
            None if text == "differences" => Ok(Self::Differences),
            Some(("anatomy", path)) if !path.is_empty() => Ok(Self::Anatomy(path.into())),
            _ => Err("expected tikhonov, differences or anatomy=IMAGE".to_owned()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum LambdaChoice {
    Auto,
    Fixed(f64),
}

impl FromStr for LambdaChoice {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if text == "auto" {
            return Ok(Self::Auto);
        }
        let number = text.parse().ok().filter(|&lambda: &f64| lambda >= 0.0 && lambda.is_finite());
        number.map(Self::Fixed).ok_or_else(|| "expected a number of 0 or more, or auto".to_owned())
    }
}

impl Recon {
    pub(crate) fn has_gpu_half(&self) -> bool {
        self.method != Method::Gridding
    }

    fn inputs(&self) -> Vec<PathBuf> {
        let anatomy = match &self.prior {
            Prior::Anatomy(path) => Some(path),
            _ => None,
        };
        let density = match &self.density {
            Density::File(path) => Some(path),
            _ => None,
        };
        let options = [&self.coils, &self.like, &self.sample_weights, &self.q, &self.truth];
        let files = [&self.kspace, &self.trajectory].into_iter().chain(options.into_iter().flatten());
        files.chain(anatomy).chain(density).flat_map(|path| arcuate_io::files_of_array(path)).collect()
    }

    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        self.check()?;
        let mut files = outputs::files(self);
        files.extend(self.save_q.clone());
        require_files_and_record(&self.out, &files, &self.inputs(), context)?;
        match self.precision {
            Precision::Single => self.reconstruct::<f32>(context),
            Precision::Double => self.reconstruct::<f64>(context),
        }
    }

    /// Fails where options do not go together.
    fn check(&self) -> Result<()> {
        let usage = |option: &str, problem: &str, advice: &str| Err(Error::usage(option, problem, advice));
        if self.noise.is_some_and(|noise| !(noise > 0.0 && noise.is_finite())) {
            return usage("--noise", "it is no standard deviation", "give a number above 0");
        }
        if !(self.tolerance >= 0.0 && self.tolerance < 1.0) {
            return usage("--tolerance", "it is no fraction", "give a number from 0 to below 1");
        }
        if self.edge.is_some() && !matches!(self.prior, Prior::Anatomy(_)) {
            return usage(
                "--edge",
                "it is of an anatomical prior",
                "say --prior anatomy=IMAGE, or leave it out",
            );
        }
        if self.method != Method::Gridding {
            let usual = GriddingOptions::default().oversampling;
            let given = [
                ("--density", self.density != Density::PipeMenon),
                ("--interpolation", self.interpolation != Kernels::KaiserBessel),
                ("--oversampling", self.oversampling.total_cmp(&usual).is_ne()),
            ];
            if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
                return usage(option, "it is of --method gridding", "say that, or leave it out");
            }
        }
        if self.method != Method::Cg {
            let given = [
                ("--save-q", self.save_q.is_some()),
                ("--q", self.q.is_some()),
                ("--noise", self.noise.is_some()),
                ("--prior", self.prior != Prior::Tikhonov),
            ];
            if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
                let problem = format!("--method {} has no use for it", self.method.name());
                return usage(option, &problem, "leave one of the two out");
            }
        }
        if self.complex && outputs::is_array(&self.out) {
            return usage("--complex", "a .cfl is complex in any case", "leave it out");
        }
        Ok(())
    }

    fn reconstruct<T: Reconstruct + arcuate_io::Element>(&self, context: &Context) -> Result<()> {
        let input: Input<T> = context.step("read the scan", |_| read::read(self))?;
        let truth = self
            .truth
            .as_ref()
            .map(|path| read::complex_image(path, input.grid.shape(), &self.out))
            .transpose()?;
        let anatomy = match &self.prior {
            Prior::Anatomy(path) => Some(context.step("read the anatomy", |_| anatomy::read(path, &input))?),
            _ => None,
        };
        let done = match self.method {
            Method::Adjoint => {
                let device = context.device()?;
                context.step("sum", |_| arcuate_recon::adjoint(&input.scan, device))?
            }
            Method::Gridding => {
                let options = self.gridding(&input.axes)?;
                let about = |e: Error| {
                    if e.subject() == "oversampling" { e.about("--oversampling") } else { e }
                };
                context.step("grid", |_| arcuate_recon::grid(&input.scan, &options).map_err(about))?
            }
            Method::Cg => self.iterate(&input, anatomy.as_ref(), context)?,
        };
        let verdict = Verdict::of(self, &done);
        verdict.require_image(self)?;
        verdict.warn(self);
        if input.size_unknown && !outputs::is_array(&self.out) {
            tracing::warn!(
                "{}: nothing says how large its voxels are, and 1 mm is written; give --fov or --like",
                self.out.display()
            );
        }
        let mut record = Record::new("Reconstruction", outputs::products(self), context);
        outputs::write(self, &input.grid, &done, truth.as_deref(), &mut record, context)?;
        record.add_inputs(&self.inputs(), context)?;
        record.cite(REFERENCES);
        let line = self.describe(&input, &done, anatomy.as_ref(), &mut record);
        record.write_beside(&self.out, context)?;
        context.say(format_args!("{line}{}: {}", verdict.words(), self.out.display()));
        Ok(())
    }

    fn iterate<T: Reconstruct + arcuate_io::Element>(
        &self,
        input: &Input<T>,
        anatomy: Option<&Anatomy>,
        context: &Context,
    ) -> Result<Reconstruction<T>> {
        let options = self.options(input, anatomy)?;
        let toeplitz = self.toeplitz(input, context)?;
        // Channels without sensitivities have an equation each.
        let equations = if input.scan.maps().is_some() { 1 } else { input.scan.channels() };
        let mut course = Course::new(equations * options.lambda.solves(), self.iterations);
        context.step("solve", |bar| {
            Ok(arcuate_recon::iterate(&input.scan, &toeplitz, &options, |point| {
                bar.show(course.done(point), course.total());
                bar.rename(&course.name());
            }))
        })
    }

    fn gridding(&self, axes: &Axes) -> Result<GriddingOptions> {
        let density = match &self.density {
            Density::PipeMenon => DensityCompensation::PipeMenon,
            Density::Voronoi => DensityCompensation::Voronoi,
            Density::None => DensityCompensation::None,
            Density::File(path) => {
                let weights = read_complex_array(path)?;
                axes.require(&Axes::new(weights.shape()), &self.trajectory, path, "weights")?;
                DensityCompensation::Given(weights.values().iter().map(|w| f64::from(w[0])).collect())
            }
        };
        let interpolation = match self.interpolation {
            Kernels::KaiserBessel => Interpolation::KaiserBessel,
            Kernels::Trilinear => Interpolation::Trilinear,
        };
        Ok(GriddingOptions { interpolation, oversampling: self.oversampling, density })
    }

    fn options<T: Element>(&self, input: &Input<T>, anatomy: Option<&Anatomy>) -> Result<Iterative<T>> {
        let shape = input.scan.shape();
        let prior = match (&self.prior, anatomy) {
            (Prior::Anatomy(path), Some(anatomy)) => {
                let prior = Differences::along_anatomy(shape, &anatomy.values, self.edge);
                Some(prior.map_err(|e| e.about(path.display()))?)
            }
            (Prior::Differences, _) => Some(Differences::new(shape)),
            _ => None,
        };
        let lambda = match (self.lambda, self.noise) {
            (LambdaChoice::Fixed(lambda), _) => Lambda::Fixed(lambda),
            (LambdaChoice::Auto, Some(_)) => Lambda::Discrepancy,
            (LambdaChoice::Auto, None) => Lambda::LCurve,
        };
        let (tolerance, iterations) = (self.tolerance, self.iterations);
        Ok(Iterative { lambda, prior, noise: self.noise, tolerance, iterations })
    }

    fn toeplitz<T: Reconstruct + arcuate_io::Element>(
        &self,
        input: &Input<T>,
        context: &Context,
    ) -> Result<Toeplitz<T>> {
        let kernel = match &self.q {
            None => None,
            Some(path) => Some(context.step("read Q", |_| {
                let file = read_toeplitz_kernel::<T>(path)?;
                let shape = arcuate_recon::Shape::new(file.shape);
                let kernel =
                    shape.and_then(|shape| Kernel::from_parts(shape, file.fingerprint, file.spectrum));
                kernel.map(Arc::new).map_err(|e| e.about(path.display()))
            })?),
        };
        let name = if kernel.is_some() { "check Q" } else { "make Q" };
        let device = context.device()?;
        let toeplitz = context.step(name, |_| arcuate_recon::toeplitz(&input.scan, kernel, device));
        let toeplitz = toeplitz.map_err(|e| match &self.q {
            Some(path) => e.about(path.display()),
            None => e,
        })?;
        if let Some(path) = &self.save_q {
            let kernel = toeplitz.kernel();
            let shape = kernel.shape().lengths();
            context.step("keep Q", |_| {
                write_toeplitz_kernel(path, shape, kernel.fingerprint(), kernel.spectrum())
            })?;
        }
        Ok(toeplitz)
    }

    /// Key figures and choices; gives a line for the user.
    fn describe<T: Element>(
        &self,
        input: &Input<T>,
        done: &Reconstruction<T>,
        anatomy: Option<&Anatomy>,
        record: &mut Record,
    ) -> String {
        let [x, y, z] = input.scan.shape().lengths();
        if let Some(source) = input.size_from {
            record.choice("image size", format_args!("{x} × {y} × {z}, from {source}"));
        }
        if input.size_unknown {
            record.choice("voxels", "1 mm, as no --fov or --like says their size");
        }
        if !input.grid.is_placed() {
            record.choice("orientation", "not recorded, as no --like says where the image lies");
        }
        record.figure("voxels", format!("{x} × {y} × {z}")).key();
        record.figure("samples of each channel", input.scan.samples().len()).key();
        record.done(format!(
            "An image of {x} × {y} × {z} voxels was computed from {} samples of k-space in each of {}.",
            human::count(input.scan.samples().len() as u64),
            if input.scan.channels() == 1 {
                "one channel".to_owned()
            } else {
                format!("{} channels", input.scan.channels())
            }
        ));
        record.figure("channels", input.scan.channels());
        if input.scan.maps().is_none() && input.scan.channels() > 1 {
            record.choice("coils", "combined by the root of the sum of squares, as no --coils are given");
        }
        if self.method == Method::Gridding {
            record.cite(GRIDDING_REFERENCES);
        }
        if let Some(anatomy) = anatomy {
            record.cite(ANATOMY_REFERENCES);
            if let Some(how) = &anatomy.resampled {
                record.choice("anatomy", how);
            }
        }
        if !done.curve.is_empty() {
            record.cite(CURVE_REFERENCES);
            record.tables.push(outputs::curve(&done.curve));
        }
        if let Some(computed_by) = done.computed_by {
            record.choice("products computed by", computed_by);
        }
        if let Some(lambda) = done.lambda {
            record.figure("λ", lambda).key();
        }
        record.convergence = done.trace.iter().map(iteration).collect();
        let mut end = String::new();
        if let Some(worst) = done.worst() {
            let (why, short) = match worst.outcome {
                Outcome::Converged => ("it was enough", String::new()),
                Outcome::PrecisionLimit => {
                    let precision = match self.precision {
                        Precision::Single => "single",
                        Precision::Double => "double",
                    };
                    ("rounding lets it go no further", format!(", the limit of {precision} precision"))
                }
                Outcome::IterationLimit => {
                    ("their number was reached", format!(" instead of {:.1e}", self.tolerance))
                }
            };
            record.figure("iterations", worst.iterations);
            record.figure("residual, relative", worst.residual);
            record.choice("end of the iterations", why);
            let of_all = match done.endings.len() {
                1 => String::new(),
                equations => format!(", in the worst of {equations} channels"),
            };
            end = format!(
                ", {} iterations to a residual of {:.1e}{short}{of_all}",
                worst.iterations, worst.residual
            );
        }
        if let Some(misfit) = done.misfit {
            record.figure("misfit ‖d − Fρ‖ / ‖d‖", misfit).key();
        }
        format!("{x} × {y} × {z} voxels from {} samples{end}", input.scan.samples().len())
    }
}

fn iteration(point: &QuadraticPoint) -> Iteration {
    Iteration {
        number: point.iteration,
        products: point.products,
        objective: point.objective,
        projected_gradient: None,
        relative_gap: None,
        relative_residual: Some(point.residual),
        positive_weights: None,
        seconds: point.elapsed.as_secs_f64(),
    }
}
