//! Probabilistic tracking: `arcuate track samples`, `track peaks`, `track bootstrap` and what they share. Where orientations come from differs;
//! seeds, regions, propagation and results do not.

mod args;
mod bootstrap;
mod form;
mod matrix;
mod output;
mod peaks;
mod samples;

pub(crate) use bootstrap::TrackBootstrap;
pub(crate) use peaks::TrackPeaks;
pub(crate) use samples::TrackSamples;

use super::constraints::{ConstraintArgs, TargetArgs};
use super::spaces::SpaceArgs;
use crate::context::Context;
use crate::output::{OutputFolder, require_files_and_record};
use crate::output_files::OutputFile;
use crate::parcellation::{self, ParcellationArgs};
use crate::progress;
use crate::record::{self, Record};
use arcuate_compute::DeviceStreamlineSink;
use arcuate_connect::ConnectionCounter;
use arcuate_core::{Error, Grid, Labels, Mask, Measure, Result, StreamlineLengths, StreamlineSink};
use arcuate_io::{TractogramWriter, describe_image, is_image_name, read_mask, write_matrix_npz};
use arcuate_pipeline::caller::Caller;
use arcuate_pipeline::mask_space;
use arcuate_pipeline::regions::RegionFile;
use arcuate_pipeline::tracked_matrix::MatrixPlan;
use arcuate_track::{JudgedBy, OrientationTable, SampleOptions, SampleOutputs, SampleTracks, track_samples};
use args::{MapArgs, SeedArgs, SeedFraction, TrackingArgs};
use clap::Args;
use form::Form;
use matrix::MatrixOptions;
use output::Outlined;
use std::path::{Path, PathBuf};

const REFERENCES: &[&str] = &[
    "Behrens TEJ et al. (2003) Characterization and propagation of uncertainty in diffusion-weighted MR imaging. \
     doi:10.1002/mrm.10609",
    "Behrens TEJ et al. (2007) Probabilistic diffusion tractography with multiple fibre orientations: what can we gain? \
     doi:10.1016/j.neuroimage.2006.09.018",
    "Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405",
];

/// What all sources of orientations are followed with.
#[derive(Debug, Args)]
#[group(skip)]
pub(super) struct Tracking {
    /// Where the result goes; a folder for maps of where streamlines pass, or a tractogram to write instead (.tck, .trk, .trx), or
    /// with --labels a name that ends in .npz for sparse matrices alone
    #[arg(long, value_name = "FOLDER|FILE")]
    out: PathBuf,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    constraints: ConstraintArgs,
    #[command(flatten)]
    targets: TargetArgs,
    #[command(flatten)]
    spaces: SpaceArgs,
    #[command(flatten)]
    propagation: TrackingArgs,
    #[command(flatten)]
    maps: MapArgs,
    #[command(flatten)]
    matrix: MatrixOptions,
    /// Image of region numbers, 0 for none; in the space of the orientations: also count the accepted streamlines between
    /// its regions (connectome_counts, connectome_lengths; NAME_counts.npz and NAME_lengths.npz with --out NAME.npz). Streamlines
    /// need not be stored for that
    #[arg(long, value_name = "FILE")]
    labels: Option<PathBuf>,
    #[command(flatten)]
    parcellation: ParcellationArgs,
}

/// A source of orientations, for the record.
pub(super) struct Source<'a> {
    /// Of the record and the report.
    title: &'static str,
    /// What the user gave.
    path: &'a Path,
    /// All files that are read.
    files: Vec<PathBuf>,
    /// How much of a fibre seeds need, where fractions say so.
    seed_fraction: Option<&'a SeedFraction>,
    /// Publications, beside those of tracking.
    references: &'static [&'static str],
    /// What the fractions of all fibres of a voxel together are.
    fraction: &'static str,
}

impl Source<'_> {
    /// One of the images that the orientations come from.
    fn image(&self) -> Option<&Path> {
        self.files.iter().map(PathBuf::as_path).find(|path| is_image_name(path))
    }
}

impl Tracking {
    /// What the result is.
    fn form(&self) -> Form {
        Form::of(&self.out)
    }

    /// Whether it is one tractogram.
    fn is_tractogram(&self) -> bool {
        self.form() == Form::Tractogram
    }

    /// The files of a result that is no folder.
    fn out_files(&self) -> Vec<PathBuf> {
        match self.form() {
            Form::Matrices => parcellation::sparse_files(&self.out, &MEASURES),
            Form::Tractogram | Form::Maps => vec![self.out.clone()],
        }
    }

