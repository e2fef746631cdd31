use super::common::{
    check_fraction, mean, note_supported, supported_in_words, tractograms, unit_of_signal, write_map,
    write_tractograms,
};
use crate::context::Context;
use crate::diffusivities;
use crate::map_format::MapOptions;
use crate::numbers::one_or_more;
use crate::output::OutputFolder;
use crate::output_files::{Kind, OutputFile};
use crate::precision::Precision;
use crate::progress;
use crate::record::{self, Iteration, LesionRow, Record};
use crate::references;
use crate::scan;
use crate::series::{GradientOptions, Series};
use crate::space::{warn_of_another_image, warn_of_points_outside};
use crate::stage_command::StageCommand;
use arcuate_core::{Error, Mask, Orientations, Result, StreamlineSource};
use arcuate_evaluate::encoding::NodeValue;
use arcuate_evaluate::{Element, Life, LifeOptions, LifeProblem, Normalisation, Solver};
use arcuate_io::{Space, TractogramReader, TractogramSource, write_file};
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::run::LIFE_WEIGHTS;
use arcuate_report::human;
use arcuate_solve::StoppingRule;
use clap::{Args, ValueEnum};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const REFERENCES: &[&str] = &[
    "Pestilli F et al. (2014) Evaluation and statistical inference for human connectomes. doi:10.1038/nmeth.3098",
    "Caiafa CF, Pestilli F (2017) Multidimensional encoding of brain connectomes. doi:10.1038/s41598-017-09250-w",
    "Kim D, Sra S, Dhillon IS (2013) A non-monotonic method for large-scale non-negative least squares. \
     doi:10.1080/10556788.2012.656368",
    "Kumar S et al. (2019) ReAl-LiFE: accelerating the discovery of individualized brain connectomes on GPUs (the option \
     --lambda). doi:10.1609/aaai.v33i01.3301630",
];

/// What an evaluation writes.
fn output_files(unit: &'static str) -> Vec<OutputFile> {
    let before = "life_rmse_before.nii.gz";
    let files = [
        OutputFile::shown(
            LIFE_WEIGHTS,
            "One weight per streamline, 0 where unsupported",
            Kind::Weights { unit: "share of the signal".into() },
        ),
        OutputFile::heat(before, "Error without streamlines", before, unit)
            .with_caption("Root mean square of the signal about its mean over each shell."),
        OutputFile::heat("life_rmse_after.nii.gz", "Error with weighted streamlines", before, unit)
            .with_caption("What LiFE leaves, on the same scale."),
        OutputFile::file("life_trace.csv", "Objective, gradient, weights above 0 and time of each iteration"),
    ];
    tractograms(LIFE_WEIGHTS).into_iter().chain(files).chain([scan::anatomy()]).collect()
}

/// Linear Fascicle Evaluation: non-negative weights with which the streamlines predict the signal best
///
/// Writes life_weights.txt (one row per streamline, 0 where unsupported), tracks_weighted.trx (all streamlines, weights
/// as dps/life_weights), tracks_supported.trx (those above 0), life_rmse_before/after.nii.gz (what the mean signal of each
/// shell leaves, and what the weighted streamlines leave) and life_trace.csv.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(REFERENCES))]
pub(crate) struct EvaluateLife {
    /// Tractogram
    #[arg(value_name = "TRACKS")]
    tractogram: PathBuf,
    /// Diffusion series, 4-D
    #[arg(long, value_name = "FILE")]
    dwi: PathBuf,
    /// Where the result goes; a folder
    #[arg(long, value_name = "FOLDER")]
    out: PathBuf,
    /// Mask of the voxels that count; all that streamlines pass by default
    #[arg(long, value_name = "FILE")]
    mask: Option<PathBuf>,
    /// Precision of the arithmetic
    #[arg(long, value_enum, default_value_t = Precision::Single)]
    precision: Precision,
    #[command(flatten)]
    maps: MapOptions,
    /// A group of streamlines to remove virtually: the name of a group of a .trx, or a text file of streamline numbers
    /// (from 0); may be given again
    #[arg(long, value_name = "GROUP")]
    lesion: Vec<String>,
    /// Refit the remaining streamlines after each lesion
    #[arg(long, requires = "lesion")]
    refit: bool,
    #[command(flatten)]
    gradients: GradientOptions,
    #[command(flatten)]
    life: LifeArgs,
}

