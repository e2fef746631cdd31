//! Probabilistic tracking: `arcuate track samples`, `track peaks`, `track bootstrap` and what they share. Where orientations come from differs;
//! seeds, regions, propagation and results do not.

mod args;
mod bootstrap;
mod masks;
mod output;
mod peaks;
mod samples;
mod spaces;

pub(crate) use bootstrap::TrackBootstrap;
pub(crate) use peaks::TrackPeaks;
pub(crate) use samples::TrackSamples;

use super::constraints::ConstraintArgs;
use crate::context::Context;
use crate::output::{OutputFolder, require_file_and_record};
use crate::parcellation::{self, ParcellationArgs};
use crate::products::Product;
use crate::progress;
use crate::record::{self, Record};
use arcuate_compute::DeviceStreamlineSink;
use arcuate_connect::ConnectionCounter;
use arcuate_core::{Error, Grid, Labels, Mask, Result, StreamlineLengths, StreamlineSink};
use arcuate_io::{TractogramFormat, TractogramWriter, describe_image, is_image_name};
use arcuate_track::{JudgedBy, OrientationTable, SampleOptions, SampleOutputs, SampleTracks, track_samples};
use args::{MapArgs, SeedArgs, SeedFraction, TrackingArgs};
use clap::Args;
use masks::Masks;
use output::Outlined;
use spaces::SpaceArgs;
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
    /// Folder for maps of where streamlines pass, or a tractogram to write instead (.tck, .trk, .trx)
    #[arg(long, value_name = "FOLDER|FILE")]
    out: PathBuf,
    #[command(flatten)]
    seeds: SeedArgs,
    #[command(flatten)]
    constraints: ConstraintArgs,
    #[command(flatten)]
    spaces: SpaceArgs,
    #[command(flatten)]
    propagation: TrackingArgs,
    #[command(flatten)]
    maps: MapArgs,
    /// Image of region numbers, 0 for none, in the space of the orientations: also count the accepted streamlines between
    /// its regions (connectome_counts, connectome_lengths; streamlines need not be stored for that)
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
    /// Whether the result is one tractogram.
    fn is_tractogram(&self) -> bool {
        TractogramFormat::of(&self.out).is_ok()
    }

    fn outputs(&self) -> Vec<PathBuf> {
        if self.is_tractogram() {
            return vec![self.out.clone(), record::beside(&self.out)];
        }
        record::outputs(&self.out, &self.products())
    }

    /// Of a folder.
    fn products(&self) -> Vec<Product> {
        let mut products = output::products(&self.maps, &self.outlined());
        if self.labels.is_some() {
            products.extend(parcellation::products(true));
        }
        self.maps.format.format().of(products)
    }

    /// The regions that have a line on maps.
    fn outlined(&self) -> Vec<Outlined> {
        // Maps lie where the seeds do; other masks in another space lie elsewhere.
        if self.spaces.are_other() && self.seeds.mask().is_none() {
            return Vec::new();
        }
        output::outlined(self.seeds.mask(), &self.constraints, &self.maps.targets)
    }

    /// The files of all regions.
    fn regions(&self) -> impl Iterator<Item = &PathBuf> {
        self.constraints.files().chain(&self.maps.targets)
    }

    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        let parcellation = self.labels.iter().chain(&self.parcellation.label_names);
        self.seeds.files().chain(self.regions()).chain(self.spaces.files()).chain(parcellation)
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
        self.maps.check(self.is_tractogram())?;
        if self.is_tractogram() && self.labels.is_some() {
            return Err(args::nothing_beside_a_tractogram("--labels"));
        }
        if let Some(labels) = self.labels()? {
            self.counter(&labels)?;
        }
        self.constraints.check()?;
        self.spaces.check()?;
        self.seeds.check(&self.maps)?;
        // Before hours of work, that all can be read.
        for file in self.files() {
            if is_image_name(file) {
                describe_image(file)?;
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
        let inputs: Vec<PathBuf> = source.files.iter().chain(self.files()).cloned().collect();
        let products = self.products();
        let folder = if self.is_tractogram() {
            require_file_and_record(&self.out, &inputs, context)?;
            None
        } else {
            let folder = OutputFolder::create(&self.out, &products, &inputs, context)?;
            Some(folder.with_maps_as(self.maps.format.format()))
        };
        let table =
            context.step("read the orientations", |_| read()).map_err(|e| self.about(e, source.path))?;
        let options = self.options(Some(table.grid()), context)?;
        options.check_on(table.grid(), table.fibres())?;
        let regions: Vec<&PathBuf> = self.regions().collect();
        let masks = self.spaces.read(&self.seeds, &regions, table.grid(), source.image())?;
        let (from_field, targets) = (masks.to_masks(), &self.maps.targets);
        let constraints = self.constraints.resolve(from_field.as_ref(), targets, JudgedBy::Half)?;
        let fraction = match source.seed_fraction {
            Some(fraction) if !self.seeds.are_chosen() => fraction.least(self.is_tractogram()),
            _ => 0.0,
        };
        let everywhere = Self::everywhere(fraction, &table).map_err(|e| self.about(e, source.path))?;
        let seeds = self.seeds.resolve(&masks, &everywhere, self.is_tractogram())?;
        let map = folder.as_ref().map(|_| masks.map_space(table.grid()));
        let mut writer = self.writer(folder.as_ref(), table.grid(), context)?;
        let labels = self.labels()?;
        let mut counter = labels.as_ref().map(|labels| self.counter(labels)).transpose()?;
        if let Some(counter) = &counter {
            parcellation::say_memory(counter.regions(), counter.memory(), 2);
        }
        let mut lengths = StreamlineLengths::default();
        let device = context.device()?;
        let tracks = context
            .step("follow the streamlines", |_| {
                let mut measured = writer.as_mut().zip(Some(&mut lengths));
                let sink = measured.as_mut().map(|both| both as &mut dyn StreamlineSink);
                let device_sink = counter.as_mut().map(|counter| counter as &mut dyn DeviceStreamlineSink);
                let outputs = SampleOutputs { map, lengths: self.maps.lengths, sink, device_sink };
                track_samples(&table, &seeds, &constraints, &options, outputs, device, &progress::control())
            })
            .map_err(|e| self.about(e, source.path))?;
        let writes_streamlines = writer.is_some();
        if let Some(writer) = writer {
            writer.finish()?;
        }
        warn(&tracks);
        let products = if folder.is_some() { products } else { vec![output::tractogram(&self.out)] };
        let mut record = Record::new(source.title, products, context);
        record.add_inputs(&inputs, context)?;
        let lengths = writes_streamlines.then_some(&lengths);
        output::note(&table, &tracks, lengths, options.step_mm, &mut record);
        output::note_choices(&options, &mut record);
        record.done(output::sentence(&tracks, self.is_tractogram()));
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
        if let (Some(counter), Some(folder)) = (counter, &folder) {
            record.cite(parcellation::REFERENCES);
            let streamlines = counter.streamlines();
            let matrix = counter.finish()?;
            said.push(parcellation::note(&matrix, streamlines, &mut record));
            parcellation::write(folder, &matrix)?;
        }
        match &folder {
            Some(folder) => {
                let seeds = masks.seeds.unwrap_or(everywhere);
                output::write(folder, &tracks, &self.maps, &seeds, context)?;
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
            None => self.out.clone(),
            Some(folder) if self.maps.streamlines => folder.file(output::STREAMLINES),
            Some(_) => return Ok(None),
        };
        TractogramWriter::create(&path, Some(grid), &context.tractogram_options()).map(Some)
    }

    /// An error of the library, said of the file that it is about.
    fn about(&self, error: Error, source: &Path) -> Error {
        match error.subject() {
            "seed mask" | "seed points" => match self.seeds.files().next() {
                Some(file) => error.about(file.display()),
                None => error.about(source.display()),
            },
            "mask" | "orientations" | "peaks" => error.about(source.display()),
            _ => error,
        }
    }
}

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

impl Masks {
    /// Where visits are counted: the lattice of the seeds' mask, or that of the orientations.
    fn map_space(&self, field: &Grid) -> (Grid, Option<std::sync::Arc<arcuate_track::Mapping>>) {
        match &self.seeds {
            Some(mask) => (*mask.grid(), self.to_masks()),
            None => (*field, None),
        }
    }
}
