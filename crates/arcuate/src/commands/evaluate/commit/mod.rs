//! `arcuate evaluate commit`.

mod dictionary;
mod fit;
mod groups;
mod inputs;
mod model;
mod outputs;

use super::common::{
    check_fraction, mean, note_supported, supported_in_words, tractograms, unit_of_signal, write_map,
};
use crate::context::Context;
use crate::map_format::{MapFormat, MapOptions};
use crate::output::OutputFolder;
use crate::precision::Precision;
use crate::products::Product;
use crate::record::{self, Record};
use crate::references;
use crate::scan;
use crate::series::GradientOptions;
use crate::step::Step;
use arcuate_core::{Error, Result};
use arcuate_evaluate::Element;
use arcuate_evaluate::commit::{Commit, CommitOperator, CommitProblem, Fit, FitOptions, FitPoint};
use arcuate_model::compartments::Model;
use arcuate_report::human;
use arcuate_solve::Outcome;
use clap::{Args, ValueEnum};
use dictionary::DictionaryArgs;
use fit::FitArgs;
use inputs::{Inputs, NormalisationArgs, SegmentArgs};
use model::ModelArgs;
use std::path::{Path, PathBuf};

const REFERENCES: &[&str] = &[
    "Daducci A, Dal Palù A, Lemkaddem A, Thiran JP (2015) COMMIT: convex optimization modeling for microstructure informed \
     tractography. doi:10.1109/TMI.2014.2352414",
    "Schiavi S et al. (2020) A new method for accurate in vivo mapping of human brain connections using microstructural and \
     anatomical information (COMMIT2, the option --groups). doi:10.1126/sciadv.aba8245",
    "Panagiotaki E et al. (2012) Compartment models of the diffusion MR signal in brain white matter. \
     doi:10.1016/j.neuroimage.2011.09.081",
    "Beck A, Teboulle M (2009) A fast iterative shrinkage-thresholding algorithm for linear inverse problems. \
     doi:10.1137/080716542",
];

/// Convex Optimization Modeling for Microstructure Informed Tractography: how much of the signal each streamline, the
/// tissue around it and free water explain together
///
/// Writes commit_weights.txt (one row per streamline, 0 where unsupported; signal per mm), tracks_weighted.trx (all
/// streamlines, weights as dps/commit_weights), tracks_supported.trx (those above 0), maps of the compartments
/// (commit_intra, _extra, _isotropic: signal at b = 0; …_fraction: over their sum), of the errors (commit_rmse, _nrmse)
/// and of the segments in each voxel, and commit_trace.csv.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct EvaluateCommit {
    /// Tractogram
    #[arg(value_name = "TRACKS", required_unless_present = "dictionary")]
    tractogram: Option<PathBuf>,
    /// Diffusion series, 4-D
    #[arg(long, value_name = "FILE", required_unless_present = "map")]
    dwi: Option<PathBuf>,
    /// For --model scalar-map: the map, 3-D
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "dwi", "bval", "bvec", "gradients", "b0_threshold", "b_step", "big_delta", "small_delta", "echo_time", "min_b0",
        ]
    )]
    map: Option<PathBuf>,
    /// Folder for the results
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Voxels that count; all that streamlines pass by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Directions of the extra-axonal compartments: 1 to 5 peaks a voxel, 4-D; without it there are none of these
    #[arg(long, value_name = "FILE")]
    peaks: Option<PathBuf>,
    /// Axes that the peaks are along: the scanner's (MRtrix; the default), the image's voxel axes, or FSL's (x negated
    /// where the affine's determinant is positive). Where streamlines follow them better in others, that is an error
    /// unless this option is given
    #[arg(long, value_enum, requires = "peaks")]
    peaks_frame: Option<FrameArg>,
    /// Leave out peaks shorter than this fraction of the longest of their voxel
    #[arg(long, value_name = "FRACTION", default_value_t = 0.1, requires = "peaks")]
    peak_threshold: f64,
    /// How much each voxel counts, 3-D, numbers of 0 or more
    #[arg(long, value_name = "FILE")]
    confidence: Option<PathBuf>,
    /// How directions are treated: exact (spherical harmonics), a number of orientations to look up, a text file of
    /// orientations (scanner axes), or auto: exact unless that takes over three times the arithmetic, else 4,096
    /// orientations, or those of --dictionary
    #[arg(long, value_name = "exact|N|FILE|auto", default_value = "auto")]
    orientations: String,
    /// Arithmetic of the large arrays
    #[arg(long, value_enum, default_value_t = Precision::Single)]
    precision: Precision,
    /// Write the signal that the compartments predict, commit_signal.nii.gz
    #[arg(long)]
    estimated_signal: bool,
    /// Also write the files of dmri-commit 2.4 into Results_<Model>
    #[arg(long)]
    compat: bool,
    #[command(flatten)]
    maps: MapOptions,
    #[command(flatten)]
    normalisation: NormalisationArgs,
    #[command(flatten)]
    dictionary: DictionaryArgs,
    #[command(flatten)]
    segments: SegmentArgs,
    #[command(flatten)]
    gradients: GradientOptions,
    #[command(flatten)]
    model: ModelArgs,
    #[command(flatten)]
    fit: FitArgs,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum FrameArg {
    Scanner,
    Image,
    Fsl,
}