/// Options of the model and of its solver.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "LiFE")]
pub(crate) struct LifeArgs {
    /// Shells to take, by their b-values in s/mm²; by default those of 15 axes or more, or of as many as the largest has where
    /// that has fewer. The mean signal of each shell is left free
    #[arg(long, value_name = "B,B,…", value_delimiter = ',')]
    shells: Option<Vec<f64>>,
    /// λ₁,λ₂,λ₃ of a fascicle's tensor in µm²/ms, λ₂ = λ₃
    #[arg(long, value_name = "L1,L2,L3", default_value = "1,0,0", value_parser = parse_eigenvalues)]
    eigenvalues: Eigenvalues,
    /// Orientations that responses are tabulated for; a number of them, or a text file of directions (scanner axes)
    #[arg(long, value_name = "WHICH", default_value = "1057")]
    orientations: String,
    /// Divide the signal of a voxel by the mean of its b = 0 measurements, as DIPY; without it the prediction is
    /// multiplied with that mean, so that voxels count by their brightness
    #[arg(long)]
    normalise_signal: bool,
    /// What a point of a streamline counts: 1, or its length in mm
    #[arg(long, value_enum, default_value_t = NodeValueArg::Count)]
    node_value: NodeValueArg,
    /// Algorithm of the fit
    #[arg(long, value_enum, default_value_t = SolverArg::BarzilaiBorwein)]
    solver: SolverArg,
    /// Penalty that regularises the result; on the streamlines, which leaves fewer of them (ReAl-LiFE)
    #[arg(long, value_name = "PENALTY", value_enum, default_value_t = Regularise::None)]
    regularise: Regularise,
    /// Strength of the penalty; a fraction of the smallest that leaves no streamline, max(Mᵀy), from 0 to below 1: it means
    /// the same in any unit of the signal
    #[arg(long, value_name = "LAMBDA")]
    lambda: Option<f64>,
    /// Iterations end below this fraction; of the projected gradient without streamlines
    #[arg(long, value_name = "FRACTION", default_value_t = StoppingRule::default().tolerance)]
    tolerance: f64,
    /// Iterations at most
    #[arg(
        long,
        value_name = "N",
        default_value_t = StoppingRule::default().iterations,
        value_parser = one_or_more::<usize>
    )]
    iterations: usize,
}

#[derive(Debug, Clone, Copy)]
struct Eigenvalues([f64; 3]);

