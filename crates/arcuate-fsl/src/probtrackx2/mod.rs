//! The program `probtrackx2`: tracks streamlines through orientation samples of bedpostX, with the options
//! and the output files of FSL's program.

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

use super::call::{Call, Outcome, command_line_error};
use super::{environment, grammar};
use crate::parameters::option;
use arcuate_pipeline::job::Job;
use options::{RULES, Request};

/// Name of the program in the table that assigns options to parameters. The user may have called the program
/// by another name.
pub(super) const NAME: &str = "probtrackx2";

pub(super) fn run(call: &Call, arguments: &[String]) -> Outcome<Job> {
    let found = grammar::read(RULES, arguments).map_err(command_line_error)?;
    if found.is_set("help") {
        return Err(call.help());
    }
    let request = Request::read(&found).map_err(command_line_error)?;
    let format = environment::image_format()?;
    let job = call.begin(&found)?;
    request.check(&found)?;
    run::run(&request, format, call.name, &job).map_err(|error| {
        // The table that assigns options to parameters has only one name of this program. The user may have
        // called the program by another name.
        job.reword(error.with_parameters(|parameter| option(NAME, parameter)))
    })?;
    Ok(job)
}