type Problem<T> = CommitProblem<T, CommitOperator<T>>;

impl Step for EvaluateCommit {
    fn outputs(&self) -> Vec<PathBuf> {
        self.model.model().map(|model| record::outputs(&self.out, &self.products(&model))).unwrap_or_default()
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

    /// The tractogram; none only beside a dictionary.
    fn tractogram(&self) -> Option<&Path> {
        self.tractogram.as_deref()
    }

    /// All files that are read.
    fn files(&self) -> Vec<PathBuf> {
        let mut files: Vec<PathBuf> = self.tractogram().into_iter().map(Path::to_owned).collect();
        files.extend(self.dictionary.files());
        files.extend(self.dwi.iter().flat_map(|dwi| self.gradients.files(dwi)));
        files.extend([&self.map, &self.mask, &self.peaks, &self.confidence].into_iter().flatten().cloned());
        let orientations = inputs::orientations_file(&self.orientations);
        files.extend([orientations, self.fit.groups_file()].into_iter().flatten().map(Path::to_owned));
        files
    }

    /// All files to be written.
    fn products(&self, model: &Model) -> Vec<Product> {
        let mut products = Vec::new();
        if self.tractogram().is_some() {
            products.extend(tractograms(outputs::WEIGHTS));
        }
        products.extend(outputs::products(model, self.unit(model)));
        products.extend(self.dwi.is_some().then(scan::anatomy));
        if self.fit.has_curve() {
            products.push(outputs::curve());
        }
        if self.estimated_signal {
            products.push(Product::file(outputs::SIGNAL, "Predicted series"));
        }
        if self.compat {
            products.extend(outputs::compatible(model, self.estimated_signal));
        }
        self.maps.format().of(products)
    }

    /// What signals are in.
    fn unit(&self, model: &Model) -> &'static str {
        if self.map.is_some() { "units of the map" } else { unit_of_signal(self.normalisation.is_on(model)) }
    }

    /// Fails where files of dmri-commit would have another format than its own.
    fn require_its_format(&self) -> Result<()> {
        if self.compat && self.maps.format() != MapFormat::default() {
            let problem = "the files of dmri-commit, which --compat writes, are .nii.gz";
            return Err(Error::usage("--format", problem, "leave one of the two out"));
        }
        Ok(())
    }

    /// Fails on options of compartments along peaks where there are no peaks.
    fn require_peaks(&self) -> Result<()> {
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
        let products = self.products(&model);
        let folder = OutputFolder::create(&self.out, &products, &self.files(), context)?
            .with_maps_as(self.maps.format());
        let mut inputs = Inputs::read(self, &model, context)?;
        let groups = self.fit.groups(self.tractogram(), inputs.streamlines())?;
        let options = self.fit.options(groups.as_ref())?;
        let problem: Problem<T> =
            context.step("build the operator", |_| inputs.problem(self, context.device()?))?;
        let fit = context.step("fit", |bar| {
            let total = options.iterations as u64;
            problem.fit(&options, |point| {
                bar.show(point.iteration as u64, total);
                true
            })
        })?;
        require_numbers(&fit, self.precision).map_err(|e| self.about_sizes(e))?;
        warn_of_outcome(&fit, &options, self.precision);
        let mut record = Record::new(
            "Convex Optimization Modeling for Microstructure Informed Tractography",
            products,
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
                outputs::write_tractograms(&folder, tractogram, &commit, inputs.grid(), context)?;
            }
            if self.fit.has_curve() {
                outputs::write_curve(&folder, &fit.path)?;
            }
            if self.estimated_signal {
                let signal = problem.predicted_signal(&fit.unknowns);
                write_map(&folder.file(outputs::SIGNAL), &signal, &context.image_options())?;
            }
            if self.compat {
                let signal = self.estimated_signal.then(|| problem.predicted_data(&fit.unknowns));
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

/// The error, said of the tractogram's file.
fn about_tractogram(error: Error, path: &Path) -> Error {
    if error.to_string().starts_with("tractogram: ") { error.about(path.display()) } else { error }
}
