//! LiFE (Linear Fascicle Evaluation): computes the weight of each streamline from its contribution to the
//! measured signal.

use super::evaluation::{
    check_fraction, mean, note_noise, note_supported, supported_text, tractograms, unit_of_signal, write_map,
    write_tractograms,
};
use super::work::Work;
use crate::diffusivities;
use crate::job::Job;
use crate::map_format::MapFormat;
use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::precision::Precision;
use crate::record::{self, Iteration, LesionRow, Record};
use crate::run::LIFE_WEIGHTS;
use crate::scan;
use crate::series::{Series, Weighting};
use crate::series_file::SeriesFile;
use crate::space::{warn_of_another_image, warn_of_points_outside};
use arcuate_core::{Error, Mask, Orientations, Result, StreamlineSource, is_file_or_link, is_present};
use arcuate_evaluate::{Element, Life, LifeOptions, LifeProblem, Normalisation};
use arcuate_io::{
    LARGEST_TEXT, Space, TractogramReader, TractogramSource, read_text_file, read_triples, write_file,
};
use arcuate_report::human;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Pestilli F et al. (2014) Evaluation and statistical inference for human connectomes. doi:10.1038/nmeth.3098",
    "Caiafa CF, Pestilli F (2017) Multidimensional encoding of brain connectomes. doi:10.1038/s41598-017-09250-w",
    "Kim D, Sra S, Dhillon IS (2013) A non-monotonic method for large-scale non-negative least squares. \
     doi:10.1080/10556788.2012.656368",
    "Kumar S et al. (2019) ReAl-LiFE: accelerating the discovery of individualized brain connectomes on GPUs (the option \
     --lambda). doi:10.1609/aaai.v33i01.3301630",
];

/// Returns the output files of an evaluation.
fn output_files(unit: &'static str) -> Vec<OutputFile> {
    let before = "life_rmse_before.nii.gz";
    let files = [
        OutputFile::shown(
            LIFE_WEIGHTS,
            "One weight per streamline, 0 where unsupported",
            Kind::Weights { unit: "share of the signal".into() },
        )
        .with_content("One weight per streamline of the input, 0 if unsupported"),
        OutputFile::heat(before, "Error without streamlines", before, unit)
            .with_caption("Root mean square of the signal about its mean over each shell.")
            .with_content("Root mean square error about the mean of each shell, without streamlines"),
        OutputFile::heat("life_rmse_after.nii.gz", "Error with weighted streamlines", before, unit)
            .with_caption("The error with the weights of LiFE, on the same scale.")
            .with_content("Root mean square error about the mean of each shell, with weighted streamlines"),
        OutputFile::file("life_trace.csv", "Objective, gradient, weights above 0 and time of each iteration")
            .with_content("Objective, projected gradient, positive weights and seconds of each iteration"),
    ];
    tractograms(LIFE_WEIGHTS).into_iter().chain(files).chain([scan::anatomy()]).collect()
}

/// Evaluates streamlines with Linear Fascicle Evaluation (LiFE), which estimates the non-negative weights of
/// the streamlines that predict the signal best.
#[derive(Debug, Clone, PartialEq)]
pub struct EvaluateLife {
    /// The tractogram.
    pub tracts: PathBuf,
    /// The diffusion series to explain.
    pub series: SeriesFile,
    /// Mask of the voxels to evaluate. Default: all voxels that streamlines pass.
    pub mask: Option<PathBuf>,
    /// Folder of the results.
    pub out: PathBuf,
    /// Options of the model and the solver.
    pub options: LifeOptions,
    /// Text file of the fibre directions for which responses are tabulated, as x y z in scanner axes. If it
    /// is set, it replaces the directions in `options`.
    pub orientations: Option<PathBuf>,
    /// Floating-point precision of the computation.
    pub precision: Precision,
    /// Groups of streamlines that are removed in virtual lesions. A group is the name of a group in the
    /// tractogram, or a text file of streamline numbers, counted from 0.
    pub lesions: Vec<String>,
    /// True if the weights of the remaining streamlines are fitted again after each virtual lesion.
    pub refit: bool,
    /// Format of the maps.
    pub format: MapFormat,
}

