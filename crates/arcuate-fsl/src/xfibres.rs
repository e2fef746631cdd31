//! The program `xfibres`: samples the posterior distribution of fibres in each voxel of a mask.

use super::call::{Call, Outcome, command_line_error};
use super::environment;
use super::grammar::{self, Found};
use super::outputs;
use super::results::{came_from, note};
use super::samples::{Layout, Samples};
use super::subject::{Subject, require_image};
use super::xfibres_options::{Chains, Inputs, RULES};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output::OutputFolder;
use arcuate_pipeline::record::Record;
use std::path::PathBuf;

/// Parses the options of a command line.
pub(super) fn read(call: &Call, arguments: &[String]) -> Outcome<(Found, Chains)> {
    let found = grammar::read(RULES, arguments).map_err(command_line_error)?;
    if found.is_set("help") {
        return Err(call.help());
    }
    let chains = Chains::read(&found).map_err(command_line_error)?;
    Ok((found, chains))
}

pub(super) fn run(call: &Call, arguments: &[String]) -> Outcome<Job> {
    let (found, chains) = read(call, arguments)?;
    let inputs = Inputs::read(&found).map_err(command_line_error)?;
    let format = environment::image_format()?;
    let job = call.begin(&found)?;
    chains.check(&found)?;
    let inputs = Inputs {
        data: require_image(&inputs.data)?,
        mask: require_image(&inputs.mask)?,
        deviations: inputs.deviations.as_deref().map(require_image).transpose()?,
        ..inputs
    };
    let images = outputs::of_xfibres(&Layout::new(&chains));
    let output_files: Vec<_> = images.iter().map(|image| image.output_file(format)).collect();
    let folder = OutputFolder::create(&log_folder(&found), &output_files, &inputs.files(), &job)?;
    let subject = job.step("read the series", || Subject::read(&inputs))?;
    let (grid, count) = (*subject.dwi.grid(), subject.mask.count());
    let device = job.device()?;
    job.print(format_args!("{}: {count} voxels on {device}, into {}\n", call.name, folder.path().display()));
    came_from(&inputs, &job);
    let (samples, _) = job.step("sample", || {
        Samples::draw(&chains, subject, device, job.control()).map_err(|error| job.reword(error))
    })?;
    job.write("write the images", || outputs::write(&images, &samples, &grid, &folder, format))?;
    let mut record = Record::new("Crossing fibres", output_files, &job);
    note(&mut record, &samples, &grid, count);
    record.add_inputs(&inputs.files(), &job)?;
    record.write(folder.path(), &job)?;
    job.print(format_args!("{}: {} voxels sampled\n", call.name, samples.voxels.len()));
    Ok(job)
}

/// Returns the path of the folder of results. Without `--forcedir`, a `+` is appended to the name until no
/// such folder exists.
fn log_folder(found: &Found) -> PathBuf {
    let mut folder = found.text("logdir").unwrap_or("logdir").to_owned();
    while !found.is_set("forcedir") && PathBuf::from(&folder).exists() {
        folder.push('+');
    }
    folder.into()
}
