//! Finds the results of an earlier `arcuate run` with the same inputs and options in a folder, so that a new
//! run can continue from them.

use super::stage_work::StageWork;
use crate::checksums::sha256_of;
use crate::job::Job;
use crate::output::RUN_FILE;
use crate::record::{self, Record};
use arcuate_core::{Error, Result};
use arcuate_io::{SavedState, StateKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Length of a file in bytes, and its modification time in nanoseconds. If one of them differs, the file was
/// modified after the run had written it.
type Stamp = (u64, u64);

/// State of the run in a folder: the identity of the run, and the files that its finished stages wrote.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Earlier {
    /// Checksum that identifies a run. It is computed from the program version, the random seed, the contents
    /// of the inputs, and all options.
    identity: String,
    /// Result files of each finished stage, by their paths relative to the folder. The key of a stage is the
    /// path of its record.
    stages: BTreeMap<String, BTreeMap<String, Stamp>>,
    #[serde(skip)]
    folder: PathBuf,
    /// True if the folder already has the state of a run with the same identity.
    #[serde(skip)]
    is_known: bool,
    /// If the folder belongs to another run: the files that the stages of that run wrote.
    #[serde(skip)]
    others: Option<BTreeMap<String, BTreeMap<String, Stamp>>>,
}

fn stamp(path: &Path) -> Option<Stamp> {
    let known = path.symlink_metadata().ok()?;
    let time = known.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((known.len(), u64::try_from(time.as_nanos()).ok()?))
}

impl Earlier {
    /// Reads the state of an earlier run from a folder. No stage is finished if the folder belongs to another
    /// run, or if the job overwrites existing results.
    ///
    /// Returns an error if the state file was changed by anything other than a run.
    pub(super) fn find<W: StageWork>(
        folder: &Path,
        stages: &[W],
        inputs: &[PathBuf],
        job: &Job,
    ) -> Result<Self> {
        let identity = identity(stages, folder, inputs, job)?;
        let path = folder.join(RUN_FILE);
        let is_there = !job.force() && path.symlink_metadata().is_ok();
        let known: Option<Self> = is_there.then(|| state(&path).read_json()).transpose()?;
        let folder = folder.to_owned();
        Ok(match known {
            Some(known) if known.identity == identity => Self { folder, is_known: true, ..known },
            Some(other) => Self { identity, folder, others: Some(other.stages), ..Self::default() },
            None => Self { identity, folder, ..Self::default() },
        })
    }

    /// Checks whether the folder belongs to a run with other inputs or options.
    pub(super) fn is_of_another(&self) -> bool {
        self.others.is_some()
    }