impl EvaluateLife {
    /// Creates an evaluation of a tractogram with a diffusion series, with default options.
    pub fn new(tracts: impl Into<PathBuf>, series: SeriesFile, out: impl Into<PathBuf>) -> Self {
        Self {
            tracts: tracts.into(),
            series,
            mask: None,
            out: out.into(),
            options: LifeOptions::default(),
            orientations: None,
            precision: Precision::default(),
            lesions: Vec::new(),
            refit: false,
            format: MapFormat::default(),
        }
    }

    /// Returns the files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let orientations = self.orientations.clone().filter(|path| is_file_or_link(path));
        let groups = self.lesions.iter().map(PathBuf::from).filter(|path| is_file_or_link(path));
        let optional = orientations.into_iter().chain(self.mask.clone()).chain(groups);
        self.series.files().into_iter().chain([self.tracts.clone()]).chain(optional).collect()
    }

    /// Returns the unit of the signal and of the prediction errors, as text.
    fn unit(&self) -> &'static str {
        unit_of_signal(self.options.normalisation == Normalisation::Relative)
    }

    fn output_files(&self) -> Vec<OutputFile> {
        self.format.of(output_files(self.unit()))
    }

    /// Returns the options. If a file of fibre directions is given, the directions are read from it.
    fn resolved(&self) -> Result<LifeOptions> {
        check_fraction("‘tolerance’", self.options.stopping.tolerance)?;
        check_fraction("‘lambda’", self.options.l1)?;
        let mut options = self.options.clone();
        if let Some(path) = &self.orientations {
            let directions = read_triples(path, "a direction, x y z in scanner axes")?;
            options.orientations = Orientations::new(&directions).map_err(|e| e.about(path.display()))?;
        }
        Ok(options)
    }

    /// Fits the weights of the streamlines and writes the results.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<Life> {
        match self.precision {
            Precision::Single => self.run_in::<f32>(job),
            Precision::Double => self.run_in::<f64>(job),
        }
    }

    fn run_in<T: Element>(&self, job: &Job) -> Result<Life> {
        let options = self.resolved()?;
        let folder = OutputFolder::create(&self.out, &self.output_files(), &self.inputs(), job)?
            .with_maps_as(self.format);
        let series = self.series.read(Weighting::Needed, job)?;
        options.check(&series.gradients)?;
        // Only the largest eigenvalue (diffusivity along the fascicle) is checked, because the perpendicular
        // diffusivities may be 0.
        diffusivities::warn_of_option("‘eigenvalues’", options.eigenvalues.into_iter().fold(0.0, f64::max));
        let mask = match &self.mask {
            Some(path) => series.mask(Some(path))?,
            None => Mask::full(*series.dwi.grid()),
        };
        let space = Space::Likely(series.dwi.grid());
        let known = TractogramReader::open_in(&self.tracts, space)?.read_groups()?.members;
        let tracks = job.step("check the tractogram", || {
            // The data of the tractogram are copied to the results. They are read here once, so that an error
            // in them occurs before the long fit.
            let reader = TractogramReader::open_in(&self.tracts, space)?;
            let data = reader.data();
            reader.stream_with(&data, &mut ())?;
            Ok(TractogramSource { path: &self.tracts, space })
        })?;
        warn_of_another_image(&self.tracts, series.dwi.grid(), "the diffusion series")?;
        let groups = self
            .lesions
            .iter()
            .map(|name| Ok((name.clone(), group_members(name, &known)?)))
            .collect::<Result<Vec<_>>>()?;
        job.came_from("tractogram", &self.tracts.display());
        let (problem, life) = solve::<T>(&series, &mask, &tracks, &options, job)?;
        let mut record = Record::new("Linear Fascicle Evaluation", self.output_files(), job);
        record.add_inputs(&self.inputs(), job)?;
        series.note(&mut record);
        for (name, members) in &groups {
            let refit = self.refit.then_some(&options);
            let lesion = problem.virtual_lesion(&life, members, refit);
            let lesion = lesion.map_err(|e| e.about(self.subject_of_lesion(name, &known)))?;
            record.lesions.push(LesionRow {
                group: name.clone(),
                streamlines: lesion.streamlines,
                supported: lesion.supported,
                voxels: lesion.voxels,
                rmse_with: lesion.rmse_with,
                rmse_without: lesion.rmse_without,
                strength_of_evidence: lesion.strength_of_evidence,
                earth_movers_distance: lesion.earth_movers_distance,
            });
            job.show_message(format!(
                "without {name}: RMSE {:.4} becomes {:.4}, strength of evidence {:.2}, earth mover's distance {:.4}",
                lesion.rmse_with, lesion.rmse_without, lesion.strength_of_evidence, lesion.earth_movers_distance
            ));
        }
        job.write("write the results", || {
            let grid = series.dwi.grid();
            write_tractograms(&folder, &self.tracts, "life_weights", &life.weights, grid, job)?;
            write_results(&folder, &life, job)
        })?;
        scan::write_anatomy(&series.dwi, &series.gradients, &folder, job)?;
        describe(&life, &problem, self.unit(), &mut record);
        let is_normalised = self.options.normalisation == Normalisation::Relative;
        let evaluated: Vec<usize> = problem.encoding().voxels().iter().map(|&voxel| voxel as usize).collect();
        note_noise(&series, &evaluated, is_normalised, &mut record);
        let explained = options.shells_of(&series.gradients)?;
        let explained = series.gradients.of_measurements(explained.measurements());
        record.choice("shells explained", format!("{} s/mm²", explained.describe_shells()));
        record.cite(REFERENCES);
        record.write(folder.path(), job)?;
        job.show_message(sentence(&life));
        Ok(life)
    }

    /// Returns the subject of an error about a virtual lesion. It is the option `lesions` with the name of
    /// the group. If the group is part of the tractogram, the path of the tractogram is added.
    fn subject_of_lesion(&self, name: &str, known: &BTreeMap<String, Vec<u32>>) -> String {
        if known.contains_key(name) {
            format!("‘lesions’ {name}, a group of {}", self.tracts.display())
        } else {
            format!("‘lesions’ {name}")
        }
    }
}

