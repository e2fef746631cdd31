//! Record and report of a whole run.

use crate::job::Job;
use crate::judgement::{Judgement, judge};
use crate::output::OutputFolder;
use crate::record::Record;
use crate::report;
use crate::scan;
use crate::stages::{evaluation, mask, tensor, tracking};
use arcuate_core::Result;
use arcuate_io::write_file;
use std::path::Path;

/// Title of the record of a run.
pub const TITLE: &str = "From diffusion series to evaluated tractogram";

/// Names of the results that are key figures in the record of `arcuate run`.
pub const KEY_FIGURES: [&str; 5] =
    [scan::SIGNAL_TO_NOISE, mask::VOLUME, tensor::MEDIAN_FA, tracking::MEAN_LENGTH, evaluation::SUPPORTED];

/// Writes the record and the report into the folder of a run. Prints the judgements about the results and the
/// path of the report. The report draws maps and streamlines on the image `anatomy`. If this image is not
/// given, it uses an anatomical map among the results.
pub fn finish(folder: &OutputFolder, record: &mut Record, anatomy: Option<&Path>, job: &Job) -> Result<()> {
    record.write(folder.path(), job)?;
    let page = job.step("report", || report::render(folder.path(), record, anatomy, job))?;
    let path = folder.file(report::FILE_NAME);
    write_file(&path, page)?;
    for judgement in judge(record) {
        let Judgement { sentence, verdict, criterion } = judgement;
        job.show_message(format!("{}: {sentence}", verdict.name()));
        job.show_message(format!("    {criterion}"));
    }
    job.show_message(format!("report: {}", path.display()));
    Ok(())
}