    fn outputs(&self) -> Vec<PathBuf> {
        match self.form() {
            Form::Maps => record::outputs(&self.out, &self.output_files()),
            Form::Tractogram | Form::Matrices => {
                self.out_files().into_iter().chain([record::beside(&self.out)]).collect()
            }
        }
    }

    fn output_files(&self) -> Vec<OutputFile> {
        match self.form() {
            Form::Tractogram => return vec![output::tractogram(&self.out)],
            Form::Matrices => return parcellation::sparse_output_files(&self.out, &MEASURES),
            Form::Maps => {}
        }
        let mut output_files = output::output_files(&self.maps, &self.noted_targets(), &self.outlined());
        output_files.extend(self.matrix.output_files(self.targets.files(), &self.seeds));
        if self.labels.is_some() {
            output_files.extend(parcellation::output_files(true));
        }
        self.maps.format.format().of(output_files)
    }

    /// The regions that have a line on maps.
    fn outlined(&self) -> Vec<Outlined> {
        // Maps lie where the seeds do; other masks in another space lie elsewhere.
        if self.spaces.space().is_other() && self.seeds.mask().is_none() {
            return Vec::new();
        }
        output::outlined(self.seeds.mask(), &self.constraints.regions, &self.targets)
    }

    /// The targets of which it is noted how many streamlines pass them: none where they are columns of a matrix.
    fn noted_targets(&self) -> TargetArgs {
        if self.matrix.takes_targets() { TargetArgs::default() } else { self.targets.clone() }
    }

    /// The files of all regions.
    fn regions(&self) -> impl Iterator<Item = &Path> {
        self.constraints.files().chain(self.targets.files()).flat_map(RegionFile::files)
    }

    /// Those of them that are images.
    fn images(&self) -> impl Iterator<Item = &Path> {
        self.constraints.files().chain(self.targets.files()).filter_map(RegionFile::image)
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        let parcellation = self.labels.iter().chain(&self.parcellation.label_names);
        let others = self.spaces.files().chain(parcellation).map(PathBuf::as_path);
        self.seeds.files().chain(self.regions()).chain(others)
    }

    /// The parcellation, if there is one.
    fn labels(&self) -> Result<Option<(&Path, Labels)>> {
        let Some(path) = self.labels.as_deref() else { return Ok(None) };
        Ok(Some((path, self.parcellation.labels(path)?)))
    }

