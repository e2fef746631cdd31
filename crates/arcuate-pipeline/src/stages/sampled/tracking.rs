//! What all sources of orientations are followed with.

use super::following::Takers;
use super::form::{self, Form};
use super::matrices;
use super::met;
use super::output::{self, Outlined, SampleMaps};
use super::part::Extent;
use super::part_folder::{Found, SavedParts, folder_of, folder_of_parts};
use super::parts::{Parts, Saved};
use super::products::{ProductName, Products};
use super::regions::RegionsToJoin;
use super::rules::SampleRules;
use super::seeds::SampleSeeds;
use super::target_counts;
use crate::checksums::sha256_of;
use crate::connectomes;
use crate::constraint_files::ConstraintFiles;
use crate::job::Job;
use crate::mask_space::{Elsewhere, MaskSpace};
use crate::matrix_elements::ElementList;
use crate::output::{OutputFolder, require_files_and_record};
use crate::output_files::OutputFile;
use crate::record::{self, Record};
use crate::row_journal::RowJournal;
use crate::stages::propagation::Propagation;
use crate::stages::tracking::{names_of_regions, note_targets, require_names_apart};
use crate::tracked_matrix::{MatrixKind, MatrixPlan, MatrixRequest};
use arcuate_compute::Device;
use arcuate_core::{Error, Grid, Result, StreamlineLengths};
use arcuate_io::{TractogramWriter, describe_image, is_image_name, write_image, write_matrix_npz};
use arcuate_track::{InitialFibre, JudgedBy, OrientationTable, SampleOptions, SampleTracks};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The papers to cite.
pub const REFERENCES: &[&str] = &[
    "Behrens TEJ et al. (2003) Characterization and propagation of uncertainty in diffusion-weighted MR imaging. \
     doi:10.1002/mrm.10609",
    "Behrens TEJ et al. (2007) Probabilistic diffusion tractography with multiple fibre orientations: what can we gain? \
     doi:10.1016/j.neuroimage.2006.09.018",
    "Salmon JK et al. (2011) Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405",
];

/// How streamlines are followed through samples of orientations, and what becomes of them.
#[derive(Debug, Clone, PartialEq)]
pub struct SampledTracking {
    /// Where the result goes: a folder, or a file if one product is written: streamlines (`.tck`, `.trk`, `.trx`), visits (an image) or
    /// a connectome (`.npz`). The name never decides what is computed.
    pub out: PathBuf,
    /// What is written, in addition to a connectome and a matrix; streamlines by default.
    pub products: Products,
    /// Where streamlines begin, and how many.
    pub seeds: SampleSeeds,
    /// Regions that streamlines must and may not pass, end in, and are counted by.
    pub constraints: ConstraintFiles,
    /// How masks and regions lie to the orientations.
    pub space: MaskSpace,
    /// How streamlines go on and where they end.
    pub propagation: Propagation,
    /// The rules that samples, peaks and refits have in addition.
    pub rules: SampleRules,
    /// How maps are written.
    pub maps: SampleMaps,
    /// Regions that the accepted streamlines are counted between, too. They need not be stored for that.
    pub regions: Option<RegionsToJoin>,
    /// A matrix of what streamlines meet on their way, in a folder.
    pub matrix: Option<MatrixRequest>,
    /// Of a matrix whose rows are seeds: save about so often what is done, and go on from there where a run like this one was
    /// interrupted in the same folder.
    pub resume: Option<Duration>,
    /// How much of it is done.
    pub extent: Extent,
}

/// A source of orientations, for the record.
pub(super) struct Source<'a> {
    /// Of the record and the report.
    pub(super) title: &'static str,
    /// What was given.
    pub(super) path: &'a Path,
    /// All files that are read.
    pub(super) files: Vec<PathBuf>,
    /// Whether fractions say how much of a fibre seeds need.
    pub(super) has_fractions: bool,
    /// Publications, beside those of tracking.
    pub(super) references: &'static [&'static str],
    /// What the fractions of all fibres of a voxel together are.
    pub(super) fraction: &'static str,
    /// Everything that was asked for.
    pub(super) choices: String,
}

impl Source<'_> {
    /// One of the images that the orientations come from.
    pub(super) fn image(&self) -> Option<&Path> {
        self.files.iter().map(PathBuf::as_path).find(|path| is_image_name(path))
    }
}

