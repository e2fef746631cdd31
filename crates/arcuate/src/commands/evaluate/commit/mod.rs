//! `arcuate evaluate commit`.

mod dictionary;
mod fit;
mod groups;
mod inputs;
mod model;
mod options;
mod outputs;

pub(crate) use options::EvaluateCommit;

use crate::context::Context;
use crate::map_format::MapFormat;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::precision::Precision;
use crate::progress;
use crate::record::{self, Record};
use crate::scan;
use crate::stage_command::StageCommand;
use arcuate_core::{Error, Result};
use arcuate_evaluate::Element;
use arcuate_evaluate::commit::{Commit, Fit, FitOptions, FitPoint};
use arcuate_model::compartments::Model;
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::run::COMMIT_WEIGHTS;
use arcuate_pipeline::sample_folder::SampleFolder;
use arcuate_pipeline::stages::evaluation::{
    mean, note_supported, supported_in_words, tractograms, unit_of_signal, write_map, write_tractograms,
};
use arcuate_report::human;
use arcuate_solve::Outcome;
use inputs::{Inputs, Problem};
use options::REFERENCES;
use std::path::{Path, PathBuf};

impl StageCommand for EvaluateCommit {
    fn outputs(&self) -> Vec<PathBuf> {
        self.model
            .model()
            .map(|model| record::outputs(&self.out, &self.output_files(&model)))
            .unwrap_or_default()
    }

    fn check(&self, context: &Context) -> Result<()> {
        self.fit.check()?;
        self.require_peaks()?;
        self.require_its_format()?;
        let model = self.model.model()?;
        self.segments.options()?;
        inputs::check(self, &model, context)
    }

    fn run(&self, context: &Context) -> Result<()> {
        match self.precision {
            Precision::Single => self.run_in::<f32>(context),
            Precision::Double => self.run_in::<f64>(context),
        }
    }
}

impl EvaluateCommit {
    /// An error about the sizes of numbers, said of the file that they come from.
    fn about_sizes(&self, error: Error) -> Error {
        match self.confidence.as_ref().or(self.dwi.as_ref()) {
            Some(file) => error.about(file.display()),
            None => error.about("--dictionary"),
        }
    }

    /// Tells where the data came from, for the errors of the library.
    fn tell_sources(&self, context: &Context) {
        let Self { tractogram, confidence, mask, peaks, .. } = self;
        let named =
            [("tractogram", tractogram), ("confidence map", confidence), ("mask", mask), ("peaks", peaks)];
        for (data, file) in named {
            if let Some(file) = file {
                context.came_from(data, &file.display());
            }
        }
        if let Some(folder) = self.dictionary.folder() {
            context.came_from("dictionary", &folder.display());
        }
    }

    /// The tractogram; none only beside a dictionary.
    fn tractogram(&self) -> Option<&Path> {
        self.tractogram.as_deref()
    }

