//! What leaves files: the whole way from a series to a report, reports of what is there, and every command by its words.

use crate::call::Call;
use arcuate::commands_of_programs::perform;
use arcuate::core::{Error, Result};
use arcuate::io::write_file;
use arcuate::pipeline::job::{Job, JobOptions, Request};
use arcuate::pipeline::record::Record;
use arcuate::pipeline::report::{FILE_NAME, render};
use arcuate::pipeline::run::{Evaluation, RunOptions, Tracking};
use pyo3::prelude::*;
use std::ffi::OsString;
use std::path::PathBuf;

/// What a run is told.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct RunKeywords {
    bval: Option<PathBuf>,
    bvec: Option<PathBuf>,
    gradients: Option<PathBuf>,
    mask: Option<PathBuf>,
    labels: Option<PathBuf>,
    label_names: Option<PathBuf>,
    select: Option<u64>,
    tracking: Option<String>,
    five_tissues: Option<PathBuf>,
    evaluate: Option<String>,
    force: bool,
    /// What the record says was called.
    words: Vec<OsString>,
}

impl RunKeywords {
    fn options(&self, dwi: PathBuf, out: PathBuf) -> Result<RunOptions> {
        let refuse = |parameter: &str, word: &str, known: &str| {
            Err(Error::usage(parameter, format!("`{word}` is none of {known}"), "give one of them"))
        };
        let mut run = RunOptions::new(dwi, out);
        run.series.gradients.fsl = match (&self.bval, &self.bvec) {
            (Some(bval), Some(bvec)) => Some([bval.clone(), bvec.clone()]),
            (None, None) => None,
            _ => return Err(Error::usage("‘bval’, ‘bvec’", "one is given without the other", "give both")),
        };
        run.series.gradients.table.clone_from(&self.gradients);
        run.tracking = match self.tracking.as_deref() {
            None => Tracking::ByData,
            Some("distributions") => Tracking::Distributions,
            Some("tensor") => Tracking::Tensor,
            Some("geodesic") => Tracking::Geodesic,
            Some("samples") => Tracking::Samples,
            Some(word) => return refuse("‘tracking’", word, "distributions, tensor, geodesic, samples"),
        };
        run.evaluation = match self.evaluate.as_deref() {
            None => Evaluation::ByTracking,
            Some("life") => Evaluation::Life,
            Some("commit") => Evaluation::Commit,
            Some("none") => Evaluation::None,
            Some(word) => return refuse("evaluate", word, "life, commit, none"),
        };
        let Self { mask, labels, label_names, select, five_tissues, .. } = self;
        run.mask.clone_from(mask);
        run.labels.clone_from(labels);
        run.label_names.clone_from(label_names);
        run.five_tissues.clone_from(five_tissues);
        run.select = *select;
        Ok(run)
    }
}

/// From a series to an evaluated tractogram and a report, all in a folder.
#[pyfunction]
pub(crate) fn run(
    py: Python<'_>,
    call: &Call,
    dwi: PathBuf,
    out: PathBuf,
    keywords: RunKeywords,
) -> PyResult<()> {
    call.perform(py, |work| {
        let run = keywords.options(dwi, out)?;
        let request = Request { words: keywords.words, ..Request::default() };
        let options = JobOptions {
            request,
            random_seed: work.random_seed(),
            force: keywords.force,
            ..JobOptions::default()
        };
        let job = Job::new(work.host(), options);
        run.perform(&run.work()?, &job).map(|_| ())
    })
}

/// Makes the report of a folder of results, and writes it there or elsewhere.
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

/// Does a command by the words of its command line, and answers with what its user would read.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, call: &Call, words: Vec<OsString>) -> PyResult<String> {
    call.perform(py, |work| perform(words, work.device_opener(), work.control.clone()))
}
