//! COMMIT: estimates a weight for each streamline, so that the streamlines and the surrounding tissue
//! together predict the measured signal.

mod dictionary;
mod fit;
mod groups;
mod inputs;
mod model;
mod options;
mod outputs;

pub use fit::{CommitFit, Regularise};
pub use inputs::warn_of_bare_voxels;
pub use model::{CommitModel, responses};
pub use options::{CommitNormalisation, CommitOrientations, CommitSignal, DictionaryFiles, EvaluateCommit};

use super::work::Work;
use crate::job::Job;
use crate::map_format::MapFormat;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::precision::Precision;
use crate::record::{self, Record};
use crate::run::COMMIT_WEIGHTS;
use crate::sample_folder::SampleFolder;
use crate::scan;
use crate::stages::evaluation::{
    mean, note_noise, note_supported, supported_text, tractograms, unit_of_signal, write_map,
    write_tractograms,
};
use arcuate_core::{Error, Result};
use arcuate_evaluate::Element;
use arcuate_evaluate::commit::{Commit, Fit, FitOptions, FitPoint};
use arcuate_model::compartments::Model;
use arcuate_report::human;
use arcuate_solve::Outcome;
use inputs::{Inputs, Problem};
use std::path::PathBuf;

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Daducci A, Dal Palù A, Lemkaddem A, Thiran JP (2015) COMMIT: convex optimization modeling for microstructure informed \
     tractography. doi:10.1109/TMI.2014.2352414",
    "Schiavi S et al. (2020) A new method for accurate in vivo mapping of human brain connections using microstructural and \
     anatomical information (COMMIT2, the option --groups). doi:10.1126/sciadv.aba8245",
    "Panagiotaki E et al. (2012) Compartment models of the diffusion MR signal in brain white matter. \
     doi:10.1016/j.neuroimage.2011.09.081",
    "Beck A, Teboulle M (2009) A fast iterative shrinkage-thresholding algorithm for linear inverse problems. \
     doi:10.1137/080716542",
];

/// Name that the record of a command uses for the root mean square error of the predicted signal, averaged
/// over the voxels.
pub const MEAN_RMSE: &str = "mean RMSE";

/// Name that the record of a command uses for the duality gap: the largest possible distance of the objective
/// from its minimum.
pub const DUALITY_GAP: &str = "above its minimum by at most (duality gap)";

impl Work for EvaluateCommit {
    fn outputs(&self) -> Vec<PathBuf> {
        self.model
            .model()
            .map(|model| record::outputs(&self.out, &self.output_files(&model)))
            .unwrap_or_default()
    }

    fn check(&self, job: &Job) -> Result<()> {
        self.fit.check()?;
        self.require_peaks()?;
        self.require_its_format()?;
        let model = self.model.model()?;
        inputs::check(self, &model, job)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

impl EvaluateCommit {
    /// Fits the weights of the streamlines and writes the results.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<Commit> {
        match self.precision {
            Precision::Single => self.run_in::<f32>(job),
            Precision::Double => self.run_in::<f64>(job),
        }
    }

    /// Checks whether the signal of each voxel is divided by its mean at b = 0.
    fn is_normalised(&self, model: &Model) -> bool {
        self.normalisation.normalise_signal && !model.is_scalar()
    }

    /// Changes the subject of an error about numbers that are too large or too small. The new subject is the
    /// input that may cause them.
    fn about_sizes(&self, error: Error) -> Error {
        match (&self.confidence, &self.signal) {
            (Some(file), _) => error.about(file.display()),
            (None, CommitSignal::Series(series)) => error.about(series.path.display()),
            (None, CommitSignal::Map(_)) => error.about("‘dictionary’"),
        }
    }

    /// Notes the file of each input, so that errors about the data state this file.
    fn report_sources(&self, job: &Job) {
        let Self { tracts, confidence, mask, peaks, .. } = self;
        let named =
            [("tractogram", tracts), ("confidence map", confidence), ("mask", mask), ("peaks", peaks)];
        for (data, file) in named {
            if let Some(file) = file {
                job.came_from(data, &file.display());
            }
        }
        if let Some(dictionary) = &self.dictionary {
            job.came_from("dictionary", &dictionary.folder.display());
        }
    }

    /// Returns all files that are read.
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.tracts.iter().cloned().collect();
        files.extend(self.dictionary.iter().flat_map(DictionaryFiles::files));
        files.extend(match &self.signal {
            CommitSignal::Series(series) => series.files(),
            CommitSignal::Map(map) => vec![map.clone()],
        });
        files.extend([&self.mask, &self.confidence].into_iter().flatten().cloned());
        files.extend(self.peaks_files());
        files.extend([self.orientations.file(), self.fit.groups_file()].into_iter().flatten());
        files
    }

