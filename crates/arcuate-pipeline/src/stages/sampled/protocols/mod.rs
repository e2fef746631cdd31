//! Tracking of tracts with protocols. A protocol contains the masks of the seeds, waypoints and exclusion
//! regions of one tract. All tracts of a folder of protocols are tracked in one run. Protocols and results
//! have XTRACT's folder layout.

mod blueprint;
mod files;
mod folder;
mod native;
mod parallel;
mod statistics;
mod tract;

pub use native::TractMap;

use super::rules::SampleRules;
use crate::constraint_files::ConstraintFiles;
use crate::job::Job;
use crate::map_format::MapFormat;
use crate::mask_space::MaskSpace;
use crate::orientation_files::{FibreFiles, SampleFiles};
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::{self, Record};
use crate::sample_folder::SampleFolder;
use crate::stages::propagation::Propagation;
use crate::stages::tracking::Preset;
use crate::stages::tracking::products::ANATOMY;
use crate::stages::work::Work;
use crate::surface_files::SurfacePart;
use arcuate_core::{Control, Error, Result, StreamlineGroups, StreamlineSink, Volume, checked};
use arcuate_io::{
    TractogramWriter, describe_image, is_image_name, write_file, write_image, write_label_names,
};
use arcuate_report::human;
use arcuate_track::{Jitter, OrientationTable, SampleTracker, TrackSummary};
use folder::Protocol;
use native::Scan;
use parallel::{Done, follow_all};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use tract::{Outcome, ProtocolContext};

/// The papers to cite for protocols, in addition to those for tracking.
pub const REFERENCES: &[&str] = &[
    "Warrington S et al. (2020) XTRACT - Standardised protocols for automated tractography in the human and macaque brain. \
     doi:10.1016/j.neuroimage.2020.116923",
    "de Groot M et al. (2013) Improving alignment in tract-based spatial statistics: evaluation and optimization of image \
     registration. doi:10.1016/j.neuroimage.2013.03.015",
];

/// Default minimum density at which a voxel belongs to a tract. The density is the fraction of the accepted
/// streamlines of the tract that pass the voxel.
const THRESHOLD: f64 = 0.001;
/// Default radius, in mm, of the ball around a voxel centre in which streamlines start.
const RADIUS_MM: f64 = 1.0;

/// Tracks all tracts of a folder of protocols in one run. Streamlines follow samples of fibre orientations.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackProtocols {
    /// Folder of the samples, as in [`TrackSamples`](super::TrackSamples).
    pub samples: PathBuf,
    /// Names of the orientation and the fraction parameter of each fibre, if `samples` is the folder of a
    /// fit.
    pub fibres: Vec<String>,
    /// Mask of the voxels to use.
    pub mask: Option<PathBuf>,
    /// Folder of the protocols. It contains a subfolder for each tract in XTRACT's layout, or the file
    /// `protocols.toml`.
    pub protocols: PathBuf,
    /// Names of the tracts to follow. If empty, all tracts are followed.
    pub tracts: Vec<String>,
    /// Folder of the results.
    pub out: PathBuf,
    /// Transform between the masks and the orientations. By default, masks on the voxel grid of the samples
    /// are in the space of the scan. For masks on another grid, the transforms `xfms/standard2diff` and
    /// `xfms/diff2standard` in the folder of bedpostX are used, if they exist.
    pub space: MaskSpace,
    /// Regions that apply to every tract, in addition to those of its protocol. They are exclusion regions,
    /// stop regions, and regions that stop streamlines when they leave.
    pub of_all: ConstraintFiles,
    /// Options that limit how streamlines continue and when they stop. The defaults are those of probtrackx2.
    pub propagation: Propagation,
    /// Other options of tracking through samples of orientations.
    pub rules: SampleRules,
    /// Number of streamlines that start in each seed voxel. If it is set, it replaces the number in each
    /// protocol.
    pub per_seed: Option<u32>,
    /// Random displacement of the start of a streamline from the centre of the seed voxel. Default: uniformly
    /// distributed in a ball of 1 mm radius.
    pub jitter: Option<Jitter>,
    /// True if a map of the mean path length from the seeds is also written for each tract.
    pub lengths: bool,
    /// Minimum density at which a voxel belongs to a tract. The density is the fraction of the accepted
    /// streamlines of the tract that pass the voxel. Default: 0.001.
    pub threshold: Option<f64>,
    /// Images whose values are summarised over the voxels of each tract.
    pub maps: Vec<TractMap>,
    /// Surfaces of the cortex in the space of the scan, for the connectivity blueprint.
    pub blueprint: Vec<SurfacePart>,
}

