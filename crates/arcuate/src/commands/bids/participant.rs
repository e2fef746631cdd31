//! The participant level of `arcuate bids`: processes scans of the dataset one after the other.

use super::BidsApp;
use super::checks::{compare_participants, compare_sidecar};
use super::memory::memory_mb;
use crate::commands::run::{self, Share};
use crate::grammar::Grammar;
use crate::parameters::text_in_options;
use arcuate_bids::dataset::Dataset;
use arcuate_bids::derivatives;
use arcuate_bids::scans::{Scan, Unusable, find};
use arcuate_bids::state::{Place, Stage, State};
use arcuate_core::{Error, ErrorKind, Result};
use arcuate_io::describe_image;
use arcuate_pipeline::job::Job;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

impl BidsApp {
    /// Processes the selected scans. Returns an error if a scan could not be processed.
    pub(super) fn participants(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        let (dataset, others) = self.datasets()?;
        if !self.scans.skip_bids_validation {
            compare_participants(&dataset);
        }
        let (scans, unusable) = find(&dataset, &others, &self.scans.search(self.run.atlas.clone())?)?;
        say_tools(&dataset, job);
        derivatives::begin(self.output(), &dataset, &others)?;
        let work = self.work();
        let count = scans.len() + unusable.len();
        let mut failed = Vec::new();
        for Unusable { id, error, is_series } in &unusable {
            let mut line = line_of(error);
            if let Some(trouble) = is_series.then(|| note_unusable(&work, id, &line).err()).flatten() {
                line = format!("{line} ({})", line_of(&trouble));
            }
            tracing::warn!("{id}: failed: {line}");
            failed.push(id.clone());
        }
        for (n, scan) in scans.iter().enumerate() {
            let id = scan.id();
            job.show_message(format_args!("{id} ({} of {count})", unusable.len() + n + 1));
            match self.one(scan, &work, job, grammar) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::Cancelled => return Err(error),
                Err(error) => {
                    tracing::warn!("{id}: failed: {}", line_of(&error));
                    failed.push(id);
                }
            }
        }
        let done = count - failed.len();
        match self.run.share {
            Some(share) => job.show_message(format_args!("share {share}: {done} of {count} scans done")),
            None => {
                job.show_message(format_args!("{done} of {count} scans done: {}", self.output().display()));
            }
        }
        if failed.is_empty() {
            return Ok(());
        }
        let problem = format!("{} of {count} scans failed: {}", failed.len(), failed.join(", "));
        let advice = format!("see `arcuate bids status {}`", self.output().display());
        Err(Error::invalid(self.output().display(), problem, advice))
    }

    /// Processes one scan and records its state.
    fn one(&self, scan: &Scan, work: &Path, job: &Job, grammar: &Grammar) -> Result<()> {
        let place = Place::new(work, &scan.id());
        if let Some(share) = self.run.share {
            // Here, the run of the scan is divided over several jobs. Jobs that track a part of the
            // streamlines may run at the same time, so they do not lock the scan. One part alone produces no
            // final results.
            let _held = (share == Share::Prepare).then(|| place.hold()).transpose()?;
            let done = self.results(scan, &place, job, grammar);
            job.forget_series();
            return done.map(|_| ());
        }
        let _held = place.hold()?;
        let before = place.read().ok().flatten();
        let earlier: Vec<PathBuf> =
            before.iter().flat_map(|state| &state.files).map(|name| self.output().join(name)).collect();
        let state = |stage, error: String, files: Vec<String>| State {
            scan: scan.id(),
            participant: scan.name.get("sub").unwrap_or_default().to_owned(),
            session: scan.name.get("ses").map(str::to_owned),
            stage,
            error,
            since: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            files,
        };
        let known = |files: &[PathBuf]| -> Vec<String> {
            files.iter().map(|file| relative(file, self.output())).collect()
        };
        let note = |stage, line, files: &[PathBuf]| {
            place.write(&state(stage, line, known(files)))?;
            // Declares the files written so far complete, and ends the watch for changes of the input files
            // of this scan. The results of other scans do not depend on these files.
            job.settle()
        };
        let was_done = before.as_ref().is_some_and(|state| state.stage == Stage::Done)
            && earlier.iter().all(|file| file.exists());
        note(Stage::Running, String::new(), &earlier)?;
        let done = self.results(scan, &place, job, grammar).and_then(|(scan, is_new)| {
            if was_done && !is_new {
                return Ok(earlier.clone());
            }
            let publish = || {
                let prepared = derivatives::prepare(&scan, &place.results(), self.output())?;
                // The state of the scan lists the files of the old and of the new results. If the process is
                // killed now, the next run therefore finds all of them.
                let either: Vec<PathBuf> = earlier.iter().chain(prepared.names()).cloned().collect();
                note(Stage::Running, String::new(), &either)?;
                prepared.publish(&earlier)
            };
            job.step("derivatives", publish)
        });
        job.forget_series();
        match done {
            Ok(files) => note(Stage::Done, String::new(), &files),
            Err(error) if error.kind() == ErrorKind::Cancelled => Err(error),
            Err(error) => {
                note(Stage::Failed, line_of(&error), &earlier)?;
                Err(error)
            }
        }
    }

    /// Runs the pipeline for a scan. Returns the scan with its tissue image, and true if a stage was run.
    fn results(&self, scan: &Scan, place: &Place, job: &Job, grammar: &Grammar) -> Result<(Scan, bool)> {
        for note in &scan.notes {
            job.show_message(format_args!("{}: {note}", scan.id()));
        }
        let header = describe_image(&scan.series.path)?;
        let measurements = header.dimensions.get(3).copied().unwrap_or(1);
        let voxels = header.grid.shape().iter().product();
        self.machine.check(voxels, measurements, self.run.select)?;
        if !self.scans.skip_bids_validation {
            compare_sidecar(scan)?;
        }
        tracing::debug!("{}: about {} MB", scan.id(), memory_mb(voxels, measurements, self.run.select));
        let five_tissues = self.five_tissues(scan, place, job, grammar)?;
        let scan = Scan { five_tissues, ..scan.clone() };
        let is_new = run::perform(self.words(&scan, &place.results()), job, grammar)?;
        Ok((scan, is_new))
    }

    /// Returns the command line of `arcuate run` for a scan.
    pub(super) fn words(&self, scan: &Scan, results: &Path) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["arcuate".into(), "run".into(), scan.series.path.clone().into()];
        let mut word = |name: &str, file: Option<&PathBuf>| {
            if let Some(file) = file {
                words.extend([OsString::from(name), file.into()]);
            }
        };
        let gradients = &scan.series.gradients;
        word("--gradients", gradients.table.as_ref());
        if let Some([bval, bvec]) = &gradients.fsl {
            word("--bval", Some(bval));
            word("--bvec", Some(bvec));
        }
        word("--mask", scan.mask.as_ref());
        word("--five-tissues", scan.five_tissues.as_ref());
        word("--anatomy", scan.anatomy.as_ref());
        if let Some(atlas) = &scan.atlas {
            word("--labels", Some(&atlas.image));
            word("--label-names", atlas.names.as_ref());
        }
        if !gradients.axes.is_as_it_seems() {
            words.push("--gradient-axes=-x,y,z".into());
        }
        words.extend(self.run.words());
        words.extend(["--out".into(), results.into()]);
        words
    }
}

