use crate::fsl_programs;
use crate::grammar::Grammar;
use crate::meanings;
use crate::output::require_file;
use crate::record::{self, Record};
use arcuate_core::{Error, Result, is_file_or_link, is_present};
use arcuate_io::write_file;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::report::{FILE_NAME, render};
use clap::Args;
use std::path::{Path, PathBuf};

/// Write the report of a folder of results, or of a result file
///
/// The folder is the output of a command and contains the record arcuate.json. A result file has its record
/// next to it, such as image.nii.gz.json for image.nii.gz. Folders of bedpostx can also be reported, even if
/// FSL's bedpostx wrote them. The report is one HTML page that needs no other files and opens offline.
#[derive(Debug, Args)]
pub(crate) struct Report {
    /// Folder of results, or a result file with its record (JSON file) next to it
    result: PathBuf,
    /// Output: HTML page of the report
    ///
    /// [default: report.html in the folder, or NAME.html next to the file NAME]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    #[arg(
        long,
        help = meanings::ANATOMY,
        long_help = meanings::with(
            meanings::ANATOMY,
            "For example, give a T1-weighted image in the space of the scan. [default: the map of fractional \
             anisotropy (FA) or the mean b = 0 image of the results]"
        ),
        value_name = "IMAGE"
    )]
    anatomy: Option<PathBuf>,
}

impl Report {
    pub(crate) fn run(&self, job: &Job, _: &Grammar) -> Result<()> {
        let is_file = is_file_or_link(&self.result);
        let default = || {
            if is_file {
                record::companion_path_with(&self.result, "html")
            } else {
                self.result.join(FILE_NAME)
            }
        };
        let path = self.out.clone().unwrap_or_else(default);
        let Found { record, files, folder } = self.find()?;
        let mut inputs = record.named_files(&folder);
        // The existing report page is an output of `run`, so it does not count as an input of this command.
        inputs.retain(|file| *file != folder.join(FILE_NAME));
        inputs.extend(files.into_iter().chain(self.anatomy.clone()));
        require_file(&path, &inputs, job)?;
        let anatomy = self.anatomy.as_deref();
        let page = job.step("report", || render(&folder, &record, anatomy, job))?;
        write_file(&path, page)?;
        job.show_message(format_args!("report: {}", path.display()));
        Ok(())
    }

    /// Finds the record of a result: in its folder, in the logs of bedpostX, or next to a file.
    fn find(&self) -> Result<Found> {
        if is_present(&self.result) && !self.result.exists() {
            return Err(Error::missing(&self.result));
        }
        if is_file_or_link(&self.result) {
            let companion_path = record::companion_path(&self.result);
            let folder = self.result.parent().unwrap_or(Path::new("")).to_owned();
            let record = Record::read_from(&companion_path)?;
            return Ok(Found { record, files: vec![companion_path, self.result.clone()], folder });
        }
        let folder = self.result.clone();
        let path = [folder.join(record::FILE_NAME), fsl_programs::record_in(&folder)]
            .into_iter()
            .find(|path| is_file_or_link(path));
        match path {
            Some(path) => Ok(Found { record: Record::read_from(&path)?, files: vec![path], folder }),
            None => match fsl_programs::record_of_files(&folder)? {
                Some(record) => Ok(Found { record, files: Vec::new(), folder }),
                // The folder has no record. Reading the record returns the error that states what is missing.
                None => Ok(Found { record: Record::read(&folder)?, files: Vec::new(), folder }),
            },
        }
    }
}

/// Inputs of a report.
struct Found {
    record: Record,
    /// Files that contain the record.
    files: Vec<PathBuf>,
    folder: PathBuf,
}