    /// Removes the files that another run wrote into the folder. A file that was changed after that is not
    /// removed.
    pub(super) fn remove_others(&mut self) {
        for (name, known) in self.others.take().into_iter().flatten().flat_map(|(_, files)| files) {
            if let Ok(path) = record::inside(&self.folder, &name)
                && stamp(&path) == Some(known)
            {
                // If a file cannot be removed, it stays in the folder without being listed in a record.
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Checks whether the folder already has the state of a run with the same inputs and options.
    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }

    /// Checks whether the run is complete. This is the case if all stages are finished, and if the record of
    /// the run and the files `own`, which the run itself writes, exist.
    pub(super) fn is_complete<W: StageWork>(&self, stages: &[W], own: &[PathBuf], job: &Job) -> Result<bool> {
        if !self.is_known || Record::read(&self.folder).is_err() || !own.iter().all(|file| file.is_file()) {
            return Ok(false);
        }
        for stage in stages {
            if !self.has(stage, job)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Checks whether a stage is finished. This is the case if its result files exist, and if the inputs that
    /// its record lists are unchanged.
    ///
    /// Returns an error if a result file was changed after the stage had written it, because the user may
    /// want to keep the changed file.
    pub(super) fn has<W: StageWork>(&self, stage: &W, job: &Job) -> Result<bool> {
        let outputs = stage.outputs();
        let Some(own_record) = outputs.last() else { return Ok(false) };
        let Some(written) = self.stages.get(&self.name_of(own_record)) else { return Ok(false) };
        let mut is_whole = true;
        for (name, known) in written {
            // A damaged state file may list files outside the folder of the run. The stage then counts as
            // unfinished.
            let Ok(path) = record::inside(&self.folder, name) else { return Ok(false) };
            match stamp(&path) {
                Some(now) if now == *known => {}
                Some(_) => {
                    let problem = "it was changed after the run had written it";
                    let advice = "remove it to compute it again, or give ‘force’ to compute everything again";
                    return Err(Error::usage(path.display(), problem, advice));
                }
                None => is_whole = false,
            }
        }
        let Some(record) = Record::read_from(own_record).ok().filter(|_| is_whole) else { return Ok(false) };
        let paths: Vec<PathBuf> = record.inputs.iter().map(|input| PathBuf::from(&input.path)).collect();
        // If an input of the stage is missing or was changed, the stage counts as unfinished.
        let are_there = paths.iter().all(|path| path.exists());
        Ok(are_there && job.checksums().of(&paths).is_ok_and(|now| now == record.inputs))
    }

    /// Notes that a stage is finished.
    pub(super) fn note<W: StageWork>(&mut self, stage: &W) -> Result<()> {
        let outputs = stage.outputs();
        let Some(own_record) = outputs.last() else { return Ok(()) };
        let written = outputs.iter().filter_map(|file| Some((self.name_of(file), stamp(file)?)));
        self.stages.insert(self.name_of(own_record), written.collect());
        self.write()
    }

    /// Writes the state of the run, with its identity, into the folder. This function is called before the
    /// first stage.
    pub(super) fn begin(&mut self) -> Result<()> {
        if self.is_known {
            return Ok(());
        }
        self.write()
    }

    fn write(&self) -> Result<()> {
        state(&self.folder.join(RUN_FILE)).write_json(self)
    }

    fn name_of(&self, file: &Path) -> String {
        file.strip_prefix(&self.folder).unwrap_or(file).to_string_lossy().into_owned()
    }
}

fn state(path: &Path) -> SavedState<'_> {
    let remedy = "choose another ‘out’, or give ‘force’ to compute everything again";
    SavedState { path, kind: StateKind { name: "stages of a run", version: 2 }, remedy }
}

/// Removes the files of an unfinished stage.
pub(super) fn remove_unfinished<W: StageWork>(stage: &W) {
    // The record of the stage is removed first. If the removal is interrupted, no record then declares the
    // remaining files valid.
    for file in stage.outputs().iter().rev() {
        // If a file cannot be removed, the stage itself will return an error when it starts.
        let _ = std::fs::remove_file(file);
    }
}

/// Reads the record of a run from its folder.
pub(super) fn record_in(folder: &Path) -> Result<Record> {
    Record::read_from(&folder.join(record::FILE_NAME))
}

/// Returns the checksum that identifies a run. It is computed from the program version, the random seed, the
/// contents of the inputs, and the options of the stages. It does not depend on the paths of the inputs and
/// of the folder `out`, on the number of threads, or on the device.
fn identity<W: StageWork>(stages: &[W], out: &Path, inputs: &[PathBuf], job: &Job) -> Result<String> {
    let contents: Vec<String> = job.checksums().of(inputs)?.into_iter().map(|input| input.sha256).collect();
    // The text of the options contains paths in this form.
    let shown = |path: &Path| path.display().to_string().escape_debug().to_string();
    let mut names: Vec<(String, String)> =
        inputs.iter().zip(&contents).map(|(path, content)| (shown(path), content.clone())).collect();
    names.push((shown(out), "the folder".to_owned()));
    // Longer paths are replaced first. If a path is part of a longer path, it is thus not replaced inside the
    // longer one.
    names.sort_by_key(|(name, _)| usize::MAX - name.len());
    let mut options_text: Vec<String> = stages.iter().map(StageWork::options_text).collect();
    for (name, content) in names.iter().filter(|(name, _)| !name.is_empty()) {
        for text in &mut options_text {
            *text = text.replace(name.as_str(), content);
        }
    }
    let (version, seed) = (env!("CARGO_PKG_VERSION"), job.random_seed());
    Ok(sha256_of(format!("{version} {seed} {contents:?} {options_text:?}").as_bytes()))
}
