use super::evaluate::life;
use super::{connectome, mask, report, tensor, track};
use crate::context::{Context, show_progress};
use crate::output::OutputFolder;
use crate::record::{FILE_NAME, Record, count};
use crate::references;
use crate::series::{GradientOptions, Series};
use crate::space;
use arcuate_connect::{ConnectomeOptions, TrackDensity};
use arcuate_core::{Error, Grid, Mask, Result, Tractogram, Volume};
use arcuate_evaluate::Life;
use arcuate_io::{WriteOptions, write_file, write_image};
use arcuate_model::{TensorFit, TensorMaps, TensorOptions, fit_tensor, tensor_maps};
use arcuate_track::{Curvature, Integrator, Seeds, TrackOptions, TrackSummary, track_tensor};
use clap::Args;
use std::path::PathBuf;

/// From a diffusion series to an evaluated tractogram and a report, in one command
///
/// Brain mask, tensor maps, tractogram by tensor tracking, LiFE weights, connectome (with --labels) and report.html.
/// Every step is a command of its own with more options: mask, tensor, track tensor, evaluate life, connectome, report.
#[derive(Debug, Args)]
#[command(after_long_help = references::help(&references()))]
pub(crate) struct Run {
    /// Diffusion series, 4-D
    pub(crate) dwi: PathBuf,
    /// Folder for the results
    #[arg(long, value_name = "FOLDER")]
    pub(crate) out: PathBuf,
    /// Brain mask; found in the series by default
    #[arg(long, value_name = "FILE")]
    pub(crate) mask: Option<PathBuf>,
    /// Parcellation in the space of the series: adds a connectome
    #[arg(long, value_name = "FILE")]
    pub(crate) labels: Option<PathBuf>,
    /// Names of the regions: FreeSurfer's colour table or MRtrix's labelconvert table
    #[arg(long, value_name = "FILE", requires = "labels")]
    pub(crate) label_names: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) gradients: GradientOptions,
    #[command(flatten)]
    pub(crate) tracking: TrackingArgs,
    #[command(flatten)]
    pub(crate) life: life::LifeArgs,
}

/// The tracking options of `run`; `arcuate track tensor` has all of them.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Tracking")]
pub(crate) struct TrackingArgs {
    /// Number of streamlines to track
    #[arg(long, value_name = "N", default_value_t = 50_000)]
    streamlines: u64,
    /// Streamlines begin and stay where FA is at least this
    #[arg(long, value_name = "FA", default_value_t = 0.2)]
    cutoff: f64,
    /// Step in mm; half a voxel by default
    #[arg(long, value_name = "MM")]
    step: Option<f64>,
    /// Largest angle between two steps, in degrees
    #[arg(long, value_name = "DEGREES", default_value_t = 45.0)]
    angle: f64,
    /// Shortest streamline kept, in mm
    #[arg(long, value_name = "MM", default_value_t = 20.0)]
    min_length: f64,
    /// Longest streamline, in mm
    #[arg(long, value_name = "MM", default_value_t = 250.0)]
    max_length: f64,
}

/// The papers behind all steps.
pub(crate) fn references() -> Vec<&'static str> {
    let tracking: &[&str] = &[track::INTERPOLATED];
    [mask::REFERENCES, tensor::REFERENCES, tracking, life::REFERENCES, connectome::REFERENCES].concat()
}

/// What a run has found.
pub(crate) struct Results {
    pub(crate) maps: TensorMaps,
    pub(crate) tracks: Tractogram,
    pub(crate) life: Life,
}

impl TrackingArgs {
    /// The options of the library but the mask, checked before any work.
    fn options(&self, grid: &Grid, seed: u64) -> Result<TrackOptions> {
        if self.streamlines == 0 {
            return Err(Error::usage("--streamlines", "0 streamlines are wanted", "ask for one or more"));
        }
        let voxel = grid.affine().determinant().abs().cbrt();
        let options = TrackOptions {
            integrator: Integrator::RungeKutta4,
            step_mm: Some(self.step.unwrap_or(0.5 * voxel)),
            curvature: Curvature::MaxAngleDegrees(self.angle),
            fa_cutoff: self.cutoff,
            min_length_mm: Some(self.min_length),
            max_length_mm: Some(self.max_length),
            select: Some(self.streamlines),
            seed,
            ..TrackOptions::default()
        };
        options.check(grid)?;
        Ok(options)
    }
}

