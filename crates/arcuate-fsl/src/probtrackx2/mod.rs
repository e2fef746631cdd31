//! `probtrackx2`: tracks streamlines through the samples of bedpostX, with the options and files of FSL's
//! program.

mod elements;
mod inputs;
mod lines;
mod matrix4;
mod options;
mod outputs;
mod results;
mod rois;
mod run;
mod seeds;
mod space_mappings;
mod tables;
mod target_paths;
mod text;

use super::call::{Call, Outcome, in_words};
use super::{environment, grammar};
use crate::parameters::option;
use arcuate_pipeline::job::Job;
use options::{RULES, Request};

/// Program name for the table of options, independent of the name under which the program was called.
pub(super) const NAME: &str = "probtrackx2";

pub(super) fn run(call: &Call, words: &[String]) -> Outcome<Job> {
    let found = grammar::read(RULES, words).map_err(in_words)?;
    if found.is_set("help") {
        return Err(call.help());
    }
    let request = Request::read(&found).map_err(in_words)?;
    let format = environment::image_format()?;
    let job = call.begin(&found)?;
    request.check(&found)?;
    run::run(&request, format, call.name, &job).map_err(|error| {
        // The table of options has only one name of the program, whatever name it was called by.
        job.reword(error.with_parameters(|parameter| option(NAME, parameter)))
    })?;
    Ok(job)
}
