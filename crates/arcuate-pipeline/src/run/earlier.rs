//! What an earlier run of the same inputs and options has left in a folder, so that this one goes on after it.

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

/// Length and time of the last change in nanoseconds, by which a file is known to be the one that was written.
type Stamp = (u64, u64);

/// Which run a folder is of, and what its stages that are done have written.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(super) struct Earlier {
    /// What tells this run from others: version, inputs by their content, and everything that was asked for.
    identity: String,
    /// Files by their names in the folder, of each stage by that of its record.
    stages: BTreeMap<String, BTreeMap<String, Stamp>>,
    #[serde(skip)]
    folder: PathBuf,
    /// Whether the folder was of this run before.
    #[serde(skip)]
    is_known: bool,
    /// Of another run, what its stages have written.
    #[serde(skip)]
    others: Option<BTreeMap<String, BTreeMap<String, Stamp>>>,
}

fn stamp(path: &Path) -> Option<Stamp> {
    let known = path.symlink_metadata().ok()?;
    let time = known.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some((known.len(), u64::try_from(time.as_nanos()).ok()?))
}

impl Earlier {
    /// Looks what is in a folder. Of another run, or where nobody asked to go on, that is nothing.
    ///
    /// Fails if the file that says so was changed.
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

    /// Whether the folder is of another run.
    pub(super) fn is_of_another(&self) -> bool {
        self.others.is_some()
    }

    /// Removes what another run has noted as its own and nobody has changed.
    pub(super) fn remove_others(&mut self) {
        for (name, known) in self.others.take().into_iter().flatten().flat_map(|(_, files)| files) {
            if let Ok(path) = record::inside(&self.folder, &name)
                && stamp(&path) == Some(known)
            {
                // One that cannot be removed stays, as a file that no record names.
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// Whether the folder was of this run before.
    pub(super) fn is_known(&self) -> bool {
        self.is_known
    }

    /// Whether all is there: what each stage wrote, and what the run itself does at its end.
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

    /// Whether a stage is done: its record is of inputs that are the same now, and its files are there.
    ///
    /// Fails where one of them is not what the stage has written: somebody may want to keep it.
    pub(super) fn has<W: StageWork>(&self, stage: &W, job: &Job) -> Result<bool> {
        let outputs = stage.outputs();
        let Some(own_record) = outputs.last() else { return Ok(false) };
        let Some(written) = self.stages.get(&self.name_of(own_record)) else { return Ok(false) };
        let mut is_whole = true;
        for (name, known) in written {
            // The file that names them may be damaged: what lies elsewhere is none of the run's.
            let Ok(path) = record::inside(&self.folder, name) else { return Ok(false) };
            match stamp(&path) {
                Some(now) if now == *known => {}
                Some(_) => {
                    let problem = "it was changed after the run had written it";
                    let advice = "take it away to have it made again, or say ‘force’ to do all anew";
                    return Err(Error::usage(path.display(), problem, advice));
                }
                None => is_whole = false,
            }
        }
        let Some(record) = Record::read_from(own_record).ok().filter(|_| is_whole) else { return Ok(false) };
        let paths: Vec<PathBuf> = record.inputs.iter().map(|input| PathBuf::from(&input.path)).collect();
        // One that is gone, or was changed meanwhile, is not the same.
        let are_there = paths.iter().all(|path| path.exists());
        Ok(are_there && job.checksums().of(&paths).is_ok_and(|now| now == record.inputs))
    }

    /// Notes that a stage is done.
    pub(super) fn note<W: StageWork>(&mut self, stage: &W) -> Result<()> {
        let outputs = stage.outputs();
        let Some(own_record) = outputs.last() else { return Ok(()) };
        let written = outputs.iter().filter_map(|file| Some((self.name_of(file), stamp(file)?)));
        self.stages.insert(self.name_of(own_record), written.collect());
        self.write()
    }

    /// Says whose the folder is, before the first stage.
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
    let remedy = "choose another ‘out’, or say ‘force’ to run everything again";
    SavedState { path, kind: StateKind { name: "stages of a run", version: 2 }, remedy }
}

/// Removes what a stage that is not done has left.
pub(super) fn remove_left<W: StageWork>(stage: &W) {
    // The record first, which would vouch for the rest.
    for file in stage.outputs().iter().rev() {
        // One that cannot be removed is refused when the stage begins.
        let _ = std::fs::remove_file(file);
    }
}

/// The record of the run in its folder.
pub(super) fn record_in(folder: &Path) -> Result<Record> {
    Record::read_from(&folder.join(record::FILE_NAME))
}

/// What tells a run from others: what it reads by its content, and what it is asked for, wherever files and the folder `out` lie. How many
/// threads there are and where it computes is none of it.
fn identity<W: StageWork>(stages: &[W], out: &Path, inputs: &[PathBuf], job: &Job) -> Result<String> {
    let contents: Vec<String> = job.checksums().of(inputs)?.into_iter().map(|input| input.sha256).collect();
    // As they stand in what is asked for.
    let shown = |path: &Path| path.display().to_string().escape_debug().to_string();
    let mut names: Vec<(String, String)> =
        inputs.iter().zip(&contents).map(|(path, content)| (shown(path), content.clone())).collect();
    names.push((shown(out), "the folder".to_owned()));
    // A name within another is not taken for itself.
    names.sort_by_key(|(name, _)| usize::MAX - name.len());
    let mut asked: Vec<String> = stages.iter().map(StageWork::asked).collect();
    for (name, content) in names.iter().filter(|(name, _)| !name.is_empty()) {
        for text in &mut asked {
            *text = text.replace(name.as_str(), content);
        }
    }
    let (version, seed) = (env!("CARGO_PKG_VERSION"), job.random_seed());
    Ok(sha256_of(format!("{version} {seed} {contents:?} {asked:?}").as_bytes()))
}