impl TrackProtocols {
    /// Creates tracking of all tracts in a folder of protocols, with default options.
    pub fn new(samples: impl Into<PathBuf>, protocols: impl Into<PathBuf>, out: impl Into<PathBuf>) -> Self {
        Self {
            samples: samples.into(),
            fibres: Vec::new(),
            mask: None,
            protocols: protocols.into(),
            tracts: Vec::new(),
            out: out.into(),
            space: MaskSpace::default(),
            of_all: ConstraintFiles::default(),
            propagation: Propagation::default(),
            rules: SampleRules::of_protocols(),
            per_seed: None,
            jitter: None,
            lengths: false,
            threshold: None,
            maps: Vec::new(),
            blueprint: Vec::new(),
        }
    }

    fn threshold(&self) -> f64 {
        self.threshold.unwrap_or(THRESHOLD)
    }

    fn protocols(&self) -> Result<Vec<Protocol>> {
        folder::read(&self.protocols, &self.tracts)
    }

    fn output_files(&self, protocols: &[Protocol]) -> Vec<OutputFile> {
        files::output_files(protocols, self.lengths, ANATOMY, &blueprint::files(&self.blueprint))
    }

    /// Returns an error if an option is invalid. This function is called before a tract is followed.
    fn check_options(&self, protocols: &[Protocol]) -> Result<()> {
        let threshold = self.threshold();
        if !(threshold > 0.0 && threshold <= 1.0) {
            let problem = format!("the threshold is {threshold}, but must be above 0 and at most 1");
            return Err(Error::usage("‘threshold’", problem, "give a fraction, such as 0.001"));
        }
        let maximum = usize::from(u8::MAX);
        if protocols.len() > maximum {
            let problem =
                format!("there are {} tracts, but one run follows at most {maximum}", protocols.len());
            return Err(Error::usage("‘protocols’", problem, "choose some of the tracts with ‘tracts’"));
        }
        let Some(inside) = self.blueprint.iter().find(|surface| surface.is_inside()) else {
            let mut names: Vec<&str> = self.maps.iter().map(|map| map.name.as_str()).collect();
            names.sort_unstable();
            if let Some([name, _]) = names.windows(2).find(|pair| pair[0] == pair[1]) {
                let problem = format!("two maps are called `{name}`");
                return Err(Error::usage("‘tract_maps’", problem, "give them different names"));
            }
            self.maps.iter().try_for_each(TractMap::check)?;
            return self.space.check();
        };
        let problem = "the inside of a surface has no vertices";
        Err(Error::usage("‘blueprint’", format!("{}: {problem}", inside.name()), "give the surface"))
    }

    /// Returns all files that are read, except the samples of orientations.
    fn files(&self, protocols: &[Protocol]) -> Vec<PathBuf> {
        let of_tracts = protocols.iter().flat_map(Protocol::files);
        let maps = self.maps.iter().map(|map| map.path.as_path());
        let surfaces = self.blueprint.iter().flat_map(SurfacePart::files);
        let mut files: Vec<PathBuf> = folder::lists(&self.protocols);
        files.extend(of_tracts.chain(self.of_all.paths()).chain(maps).chain(surfaces).map(Path::to_owned));
        files
    }