impl Work for EvaluateLife {
    fn outputs(&self) -> Vec<PathBuf> {
        record::outputs(&self.out, &self.output_files())
    }

    fn check(&self, job: &Job) -> Result<()> {
        let options = self.resolved()?;
        let series = self.series.read(Weighting::Needed, job)?;
        series.check_mask(job.unless_expected(self.mask.as_deref()))?;
        options.check(&series.gradients)
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}

/// Encodes the streamlines and fits their weights.
fn solve<T: Element>(
    series: &Series,
    mask: &Mask,
    tracks: &dyn StreamlineSource,
    options: &LifeOptions,
    job: &Job,
) -> Result<(LifeProblem<T>, Life)> {
    let problem = job.step("encode the streamlines", || {
        LifeProblem::new(&series.dwi, &series.gradients, mask, tracks, options, job.device()?)
    })?;
    let encoding = problem.encoding();
    warn_of_points_outside(encoding.nodes_outside(), encoding.nodes() as usize);
    let life = job.step("weigh the streamlines", || {
        let (control, total) = (job.control(), options.stopping.iterations as u64);
        let life = problem.solve(options, |point| control.progress(point.iteration as u64, total).is_ok());
        control.check()?;
        Ok(life)
    })?;
    Ok((problem, life))
}

/// Writes the files in [`output_files`], except the tractograms.
fn write_results(folder: &OutputFolder, life: &Life, job: &Job) -> Result<()> {
    arcuate_io::write_weights(
        &folder.file(LIFE_WEIGHTS),
        &life.weights,
        &["LiFE weight of each streamline"],
    )?;
    let images = job.image_options();
    write_map(&folder.file("life_rmse_before.nii.gz"), &life.rmse_before, &images)?;
    write_map(&folder.file("life_rmse_after.nii.gz"), &life.rmse_after, &images)?;
    let mut trace =
        String::from("iteration,products,objective,projected_gradient,positive_weights,seconds\n");
    for p in &life.trace.points {
        // Writing to a string cannot fail.
        let _ = writeln!(
            trace,
            "{},{},{},{},{},{:.6}",
            p.iteration,
            p.products,
            p.objective,
            p.projected_gradient,
            p.positive,
            p.elapsed.as_secs_f64()
        );
    }
    write_file(&folder.file("life_trace.csv"), trace)
}

/// Name that the record of a command uses for the error of a prediction without streamlines: the root mean
/// square error (RMSE), averaged over the voxels. Other modules use this name, too.
pub const RMSE_WITHOUT: &str = "mean RMSE without streamlines";
/// Name that the record of a command uses for the error of the prediction with weighted streamlines: the root
/// mean square error (RMSE), averaged over the voxels.
pub const RMSE_WITH: &str = "mean RMSE with weighted streamlines";

/// Adds the key figures and the iteration history of the solver to the record.
fn describe<T: Element>(life: &Life, problem: &LifeProblem<T>, unit: &str, record: &mut Record) {
    record.done(format!(
        "LiFE gave each of {} streamlines the weight with which all together explain the measured signal best; those that it does \
         not need have weight 0.",
        human::count(life.weights.len() as u64)
    ));
    record.figure("streamlines evaluated", life.weights.len()).key();
    note_supported(life.supported().len(), life.outcome, record);
    record.figure("voxels evaluated", problem.encoding().voxels().len());
    record.voxel_counts("", problem.counts());
    record.figure("coefficients", problem.encoding().coefficients());
    record.choice("products computed by", problem.operator().computed_by());
    record.measure(RMSE_WITHOUT, mean(life.rmse_before.values()), unit).key();
    record.measure(RMSE_WITH, mean(life.rmse_after.values()), unit).key();
    if life.l1 > 0.0 {
        record.figure("λ of the penalty, in the unit of Mᵀy", life.l1);
        record.figure("objective ½‖y − Mw‖² + λ Σ w", life.objective);
    } else {
        record.figure("objective ½‖y − Mw‖²", life.objective);
    }
    record.convergence = iterations(life);
}

fn sentence(life: &Life) -> String {
    format!(
        "{}; mean RMSE {:.4} without, {:.4} with them",
        supported_text(life.supported().len(), life.weights.len(), life.outcome),
        mean(life.rmse_before.values()),
        mean(life.rmse_after.values())
    )
}

fn iterations(life: &Life) -> Vec<Iteration> {
    let row = |p: &arcuate_solve::TracePoint| Iteration {
        number: p.iteration,
        products: p.products,
        objective: p.objective,
        projected_gradient: Some(p.projected_gradient),
        relative_gap: None,
        relative_residual: None,
        positive_weights: Some(p.positive),
        seconds: p.elapsed.as_secs_f64(),
    };
    life.trace.points.iter().map(row).collect()
}

/// Returns the numbers of the streamlines of a group. `name` is a group in the tractogram (in the list
/// `known`), or the path of a text file.
fn group_members(name: &str, known: &BTreeMap<String, Vec<u32>>) -> Result<Vec<u32>> {
    if let Some(members) = known.get(name) {
        return Ok(members.clone());
    }
    let path = Path::new(name);
    if !is_present(path) {
        let known: Vec<&str> = known.keys().map(String::as_str).collect();
        let advice = if known.is_empty() {
            "the tractogram has no groups: give a text file of streamline numbers".to_owned()
        } else {
            format!("give a text file of streamline numbers, or one of the groups {}", known.join(", "))
        };
        return Err(Error::usage(format!("‘lesions’ {name}"), "no group or file has this name", advice));
    }
    let text = read_text_file(path, LARGEST_TEXT)?;
    text.split_whitespace()
        .map(|word| {
            word.parse().map_err(|_| {
                Error::invalid(path.display(), format!("`{word}` is not a streamline number"), "count from 0")
            })
        })
        .collect()
}
