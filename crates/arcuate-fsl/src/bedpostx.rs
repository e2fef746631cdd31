//! The program `bedpostx`: reads the folder of a subject, and samples the posterior distribution of its
//! fibres as `xfibres` does.

use super::call::{Call, EarlyExit, Outcome, command_line_error, results_of};
use super::environment;
use super::grammar::Found;
use super::results::{Results, Whole, came_from};
use super::samples::Samples;
use super::subject::Subject;
use super::xfibres;
use super::xfibres_options::Inputs;
use arcuate_core::{Error, Result, is_present};
use arcuate_io::with_ending;
use arcuate_pipeline::find_files::{find_image, only_one};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::scan::Scan;
use arcuate_pipeline::shell::shell_line;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Parsed command line.
struct Request {
    subject: PathBuf,
    /// Options for `xfibres`: first the defaults of `bedpostx`, then the options of the user. If an option
    /// occurs twice, the last one is used.
    arguments: Vec<String>,
    /// True if `grad_dev` is used.
    deviations: bool,
}

/// Options of `bedpostx` that have a value. For each: its name, the name of the same option of `xfibres`, and
/// its default.
const OPTIONS: [(&str, &str, &str); 6] = [
    ("-n", "--nf", "3"),
    ("-w", "--fudge", "1"),
    ("-b", "--bi", "1000"),
    ("-j", "--nj", "1250"),
    ("-s", "--se", "25"),
    ("-model", "--model", "2"),
];
/// Options of `bedpostx` for job queues. They are accepted but have no effect.
const WITHOUT_EFFECT: [&str; 3] = ["-NJOBS", "-Q", "-QSYS"];

impl Request {
    fn read(call: &Call, arguments: &[String]) -> Outcome<Self> {
        // Without arguments, FSL's program prints its usage and exits with code 1.
        let (first, rest) = arguments.split_first().ok_or(EarlyExit::Help(1))?;
        if matches!(first.as_str(), "-h" | "--help") {
            return Err(call.help());
        }
        if first.starts_with('-') {
            let advice = "write it first: bedpostx SUBJECT [OPTIONS]";
            return Err(Error::usage(
                first,
                "the folder of the subject must come before the options",
                advice,
            )
            .into());
        }
        let mut values = OPTIONS.map(|(_, _, usual)| usual.to_owned());
        let (mut others, mut deviations) = (Vec::new(), false);
        let mut rest = rest.iter();
        while let Some(word) = rest.next() {
            let mut value = || {
                rest.next().cloned().ok_or_else(|| {
                    command_line_error(Error::usage(
                        word,
                        "it has no value",
                        "write its value after \
                        it",
                    ))
                })
            };
            if let Some(place) = OPTIONS.iter().position(|(name, _, _)| name == word) {
                values[place] = value()?;
            } else if WITHOUT_EFFECT.contains(&word.as_str()) {
                value()?;
            } else if word == "-g" {
                deviations = true;
            } else if word != "-c" {
                others.push(word.clone());
            }
        }
        let own = OPTIONS.iter().zip(values).map(|((_, name, _), value)| format!("{name}={value}"));
        let arguments = own.chain(["--cnonlinear".to_owned()]).chain(others).collect();
        Ok(Self { subject: PathBuf::from(first), arguments, deviations })
    }
}