    /// Follows the streamlines of all tracts and writes the results. Returns the name and a summary of the
    /// streamlines of each tract that is in the scan.
    ///
    /// # Errors
    /// Returns the errors of [`Work::run`].
    pub fn run(&self, job: &Job) -> Result<Vec<(String, TrackSummary)>> {
        let protocols = self.protocols()?;
        self.check_options(&protocols)?;
        let SampleFolder { fibres, mask } =
            SampleFolder::find(&self.samples, &self.fibres, self.mask.as_deref())?;
        let of_samples: Vec<PathBuf> = fibres.iter().flat_map(FibreFiles::all).chain(mask.clone()).collect();
        let source = of_samples.iter().map(PathBuf::as_path).find(|path| is_image_name(path));
        let space = self.space_of(&protocols, source, job)?;
        let mut inputs = of_samples.clone();
        inputs.extend(self.files(&protocols));
        inputs.extend(space.files().cloned());
        inputs.sort();
        inputs.dedup();
        let output_files = self.output_files(&protocols);
        // The folders of samples and protocols are inputs, too.
        let read: Vec<PathBuf> = inputs.iter().chain([&self.samples, &self.protocols]).cloned().collect();
        let folder = OutputFolder::create(&self.out, &output_files, &read, job)?;
        job.came_from("orientations", &self.samples.display());
        job.came_from("mask", &self.samples.display());
        let table = job.step("read the orientations", || {
            OrientationTable::new(&SampleFiles::new(fibres, mask.as_deref())?)
        })?;
        let options = self.rules.options(
            &self.propagation,
            Some(Preset::Probtrackx),
            Some(table.grid()),
            None,
            job.random_seed(),
        )?;
        options.check_on(table.grid(), table.fibres())?;
        let images: Vec<&Path> = protocols.iter().flat_map(Protocol::images).collect();
        let mut elsewhere = self.of_all.elsewhere(None);
        elsewhere.images.splice(0..0, images);
        let transforms = space.transforms_of(&elsewhere, table.grid(), source)?;
        let [to_masks, to_field] = crate::mask_space::mappings(transforms.as_ref());
        let context = ProtocolContext {
            tracker: SampleTracker::new(&table, job.device()?)?,
            of_all: self.of_all.resolve(to_masks.as_ref())?,
            to_masks,
            to_field,
            options,
            per_seed: self.per_seed,
            jitter: self.jitter.unwrap_or(Jitter::BallMm(RADIUS_MM)),
            lengths: self.lengths,
            threshold: self.threshold(),
            scan: Scan::new(&table, &self.maps, self.threshold())?,
            folder: &folder,
            image_options: job.image_options(),
        };
        let control = job.control();
        let done = job.step("follow the tracts", || {
            // All masks are checked before the first tract is followed. Without this check, an unreadable
            // mask of the last tract could stop the run after hours.
            protocols
                .par_iter()
                .map(|protocol| context.check(protocol))
                .collect::<Vec<_>>()
                .into_iter()
                .collect::<Result<()>>()?;
            if !self.blueprint.is_empty() {
                blueprint::check(&self.blueprint, &protocols)?;
            }
            follow_all(&context, &protocols, &control)
        })?;
        for (protocol, outcome) in protocols.iter().zip(&done) {
            outcome.tell(&protocol.name);
        }
        if done.iter().all(|outcome| outcome.shares().is_none()) {
            let problem = "no tract of the folder is in this scan";
            let advice = "check the transforms of the masks, and that they are of this scan";
            return Err(Error::invalid(self.protocols.display(), problem, advice));
        }
        let mut record = Record::new("Tracts by protocols", output_files, job);
        record.add_inputs(&inputs, job)?;
        let found = self.write(context, &protocols, &done, &table, &mut record, job)?;
        record.write(folder.path(), job)?;
        Ok(found)
    }

    /// Returns the space of the masks. It is given by the transforms of the user. If there are none and the
    /// masks are on another voxel grid than the samples, it is given by the transforms in the folder of
    /// bedpostX.
    fn space_of(&self, protocols: &[Protocol], source: Option<&Path>, job: &Job) -> Result<MaskSpace> {
        if self.space.is_other() {
            return Ok(self.space.clone());
        }
        let (Some(protocol), Some(source)) = (protocols.first(), source) else {
            return Ok(MaskSpace::default());
        };
        let of_masks = describe_image(&protocol.lattice)?.grid;
        if of_masks.matches(&describe_image(source)?.grid) {
            return Ok(MaskSpace::default());
        }
        let found = MaskSpace::of_bedpostx(&self.samples)?;
        for file in found.files() {
            job.show_message(format!("masks are brought to the scan, and back, by {}", file.display()));
        }
        Ok(found)
    }