fn parse_eigenvalues(text: &str) -> std::result::Result<Eigenvalues, String> {
    let number = |word: &str| word.trim().parse().map_err(|_| format!("`{}` is no number", word.trim()));
    let numbers = text.split(',').map(number).collect::<std::result::Result<Vec<f64>, String>>()?;
    numbers.try_into().map(Eigenvalues).map_err(|_| "expected three numbers such as 1.7,0.3,0.3".to_owned())
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Regularise {
    None,
    /// λ Σ w: few streamlines
    Lasso,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum NodeValueArg {
    Count,
    Length,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SolverArg {
    BarzilaiBorwein,
    Sbbnnls,
}

impl LifeArgs {
    /// The options of the library.
    fn options(&self) -> Result<LifeOptions> {
        check_fraction("--tolerance", self.tolerance)?;
        let l1 = match (self.regularise, self.lambda) {
            (Regularise::None, None) => 0.0,
            (Regularise::Lasso, Some(lambda)) => {
                check_fraction("--lambda", lambda)?;
                lambda
            }
            (Regularise::Lasso, None) => {
                let advice = "give --lambda, such as 0.1";
                return Err(Error::usage("--regularise", "its strength is not said", advice));
            }
            (Regularise::None, Some(_)) => {
                let problem = "there is no penalty it could be of";
                return Err(Error::usage("--lambda", problem, "give --regularise lasso"));
            }
        };
        Ok(LifeOptions {
            shells: self.shells.clone(),
            eigenvalues: self.eigenvalues.0,
            orientations: self.orientations()?,
            node_value: match self.node_value {
                NodeValueArg::Count => NodeValue::Count,
                NodeValueArg::Length => NodeValue::Length,
            },
            normalisation: if self.normalise_signal {
                Normalisation::Relative
            } else {
                Normalisation::Signal
            },
            solver: match self.solver {
                SolverArg::BarzilaiBorwein => Solver::ProjectedBarzilaiBorwein,
                SolverArg::Sbbnnls => Solver::Sbbnnls,
            },
            l1,
            stopping: StoppingRule { tolerance: self.tolerance, iterations: self.iterations },
        })
    }

    fn orientations(&self) -> Result<Orientations> {
        if let Ok(count) = self.orientations.parse::<usize>() {
            if !(6..=1 << 16).contains(&count) {
                let problem = format!("{count} orientations do not make a dictionary");
                return Err(Error::usage("--orientations", problem, "give 6 to 65536"));
            }
            return Ok(Orientations::half_sphere(count));
        }
        let path = Path::new(&self.orientations);
        let directions = arcuate_io::read_triples(path, "a direction, x y z in scanner axes")?;
        Orientations::new(&directions).map_err(|e| e.about(path.display()))
    }
}

impl StageCommand for EvaluateLife {
    fn outputs(&self) -> Vec<PathBuf> {
        record::outputs(&self.out, &self.output_files())
    }

    fn check(&self, context: &Context) -> Result<()> {
        let options = self.life.options()?;
        let series = context.series(&self.dwi, &self.gradients)?;
        series.check_mask(self.mask.as_deref())?;
        options.check(&series.gradients)
    }

    fn run(&self, context: &Context) -> Result<()> {
        match self.precision {
            Precision::Single => self.run_in::<f32>(context),
            Precision::Double => self.run_in::<f64>(context),
        }
    }
}

impl EvaluateLife {
    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let orientations = Some(PathBuf::from(&self.life.orientations)).filter(|path| path.is_file());
        let groups = self.lesion.iter().map(PathBuf::from).filter(|path| path.is_file());
        let optional = orientations.into_iter().chain(self.mask.clone()).chain(groups);
        self.gradients.files(&self.dwi).into_iter().chain([self.tractogram.clone()]).chain(optional).collect()
    }

    fn output_files(&self) -> Vec<OutputFile> {
        self.maps.format().of(output_files(unit_of_signal(self.life.normalise_signal)))
    }

    fn run_in<T: Element>(&self, context: &Context) -> Result<()> {
        let options = self.life.options()?;
        let folder = OutputFolder::create(&self.out, &self.output_files(), &self.inputs(), context)?
            .with_maps_as(self.maps.format());
        let series = context.series(&self.dwi, &self.gradients)?;
        options.check(&series.gradients)?;
        // Of the three the largest: those across a fascicle may well be 0.
        diffusivities::warn_of_option("--eigenvalues", options.eigenvalues.into_iter().fold(0.0, f64::max));
        let mask = match &self.mask {
            Some(path) => series.mask(Some(path))?,
            None => Mask::full(*series.dwi.grid()),
        };
        let space = Space::Likely(series.dwi.grid());
        let known = TractogramReader::open_in(&self.tractogram, space)?.read_groups()?.members;
        let tracks = context.step("check the tractogram", |_| {
            // Its data go along into the results: damage is better known now than after the work.
            let reader = TractogramReader::open_in(&self.tractogram, space)?;
            let data = reader.data();
            reader.stream_with(&data, &mut ())?;
            Ok(TractogramSource { path: &self.tractogram, space })
        })?;
        warn_of_another_image(&self.tractogram, series.dwi.grid(), "the diffusion series")?;
        let groups = self
            .lesion
            .iter()
            .map(|name| Ok((name.clone(), group_members(name, &known)?)))
            .collect::<Result<Vec<_>>>()?;
        context.came_from("tractogram", self.tractogram.display());
        let (problem, life) = solve::<T>(&series, &mask, &tracks, &options, context)?;
        let mut record = Record::new("Linear Fascicle Evaluation", self.output_files(), context);
        record.add_inputs(&self.inputs(), context)?;
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
            context.say(format_args!(
                "without {name}: RMSE {:.4} becomes {:.4}, strength of evidence {:.2}, earth mover's distance {:.4}",
                lesion.rmse_with, lesion.rmse_without, lesion.strength_of_evidence, lesion.earth_movers_distance
            ));
        }
        context.step("write the results", |_| {
            let grid = series.dwi.grid();
            write_tractograms(&folder, &self.tractogram, "life_weights", &life.weights, grid, context)?;
            write_results(&folder, &life, context)
        })?;
        scan::write_anatomy(&series.dwi, &series.gradients, &folder, context)?;
        describe(&life, &problem, unit_of_signal(self.life.normalise_signal), &mut record);
        let explained = options.shells_of(&series.gradients)?;
        let explained = series.gradients.of_measurements(explained.measurements());
        record.choice("shells explained", format!("{} s/mm²", explained.shells_in_words()));
        record.cite(REFERENCES);
        record.write(folder.path(), context)?;
        context.say(sentence(&life));
        Ok(())
    }

    /// What an error of a group is about: the option, whose value is a file, or else a group of the tractogram.
    fn subject_of_lesion(&self, name: &str, known: &BTreeMap<String, Vec<u32>>) -> String {
        if known.contains_key(name) {
            format!("--lesion {name}, a group of {}", self.tractogram.display())
        } else {
            format!("--lesion {name}")
        }
    }
}

/// Encodes and solves.
fn solve<T: Element>(
    series: &Series,
    mask: &Mask,
    tracks: &dyn StreamlineSource,
    options: &LifeOptions,
    context: &Context,
) -> Result<(LifeProblem<T>, Life)> {
    let problem = context.step("encode the streamlines", |_| {
        LifeProblem::new(&series.dwi, &series.gradients, mask, tracks, options, context.device()?)
    })?;
    let encoding = problem.encoding();
    warn_of_points_outside(encoding.nodes_outside(), encoding.nodes() as usize);
    if problem.excluded_voxels() > 0 {
        tracing::warn!(
            "{} voxels with streamlines have no usable signal and were left out",
            problem.excluded_voxels()
        );
    }
    let life = context.step("weigh the streamlines", |_| {
        let (control, total) = (progress::control(), options.stopping.iterations as u64);
        let life = problem.solve(options, |point| control.progress(point.iteration as u64, total).is_ok());
        control.check()?;
        Ok(life)
    })?;
    Ok((problem, life))
}

/// Writes the files of [`output_files`], but for tractograms.
fn write_results(folder: &OutputFolder, life: &Life, context: &Context) -> Result<()> {
    arcuate_io::write_weights(
        &folder.file(LIFE_WEIGHTS),
        &life.weights,
        &["LiFE weight of each streamline"],
    )?;
    let images = context.image_options();
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

/// Names of key figures that the demo repeats.
pub(crate) const RMSE_WITHOUT: &str = "mean RMSE without streamlines";
pub(crate) const RMSE_WITH: &str = "mean RMSE with weighted streamlines";

/// Adds the key figures and the convergence to a record.
fn describe<T: Element>(life: &Life, problem: &LifeProblem<T>, unit: &str, record: &mut Record) {
    record.done(format!(
        "LiFE gave each of {} streamlines the weight with which all together explain the measured signal best; those that it does \
         not need have weight 0.",
        human::count(life.weights.len() as u64)
    ));
    record.figure("streamlines evaluated", life.weights.len()).key();
    note_supported(life.supported().len(), life.outcome, record);
    record.figure("voxels evaluated", problem.encoding().voxels().len());
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
        supported_in_words(life.supported().len(), life.weights.len(), life.outcome),
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

/// The streamline numbers of a group of the tractogram, or of a text file.
fn group_members(name: &str, known: &BTreeMap<String, Vec<u32>>) -> Result<Vec<u32>> {
    if let Some(members) = known.get(name) {
        return Ok(members.clone());
    }
    let path = Path::new(name);
    if !path.exists() {
        let known: Vec<&str> = known.keys().map(String::as_str).collect();
        let advice = if known.is_empty() {
            "the tractogram has no groups: give a text file of streamline numbers".to_owned()
        } else {
            format!("give a text file of streamline numbers, or one of: {}", known.join(", "))
        };
        return Err(Error::usage(format!("--lesion {name}"), "no group or file has this name", advice));
    }
    let text = std::fs::read_to_string(path).map_err(|e| Error::read(path, e))?;
    text.split_whitespace()
        .map(|word| {
            word.parse().map_err(|_| {
                Error::invalid(path.display(), format!("`{word}` is no streamline number"), "count from 0")
            })
        })
        .collect()
}
