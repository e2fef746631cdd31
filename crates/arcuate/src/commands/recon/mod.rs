//! `arcuate recon`: reconstructs images from k-space.

mod anatomy;
mod axes;
mod options;
mod outputs;
mod read;

pub(crate) use options::Recon;

use crate::grammar::Grammar;
use crate::output::require_files_and_record;
use crate::precision::Precision;
use crate::progress;
use crate::record::{Iteration, Record};
use crate::references;
use crate::typed_options::{CommandOptions, typed};
use anatomy::Anatomy;
use arcuate_core::{Error, Result};
use arcuate_io::{read_complex_array, read_toeplitz_kernel, write_toeplitz_kernel};
use arcuate_pipeline::job::Job;
use arcuate_recon::{
    Element, Finding, GriddingOptions, Iterative, Kernel, Reconstruct, Reconstruction, Settings, Toeplitz,
};
use arcuate_report::human;
use arcuate_solve::{ChoiceOutcome, Outcome, QuadraticPoint};
use axes::Axes;
use clap::ArgMatches;
use options::{Density, Method, Prior};
use read::Input;
use std::path::PathBuf;
use std::sync::Arc;

impl CommandOptions for Settings {
    const COMMAND: &'static str = "recon";

    fn of(matches: &ArgMatches) -> Result<Self> {
        typed::<Recon>(matches).map(|command| command.settings())
    }
}

impl Recon {
    pub(crate) fn has_gpu_implementation(&self) -> bool {
        self.method != Method::Gridding
    }

    fn inputs(&self) -> Vec<PathBuf> {
        let anatomy = match &self.regularise {
            Prior::Anatomy(path) => Some(path),
            _ => None,
        };
        let density = match &self.density {
            Density::File(path) => Some(path),
            _ => None,
        };
        let options = [&self.sensitivities, &self.like, &self.sample_weights, &self.q, &self.truth];
        let files = [&self.kspace, &self.trajectory].into_iter().chain(options.into_iter().flatten());
        files.chain(anatomy).chain(density).flat_map(|path| arcuate_io::files_of_array(path)).collect()
    }

