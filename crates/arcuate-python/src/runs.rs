//! Functions that write files: reports, and every command by its arguments.

use crate::call::Call;
use arcuate::commands_of_programs::perform;
use arcuate::io::write_file;
use arcuate::pipeline::job::{Job, JobOptions};
use arcuate::pipeline::record::Record;
use arcuate::pipeline::report::{FILE_NAME, render};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// Renders the report of a folder of results, and writes it there or to another path.
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

/// Runs a command by the arguments of its command line. Returns the text that its user would read.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, call: &Call, words: Vec<OsString>) -> PyResult<String> {
    call.perform(py, |work| perform(words, work.device_opener(), work.control.clone()))
}