pub(super) fn run(call: &Call, arguments: &[String]) -> Outcome<Job> {
    let request = Request::read(call, arguments)?;
    let (found, chains) = xfibres::read(call, &request.arguments)?;
    check_arguments(&found)?;
    let format = environment::image_format()?;
    let path = results_of(&request.subject)?;
    let inputs = inputs_in(&request.subject, request.deviations)?;
    let marker = path.join("xfms/eye.mat");
    if is_present(&marker) {
        let advice = format!("to process the subject again, first remove the folder {}", path.display());
        return Err(Error::invalid(marker.display(), "this subject is processed already", advice).into());
    }
    let job = call.begin(&found)?;
    if found.text("logdir").is_some() {
        tracing::warn!("--logdir has no effect: results go to {}", path.display());
    }
    chains.check(&found)?;
    let nodif = find_image(&request.subject.join("nodif"))?;
    let results = Results::create(&path, &inputs, nodif, (&chains, true), format, &job)?;
    let subject = job.step("read the series", || Subject::read(&inputs))?;
    let (grid, count) = (*subject.dwi.grid(), subject.mask.count());
    let device = job.device()?;
    job.print(format_args!(
        "{}: {count} voxels, {} fibres, model {}, on {device}, into {}\n",
        call.name,
        chains.fibres,
        chains.form as u32,
        path.display()
    ));
    let scan =
        job.step("look at the scan", || Scan::look(&subject.dwi, &subject.gradients, &subject.mask))?;
    came_from(&inputs, &job);
    let (samples, example) = job.step("sample", || {
        Samples::draw(&chains, subject, device, job.control()).map_err(|error| job.reword(error))
    })?;
    let line = xfibres_line(&inputs, &request.arguments);
    results.write(&samples, &grid, count, Some(&Whole { scan, example }), &line, &job)?;
    results.mark_as_finished()?;
    job.print(format_args!("{}: done, {} voxels sampled\n", call.name, samples.voxels.len()));
    Ok(job)
}

/// Returns an error if an option for `xfibres` names an input file. `bedpostx` reads the files of the
/// subject's folder instead.
fn check_arguments(found: &Found) -> Result<()> {
    match ["data", "mask", "bvecs", "bvals", "gradnonlin"].into_iter().find(|name| found.text(name).is_some())
    {
        Some(name) => {
            let problem = "bedpostx reads the files of the subject's folder";
            Err(Error::invalid(
                format_args!("--{name}"),
                problem,
                "remove this option and use -g, which reads grad_dev, or call xfibres",
            ))
        }
        None => Ok(()),
    }
}

/// Finds the input files in the folder of a subject. If some are missing, the error names all of these.
fn inputs_in(subject: &Path, deviations: bool) -> Result<Inputs> {
    if !subject.is_dir() {
        let advice = "give the folder with data, nodif_brain_mask, bvals and bvecs";
        return Err(Error::no_folder(subject, advice));
    }
    let mut missing = Vec::new();
    let mut required = |name: &str, found: Option<PathBuf>| {
        if found.is_none() {
            missing.push(name.to_owned());
        }
        found.unwrap_or_default()
    };
    let image = |name: &str| find_image(&subject.join(name));
    let table = |name: &str| {
        let plain = subject.join(name);
        only_one([plain.clone(), with_ending(&plain, ".txt")].into_iter())
    };
    let data = required("data", image("data")?);
    let mask = required("nodif_brain_mask", image("nodif_brain_mask")?);
    let deviations = if deviations { Some(required("grad_dev", image("grad_dev")?)) } else { None };
    let bvals = required("bvals", table("bvals")?);
    let bvecs = required("bvecs", table("bvecs")?);
    if missing.is_empty() {
        return Ok(Inputs { data, mask, bvecs, bvals, deviations });
    }
    let problem = format!("the folder has no {}", missing.join(", no "));
    Err(Error::invalid(
        subject.display(),
        problem,
        "add the missing file to the folder (images as .nii.gz or .nii)",
    ))
}

/// Returns the equivalent command line of `xfibres`.
fn xfibres_line(inputs: &Inputs, arguments: &[String]) -> String {
    let files =
        [("data", &inputs.data), ("mask", &inputs.mask), ("bvecs", &inputs.bvecs), ("bvals", &inputs.bvals)];
    let files = files.map(|(name, path)| format!("--{name}={}", path.display()));
    let all: Vec<OsString> =
        std::iter::once("xfibres").chain(files.iter().map(String::as_str)).map(OsString::from).collect();
    let rest: Vec<OsString> = arguments.iter().map(OsString::from).collect();
    shell_line(all.iter().chain(&rest))
}