    pub(crate) fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        self.check()?;
        let mut files = outputs::files(self);
        files.extend(self.save_q.clone());
        require_files_and_record(&self.out, &files, &self.inputs(), job)?;
        match self.precision {
            Precision::Single => self.reconstruct::<f32>(job),
            Precision::Double => self.reconstruct::<f64>(job),
        }
    }

    /// Returns an error if options contradict each other.
    fn check(&self) -> Result<()> {
        let settings = self.settings();
        settings.check()?;
        if self.method != Method::Cg {
            let given = [("--save-q", self.save_q.is_some()), ("--q", self.q.is_some())];
            if let Some((option, _)) = given.into_iter().find(|(_, given)| *given) {
                return Err(Error::usage(option, settings.no_use(), "remove one of the two"));
            }
        }
        if self.complex && outputs::is_array(&self.out) {
            return Err(Error::usage("--complex", "a .cfl is always complex", "leave it out"));
        }
        Ok(())
    }

    fn reconstruct<T: Reconstruct + arcuate_io::Element>(&self, job: &Job) -> Result<()> {
        let input: Input<T> = job.step("read the scan", || read::read(self, &job.control()))?;
        let truth = self
            .truth
            .as_ref()
            .map(|path| read::complex_image(path, input.grid.shape(), &self.out))
            .transpose()?;
        let anatomy = match &self.regularise {
            Prior::Anatomy(path) => Some(job.step("read the anatomy", || anatomy::read(path, &input))?),
            _ => None,
        };
        let done = match self.method {
            Method::Adjoint => {
                let device = job.device()?;
                job.step("sum", || arcuate_recon::adjoint(&input.scan, device, &job.control()))?
            }
            Method::Gridding => {
                let options = self.gridding(&input.axes)?;
                job.step("grid", || arcuate_recon::grid(&input.scan, &options, &job.control()))?
            }
            Method::Cg => self.iterate(&input, anatomy.as_ref(), job)?,
        };
        if input.size_unknown && !outputs::is_array(&self.out) {
            tracing::warn!(
                "{}: the voxel size is not known, so 1 mm is written; give --fov or --like",
                self.out.display()
            );
        }
        let mut record = Record::new("Reconstruction", outputs::output_files(self), job);
        outputs::write(self, &input.grid, &done, truth.as_deref(), &mut record, job)?;
        record.add_inputs(&self.inputs(), job)?;
        record.cite(references::RECON);
        let line = self.describe(&input, &done, anatomy.as_ref(), &mut record);
        record.write_next_to(&self.out, job)?;
        job.show_message(format_args!("{line}{}: {}", but(&done.findings), self.out.display()));
        Ok(())
    }

    fn iterate<T: Reconstruct + arcuate_io::Element>(
        &self,
        input: &Input<T>,
        anatomy: Option<&Anatomy>,
        job: &Job,
    ) -> Result<Reconstruction<T>> {
        let options = self.options(input, anatomy)?;
        let toeplitz = self.toeplitz(input, job)?;
        // Without coil sensitivities, each coil channel has its own linear system to solve.
        let equations = if input.scan.maps().is_some() { 1 } else { input.scan.channels() };
        let (solves, mut started) = (equations * options.lambda.solves(), 0);
        job.step("solve", || {
            arcuate_recon::iterate(&input.scan, &toeplitz, &options, &job.control(), |point| {
                if solves > 1 && point.iteration == 0 {
                    // If a GPU fails, the solution of a linear system starts again. The displayed number must
                    // not exceed the number of systems.
                    started = solves.min(started + 1);
                    progress::rename(&format!("solve, {started} of up to {solves}"));
                }
            })
        })
    }

    fn gridding(&self, axes: &Axes) -> Result<GriddingOptions> {
        let given = match &self.density {
            Density::File(path) => {
                let weights = read_complex_array(path)?;
                axes.require(&Axes::new(weights.shape()), &self.trajectory, path, "weights")?;
                weights.values().iter().map(|w| f64::from(w[0])).collect()
            }
            _ => Vec::new(),
        };
        Ok(self.settings().gridding(given))
    }

    fn options<T: Element>(&self, input: &Input<T>, anatomy: Option<&Anatomy>) -> Result<Iterative<T>> {
        let settings = self.settings();
        let values = anatomy.map(|anatomy| anatomy.values.as_slice());
        let prior = settings.prior(input.scan.shape(), values).map_err(|error| match &self.regularise {
            Prior::Anatomy(path) => error.about(path.display()),
            _ => error,
        })?;
        Ok(settings.iterative(prior))
    }

    fn toeplitz<T: Reconstruct + arcuate_io::Element>(
        &self,
        input: &Input<T>,
        job: &Job,
    ) -> Result<Toeplitz<T>> {
        let kernel = match &self.q {
            None => None,
            Some(path) => Some(job.step("read Q", || {
                let file = read_toeplitz_kernel::<T>(path)?;
                let shape = arcuate_recon::Shape::new(file.shape);
                let kernel =
                    shape.and_then(|shape| Kernel::from_parts(shape, file.fingerprint, file.spectrum));
                kernel.map(Arc::new).map_err(|e| e.about(path.display()))
            })?),
        };
        let name = if kernel.is_some() { "check Q" } else { "make Q" };
        let device = job.device()?;
        let toeplitz = job.step(name, || arcuate_recon::toeplitz(&input.scan, kernel, device));
        let toeplitz = toeplitz.map_err(|e| match &self.q {
            Some(path) => e.about(path.display()),
            None => e,
        })?;
        if let Some(path) = &self.save_q {
            let kernel = toeplitz.kernel();
            let shape = kernel.shape().lengths();
            job.step("keep Q", || {
                write_toeplitz_kernel(path, shape, kernel.fingerprint(), kernel.spectrum())
            })?;
        }
        Ok(toeplitz)
    }

    fn describe_misfit<T>(&self, done: &Reconstruction<T>, record: &mut Record) {
        let Some(misfit) = done.misfit else { return };
        record.figure("misfit ‖d − Fρ‖ / ‖d‖", misfit).key();
        if let Some(noise) = done.misfit_of_noise {
            record.figure("misfit that the noise leaves", noise);
        }
        if let Some(resolution) = done.misfit_resolution.filter(|&resolution| misfit <= resolution) {
            record.choice(
                "misfit",
                format_args!(
                    "below {resolution:.1e}, the smallest that {} precision can resolve",
                    self.precision()
                ),
            );
        }
    }

    fn precision(&self) -> &'static str {
        match self.precision {
            Precision::Single => "single",
            Precision::Double => "double",
        }
    }

    /// Records key figures and choices. Returns a line for the user.
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
            record.choice("voxels", "1 mm, because neither --fov nor --like is given");
        }
        if !input.grid.is_placed() {
            record.choice("orientation", "not recorded, because --like is not given");
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
            record.choice(
                "coils",
                "combined by the root of the sum of squares, as no --sensitivities are given",
            );
        }
        if self.method == Method::Gridding {
            record.cite(references::RECON_BY_GRIDDING);
        }
        if let Some(anatomy) = anatomy {
            record.cite(references::RECON_WITH_ANATOMY);
            if let Some(how) = &anatomy.resampled {
                record.choice("anatomy", how);
            }
        }
        if !done.curve.is_empty() {
            record.cite(references::RECON_BY_L_CURVE);
            record.tables.push(outputs::curve(&done.curve));
        }
        if let Some(computed_by) = done.computed_by {
            record.choice("products computed by", computed_by);
        }
        if let Some(lambda) = done.lambda {
            record.figure("λ", lambda).key();
        }
        if !done.choices.is_empty() {
            record.choice("choice of λ", choices(&done.choices));
        }
        record.convergence = done.trace.iter().map(iteration).collect();
        let mut end = String::new();
        if let Some(worst) = done.worst() {
            let (why, short) = match worst.outcome {
                Outcome::Converged => ("it was enough", String::new()),
                Outcome::PrecisionLimit => {
                    let limit = format!(", the limit of {} precision", self.precision());
                    ("rounding lets it go no further", limit)
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
        self.describe_misfit(done, record);
        format!("{x} × {y} × {z} voxels from {} samples{end}", input.scan.samples().len())
    }
}

/// Returns how the choice of λ ended, summarised over all equations.
fn choices(choices: &[ChoiceOutcome]) -> String {
    let kinds = [
        (ChoiceOutcome::Found, "found"),
        (ChoiceOutcome::AtLowerEdge, "at the lower edge of its interval"),
        (ChoiceOutcome::AtUpperEdge, "at the upper edge of its interval"),
        (ChoiceOutcome::NotDetermined, "not determined"),
    ];
    let mut texts = Vec::new();
    for (kind, words) in kinds {
        match choices.iter().filter(|choice| **choice == kind).count() {
            0 => {}
            _ if choices.len() == 1 => texts.push(words.to_owned()),
            some => texts.push(format!("{words} for {some} of {} channels", choices.len())),
        }
    }
    texts.join(", ")
}

/// Returns the findings about an image as text that continues a line.
fn but(findings: &[Finding]) -> String {
    let problems: Vec<&str> = findings.iter().map(|finding| finding.problem.as_str()).collect();
    if problems.is_empty() { String::new() } else { format!(", but {}", problems.join(", and ")) }
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
