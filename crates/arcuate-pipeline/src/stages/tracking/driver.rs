//! Runs tracking for every source of directions. It reserves the output files, reads the inputs, follows the
//! streamlines, and writes and reports the results.

use super::field::{Field, Source};
use super::following::Following;
use super::form::{self, Form};
use super::note_targets;
use super::options::Tracking;
use super::part::Extent;
use super::part_folder::{Found, SavedParts, folder_of_parts};
use super::parts::{Parts, Saved};
use super::product::{Open, Opening, Product, Report};
use super::product_names::ProductName;
use super::products::{self, check_resume, sparse_files, sparse_output_files};
use super::receiver::{Receiver, ReceiverResult};
use super::run_inputs::RunInputs;
use crate::checksums::sha256_of;
use crate::job::Job;
use crate::output::{OutputFolder, require_files_and_record};
use crate::output_files::{Kind, Map, OutputFile};
use crate::record::{self, Record};
use arcuate_compute::Device;
use arcuate_core::{Error, Result};
use arcuate_report::human;
use arcuate_track::SampleTracks;
use std::path::PathBuf;

/// For each product (a kind of result that tracking writes), the receiver of streamlines, if the product
/// needs streamlines.
type Receivers<'a> = Vec<Option<Box<dyn Receiver + 'a>>>;

impl Tracking {
    /// Returns the output files, if the results are not written into a folder.
    fn out_files(&self) -> Vec<PathBuf> {
        match self.form() {
            Form::Matrices => sparse_files(&self.out),
            Form::Tractogram | Form::Image | Form::Folder => vec![self.out.clone()],
        }
    }

    /// Returns the paths of all output files, with the record last.
    pub(crate) fn outputs(&self) -> Vec<PathBuf> {
        if let Extent::Part(part) = self.extent {
            return self.outputs_of_part(part);
        }
        match self.form() {
            Form::Folder => record::outputs(&self.out, &self.output_files()),
            Form::Tractogram | Form::Image | Form::Matrices => {
                self.out_files().into_iter().chain([record::companion_path(&self.out)]).collect()
            }
        }
    }

    fn output_files(&self) -> Vec<OutputFile> {
        let name = record::name_of(&self.out);
        match self.form() {
            Form::Tractogram => {
                vec![OutputFile::shown(name, "Streamlines", Kind::Streamlines { weights: None })]
            }
            Form::Image => {
                let map = Map { unit: "streamlines".into(), heat: true, ..Map::default() };
                vec![OutputFile::shown(name, "Streamlines that pass each voxel", Kind::Map(map))]
            }
            Form::Matrices => sparse_output_files(&self.out),
            Form::Folder => {
                let files = products::of(self).iter().flat_map(|product| product.files()).collect();
                self.maps.format().of(files)
            }
        }
    }

    /// Returns an error if options contradict each other, or if an input file cannot be read.
    pub(crate) fn check(&self, job: &Job) -> Result<()> {
        self.check_name()?;
        self.check_inputs()?;
        if let Some(connections) = &self.connections {
            let counts_targets = self.writes(ProductName::TargetCounts);
            connections.check(self.select().is_some(), self.matrix.is_some(), counts_targets)?;
        }
        products::of(self).iter().try_for_each(|product| product.check(job))?;
        if self.extent != Extent::Whole {
            self.check_parts()?;
        }
        if self.resume.is_some() { check_resume(self) } else { Ok(()) }
    }

    /// Returns a checksum that identifies the run. It is computed from all options and inputs that affect the
    /// results.
    pub(super) fn identity(
        source: &Source<'_>,
        field: &dyn Field,
        inputs: &[PathBuf],
        job: &Job,
    ) -> Result<String> {
        let inputs = job.checksums().of(inputs)?;
        let (version, Source { title, choices, .. }) = (env!("CARGO_PKG_VERSION"), source);
        let text = format!("{version} {title} {choices} {} {inputs:?}", field.options());
        Ok(sha256_of(text.as_bytes()))
    }