    /// All files that are read.
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.tractogram().into_iter().map(Path::to_owned).collect();
        files.extend(self.dictionary.files());
        files.extend(self.dwi.iter().flat_map(|dwi| self.gradients.files(dwi)));
        files.extend([&self.scalar_map, &self.mask, &self.confidence].into_iter().flatten().cloned());
        files.extend(self.peaks_files());
        let orientations = inputs::orientations_file(&self.orientations);
        files.extend([orientations, self.fit.groups_file()].into_iter().flatten().map(Path::to_owned));
        files
    }

    /// The file of peaks, or all those of a folder of samples.
    fn peaks_files(&self) -> Vec<PathBuf> {
        let Some(peaks) = &self.peaks else { return Vec::new() };
        // What is wrong with a folder is said where it is read.
        let in_folder =
            || SampleFolder::find(peaks, &[], None).map(|folder| folder.files()).unwrap_or_default();
        if peaks.is_dir() { in_folder() } else { vec![peaks.clone()] }
    }

    /// All files to be written.
    fn output_files(&self, model: &Model) -> Vec<OutputFile> {
        let mut output_files = Vec::new();
        if self.tractogram().is_some() {
            output_files.extend(tractograms(COMMIT_WEIGHTS));
        }
        output_files.extend(outputs::output_files(model, self.unit(model)));
        output_files.extend(self.dwi.is_some().then(scan::anatomy));
        if self.fit.has_curve() {
            output_files.push(outputs::curve());
        }
        if self.predicted {
            output_files.push(OutputFile::file(outputs::SIGNAL, "Predicted series"));
        }
        if self.compat {
            output_files.extend(outputs::compatible(model, self.predicted));
        }
        self.maps.format().of(output_files)
    }

    /// What signals are in.
    fn unit(&self, model: &Model) -> &'static str {
        if self.scalar_map.is_some() {
            "units of the map"
        } else {
            unit_of_signal(self.normalisation.is_on(model))
        }
    }

    /// Fails where files of dmri-commit would have another format than its own.
    fn require_its_format(&self) -> Result<()> {
        if self.compat && self.maps.format() != MapFormat::default() {
            let problem = "the files of dmri-commit, which --compat writes, are .nii.gz";
            return Err(Error::usage("--format", problem, "leave one of the two out"));
        }
        Ok(())
    }

    /// Fails on options of compartments along peaks where there are no peaks, or where these need them not.
    fn require_peaks(&self) -> Result<()> {
        if self.peaks_frame.is_some() && self.peaks.as_ref().is_some_and(|peaks| peaks.is_dir()) {
            let problem = "the orientations of a folder of samples are in axes that are known";
            return Err(Error::usage("--peaks-frame", problem, "leave it out"));
        }
        if self.peaks.is_some() || self.dictionary.folder().is_some() {
            return Ok(());
        }
        let mut given = self.model.given_along_peaks().into_iter().chain([self.fit.given_along_peaks()]);
        match given.find(|(_, given)| *given) {
            Some((option, _)) => {
                let problem = "without peaks there are no extra-axonal compartments";
                Err(Error::usage(option, problem, "give --peaks, or leave it out"))
            }
            None => Ok(()),
        }
    }

    fn run_in<T: Element>(&self, context: &Context) -> Result<()> {
        self.fit.check()?;
        self.require_peaks()?;
        self.require_its_format()?;
        let model = self.model.model()?;
        self.model.warn_of_diffusivities();
        let output_files = self.output_files(&model);
        let folder = OutputFolder::create(&self.out, &output_files, &self.files(), context)?
            .with_maps_as(self.maps.format());
        let mut inputs = Inputs::read(self, &model, context)?;
        let groups = self.fit.groups(self.tractogram(), inputs.streamlines())?;
        let options = self.fit.options(groups.as_ref())?;
        let problem: Problem<T> =
            context.step("build the operator", |_| inputs.problem(self, context.device()?))?;
        let fit = context.step("fit", |_| {
            let (control, total) = (progress::control(), options.iterations as u64);
            let fit =
                problem.fit(&options, |point| control.progress(point.iteration as u64, total).is_ok())?;
            control.check()?;
            Ok(fit)
        })?;
        require_numbers(&fit, self.precision).map_err(|e| self.about_sizes(e))?;
        warn_of_outcome(&fit, &options, self.precision);
        let mut record = Record::new(
            "Convex Optimization Modeling for Microstructure Informed Tractography",
            output_files,
            context,
        );
        record.add_inputs(&inputs.files(self), context)?;
        let commit = problem.results(&fit.unknowns);
        context.step("write the results", |_| {
            let layout = problem.layout();
            outputs::write_results(&folder, &commit, layout, problem.segments(), &fit.trace, context)?;
            if let Some(series) = inputs.series() {
                scan::write_anatomy(&series.dwi, &series.gradients, &folder, context)?;
            }
            if let Some(tractogram) = self.tractogram() {
                write_tractograms(
                    &folder,
                    tractogram,
                    "commit_weights",
                    &commit.weights,
                    inputs.grid(),
                    context,
                )?;
            }
            if self.fit.has_curve() {
                outputs::write_curve(&folder, &fit.path)?;
            }
            if self.predicted {
                let signal = problem.predicted_signal(&fit.unknowns);
                write_map(&folder.file(outputs::SIGNAL), &signal, &context.image_options())?;
            }
            if self.compat {
                let signal = self.predicted.then(|| problem.predicted_data(&fit.unknowns));
                outputs::write_compatible(&folder, &model, &commit, signal.as_ref())?;
            }
            Ok(())
        })?;
        describe(&problem, &fit, &commit, groups.as_ref().map(|groups| groups.names.len()), &mut record);
        record.measure("mean RMSE", mean(commit.rmse.values()), self.unit(&model));
        inputs.describe(self, &mut record);
        self.fit.describe(&mut record);
        record.cite(REFERENCES);
        record.write(folder.path(), context)?;
        context.say(format_args!(
            "{}; intra-axonal fraction {:.3}, NRMSE {:.3} (means over voxels)",
            supported_in_words(commit.supported().len(), commit.weights.len(), fit.outcome),
            mean(commit.fractions()[0].values()),
            mean(commit.nrmse.values())
        ));
        Ok(())
    }
}