/// Returns the error in one line, with the option names of this command.
pub(super) fn line_of(error: &Error) -> String {
    text_in_options(&error.to_string()).into_owned()
}

/// Returns the path of a file of the derivatives relative to their root.
fn relative(file: &Path, root: &Path) -> String {
    file.strip_prefix(root).unwrap_or(file).to_string_lossy().into_owned()
}

/// Prints the preprocessing tools that the dataset names.
fn say_tools(dataset: &Dataset, job: &Job) {
    let tools: Vec<String> = dataset
        .tools
        .iter()
        .map(|tool| {
            tool.version
                .as_ref()
                .map_or_else(|| tool.name.clone(), |version| format!("{} {version}", tool.name))
        })
        .collect();
    if tools.is_empty() {
        job.show_message(format_args!(
            "{}: {}, made by nothing that it names",
            dataset.root.display(),
            dataset.name
        ));
    } else {
        job.show_message(format_args!(
            "{}: {}, made by {}",
            dataset.root.display(),
            dataset.name,
            tools.join(", ")
        ));
    }
}

/// Records that a scan cannot be processed.
fn note_unusable(work: &Path, id: &str, line: &str) -> Result<()> {
    let place = Place::new(work, id);
    let _held = place.hold()?;
    // The state of the scan keeps the list of files that an earlier run wrote, because these files still
    // exist.
    let files = place.read().ok().flatten().map_or_else(Vec::new, |state| state.files);
    let label = |key: &str| {
        let entity = id.split('_').find_map(|part| part.strip_prefix(key));
        entity.map(str::to_owned)
    };
    place.write(&State {
        scan: id.to_owned(),
        participant: label("sub-").unwrap_or_default(),
        session: label("ses-"),
        stage: Stage::Failed,
        error: line.to_owned(),
        since: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        files,
    })
}
