//! The stages of a run, one after the other, into one folder and one record.

use super::earlier::{Earlier, record_in, remove_left};
use super::stage_work::StageWork;
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use arcuate_core::Result;
use std::path::PathBuf;

/// The folder of a run.
#[derive(Debug, Clone)]
pub struct RunFolder {
    /// Where it is.
    pub path: PathBuf,
    /// The title of its record.
    pub title: String,
    /// What is written beside the results of its stages, and shown in its report.
    pub files: Vec<OutputFile>,
    /// All files that are read.
    pub inputs: Vec<PathBuf>,
    /// Those that no stage reads.
    pub own_inputs: Vec<PathBuf>,
    /// Whether the folder is the caller's own, so that what another run has left there goes.
    pub is_own: bool,
    /// What is said before the first stage, once nothing is known that would keep it from being done.
    pub said: Option<String>,
}

impl RunFolder {
    /// Does all stages, and takes what they say of themselves over into a record, which is not written yet. Nothing is begun
    /// before all is known that can be known. Where the folder has results of a run of the same inputs and options, what is done
    /// there stays; where all of it is done, the answer is the record that is there.
    ///
    /// Fails where a stage does, and where a file in the folder is not the run's own and `job` does not write over it.
    pub fn fill<W: StageWork>(&self, stages: &[W], job: &Job) -> Result<Filled> {
        self.fill_first(stages, stages.len(), job)
    }

    /// Does the first stages, `count` of them, so that [`fill`](Self::fill) goes on after them.
    ///
    /// Fails as that does.
    pub fn prepare<W: StageWork>(&self, stages: &[W], count: usize, job: &Job) -> Result<()> {
        self.fill_first(stages, count, job).map(|_| ())
    }

    /// Whether the first stages, `count` of them, are done in the folder, of the same inputs and options.
    ///
    /// Fails where an input cannot be read.
    pub fn is_prepared<W: StageWork>(&self, stages: &[W], count: usize, job: &Job) -> Result<bool> {
        job.watch(&self.inputs);
        let earlier = Earlier::find(&self.path, stages, &self.inputs, job)?;
        if !earlier.is_known() {
            return Ok(false);
        }
        let done: Result<Vec<bool>> = stages[..count].iter().map(|stage| earlier.has(stage, job)).collect();
        Ok(done?.into_iter().all(|is_done| is_done))
    }

    fn fill_first<W: StageWork>(&self, stages: &[W], count: usize, job: &Job) -> Result<Filled> {
        let mut files = self.files.clone();
        for stage in stages {
            let outputs = stage.outputs();
            let names = outputs.iter().filter_map(|path| path.strip_prefix(&self.path).ok());
            files.extend(names.map(|name| OutputFile::file(name.to_string_lossy().into_owned(), "")));
        }
        // What these are is looked at before the stages read them.
        job.watch(&self.inputs);
        let mut earlier = Earlier::find(&self.path, stages, &self.inputs, job)?;
        let own: Vec<PathBuf> = self.files.iter().map(|file| self.path.join(file.name.as_ref())).collect();
        if earlier.is_complete(stages, &own, job)? {
            return record_in(&self.path).map(|record| Filled::Before(Box::new(record)));
        }
        // What another run has left goes, where that can be told from what is somebody else's.
        let replaces = self.is_own && earlier.is_of_another();
        if replaces {
            // Not before it is known that this one can begin.
            stages.iter().try_for_each(StageWork::check)?;
        }
        let folder = if earlier.is_known() || replaces {
            OutputFolder::go_on(&self.path, &files, &self.inputs, replaces, job)?
        } else {
            OutputFolder::create(&self.path, &files, &self.inputs, job)?
        }
        .continued();
        stages.iter().try_for_each(StageWork::check)?;
        folder.begin();
        if let Some(line) = &self.said {
            job.say(line);
        }
        let mut record = Record::new(self.title.as_str(), self.files.clone(), job);
        record.add_inputs(&self.own_inputs, job)?;
        if replaces {
            earlier.remove_others();
        }
        earlier.begin()?;
        for (n, stage) in stages[..count].iter().enumerate() {
            job.log_stage(n + 1, stages.len(), stage.name());
            // Only now: what stages before it have done anew may be the same as before.
            if earlier.is_known() && earlier.has(stage, job)? {
                if let Some(of_stage) = stage.outputs().last() {
                    crate::warnings::repeat(&Record::read_from(of_stage)?.warnings);
                }
                job.say(format!("{}: done before, and taken as it is", stage.name()));
            } else {
                if earlier.is_known() || replaces {
                    remove_left(stage);
                }
                stage.run()?;
                earlier.note(stage)?;
            }
            if let Some(of_stage) = stage.outputs().last() {
                record.absorb(of_stage, &self.path, stage.name())?;
            }
        }
        Ok(Filled::Now(Box::new(folder), Box::new(record)))
    }
}

/// What became of the folder of a run.
pub enum Filled {
    /// Its stages are done, and the record is to be written.
    Now(Box<OutputFolder>, Box<Record>),
    /// All was there of a run of the same inputs and options: its record.
    Before(Box<Record>),
}