impl Run {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let folder = self.folder(context)?;
        let mut record = Record::new("From diffusion series to evaluated tractogram", context);
        self.work(&folder, &mut record, context)?;
        finish(&folder, &mut record, context)
    }

    /// The output folder, with nothing in it that would be written over.
    pub(crate) fn folder(&self, context: &Context) -> Result<OutputFolder> {
        OutputFolder::create(&self.out, &self.files(), &self.inputs(), context.force)
    }

    /// The files that are read.
    fn inputs(&self) -> Vec<PathBuf> {
        let optional = [&self.mask, &self.labels, &self.label_names].into_iter().flatten().cloned();
        self.gradients.files(&self.dwi).into_iter().chain(optional).collect()
    }

    /// Names of the files that this run writes.
    fn files(&self) -> Vec<&'static str> {
        let mut names = vec![
            "mask.nii.gz",
            "tracks_weighted.trx",
            "tracks_supported.trx",
            "track_density.nii.gz",
            FILE_NAME,
            report::FILE_NAME,
        ];
        names.extend(tensor::FILES.iter().chain(life::FILES));
        if self.labels.is_some() {
            names.extend(connectome::FILES);
        }
        names
    }

    /// All steps but the report.
    pub(crate) fn work(
        &self,
        folder: &OutputFolder,
        record: &mut Record,
        context: &Context,
    ) -> Result<Results> {
        let life_options = self.life.options()?;
        let series = context.step("read the series", |_| Series::read(&self.dwi, &self.gradients))?;
        let tracking = self.tracking.options(series.dwi.grid(), context.seed)?;
        let labels = self
            .labels
            .as_deref()
            .map(|path| {
                let labels = connectome::load_labels(path, self.label_names.as_deref())?;
                space::labels_on(labels, series.dwi.grid(), path, "the diffusion series")
            })
            .transpose()?;
        self.note(&series, record)?;

        let mask = context.step("find the brain", |_| series.mask(self.mask.as_deref()))?;
        write_image(&folder.file("mask.nii.gz"), &mask.to_volume(), &WriteOptions::default())?;
        record.figure("voxels in the brain mask", count(mask.count()));

        let (fit, maps) = context.step("fit the tensor", |_| {
            let options = TensorOptions::default();
            let fit = fit_tensor(&series.dwi, &series.gradients, &mask, context.device_so_far(), &options)?;
            let maps = tensor_maps(&fit.tensor)?;
            Ok((fit, maps))
        })?;
        context.step("write the maps", |_| tensor::write_maps(folder, &fit, &maps))?;
        note_tissue(&maps, &mask, record);

        let (mut tracks, density, summary) = self.track(&fit, &maps.fa, &mask, &tracking, context)?;
        write_image(&folder.file("track_density.nii.gz"), &density, &WriteOptions::default())?;
        record.figure("streamlines", count(summary.streamlines as usize));
        record.figure("mean length", format!("{:.1} mm", summary.mean_length_mm()));

        let (problem, life) = life::solve::<f32>(&series, &mask, &tracks, &life_options, context)?;
        life::describe(&life, &problem, record);
        drop(problem);
        context.step("write the tractograms", |_| {
            life::write_results(folder, &mut tracks, &life, series.dwi.grid())
        })?;

        if let Some(labels) = &labels {
            let options = ConnectomeOptions::default();
            let matrices = context.step("connectome", |_| {
                arcuate_connect::connectome(&tracks, labels, Some(&life.weights), &options)
            })?;
            connectome::write(folder, &matrices)?;
            record.figure("regions", matrices.regions.len());
            record.figure("streamlines that join two regions", count(matrices.assigned()));
        }
        Ok(Results { maps, tracks, life })
    }

    fn note(&self, series: &Series, record: &mut Record) -> Result<()> {
        record.wrote(&self.files());
        series.note(self.mask.as_deref(), "found in the series", record)?;
        let optional = [&self.labels, &self.label_names];
        record.add_inputs(&optional.into_iter().flatten().cloned().collect::<Vec<_>>())?;
        let TrackingArgs { streamlines, cutoff, step, angle, min_length, max_length } = &self.tracking;
        record.option("streamlines", streamlines);
        record.option("FA cutoff", cutoff);
        record.option("integrator", "Runge–Kutta of fourth order");
        record.option("step", step.map_or("half a voxel".into(), |s| format!("{s} mm")));
        record.option("largest angle", format!("{angle}°"));
        record.option("length", format!("{min_length} to {max_length} mm"));
        self.life.note(record);
        let sizes = series.dwi.grid().voxel_sizes();
        let [nx, ny, nz] = series.dwi.grid().shape();
        record.figure("image", format!("{nx} × {ny} × {nz} voxels, {} measurements", series.dwi.channels()));
        record.figure("voxel size", format!("{:.2} × {:.2} × {:.2} mm", sizes[0], sizes[1], sizes[2]));
        record.figure("shells", series.gradients.shells_in_words());
        if self.mask.is_none() {
            record.cite(mask::REFERENCES);
        }
        for list in [tensor::REFERENCES, &[track::INTERPOLATED], life::REFERENCES] {
            record.cite(list);
        }
        if self.labels.is_some() {
            record.cite(connectome::REFERENCES);
        }
        Ok(())
    }

    fn track(
        &self,
        fit: &TensorFit,
        fa: &Volume<f32>,
        mask: &Mask,
        options: &TrackOptions,
        context: &Context,
    ) -> Result<(Tractogram, Volume<f32>, TrackSummary)> {
        let arguments = &self.tracking;
        // Above 1 at least one eigenvalue is negative: noise at the edge of the brain, where nothing shall begin.
        let white =
            |voxel: usize| f64::from(fa.values()[voxel]) >= arguments.cutoff && fa.values()[voxel] <= 1.0;
        let seeds = (0..mask.grid().len()).map(|voxel| mask.contains(voxel) && white(voxel)).collect();
        let seeds = Mask::new(*mask.grid(), seeds)?;
        if seeds.count() == 0 {
            return Err(Error::invalid(
                self.dwi.display(),
                format!("no voxel of the brain has an FA of {} or more", arguments.cutoff),
                "lower --cutoff, or check mask and gradient table",
            ));
        }
        let grid = mask.grid();
        let options = TrackOptions { mask: Some(mask.clone()), ..options.clone() };
        let seeds = Seeds::random_until(seeds, arguments.streamlines);
        let mut sink = (Tractogram::new(), TrackDensity::new(*grid));
        let summary = context.step("track", |bar| {
            track_tensor(&fit.tensor, &seeds, &options, context.device_so_far(), &mut sink, &|done, total| {
                show_progress(bar, done, total);
            })
        })?;
        if summary.streamlines == 0 {
            return Err(Error::invalid(
                self.dwi.display(),
                "no streamline is long enough",
                "lower --cutoff or --min-length, or check the gradient table",
            ));
        }
        Ok((sink.0, sink.1.into_volume()?, summary))
    }
}