impl SampledTracking {
    /// The usual streamlines, into a tractogram or a folder.
    pub fn new(out: impl Into<PathBuf>) -> Self {
        Self {
            out: out.into(),
            products: Products::default(),
            seeds: SampleSeeds::default(),
            constraints: ConstraintFiles { judged_by: JudgedBy::Half, ..ConstraintFiles::default() },
            space: MaskSpace::default(),
            propagation: Propagation::default(),
            rules: SampleRules::default(),
            maps: SampleMaps::default(),
            regions: None,
            matrix: None,
            resume: None,
            extent: Extent::Whole,
        }
    }

    /// The same, whether or not it goes on where another run was interrupted, or is done in parts.
    pub(super) fn asked(&self) -> Self {
        Self { resume: None, extent: Extent::Whole, ..self.clone() }
    }

    /// What the result is.
    pub fn form(&self) -> Form {
        Form::of(&self.out)
    }

    /// The products that are written, in addition to a connectome and a matrix.
    pub(super) fn written(&self) -> BTreeSet<ProductName> {
        self.products.written(self.rules.preset, self.regions.is_some() || self.matrix.is_some())
    }

    /// Whether a product is written.
    pub(super) fn writes(&self, product: ProductName) -> bool {
        self.written().contains(&product)
    }

    /// Whether visits are counted.
    pub(super) fn has_maps(&self) -> bool {
        self.writes(ProductName::Visits) || self.has_lengths()
    }

    /// Whether lengths of paths are summed.
    pub(super) fn has_lengths(&self) -> bool {
        self.writes(ProductName::Lengths)
    }

    /// The number of accepted streamlines to stop at.
    pub(super) fn select(&self) -> Option<u64> {
        let is_network = self.matrix.as_ref().is_some_and(|matrix| matrix.kind == MatrixKind::Network);
        self.seeds.select(self.rules.preset, is_network)
    }

    /// Fails if the result cannot have this name: called before anything is read.
    pub(super) fn check_name(&self) -> Result<()> {
        self.form().check(&self.out, &self.written(), self.regions.is_some(), self.matrix.is_some())
    }

    /// The files of a result that is not a folder.
    fn out_files(&self) -> Vec<PathBuf> {
        match self.form() {
            Form::Matrices => matrices::sparse_files(&self.out),
            Form::Tractogram | Form::Image | Form::Folder => vec![self.out.clone()],
        }
    }

    /// Everything that is written, the record last.
    pub(super) fn outputs(&self) -> Vec<PathBuf> {
        if let Extent::Part(part) = self.extent {
            return record::outputs(&folder_of(&self.out, part), &self.files_of_part());
        }
        match self.form() {
            Form::Folder => record::outputs(&self.out, &self.output_files()),
            Form::Tractogram | Form::Image | Form::Matrices => {
                self.out_files().into_iter().chain([record::beside(&self.out)]).collect()
            }
        }
    }

    fn output_files(&self) -> Vec<OutputFile> {
        match self.form() {
            Form::Tractogram => return vec![output::tractogram(&self.out)],
            Form::Image => return vec![output::image_of_visits(&self.out)],
            Form::Matrices => return matrices::sparse_output_files(&self.out),
            Form::Folder => {}
        }
        let mut output_files =
            output::output_files(&self.written(), &self.target_names(), &self.seeds, &self.outlined());
        output_files.extend(met::output_files(self.matrix.as_ref(), &self.seeds));
        if self.regions.is_some() {
            output_files.extend(matrices::output_files(true));
        }
        self.maps.format().of(output_files)
    }

    /// The regions that have a line on maps.
    fn outlined(&self) -> Vec<Outlined> {
        let seeds = self.seeds.mask.as_deref();
        // Maps lie where the seeds do; other masks in another space lie elsewhere.
        if !self.has_maps() || self.space.is_other() && seeds.is_none() {
            return Vec::new();
        }
        output::outlined(seeds, &self.constraints)
    }