    /// Writes the files about all tracts. Returns the name and a summary of the streamlines of each tract
    /// that is in the scan.
    fn write(
        &self,
        context: ProtocolContext<'_>,
        protocols: &[Protocol],
        done: &Done,
        table: &OrientationTable,
        record: &mut Record,
        job: &Job,
    ) -> Result<Vec<(String, TrackSummary)>> {
        let folder = context.folder;
        let options = job.image_options();
        let mut groups = StreamlineGroups::default();
        let path = folder.file(files::STREAMLINES);
        let mut writer = TractogramWriter::create(&path, Some(table.grid()), &job.tractogram_options())?;
        let mut all = TrackSummary::default();
        let mut found = Vec::new();
        for (protocol, outcome) in protocols.iter().zip(done) {
            let name = &protocol.name;
            match outcome {
                Outcome::Found(tract) => {
                    let first = checked::<u32>(writer.streamlines(), path.display(), "streamlines")?;
                    writer.take(tract.shown.as_batch())?;
                    let end = checked::<u32>(writer.streamlines(), path.display(), "streamlines")?;
                    groups.members.insert(name.clone(), (first..end).collect());
                    all.merge(&tract.summary);
                    record.choice("streamlines followed by", &tract.device_name);
                    found.push((name.clone(), tract.summary.clone()));
                }
                Outcome::NotThere(_) => {
                    groups.members.insert(name.clone(), Vec::new());
                    let own = files::TractFiles::new(protocol, self.lengths).all(name);
                    record.files.retain(|file| own.iter().all(|own| own.name != file.name));
                }
            }
        }
        writer.finish_with_groups(&groups)?;
        let rows = statistics::rows(protocols, done, context.options.step_mm);
        let maps: Vec<&str> = self.maps.iter().map(|map| map.name.as_str()).collect();
        write_file(&folder.file(files::STATISTICS), statistics::text(&rows, &maps))?;
        record.tables.push(statistics::table(&rows, &maps, self.threshold()));
        if !self.blueprint.is_empty() {
            let shares: Vec<(&str, Option<&Volume<f32>>)> = protocols
                .iter()
                .zip(done)
                .map(|(protocol, outcome)| (protocol.name.as_str(), outcome.shares()))
                .collect();
            let path = folder.file(files::BLUEPRINT);
            let control: Control = job.control();
            let reached = job.step("follow streamlines from the cortex", || {
                blueprint::write(&context, &self.blueprint, &shares, &path, &control)
            })?;
            record.figure("vertices from which a tract is reached", reached);
            record.cite(blueprint::REFERENCES);
        }
        let names = (1..).zip(protocols).map(|(number, protocol)| (number, protocol.name.clone())).collect();
        write_label_names(&folder.file(files::NAMES), &names)?;
        write_image(&folder.file(files::STRONGEST), &context.scan.strongest()?, &options)?;
        write_image(&folder.file(ANATOMY), &table.mean_fraction()?, &options)?;
        record.figure("tracts", found.len()).key();
        record.figure("streamlines followed", all.seeds);
        record.figure("streamlines accepted", all.streamlines).key();
        record.choice("voxels of a tract", format!("at least {} of its streamlines", self.threshold()));
        record.cite(REFERENCES);
        record.cite(super::REFERENCES);
        record.done(format!(
            "{} streamlines were followed for {} tracts, each by the masks of its protocol; {} were accepted.",
            human::count(all.seeds),
            found.len(),
            human::count(all.streamlines)
        ));
        job.show_message(format!(
            "{} of {} streamlines accepted, of {} tracts",
            human::count(all.streamlines),
            human::count(all.seeds),
            found.len()
        ));
        Ok(found)
    }
}

impl Work for TrackProtocols {
    fn outputs(&self) -> Vec<PathBuf> {
        // If the protocols cannot be read, the error is reported when the stage runs.
        let protocols = self.protocols().unwrap_or_default();
        record::outputs(&self.out, &MapFormat::default().of(self.output_files(&protocols)))
    }

    fn check(&self, _job: &Job) -> Result<()> {
        let protocols = self.protocols()?;
        self.check_options(&protocols)?;
        self.files(&protocols).iter().filter(|file| is_image_name(file)).try_for_each(|file| {
            describe_image(file)?;
            Ok(())
        })
    }

    fn run(&self, job: &Job) -> Result<()> {
        Self::run(self, job).map(|_| ())
    }
}