    /// Follows streamlines through the source of directions that the function `read` returns, and writes the
    /// results.
    pub(crate) fn run(
        &self,
        source: &Source<'_>,
        read: impl FnOnce() -> Result<Box<dyn Field>>,
        job: &Job,
    ) -> Result<SampleTracks> {
        if let Extent::Part(part) = self.extent {
            return self.run_part(part, source, read, job);
        }
        let (inputs, files) = (self.inputs(source), self.output_files());
        let folder = self.reserve(source, &inputs, &files, job)?;
        self.report_sources(source, job);
        let run_inputs = RunInputs::new(read()?, self, source)?;
        let identity = || Self::identity(source, run_inputs.field.as_ref(), &inputs, job);
        let parts = self.done_parts(identity, job)?;
        let saved = match (&folder, self.resume) {
            (Some(folder), Some(_)) if parts.is_none() => Some(Saved::find(folder.path(), identity()?)?),
            _ => None,
        };
        let opening = Opening {
            tracking: self,
            source,
            run_inputs: &run_inputs,
            folder: folder.as_ref(),
            saved: saved.as_ref(),
            parts: parts.as_ref(),
            is_part: false,
            job,
        };
        let products = products::of(self);
        let mut open = opened(&products, &opening)?;
        let (tracks, received) = self.follow(&opening, &mut open)?;
        let mut record = Record::new(source.title, files, job);
        record.add_inputs(&inputs, job)?;
        let lines = report(&opening, &tracks, open, received, &mut record)?;
        match &folder {
            Some(folder) => {
                record.write(folder.path(), job)?;
                saved.iter().for_each(Saved::remove);
            }
            None => record.write_next_to(&self.out, job)?,
        }
        for line in lines {
            job.show_message(line);
        }
        Ok(tracks)
    }

    /// Creates the folder of the results. If the result is a single file, reserves this file and returns
    /// `None`.
    fn reserve(
        &self,
        source: &Source<'_>,
        inputs: &[PathBuf],
        files: &[OutputFile],
        job: &Job,
    ) -> Result<Option<OutputFolder>> {
        if self.form() != Form::Folder {
            require_files_and_record(&self.out, &self.out_files(), inputs, job)?;
            return Ok(None);
        }
        // The source of directions may be a folder, such as a folder of samples. It is an input, too.
        let read: Vec<PathBuf> = inputs.iter().cloned().chain([source.path.to_owned()]).collect();
        let folder = OutputFolder::create(&self.out, files, &read, job)?;
        Ok(Some(folder.with_maps_as(self.maps.format())))
    }

    /// Follows the streamlines. If all parts of a divided run are saved, merges these parts instead.
    fn follow(
        &self,
        opening: &Opening<'_>,
        open: &mut [Box<dyn Open + '_>],
    ) -> Result<(SampleTracks, Vec<ReceiverResult>)> {
        let Opening { run_inputs, parts, saved, job, .. } = *opening;
        let resumable = open.iter().find_map(|open| open.resumable());
        let mut receivers = receivers(open)?;
        let is_on_gpu = parts.is_none() && run_inputs.field.has_gpu_tracker();
        let device = if is_on_gpu { job.device()? } else { &Device::Cpu };
        let following = run_inputs.following(self, self.writes(ProductName::Lengths), device, job)?;
        let step = if parts.is_some() { "merge the parts" } else { "follow the streamlines" };
        let tracks = job.step(step, || match (parts, saved, &resumable, self.resume) {
            (Some(parts), ..) => merge(parts, &following, &mut receivers),
            (None, Some(saved), Some(resumable), Some(every)) => {
                let (seeds, journal) = (resumable.seeds, &resumable.journal);
                let each = resumable.each * run_inputs.field.of_each_seed();
                let cut = Parts { saved, journal, seeds, each, every };
                cut.run(&mut receivers, |receivers, part| following.run(receivers, Some(part)))
            }
            _ => following.run(&mut receivers, None),
        })?;
        run_inputs.field.check(&tracks, self.are_seeds_chosen())?;
        let finish = |receiver: Option<Box<dyn Receiver + '_>>| match receiver {
            Some(receiver) => receiver.finish(&tracks),
            None => Ok(ReceiverResult::Nothing),
        };
        let received = receivers.into_iter().map(finish).collect::<Result<_>>()?;
        Ok((tracks, received))
    }

