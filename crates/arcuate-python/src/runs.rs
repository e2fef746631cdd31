//! Functions that write files: one for reports, and one that runs any command from its command line.

use crate::call::Call;
use arcuate::commands_of_programs::perform;
use arcuate_io::write_file;
use arcuate_pipeline::job::{Job, JobOptions};
use arcuate_pipeline::record::Record;
use arcuate_pipeline::report::{FILE_NAME, render};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Renders the report (web page) of a folder of results. Writes the page into this folder or to another path.
#[pyfunction]
pub(crate) fn report(
    py: Python<'_>,
    call: &Call,
    folder: PathBuf,
    out: Option<PathBuf>,
    anatomy: Option<PathBuf>,
) -> PyResult<PathBuf> {
    call.perform(py, |work| {
        let record = Record::read(&folder)?;
        let job = Job::new(work.host(), JobOptions::default());
        let page = render(&folder, &record, anatomy.as_deref(), &job)?;
        let path = out.unwrap_or_else(|| folder.join(FILE_NAME));
        write_file(&path, page)?;
        Ok(path)
    })
}

/// Runs a command. `words` is its command line. Returns the text that the command would print on the command
/// line.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, call: &Call, words: Vec<OsString>) -> PyResult<String> {
    call.perform(py, |work| perform(words, work.device_opener(), work.control.clone()))
}