/// Writes record and report and says where they are.
pub(crate) fn finish(folder: &OutputFolder, record: &mut Record, context: &Context) -> Result<()> {
    record.write(folder.path(), context)?;
    let page = context.step("report", |_| report::render(folder.path(), record))?;
    let path = folder.file(report::FILE_NAME);
    write_file(&path, page)?;
    for (name, value) in &record.summary {
        context.say(format_args!("{name}: {value}"));
    }
    context.say(format_args!("report: {}", path.display()));
    Ok(())
}

/// Median FA and MD of white matter, by which somebody who knows brains judges a fit at once.
fn note_tissue(maps: &TensorMaps, mask: &Mask, record: &mut Record) {
    let (fa, md) = (maps.fa.values(), maps.md.values());
    let mut white: Vec<usize> =
        mask.indices().into_iter().filter(|&v| fa[v] > 0.2 && fa[v] <= 1.0 && md[v] > 0.0).collect();
    if white.is_empty() {
        return;
    }
    let middle = white.len() / 2;
    white.select_nth_unstable_by(middle, |&a, &b| fa[a].total_cmp(&fa[b]));
    record.figure("median FA where FA > 0.2", format!("{:.3}", fa[white[middle]]));
    white.select_nth_unstable_by(middle, |&a, &b| md[a].total_cmp(&md[b]));
    record.figure("median MD there", format!("{:.3} µm²/ms", 1e3 * md[white[middle]]));
}
