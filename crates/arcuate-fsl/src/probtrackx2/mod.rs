//! `probtrackx2`: streamlines through the samples of bedpostX, in the words and the files of FSL's program.

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
mod tables;
mod target_paths;
mod text;
mod ways;

use super::call::{Call, Outcome, in_words};
use super::{grammar, surroundings};
use crate::parameters::option;
use arcuate_pipeline::job::Job;
use options::{RULES, Request};

/// The name by which its options are known, by whatever name it is called.
pub(super) const NAME: &str = "probtrackx2";

pub(super) fn run(call: &Call, words: &[String]) -> Outcome<Job> {
    let found = grammar::read(RULES, words).map_err(in_words)?;
    if found.is_set("help") {
        return Err(call.help());
    }
    let request = Request::read(&found).map_err(in_words)?;
    let format = surroundings::image_format()?;
    let job = call.begin(&found)?;
    request.check(&found)?;
    run::run(&request, format, call.name, &job).map_err(|error| {
        // Whatever the name that it is called by.
        job.reword(error.with_parameters(|parameter| option(NAME, parameter)))
    })?;
    Ok(job)
}
