use crate::context::Context;
use crate::fsl;
use crate::output::require_file;
use crate::record::{self, Record};
use arcuate_core::{Error, Result, is_file_or_link, is_present};
use arcuate_io::write_file;
use arcuate_pipeline::report::{FILE_NAME, render};
use clap::Args;
use std::path::{Path, PathBuf};

/// Make the report of a folder of results again, or of a result that is a file
///
/// The folder is one that a command wrote, with its arcuate.json; a file has its record beside it, as image.nii.gz has
/// image.nii.gz.json. Folders of bedpostx, FSL's own too, have one as well. The page holds everything it shows: it opens offline
/// and asks the network for nothing.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Folder of results, or a result with its record beside it
    result: PathBuf,
    /// Where the result goes; a page, by default report.html in the folder, or NAME.html beside the file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Image that the report shows maps and streamlines on, such as a T1 that lies where the scan does (in the scanner's
    /// millimetres); by default what the results have themselves: FA or the mean b = 0 image
    #[arg(long, value_name = "IMAGE")]
    anatomy: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        let is_file = is_file_or_link(&self.result);
        let default = || {
            if is_file { record::beside_as(&self.result, "html") } else { self.result.join(FILE_NAME) }
        };
        let path = self.out.clone().unwrap_or_else(default);
        let Found { record, files, folder } = self.find()?;
        let mut inputs = record.named_files(&folder);
        // The page itself is a result of `run`.
        inputs.retain(|file| *file != folder.join(FILE_NAME));
        inputs.extend(files.into_iter().chain(self.anatomy.clone()));
        require_file(&path, &inputs, context)?;
        let anatomy = self.anatomy.as_deref();
        let page = context.step("report", |_| render(&folder, &record, anatomy, context))?;
        write_file(&path, page)?;
        context.say(format_args!("report: {}", path.display()));
        Ok(())
    }

    /// The record of the result: in its folder, among the logs of one of bedpostx, or beside a file. A folder of FSL's bedpostx
    /// has none, and its files tell what can be shown.
    fn find(&self) -> Result<Found> {
        if is_present(&self.result) && !self.result.exists() {
            return Err(Error::missing(&self.result));
        }
        if is_file_or_link(&self.result) {
            let beside = record::beside(&self.result);
            let folder = self.result.parent().unwrap_or(Path::new("")).to_owned();
            let record = Record::read_from(&beside)?;
            return Ok(Found { record, files: vec![beside, self.result.clone()], folder });
        }
        let folder = self.result.clone();
        let path = [folder.join(record::FILE_NAME), fsl::record_in(&folder)]
            .into_iter()
            .find(|path| is_file_or_link(path));
        match path {
            Some(path) => Ok(Found { record: Record::read_from(&path)?, files: vec![path], folder }),
            None => match fsl::record_of_files(&folder)? {
                Some(record) => Ok(Found { record, files: Vec::new(), folder }),
                // Which says what is missing.
                None => Ok(Found { record: Record::read(&folder)?, files: Vec::new(), folder }),
            },
        }
    }
}

/// What a report is made of.
struct Found {
    record: Record,
    /// Files that it was found in.
    files: Vec<PathBuf>,
    folder: PathBuf,
}