/// Fails where numbers of the fit are beyond those of its arithmetic: what it found says nothing.
fn require_numbers<T>(fit: &Fit<T>, precision: Precision) -> Result<()> {
    let lost = |point: &FitPoint| {
        !point.objective.is_finite() || point.projected_gradient.is_some_and(|gradient| !gradient.is_finite())
    };
    if !fit.trace.iter().any(lost) {
        return Ok(());
    }
    let advice = match precision {
        Precision::Single => "scale signals and --confidence to usual sizes, or use --precision double",
        Precision::Double => "scale signals and --confidence to usual sizes",
    };
    Err(Error::invalid("the fit", "numbers of the fit grow beyond what its arithmetic can hold", advice))
}

fn warn_of_outcome<T>(fit: &Fit<T>, options: &FitOptions, precision: Precision) {
    let (option, wanted) = options.gap.map_or(("--tolerance", options.tolerance), |gap| ("--gap", gap));
    let advice = |outcome| match outcome {
        Outcome::Converged => None,
        Outcome::IterationLimit => Some("more --iterations or "),
        Outcome::PrecisionLimit if precision == Precision::Single => Some("--precision double or "),
        Outcome::PrecisionLimit => Some(""),
    };
    // The last of a path is the result itself, but for a refit.
    let before = fit.path.len().saturating_sub(usize::from(!options.debias));
    let unfinished: Vec<&str> = fit.path[..before].iter().filter_map(|point| advice(point.outcome)).collect();
    if let Some(other) = unfinished.first() {
        tracing::warn!(
            "{} of {} fits with a penalty stopped before their {option} of {wanted:e}; {other}a larger {option} \
             would end them there",
            unfinished.len(),
            fit.path.len()
        );
    }
    if let Some(other) = advice(fit.outcome) {
        tracing::warn!(
            "COMMIT stopped before its {option} of {wanted:e}; {other}a larger {option} would end it there"
        );
    }
}

fn describe<T: Element>(
    problem: &Problem<T>,
    fit: &Fit<T>,
    commit: &Commit,
    groups: Option<usize>,
    record: &mut Record,
) {
    let layout = problem.layout();
    record.done(format!(
        "COMMIT divided the signal of each voxel among {} streamlines, the tissue around them and free water, so that all voxels \
         are explained best; streamlines that are not needed have weight 0.",
        human::count(layout.streamlines as u64)
    ));
    record.figure("streamlines", layout.streamlines).key();
    note_supported(commit.supported().len(), fit.outcome, record);
    if let Some(point) = fit.path.last() {
        for (amounts, lambda) in [
            ("streamlines", point.streamlines),
            ("extra-axonal amounts", point.extra),
            ("isotropic amounts", point.isotropic),
        ] {
            if lambda > 0.0 {
                record.figure(&format!("λ of {amounts}"), lambda);
            }
        }
        if let Some(groups) = groups {
            record.figure("λ of groups", point.groups);
            record.figure("groups with support", format!("{} of {groups}", point.supported_groups));
        }
    }
    record.figure("voxels", layout.voxels);
    record.figure("segments", problem.segments().len());
    record.figure("unknowns", layout.len());
    record.choice("products computed by", problem.operator().computed_by());
    record.choice("directions", problem.operator().describe());
    for (name, fraction) in ["intra-axonal", "extra-axonal", "isotropic"].iter().zip(commit.fractions()) {
        record.figure(&format!("mean {name} fraction"), mean(fraction.values())).key();
    }
    record.figure("mean NRMSE", mean(commit.nrmse.values())).key();
    record.figure("objective", fit.objective);
    if let Some(gap) = fit.gap {
        record.figure("above its minimum by at most (duality gap)", gap);
    }
    record.convergence = outputs::iterations(&fit.trace);
}