    /// What lies in the space of masks; `seeds` are those that are listed.
    pub(super) fn elsewhere<'a>(&'a self, seeds: Option<&ElementList>) -> Elsewhere<'a> {
        let mut elsewhere = self.constraints.elsewhere(self.seeds.mask.as_deref());
        elsewhere.images.extend(self.matrix.iter().flat_map(MatrixRequest::images));
        elsewhere.lattice = seeds.and_then(ElementList::lattice);
        elsewhere.has_surfaces |= seeds.is_some() || self.matrix.iter().any(MatrixRequest::has_surfaces);
        elsewhere
    }

    fn target_names(&self) -> Vec<String> {
        names_of_regions(&self.constraints.targets)
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        let regions = self.regions.iter().flat_map(RegionsToJoin::files);
        let others = self.space.files().chain(regions).map(PathBuf::as_path);
        let of_matrix = self.matrix.iter().flat_map(MatrixRequest::files);
        self.seeds.files().chain(self.constraints.paths()).chain(others).chain(of_matrix)
    }

    /// Fails on what chooses among fibres, where there is one: it is followed whatever its fraction.
    pub(super) fn require_no_choice(&self) -> Result<()> {
        let given = [
            ("‘cutoff’", self.propagation.cutoff.is_some()),
            ("‘initial_fibre’", self.rules.initial != InitialFibre::Number(0)),
        ];
        match given.into_iter().find(|(_, given)| *given) {
            Some((what, _)) => {
                let problem = "there is one fibre, which is followed whatever its fraction";
                Err(Error::usage(what, problem, "leave it out"))
            }
            None => Ok(()),
        }
    }

    /// `grid` is that of the orientations, where it is known before they are read.
    pub(super) fn check(&self, grid: Option<&Grid>, job: &Job) -> Result<()> {
        self.check_name()?;
        self.maps.check(&self.written(), self.form() == Form::Folder)?;
        if let Some(regions) = &self.regions {
            regions.counter(&regions.read(job)?)?;
        }
        self.space.check()?;
        require_names_apart(&self.constraints.targets)?;
        let has_targets = !self.constraints.targets.is_empty();
        self.seeds.check()?;
        if self.writes(ProductName::TargetCounts) {
            if !has_targets {
                let problem = "target-counts need regions that streamlines may pass";
                return Err(Error::usage("‘products’", problem, "give ‘targets’"));
            }
            target_counts::check(&self.seeds)?;
        }
        met::check(self.matrix.as_ref(), &self.seeds, has_targets, self.rules.preset)?;
        if self.extent != Extent::Whole {
            self.check_parts()?;
        }
        if self.resume.is_some() {
            let others = self.writes(ProductName::Streamlines) || self.regions.is_some();
            met::check_resume(self.matrix.as_ref(), others)?;
        }
        // Before hours of work, that all can be read.
        for file in self.files() {
            if is_image_name(file) {
                describe_image(file)?;
            }
        }
        // Of fibres, and mostly of voxels, nothing is known yet.
        match grid.copied().or_else(|| job.kept_grid()) {
            Some(grid) => self.options(Some(&grid), job)?.check_on(&grid, usize::MAX),
            None => self.options(None, job)?.check(usize::MAX),
        }
    }

    pub(super) fn options(&self, grid: Option<&Grid>, job: &Job) -> Result<SampleOptions> {
        self.rules.options(&self.propagation, grid, self.select(), job.random_seed())
    }

    /// Follows streamlines through the orientations that `read` gives, and writes what is asked for.
    pub(super) fn run(
        &self,
        source: &Source<'_>,
        read: impl FnOnce() -> Result<OrientationTable>,
        job: &Job,
    ) -> Result<SampleTracks> {
        self.check(None, job)?;
        if let Extent::Part(part) = self.extent {
            return self.run_part(part, source, read, job);
        }
        let inputs = self.inputs(source);
        let output_files = self.output_files();
        let (form, written) = (self.form(), self.written());
        let folder = if form == Form::Folder {
            // Samples may be given as a folder, which is an input itself.
            let read: Vec<PathBuf> = inputs.iter().cloned().chain([source.path.to_owned()]).collect();
            let folder = OutputFolder::create(&self.out, &output_files, &read, job)?;
            Some(folder.with_maps_as(self.maps.format()))
        } else {
            require_files_and_record(&self.out, &self.out_files(), &inputs, job)?;
            None
        };
        self.tell_sources(source.path, job);
        let ground = self.ground(source, read, job)?;
        let (table, options, fraction) = (&ground.table, &ground.options, ground.fraction);
        let identity = || Self::identity(source, options, &inputs, job);
        let done_parts = self.done_parts(identity, job)?;
        let mut matrix = match (&folder, &self.matrix) {
            (Some(folder), Some(request)) => Some(ground.plan(self, request, folder.path())?),
            _ => None,
        };
        let saved = match (&folder, self.resume) {
            (Some(folder), Some(_)) if done_parts.is_none() => Some(Saved::find(folder.path(), identity()?)?),
            _ => None,
        };
        let journal = match (&saved, &mut matrix) {
            (Some(saved), Some(matrix)) => {
                Some(matrix.keep_rows(&saved.rows(), saved.end_of_rows(), &saved.remedy())?)
            }
            _ => None,
        };
        let entries_of_parts = match (&done_parts, &mut matrix) {
            (Some(parts), Some(matrix)) => parts.pass_rows(matrix)?,
            _ => 0,
        };
        if let Some(saved) = saved.as_ref().filter(|saved| saved.seeds() > 0) {
            let (done, all) = (saved.seeds(), matrix.as_ref().map_or(0, |matrix| matrix.shape()[0]));
            job.say(format!("{done} of {all} seeds were done before the run was interrupted"));
        }
        let (rows_of_matrix, each_of_matrix) =
            matrix.as_ref().map_or((0, 0), |matrix| (matrix.shape()[0] as u64, matrix.each()));
        let mut met = matrix.as_mut().map(MatrixPlan::counter).transpose()?;
        let mut writer = self.writer(folder.as_ref(), table.grid(), job)?;
        let regions = self.regions.as_ref();
        let labels = regions.map(|regions| regions.read(job)).transpose()?;
        let counted = regions.zip(labels.as_ref());
        let mut counter = counted.map(|(regions, labels)| regions.counter(labels)).transpose()?;
        if let Some(counter) = &counter {
            let dense = if form == Form::Folder { 2 } else { 0 };
            connectomes::say_memory(counter.regions(), counter.memory(), dense);
        }
        let mut lengths = StreamlineLengths::default();
        let device = if done_parts.is_some() { &Device::Cpu } else { job.device()? };
        let follow = ground.following(self.has_maps(), self.has_lengths(), device, job)?;
        let follow_all = || match (&saved, &journal, met.as_mut()) {
            (Some(saved), Some(journal), Some(met)) => {
                let (seeds, every) = (rows_of_matrix, self.resume.unwrap_or_default());
                let parts = Parts { saved, journal, seeds, each: each_of_matrix, every };
                parts.run(met, |met, part| {
                    follow.run(Takers { writer: None, met: Some(met), counter: None }, Some(part))
                })
            }
            (.., met) => {
                let writer = writer.as_mut().map(|writer| (writer, &mut lengths));
                let takers = Takers { writer, met, counter: counter.as_mut() };
                match &done_parts {
                    Some(parts) => parts.merge(&follow, takers),
                    None => follow.run(takers, None),
                }
            }
        };
        let step = if done_parts.is_some() { "merge the parts" } else { "follow the streamlines" };
        let tracks = job.step(step, follow_all)?;
        let writes_streamlines = writer.is_some();
        if let Some(writer) = writer {
            writer.finish()?;
        }
        warn_of_tracks(&tracks);
        let mut record = Record::new(source.title, output_files, job);
        record.add_inputs(&inputs, job)?;
        self.constraints.note_anatomy(ground.is_one_space, &mut record);
        let lengths = writes_streamlines.then_some(&lengths);
        output::note(table, &tracks, lengths, options.step_mm, &mut record);
        note_targets(&self.constraints.targets, &tracks.summary, &mut record);
        output::note_choices(options, &mut record);
        let done = form::done(&written, self.regions.is_some(), self.matrix.is_some());
        record.done(output::sentence(&tracks, &done));
        let mut said = Vec::new();
        if let Some(preset) = self.rules.preset {
            record.choice("preset", preset.word());
            said.push(format!("numbers of the preset {}, unless another option was given", preset.word()));
        }
        if let Some(parts) = &done_parts {
            record.choice("merged from", format!("{} parts", parts.len()));
        }
        if fraction > 0.0 {
            let beginnings = output::beginnings(&ground.everywhere, fraction, table);
            record.choice("seeds", &beginnings);
            said.push(format!("seeds in {beginnings}"));
        }
        said.push(output::describe_limits(options));
        record.cite(source.references);
        record.cite(REFERENCES);
        record.choice("streamlines followed by", &tracks.followed_by);
        said.push(output::describe(&tracks, lengths, options.step_mm));
        if let Some(counter) = counter {
            record.cite(connectomes::REFERENCES);
            let streamlines = counter.streamlines();
            let matrix = counter.finish()?;
            said.push(matrices::note(&matrix, streamlines, &mut record));
            match &folder {
                Some(folder) => matrices::write(folder, &matrix)?,
                None => write_matrix_npz(&self.out, &matrix)?,
            }
        }
        if let Some(counter) = met {
            let entries =
                counter.finish()? + entries_of_parts + journal.as_ref().map_or(0, RowJournal::entries);
            if let Some(matrix) = matrix {
                said.push(met::note(matrix.shape(), entries, &mut record));
                // Its files have the names of those that an earlier command may have left, which go first.
                folder.as_ref().inspect(|folder| folder.begin());
                let places = job.step("write the matrix", || matrix.finish())?;
                met::note_shown(self.matrix.as_ref(), &self.seeds, &places, &mut record);
            }
        }
        match &folder {
            Some(folder) => {
                let seeds = ground.seed_mask.as_ref().unwrap_or(&ground.everywhere);
                output::write(folder, &tracks, &self.maps, &written, job)?;
                let has_counts = written.contains(&ProductName::TargetCounts);
                let names = self.target_names();
                for counts in names.iter().zip(&tracks.target_hits).filter(|_| has_counts) {
                    let (counts, options) = ((counts.0.as_str(), counts.1.as_slice()), job.image_options());
                    target_counts::write(
                        folder,
                        &self.seeds,
                        ground.elements.as_ref(),
                        seeds,
                        counts,
                        &options,
                    )?;
                }
                if output::has_backdrop(&written) {
                    output::write_anatomy(folder, &table.mean_fraction()?, &tracks, &self.outlined(), job)?;
                    record.rename(&self.maps.format().name(output::ANATOMY), source.fraction);
                }
                record.write(folder.path(), job)?;
                saved.iter().for_each(Saved::remove);
            }
            None => {
                if let Some(map) = tracks.map.as_ref().filter(|_| form == Form::Image) {
                    write_image(&self.out, &map.to_volume()?, &job.image_options())?;
                }
                record.write_beside(&self.out, job)?;
            }
        }
        for line in said {
            job.say(&line);
        }
        Ok(tracks)
    }

    /// The parts of this run that were done before, if all are there; those of other runs are told.
    fn done_parts(&self, identity: impl FnOnce() -> Result<String>, job: &Job) -> Result<Option<SavedParts>> {
        let folder = folder_of_parts(&self.out);
        let must = self.extent == Extent::Merged;
        let unused = |why: &str| {
            tracing::warn!("{}: its parts are not used: {why}", folder.display());
            Ok(None)
        };
        // Parts that are not used need not be intact.
        if job.force() && !must {
            return Ok(None);
        }
        let parts = match SavedParts::find(&self.out)? {
            Found::Unusable(error) if must => return Err(error),
            Found::Unusable(error) => return unused(error.problem()),
            Found::Nothing if must => {
                let problem = "there are no parts in it";
                return Err(Error::invalid(folder.display(), problem, "make them by ‘part’"));
            }
            Found::Nothing => return Ok(None),
            Found::All(parts) => parts,
        };
        let problem = "they are of other data or options, or of another version";
        if parts.are_of(&identity()?) {
            parts.verify()?;
            job.say(format!("{} parts were done before: {}", parts.len(), folder.display()));
            return Ok(Some(parts));
        }
        if must {
            let advice = "do them again, or go back to what they are of";
            return Err(Error::invalid(folder.display(), problem, advice));
        }
        unused(problem)
    }

    /// All files that are read.
    pub(super) fn inputs(&self, source: &Source<'_>) -> Vec<PathBuf> {
        source.files.iter().map(PathBuf::as_path).chain(self.files()).map(Path::to_owned).collect()
    }

    /// What tells this run from others: everything that its results depend on.
    pub(super) fn identity(
        source: &Source<'_>,
        options: &SampleOptions,
        inputs: &[PathBuf],
        job: &Job,
    ) -> Result<String> {
        let inputs = job.checksums().of(inputs)?;
        let (version, Source { title, choices, .. }) = (env!("CARGO_PKG_VERSION"), source);
        let text = format!("{version} {title} {choices} {options:?} {inputs:?}");
        Ok(sha256_of(text.as_bytes()))
    }

    fn writer(
        &self,
        folder: Option<&OutputFolder>,
        grid: &Grid,
        job: &Job,
    ) -> Result<Option<TractogramWriter>> {
        let path = match folder {
            _ if !self.writes(ProductName::Streamlines) => return Ok(None),
            Some(folder) => folder.file(output::STREAMLINES),
            None => self.out.clone(),
        };
        TractogramWriter::create(&path, Some(grid), &job.tractogram_options()).map(Some)
    }

    /// Tells where the data came from, for the errors of the library.
    pub(super) fn tell_sources(&self, source: &Path, job: &Job) {
        let seeds = self.seeds.files().next().unwrap_or(source);
        for data in ["seed mask", "seed points"] {
            job.came_from(data, &seeds.display());
        }
        for data in ["mask", "orientations", "peaks"] {
            job.came_from(data, &source.display());
        }
    }
}

/// Warns of what may be wrong with the seeds, and says why there is no streamline where there is none.
pub fn warn_of_tracks(tracks: &SampleTracks) {
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