    /// Returns all files that are read, and the folders that the user gave as inputs.
    fn read(&self) -> Vec<PathBuf> {
        let dictionary = self.dictionary.as_ref().map(|dictionary| dictionary.folder.clone());
        self.files().into_iter().chain(self.peaks.clone()).chain(dictionary).collect()
    }

    /// Returns the image file of peaks. If a folder of posterior samples is given, returns all files of the
    /// samples.
    fn peaks_files(&self) -> Vec<PathBuf> {
        let Some(peaks) = &self.peaks else { return Vec::new() };
        // Errors in the folder of samples are reported later, when the folder is read.
        let in_folder =
            || SampleFolder::find(peaks, &[], None).map(|folder| folder.files()).unwrap_or_default();
        if peaks.is_dir() { in_folder() } else { vec![peaks.clone()] }
    }

    /// Returns all output files.
    fn output_files(&self, model: &Model) -> Vec<OutputFile> {
        let mut output_files = Vec::new();
        if self.tracts.is_some() {
            output_files.extend(tractograms(COMMIT_WEIGHTS));
        }
        output_files.extend(outputs::output_files(model, self.unit(model)));
        output_files.extend(matches!(self.signal, CommitSignal::Series(_)).then(scan::anatomy));
        if self.fit.has_curve() {
            output_files.push(outputs::curve());
        }
        if self.predicted {
            let signal = OutputFile::file(outputs::SIGNAL, "Predicted series");
            output_files.push(signal.with_content(
                "Predicted series, in the unit of the input. Volumes at b = 0 are merged, and the mean is removed, if the fit did so",
            ));
        }
        if self.compat {
            output_files.extend(outputs::compatible(model, self.predicted));
        }
        self.format.of(output_files)
    }

    /// Returns the unit of the signal.
    fn unit(&self, model: &Model) -> &'static str {
        match self.signal {
            CommitSignal::Map(_) => "units of the map",
            CommitSignal::Series(_) => unit_of_signal(self.is_normalised(model)),
        }
    }

    /// Returns an error if the output files of `dmri-commit` are requested together with a map format other
    /// than `.nii.gz`.
    fn require_its_format(&self) -> Result<()> {
        if self.compat && self.format != MapFormat::default() {
            let problem = "the files of dmri-commit, which ‘compat’ writes, are .nii.gz";
            return Err(Error::usage("‘format’", problem, "remove one of the two"));
        }
        Ok(())
    }

    /// Returns an error if an option of the extra-axonal compartments is set although there are no peaks.
    /// Also returns an error if `peaks_frame` is set for a folder of samples, because the axes of samples are
    /// known.
    fn require_peaks(&self) -> Result<()> {
        if self.peaks_frame.is_some() && self.peaks.as_ref().is_some_and(|peaks| peaks.is_dir()) {
            let problem = "the orientations of a folder of samples are in axes that are known";
            return Err(Error::usage("‘peaks_frame’", problem, "leave it out"));
        }
        if self.peaks.is_some() || self.dictionary.is_some() {
            return Ok(());
        }
        let mut given = self.model.given_along_peaks().into_iter().chain([self.fit.given_along_peaks()]);
        match given.find(|(_, given)| *given) {
            Some((option, _)) => {
                let problem = "without peaks there are no extra-axonal compartments";
                Err(Error::usage(option, problem, "give ‘peaks’, or leave out this option"))
            }
            None => Ok(()),
        }
    }

    fn run_in<T: Element>(&self, job: &Job) -> Result<Commit> {
        self.fit.check()?;
        self.require_peaks()?;
        self.require_its_format()?;
        let model = self.model.model()?;
        self.model.warn_of_diffusivities();
        let output_files = self.output_files(&model);
        let folder =
            OutputFolder::create(&self.out, &output_files, &self.read(), job)?.with_maps_as(self.format);
        let (inputs, parts) = Inputs::read(self, &model, job)?;
        let groups = self.fit.groups(self.tracts.as_deref(), inputs.streamlines())?;
        let options = self.fit.options(groups.as_ref().map(|groups| groups.of_streamline.as_slice()))?;
        let problem: Problem<T> =
            job.step("build the operator", || inputs.problem(parts, self, job.device()?))?;
        let fit = job.step("fit", || {
            let (control, total) = (job.control(), options.iterations as u64);
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
            job,
        );
        record.add_inputs(&inputs.files(self), job)?;
        let commit = problem.results(&fit.unknowns);
        job.write("write the results", || {
            let layout = problem.layout();
            outputs::write_results(&folder, &commit, layout, problem.segments(), &fit.trace, job)?;
            if let Some(series) = inputs.series() {
                scan::write_anatomy(&series.dwi, &series.gradients, &folder, job)?;
            }
            if let Some(tractogram) = &self.tracts {
                write_tractograms(
                    &folder,
                    tractogram,
                    "commit_weights",
                    &commit.weights,
                    inputs.grid(),
                    job,
                )?;
            }
            if self.fit.has_curve() {
                outputs::write_curve(&folder, &fit.path)?;
            }
            if self.predicted {
                let signal = problem.predicted_signal(&fit.unknowns);
                write_map(&folder.file(outputs::SIGNAL), &signal, &job.image_options())?;
            }
            if self.compat {
                let signal = self.predicted.then(|| problem.predicted_data(&fit.unknowns));
                outputs::write_compatible(&folder, &model, &commit, signal.as_ref())?;
            }
            Ok(())
        })?;
        describe(&problem, &fit, &commit, groups.as_ref().map(|groups| groups.names.len()), &mut record);
        record.measure(MEAN_RMSE, mean(commit.rmse.values()), self.unit(&model));
        if let Some(series) = inputs.series() {
            let rmse = commit.rmse.values();
            let evaluated: Vec<usize> = (0..rmse.len()).filter(|&voxel| rmse[voxel] > 0.0).collect();
            note_noise(series, &evaluated, self.is_normalised(&model), &mut record);
        }
        inputs.describe(&mut record);
        self.fit.describe(&mut record);
        record.cite(REFERENCES);
        record.write(folder.path(), job)?;
        job.show_message(format!(
            "{}; intra-axonal fraction {:.3}, NRMSE {:.3} (means over voxels)",
            supported_text(commit.supported().len(), commit.weights.len(), fit.outcome),
            mean(commit.fractions()[0].values()),
            mean(commit.nrmse.values())
        ));
        Ok(commit)
    }
}