    /// What counts the connections of a parcellation.
    fn counter<'l>(&self, (path, labels): &'l (&Path, Labels)) -> Result<ConnectionCounter<'l>> {
        let options = self.parcellation.options(labels)?;
        ConnectionCounter::new(labels, &options).map_err(|e| self.parcellation.about(e, path))
    }

    /// Fails on options that choose among fibres.
    fn require_no_choice(&self) -> Result<()> {
        self.propagation.require_no_choice()
    }

    /// `grid` is that of the orientations, where it is known before they are read.
    fn check(&self, grid: Option<&Grid>, context: &Context) -> Result<()> {
        let form = self.form();
        self.maps.check(form)?;
        match form {
            Form::Matrices if self.labels.is_none() => {
                let problem = "there are no regions that streamlines would join";
                return Err(Error::usage("--labels", problem, "give it, or another --out than .npz"));
            }
            Form::Matrices => {}
            Form::Tractogram | Form::Maps => form.require(self.labels.is_some(), "--labels")?,
        }
        if let Some(labels) = self.labels()? {
            self.counter(&labels)?;
        }
        self.constraints.check()?;
        self.spaces.space().check()?;
        let targets = self.noted_targets();
        targets.check()?;
        self.seeds.check(form == Form::Maps && !targets.are_none())?;
        self.matrix.check(form, self.targets.files(), &self.seeds)?;
        // Before hours of work, that all can be read.
        for file in self.files().map(Path::to_owned).chain(self.matrix.files()) {
            if is_image_name(&file) {
                describe_image(&file)?;
            }
        }
        // Of fibres, and mostly of voxels, nothing is known yet.
        match grid.copied().or_else(|| context.kept_grid()) {
            Some(grid) => self.options(Some(&grid), context)?.check_on(&grid, usize::MAX),
            None => self.options(None, context)?.check(usize::MAX),
        }
    }

    fn options(&self, grid: Option<&Grid>, context: &Context) -> Result<SampleOptions> {
        self.propagation.options(self.is_tractogram(), grid, self.select(), context)
    }

    /// Where streamlines begin unless a file says so.
    fn everywhere(fraction: f64, table: &OrientationTable) -> Result<Mask> {
        if fraction == 0.0 {
            return table.mask();
        }
        let voxels = table.mask_of_fraction(fraction)?;
        if voxels.count() == 0 {
            let problem = format!("in no voxel the fibres together have a fraction of {fraction}");
            return Err(Error::invalid(
                "orientations",
                problem,
                "lower --seed-fraction, or give --seed-mask",
            ));
        }
        Ok(voxels)
    }

    fn select(&self) -> Option<u64> {
        self.seeds.select(self.is_tractogram())
    }

    fn run(
        &self,
        source: &Source<'_>,
        read: impl FnOnce() -> Result<OrientationTable>,
        context: &Context,
    ) -> Result<()> {
        self.check(None, context)?;
        let of_matrix = self.matrix.files();
        let files = source.files.iter().map(PathBuf::as_path).chain(self.files());
        let inputs: Vec<PathBuf> = files.map(Path::to_owned).chain(of_matrix.iter().cloned()).collect();
        let output_files = self.output_files();
        let form = self.form();
        let folder = if form == Form::Maps {
            let folder = OutputFolder::create(&self.out, &output_files, &inputs, context)?;
            Some(folder.with_maps_as(self.maps.format.format()))
        } else {
            require_files_and_record(&self.out, &self.out_files(), &inputs, context)?;
            None
        };
        self.tell_sources(source.path, context);
        let table = context.step("read the orientations", |_| read())?;
        let options = self.options(Some(table.grid()), context)?;
        options.check_on(table.grid(), table.fibres())?;
        let images = of_matrix.iter().map(PathBuf::as_path).filter(|path| is_image_name(path));
        let elsewhere: Vec<&Path> =
            self.seeds.mask().into_iter().chain(self.images()).chain(images).collect();
        let seed_mask = self.seeds.mask().map(read_mask).transpose()?;
        let transforms = self.spaces.space().transforms_of(&elsewhere, table.grid(), source.image())?;
        let [to_masks, to_field] = mask_space::ways(transforms.as_ref());
        let targets = self.noted_targets();
        let constraints = self.constraints.resolve(to_masks.as_ref(), targets.files(), JudgedBy::Half)?;
        let listed = self.matrix.network_seeds()?;
        let fraction = match source.seed_fraction {
            Some(fraction) if !self.seeds.are_chosen() && listed.is_none() => {
                fraction.least(self.is_tractogram())
            }
            _ => 0.0,
        };
        let everywhere = Self::everywhere(fraction, &table)?;
        let seeds =
            self.seeds.resolve(listed, seed_mask.as_ref(), to_field, &everywhere, self.is_tractogram())?;
        let mut matrix = match &folder {
            Some(folder) => self.matrix.plan(
                self.targets.files(),
                &self.seeds,
                &seeds,
                [seed_mask.as_ref(), Some(&everywhere)],
                to_masks.as_ref(),
                options.step_mm,
                folder.path(),
            )?,
            None => None,
        };
        let mut of_matrix = matrix.as_mut().map(MatrixPlan::counter).transpose()?;
        // Visits are counted on the lattice of the seeds' mask, or that of the orientations.
        let map_space = match &seed_mask {
            Some(mask) => (*mask.grid(), to_masks),
            None => (*table.grid(), None),
        };
        let map = folder.as_ref().map(|_| map_space);
        let mut writer = self.writer(folder.as_ref(), table.grid(), context)?;
        let labels = self.labels()?;
        let mut counter = labels.as_ref().map(|labels| self.counter(labels)).transpose()?;
        if let Some(counter) = &counter {
            let dense = if form == Form::Maps { 2 } else { 0 };
            parcellation::say_memory(counter.regions(), counter.memory(), dense);
        }
        let mut lengths = StreamlineLengths::default();
        let device = context.device()?;
        let tracks = context.step("follow the streamlines", |_| {
            let mut measured = writer.as_mut().zip(Some(&mut lengths));
            let writer = measured.as_mut().map(|both| both as &mut dyn StreamlineSink);
            let mut both;
            let sink = match (writer, of_matrix.as_mut()) {
                (Some(writer), Some(matrix)) => {
                    both = (writer, matrix);
                    Some(&mut both as &mut dyn StreamlineSink)
                }
                (None, Some(matrix)) => Some(matrix as &mut dyn StreamlineSink),
                (writer, None) => writer,
            };
            let device_sink = counter.as_mut().map(|counter| counter as &mut dyn DeviceStreamlineSink);
            let outputs = SampleOutputs { map, lengths: self.maps.lengths, sink, device_sink };
            track_samples(&table, &seeds, &constraints, &options, outputs, device, &progress::control())
        })?;
        let writes_streamlines = writer.is_some();
        if let Some(writer) = writer {
            writer.finish()?;
        }
        warn(&tracks);
        let mut record = Record::new(source.title, output_files, context);
        record.add_inputs(&inputs, context)?;
        let lengths = writes_streamlines.then_some(&lengths);
        output::note(&table, &tracks, lengths, options.step_mm, &mut record);
        targets.note(&tracks.summary, &mut record);
        output::note_choices(&options, &mut record);
        record.done(output::sentence(&tracks, form));
        let mut said = Vec::new();
        if fraction > 0.0 {
            let beginnings = output::beginnings(&everywhere, fraction, &table);
            record.choice("seeds", &beginnings);
            said.push(format!("seeds in {beginnings}"));
        }
        if self.is_tractogram() {
            said.push(output::describe_limits(&options));
        }
        record.cite(source.references);
        record.cite(REFERENCES);
        record.choice("streamlines followed by", &tracks.followed_by);
        said.push(output::describe(&tracks, lengths, options.step_mm));
        if let Some(counter) = counter {
            record.cite(parcellation::REFERENCES);
            let streamlines = counter.streamlines();
            let matrix = counter.finish()?;
            said.push(parcellation::note(&matrix, streamlines, &mut record));
            match &folder {
                Some(folder) => parcellation::write(folder, &matrix)?,
                None => write_matrix_npz(&self.out, &matrix)?,
            }
        }
        if let Some(counter) = of_matrix {
            let entries = counter.finish()?;
            if let Some(matrix) = matrix {
                said.push(matrix::note(matrix.shape(), entries, &mut record));
                context.step("write the matrix", |_| matrix.finish())?;
            }
        }
        match &folder {
            Some(folder) => {
                let seeds = seed_mask.unwrap_or(everywhere);
                output::write(folder, &tracks, &self.maps, &targets, &seeds, context)?;
                output::write_anatomy(folder, &table.mean_fraction()?, &tracks, &self.outlined(), context)?;
                record.rename(&self.maps.format.format().name(output::ANATOMY), source.fraction);
                record.write(folder.path(), context)?;
            }
            None => record.write_beside(&self.out, context)?,
        }
        for line in said {
            context.say(line);
        }
        Ok(())
    }

    fn writer(
        &self,
        folder: Option<&OutputFolder>,
        grid: &Grid,
        context: &Context,
    ) -> Result<Option<TractogramWriter>> {
        let path = match folder {
            Some(folder) if self.maps.streamlines => folder.file(output::STREAMLINES),
            None if self.is_tractogram() => self.out.clone(),
            _ => return Ok(None),
        };
        TractogramWriter::create(&path, Some(grid), &context.tractogram_options()).map(Some)
    }

    /// Tells where the data came from, for the errors of the library.
    fn tell_sources(&self, source: &Path, context: &Context) {
        let seeds = self.seeds.files().next().unwrap_or(source);
        for data in ["seed mask", "seed points"] {
            context.came_from(data, &seeds.display());
        }
        for data in ["mask", "orientations", "peaks"] {
            context.came_from(data, &source.display());
        }
    }
}

/// What matrices are of.
const MEASURES: [Measure; 2] = [Measure::Count, Measure::MeanLength];

/// Says what may be wrong with the seeds, or why there is no streamline.
fn warn(tracks: &SampleTracks) {
    let summary = &tracks.summary;
    let outside = summary.rejected.seed_outside;
    if 2 * outside > summary.seeds {
        tracing::warn!(
            "{outside} of {} streamlines have their seed where there are no orientations; check that the seeds are of \
             the same space",
            summary.seeds
        );
    }
    if summary.streamlines == 0 {
        let why = output::rejections(summary).into_iter().max_by_key(|(_, count)| *count);
        let (reason, count) = why.unwrap_or(("", 0));
        tracing::warn!("none of {} streamlines was accepted; {count}: {reason}", summary.seeds);
    }
}