    /// Returns the saved parts of this run (the results of the jobs among which the streamlines are divided),
    /// if all parts exist. Warns if the saved parts belong to another run.
    fn done_parts(&self, identity: impl FnOnce() -> Result<String>, job: &Job) -> Result<Option<SavedParts>> {
        let folder = folder_of_parts(&self.out);
        let must = self.extent == Extent::Merged;
        let unused = |why: &str| {
            tracing::warn!(
                "{}: the parts of an earlier divided run in this folder are not used: {why}",
                folder.display()
            );
            Ok(None)
        };
        // If existing results are overwritten, the saved parts are not used, so they are not read.
        if job.force() && !must {
            return Ok(None);
        }
        let parts = match SavedParts::find(&self.out)? {
            Found::Unusable(error) if must => return Err(error),
            Found::Unusable(error) => return unused(error.problem()),
            Found::Nothing if must => {
                let problem = "the folder has no parts";
                return Err(Error::invalid(folder.display(), problem, "make them by ‘part’"));
            }
            Found::Nothing => return Ok(None),
            Found::All(parts) => parts,
        };
        let problem = "they are of other data or options, or of another version";
        if parts.are_of(&identity()?) {
            parts.verify()?;
            job.show_message(format!(
                "{} parts of this divided run already exist in the folder {}",
                parts.len(),
                folder.display()
            ));
            return Ok(Some(parts));
        }
        if must {
            let advice = "compute the parts again, or use their data and options";
            return Err(Error::invalid(folder.display(), problem, advice));
        }
        unused(problem)
    }
}

/// Opens the products.
pub(super) fn opened<'a>(
    products: &'a [Box<dyn Product + '_>],
    opening: &'a Opening<'a>,
) -> Result<Vec<Box<dyn Open + 'a>>> {
    products.iter().map(|product| product.open(opening)).collect()
}

/// Returns the receiver of streamlines of each product (a kind of result that tracking writes).
pub(super) fn receivers<'a>(open: &'a mut [Box<dyn Open + '_>]) -> Result<Receivers<'a>> {
    open.iter_mut().map(|open| open.receiver()).collect()
}

/// Merges all parts of a divided run. The saved streamlines and sums of each part are passed to the receivers
/// of the products.
fn merge(
    parts: &SavedParts,
    following: &Following<'_>,
    receivers: &mut Receivers<'_>,
) -> Result<SampleTracks> {
    // The range of streamlines is empty, so no streamline is followed. The result has the structure of the
    // results of this run, with all counts 0.
    let mut all = following.run(&mut [], Some(0..0))?;
    let like = all.clone();
    let mut device_name: Vec<&str> = Vec::new();
    for part in parts.each() {
        following.control.check()?;
        all.add(&part.tracks(&like)?);
        for receiver in receivers.iter_mut().flatten() {
            receiver.add_part(part)?;
        }
        let by = part.head.device_name.as_str();
        if !device_name.contains(&by) {
            device_name.push(by);
        }
    }
    Ok(SampleTracks { device_name: device_name.join(", "), ..all })
}

/// Writes the remaining results of all products, and adds figures and tables to the record. Returns messages
/// for the user.
fn report(
    opening: &Opening<'_>,
    tracks: &SampleTracks,
    open: Vec<Box<dyn Open + '_>>,
    received: Vec<ReceiverResult>,
    record: &mut Record,
) -> Result<Vec<String>> {
    let Opening { tracking, source, run_inputs, parts, .. } = *opening;
    let field = run_inputs.field.as_ref();
    let lengths = received.iter().find_map(|received| match received {
        ReceiverResult::Lengths(lengths, _) => Some(lengths.clone()),
        ReceiverResult::Nothing | ReceiverResult::Entries(_) | ReceiverResult::Connectome(..) => None,
    });
    let mut lines = Vec::new();
    tracking.constraints.note_anatomy(run_inputs.is_one_space, record);
    field.note(tracks, lengths.as_ref(), record);
    note_targets(&tracking.constraints.targets, &tracks.summary, record);
    record.choice("streamlines followed by", &tracks.device_name);
    if let Some(preset) = tracking.preset {
        record.choice("preset", preset.word());
        lines.push(format!("numbers of the preset {}, unless another option was given", preset.word()));
    }
    if let Some(parts) = parts {
        record.choice("merged from", format!("{} parts", parts.len()));
    }
    if !tracking.are_seeds_chosen()
        && let Some(seeds) = field.describe_seeds(&run_inputs.everywhere)
    {
        record.choice("seeds", &seeds);
        lines.push(format!("seeds in {seeds}"));
    }
    let done = form::done(&tracking.written(), tracking.regions.is_some(), tracking.matrix.is_some());
    record.done(format!(
        "{} streamlines were followed{}; {} were accepted and {done}.",
        human::count(tracks.summary.seeds),
        source.followed,
        human::count(tracks.summary.streamlines)
    ));
    record.cite(source.references);
    lines.extend(field.describe(tracks, lengths.as_ref()));
    let mut report = Report { record, lines: &mut lines, tracks, opening };
    for (open, received) in open.into_iter().zip(received) {
        open.finish(received, &mut report)?;
    }
    Ok(lines)
}