/// Checks that the fit did not overflow. After an overflow the result is meaningless.
///
/// # Errors
/// Returns an error if the objective or the projected gradient is not a finite number in an iteration.
pub fn require_numbers<T>(fit: &Fit<T>, precision: Precision) -> Result<()> {
    let lost = |point: &FitPoint| {
        !point.objective.is_finite() || point.projected_gradient.is_some_and(|gradient| !gradient.is_finite())
    };
    if !fit.trace.iter().any(lost) {
        return Ok(());
    }
    let advice = match precision {
        Precision::Single => "scale signals and ‘confidence’ to usual sizes, or use ‘precision’ double",
        Precision::Double => "scale signals and ‘confidence’ to usual sizes",
    };
    Err(Error::invalid(
        "the fit",
        "numbers in the fit exceed the range of its precision (single or double)",
        advice,
    ))
}

/// Warns if COMMIT, or one of several fits with decreasing penalties, stopped before it converged.
pub fn warn_of_outcome<T>(fit: &Fit<T>, options: &FitOptions, precision: Precision) {
    let (option, requested) =
        options.gap.map_or(("‘tolerance’", options.tolerance), |gap| ("‘gap’", gap));
    let advice = |outcome| match outcome {
        Outcome::Converged => None,
        Outcome::IterationLimit => Some("more ‘iterations’ or "),
        Outcome::PrecisionLimit if precision == Precision::Single => Some("‘precision’ double or "),
        Outcome::PrecisionLimit => Some(""),
    };
    // If there is no second fit without a penalty, the last fit of the sequence is the result itself. A
    // warning about it follows below.
    let before = fit.path.len().saturating_sub(usize::from(!options.debias));
    let unfinished: Vec<&str> = fit.path[..before].iter().filter_map(|point| advice(point.outcome)).collect();
    if let Some(other) = unfinished.first() {
        tracing::warn!(
            "{} of {} fits with a penalty stopped before they converged to {option} {requested:e}; give \
             {other}a larger {option}, so that these fits converge",
            unfinished.len(),
            fit.path.len()
        );
    }
    if let Some(other) = advice(fit.outcome) {
        tracing::warn!(
            "COMMIT stopped before it converged to {option} {requested:e}; give {other}a larger {option}, so \
             that the fit converges"
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
        "COMMIT divided the signal of each voxel among {} streamlines, the tissue around them and free water, with \
         the smallest error over all voxels. Streamlines that are not needed have weight 0.",
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
        record.figure(DUALITY_GAP, gap);
    }
    record.convergence = outputs::iterations(&fit.trace);
}
