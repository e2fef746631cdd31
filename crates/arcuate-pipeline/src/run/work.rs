//! Runs the stages of a run one after the other, into one folder and one record.

use super::earlier::{Earlier, record_in, remove_unfinished};
use super::stage_work::StageWork;
use crate::job::Job;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use arcuate_core::Result;
use std::path::PathBuf;

/// Folder of a run.
#[derive(Debug, Clone)]
pub struct RunFolder {
    /// Path of the folder.
    pub path: PathBuf,
    /// Title of the record of the run.
    pub title: String,
    /// Files that the run itself writes, in addition to the results of its stages. The report of the run can
    /// show these files.
    pub files: Vec<OutputFile>,
    /// All files that the run reads.
    pub inputs: Vec<PathBuf>,
    /// Input files that the run itself reads, but none of its stages.
    pub own_inputs: Vec<PathBuf>,
    /// True if the caller has chosen the folder, and not the user. Results of a run with other inputs or
    /// options in this folder are then removed.
    pub is_own: bool,
    /// Message that is shown to the user before the first stage, when all checks have passed.
    pub message: Option<String>,
}

impl RunFolder {
    /// Runs all stages and merges their records into one record, which the caller writes. All checks that are
    /// possible in advance are made before the first stage. If the folder has results of a run with the same
    /// inputs and options, its finished stages are not repeated. If that run is complete, its record is
    /// returned.
    ///
    /// Returns an error if a stage fails. Also returns an error if a result would overwrite a file that does
    /// not belong to the run, unless `job` allows this.
    pub fn fill<W: StageWork>(&self, stages: &[W], job: &Job) -> Result<Filled> {
        self.fill_first(stages, stages.len(), job)
    }

    /// Runs only the first `count` stages. A later call of [`fill`](Self::fill) runs the other stages.
    ///
    /// Returns an error as [`fill`](Self::fill) does.
    pub fn prepare<W: StageWork>(&self, stages: &[W], count: usize, job: &Job) -> Result<()> {
        self.fill_first(stages, count, job).map(|_| ())
    }

    /// Checks whether the folder has results of the first `count` stages with the same inputs and options.
    ///
    /// Returns an error if an input cannot be read.
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
        // The watch for changes of input files starts here, before a stage reads them.
        job.watch(&self.inputs);
        let mut earlier = Earlier::find(&self.path, stages, &self.inputs, job)?;
        let own: Vec<PathBuf> = self.files.iter().map(|file| self.path.join(file.name.as_ref())).collect();
        if earlier.is_complete(stages, &own, job)? {
            return record_in(&self.path).map(|record| Filled::Before(Box::new(record)));
        }
        if !earlier.is_known() {
            job.expect(stages.iter().flat_map(StageWork::outputs).collect());
        }
        // If the folder has results of another run, they are removed later. Files that were changed after
        // that run had written them are not removed.
        let replaces = self.is_own && earlier.is_of_another();
        if replaces {
            // The checks of all stages must pass before a file is removed.
            stages.iter().try_for_each(StageWork::check)?;
        }
        let folder = if earlier.is_known() || replaces {
            OutputFolder::continue_earlier(&self.path, &files, &self.inputs, replaces, job)?
        } else {
            OutputFolder::create(&self.path, &files, &self.inputs, job)?
        }
        .continued();
        stages.iter().try_for_each(StageWork::check)?;
        folder.begin();
        if let Some(line) = &self.message {
            job.show_message(line);
        }
        let mut record = Record::new(self.title.as_str(), self.files.clone(), job);
        record.add_inputs(&self.own_inputs, job)?;
        if replaces {
            earlier.remove_others();
        }
        earlier.begin()?;
        for (n, stage) in stages[..count].iter().enumerate() {
            job.log_stage(n + 1, stages.len(), stage.name());
            // The check whether the stage is finished is made only now. If preceding stages ran again, they
            // may have written the same files as before.
            if earlier.is_known() && earlier.has(stage, job)? {
                if let Some(of_stage) = stage.outputs().last() {
                    crate::warnings::repeat(&Record::read_from(of_stage)?.warnings);
                }
                job.show_message(format!("{}: done before, and taken as it is", stage.name()));
            } else {
                if earlier.is_known() || replaces {
                    remove_unfinished(stage);
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

/// Result of [`RunFolder::fill`].
pub enum Filled {
    /// The stages have run, and the caller must still write the record.
    Now(Box<OutputFolder>, Box<Record>),
    /// The folder already had all results of a run with the same inputs and options. The value is the record
    /// of that run.
    Before(Box<Record>),
}
