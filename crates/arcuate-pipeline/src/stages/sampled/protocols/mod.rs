//! Tracts by protocols: masks of seeds, of what streamlines must and may not pass, for many tracts, followed in one go. The layout of
//! protocols and results is XTRACT's.

mod blueprint;
mod files;
mod folder;
mod native;
mod room;
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
use rayon::prelude::*;
use room::{Done, follow_all};
use std::path::{Path, PathBuf};
use tract::{Outcome, Room};

/// The papers to cite, beside those of tracking.
pub const REFERENCES: &[&str] = &[
    "Warrington S et al. (2020) XTRACT - Standardised protocols for automated tractography in the human and macaque brain. \
     doi:10.1016/j.neuroimage.2020.116923",
    "de Groot M et al. (2013) Improving alignment in tract-based spatial statistics: evaluation and optimization of image \
     registration. doi:10.1016/j.neuroimage.2013.03.015",
];

/// Share of a tract's streamlines from which on a voxel belongs to it, unless said otherwise.
const THRESHOLD: f64 = 0.001;
/// Radius about a seed in which streamlines begin, in mm, unless said otherwise.
const RADIUS_MM: f64 = 1.0;

/// Tracts are followed through samples of fibre orientations by a folder of protocols, all in one go.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackProtocols {
    /// The folder of the samples, as [`TrackSamples`](super::TrackSamples) takes it.
    pub samples: PathBuf,
    /// In the folder of a fit: the orientation and the fraction of each fibre.
    pub fibres: Vec<String>,
    /// The mask of the voxels that count.
    pub mask: Option<PathBuf>,
    /// The folder of protocols: a folder for each tract, as XTRACT has them, or `protocols.toml`.
    pub protocols: PathBuf,
    /// The only tracts that are followed, if not all.
    pub tracts: Vec<String>,
    /// The folder of results.
    pub out: PathBuf,
    /// How masks lie to the orientations. Where nothing is given, masks on the lattice of the samples are in their space, and others
    /// are brought there by `xfms/standard2diff` and `diff2standard` of bedpostX's folder, where these are.
    pub space: MaskSpace,
    /// Regions of every tract beside its own: to avoid, to stop in, and on leaving.
    pub of_all: ConstraintFiles,
    /// How streamlines continue and where they end. The defaults are those of probtrackx2.
    pub propagation: Propagation,
    /// The rules of samples in addition.
    pub rules: SampleRules,
    /// Streamlines of each voxel of the seeds, where not each protocol says it itself.
    pub per_seed: Option<u32>,
    /// How far from the centres of their voxels streamlines begin; in a ball of 1 mm by default.
    pub jitter: Option<Jitter>,
    /// Whether mean lengths of ways are written, too.
    pub lengths: bool,
    /// Share of a tract's streamlines from which on a voxel belongs to it, 0.001 by default.
    pub threshold: Option<f64>,
    /// Images whose values in each tract are wanted.
    pub maps: Vec<TractMap>,
    /// Surfaces of the cortex in the space of the scan, at whose vertices the shares of tracts are wanted.
    pub blueprint: Vec<SurfacePart>,
}

impl TrackProtocols {
    /// All tracts of a folder of protocols, in the usual way.
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

    /// Fails on what cannot be right, before anything is followed.
    fn check_options(&self, protocols: &[Protocol]) -> Result<()> {
        let threshold = self.threshold();
        if !(threshold > 0.0 && threshold <= 1.0) {
            let problem = format!("{threshold} is not a number above 0 and up to 1");
            return Err(Error::usage("‘threshold’", problem, "give one, 0.001 say"));
        }
        let most = usize::from(u8::MAX);
        if protocols.len() > most {
            let problem = format!("there are {} tracts, and {most} are followed in one go", protocols.len());
            return Err(Error::usage("‘protocols’", problem, "choose some by ‘tracts’"));
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
        let problem = "what is inside of a surface has no vertices";
        Err(Error::usage("‘blueprint’", format!("{}: {problem}", inside.name()), "give the surface"))
    }

    /// All files that are read beside the samples.
    fn files(&self, protocols: &[Protocol]) -> Vec<PathBuf> {
        let of_tracts = protocols.iter().flat_map(Protocol::files);
        let maps = self.maps.iter().map(|map| map.path.as_path());
        let surfaces = self.blueprint.iter().flat_map(SurfacePart::files);
        let mut files: Vec<PathBuf> = folder::lists(&self.protocols);
        files.extend(of_tracts.chain(self.of_all.paths()).chain(maps).chain(surfaces).map(Path::to_owned));
        files
    }

    /// Follows the tracts and writes what is asked for; answers what became of the streamlines of each tract that is there.
    ///
    /// # Errors
    /// Those of [`Work::run`].
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
        // The folders that were given are inputs themselves.
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
        let [to_masks, to_field] = crate::mask_space::ways(transforms.as_ref());
        let room = Room {
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
            // Before the first result: a mask of the last tract that cannot be read is an error now, not after hours.
            protocols
                .par_iter()
                .map(|protocol| room.check(protocol))
                .collect::<Vec<_>>()
                .into_iter()
                .collect::<Result<()>>()?;
            if !self.blueprint.is_empty() {
                blueprint::check(&self.blueprint, &protocols)?;
            }
            follow_all(&room, &protocols, &control)
        })?;
        for (protocol, outcome) in protocols.iter().zip(&done) {
            outcome.tell(&protocol.name);
        }
        if done.iter().all(|outcome| outcome.shares().is_none()) {
            let problem = "none of its tracts is in this scan";
            let advice = "check the transforms of the masks, and that they are of this scan";
            return Err(Error::invalid(self.protocols.display(), problem, advice));
        }
        let mut record = Record::new("Tracts by protocols", output_files, job);
        record.add_inputs(&inputs, job)?;
        let found = self.write(room, &protocols, &done, &table, &mut record, job)?;
        record.write(folder.path(), job)?;
        Ok(found)
    }

    /// The space of the masks: the one that is asked for, or that of bedpostX's own transforms.
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
            job.say(format!("masks are brought to the scan, and back, by {}", file.display()));
        }
        Ok(found)
    }

    /// Writes what is of all tracts; answers what became of the streamlines of each.
    fn write(
        &self,
        room: Room<'_>,
        protocols: &[Protocol],
        done: &Done,
        table: &OrientationTable,
        record: &mut Record,
        job: &Job,
    ) -> Result<Vec<(String, TrackSummary)>> {
        let folder = room.folder;
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
                    record.choice("streamlines followed by", &tract.followed_by);
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
        let rows = statistics::rows(protocols, done, room.options.step_mm);
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
                blueprint::write(&room, &self.blueprint, &shares, &path, &control)
            })?;
            record.figure("vertices from which a tract is reached", reached);
            record.cite(blueprint::REFERENCES);
        }
        let names = (1..).zip(protocols).map(|(number, protocol)| (number, protocol.name.clone())).collect();
        write_label_names(&folder.file(files::NAMES), &names)?;
        write_image(&folder.file(files::STRONGEST), &room.scan.strongest()?, &options)?;
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
        job.say(format!(
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
        // Where protocols cannot be read, doing it says so.
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
