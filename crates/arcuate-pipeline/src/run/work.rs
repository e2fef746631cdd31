//! The stages of a run, one after the other, into one folder and one record.

use crate::caller::Caller;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use arcuate_core::Result;
use std::path::PathBuf;

/// What does the work of a stage.
pub trait StageWork {
    /// What records of the run call it.
    fn name(&self) -> &str;

    /// Everything that it writes, its record last.
    fn outputs(&self) -> Vec<PathBuf>;

    /// Fails where its options, or files that are there already, cannot be right: called before any stage begins, when
    /// files that stages before it write are not there yet.
    fn check(&self) -> Result<()>;

    /// Does the work.
    fn run(&self) -> Result<()>;
}

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
    /// What is said before the first stage, once nothing is known that would keep it from being done.
    pub said: Option<String>,
}

impl RunFolder {
    /// Does all stages, and takes what they say of themselves over into a record, which is not written yet. Nothing is begun
    /// before all is known that can be known.
    ///
    /// Fails where a stage does, and where a file in the folder is not the run's own and `caller` does not write over it.
    pub fn fill<W: StageWork>(&self, stages: &[W], caller: &dyn Caller) -> Result<(OutputFolder, Record)> {
        let mut files = self.files.clone();
        for stage in stages {
            let outputs = stage.outputs();
            let names = outputs.iter().filter_map(|path| path.strip_prefix(&self.path).ok());
            files.extend(names.map(|name| OutputFile::file(name.to_string_lossy().into_owned(), "")));
        }
        let folder = OutputFolder::create(&self.path, &files, &self.inputs, caller)?;
        stages.iter().try_for_each(StageWork::check)?;
        folder.begin();
        if let Some(line) = &self.said {
            caller.say(line);
        }
        let mut record = Record::new(self.title.as_str(), self.files.clone(), caller);
        record.add_inputs(&self.own_inputs, caller)?;
        for stage in stages {
            stage.run()?;
            if let Some(of_stage) = stage.outputs().last() {
                record.absorb(of_stage, &self.path, stage.name())?;
            }
        }
        Ok((folder, record))
    }
}
