//! Helper programs of `bedpostx_gpu`, which samples the voxels of a subject in several parts. The programs
//! are `split_parts_gpu`, `xfibres_gpu`, `merge_parts_gpu` and `bedpostx_postproc_gpu.sh`.
//!
//! The random numbers of a voxel depend on its position in the image. The joined results of all parts are
//! therefore bit-identical to the results of a run on the whole image.

use super::call::{Call, EarlyExit, Outcome, command_line_error, results_of};
use super::environment;
use super::part_file::{self, PartFile};
use super::results::{Results, came_from};
use super::samples::{Layout, Samples};
use super::subject::{Subject, mask_on_data, require_image};
use super::xfibres;
use super::xfibres_options::{Chains, Inputs};
use arcuate_core::{Error, Mask, Result};
use arcuate_pipeline::find_files::find_image;
use arcuate_pipeline::job::Job;
use arcuate_pipeline::output::claim_file;
use arcuate_pipeline::shell::shell_line;
use arcuate_pipeline::space::image_grid;
use std::ffi::OsString;
use std::ops::Range;
use std::path::Path;

/// `split_parts_gpu DATA MASK BVALS BVECS GRAD|NULL 0|1 PARTS FOLDER`: for each part, writes a note (a small
/// file) that names the input images. The diffusion series is not split. The program that samples a part
/// reads the whole series.
pub(super) fn split(call: &Call, arguments: &[String]) -> Outcome<Job> {
    if arguments.iter().any(|word| word == "-h" || word == "--help") {
        return Err(call.help());
    }
    let [data, mask, bvals, bvecs, deviations, uses_them, parts, folder] = arguments else {
        return Err(wrong_count(call, arguments.len(), 8));
    };
    let parts = whole("the number of parts", parts)?;
    let job = call.begin(&super::grammar::Found::default())?;
    let deviations = match uses_them.as_str() {
        "0" => None,
        "1" => Some(require_image(Path::new(deviations))?),
        other => {
            let problem = "it is neither 0 nor 1, whether to use deviations of gradients";
            return Err(command_line_error(Error::usage(other, problem, "give one of the two")));
        }
    };
    let (data, mask) = (require_image(Path::new(data))?, require_image(Path::new(mask))?);
    for table in [bvals, bvecs] {
        std::fs::metadata(table).map_err(|error| Error::read(Path::new(table), error))?;
    }
    let count = mask_on_data(&mask, &data)?.count();
    check_parts(parts, count)?;
    let folder = Path::new(folder);
    std::fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
    for part in 0..parts {
        let [of_data, of_deviations] = part_file::note_names(part).map(|name| folder.join(name));
        part_file::write_note(&of_data, &data)?;
        if let Some(deviations) = &deviations {
            part_file::write_note(&of_deviations, deviations)?;
        }
    }
    job.print(format_args!("{}: {count} voxels in {parts} parts\n", call.name));
    Ok(job)
}

/// `xfibres_gpu <options> SUBJECT PART PARTS VOXELS`: samples one part.
pub(super) fn sample(call: &Call, arguments: &[String]) -> Outcome<Job> {
    let (options, [subject, part, parts, voxels]) = ending(call, arguments)?;
    let (found, chains) = xfibres::read(call, options)?;
    let inputs = Inputs::read(&found).map_err(command_line_error)?;
    let (part, parts) = (whole("the part", part)?, whole("the number of parts", parts)?);
    let voxels = whole("the number of voxels", voxels)?;
    if part >= parts {
        let problem = format!("part {part} does not exist; there are {parts} parts");
        return Err(Error::invalid("the part", problem, "count parts from 0").into());
    }
    let job = call.begin(&found)?;
    chains.check(&found)?;
    let inputs = whole_of(&inputs)?;
    job.watch(&inputs.files());
    let subject_inputs = job.step("read the series", || Subject::read(&inputs))?;
    let indices = subject_inputs.mask.indices();
    check_voxels(indices.len(), voxels, &inputs.mask)?;
    check_parts(parts, voxels)?;
    let own = &indices[range_of(part, parts, voxels)];
    let mut inside = vec![false; subject_inputs.dwi.grid().len()];
    for &voxel in own {
        inside[voxel] = true;
    }
    let mask = Mask::new(*subject_inputs.dwi.grid(), inside)?;
    let of_part = Subject { mask, ..subject_inputs };
    let device = job.device()?;
    job.print(format_args!("{}: part {part} of {parts}, {} voxels on {device}\n", call.name, own.len()));
    came_from(&inputs, &job);
    let (samples, _) = job.step("sample", || {
        Samples::draw(&chains, of_part, device, job.control()).map_err(|error| job.reword(error))
    })?;
    let file = PartFile { part, parts, voxels, chains: words_of(&chains, &inputs), samples };
    let path = part_file::path(&results_of(Path::new(subject))?, part);
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| Error::write(folder, error))?;
    }
    claim_file(&path, &job)?;
    file.write(&path)?;
    job.print(format_args!("{}: part {part} is in {}\n", call.name, path.display()));
    Ok(job)
}

/// `merge_parts_gpu <options> VOXELS PARTS SUBJECT`: writes all result files of `bedpostx`, except the file
/// that marks the folder as complete.
pub(super) fn merge(call: &Call, arguments: &[String]) -> Outcome<Job> {
    let (options, [voxels, parts, subject]) = ending(call, arguments)?;
    let (job, results) = join(call, options, [voxels, parts, subject])?;
    job.print(format_args!("{}: joined\n", call.name));
    drop(results);
    Ok(job)
}

/// `bedpostx_postproc_gpu.sh <options> VOXELS PARTS SUBJECT FOLDER_OF_PROGRAMS`: writes all result files of
/// `bedpostx`. Also writes the file that marks the folder as complete, and removes the files of the parts.
pub(super) fn finish(call: &Call, arguments: &[String]) -> Outcome<Job> {
    let (options, [voxels, parts, subject, _]) = ending(call, arguments)?;
    let (job, results) = join(call, options, [voxels, parts, subject])?;
    let folder = results_of(Path::new(subject))?;
    part_file::remove_all(&folder, whole("the number of parts", parts)?);
    results.mark_as_finished()?;
    job.print(format_args!("{}: done\n", call.name));
    Ok(job)
}

/// Joins the posterior samples of all parts of a subject, and writes the result files of `bedpostx`.
fn join(call: &Call, options: &[String], last: [&String; 3]) -> Outcome<(Job, Results)> {
    let [voxels, parts, subject] = last;
    let (found, chains) = xfibres::read(call, options)?;
    let inputs = Inputs::read(&found).map_err(command_line_error)?;
    let (voxels, parts) = (whole("the number of voxels", voxels)?, whole("the number of parts", parts)?);
    let format = environment::image_format()?;
    let job = call.begin(&found)?;
    chains.check(&found)?;
    let inputs = whole_of(&inputs)?;
    let grid = image_grid(&inputs.data)?;
    let indices = mask_on_data(&inputs.mask, &inputs.data)?.indices();
    check_voxels(indices.len(), voxels, &inputs.mask)?;
    check_parts(parts, voxels)?;
    let path = results_of(Path::new(subject))?;
    let samples = job.step("read the parts", || samples_of(&path, parts, &indices, &chains, &inputs))?;
    let nodif = find_image(&Path::new(subject).join("nodif"))?;
    let results = Results::create(&path, &inputs, nodif, (&chains, false), format, &job)?;
    let line: Vec<OsString> =
        std::iter::once("xfibres".to_owned()).chain(options.iter().cloned()).map(OsString::from).collect();
    results.write(&samples, &grid, voxels, None, &shell_line(&line), &job)?;
    Ok((job, results))
}

/// Reads the samples of all parts. `indices` are the voxels of the mask.
fn samples_of(
    folder: &Path,
    parts: usize,
    indices: &[usize],
    chains: &Chains,
    inputs: &Inputs,
) -> Result<Samples> {
    let voxels = indices.len();
    let mut all = Samples { layout: Layout::new(chains), voxels: Vec::new(), values: Vec::new() };
    let expected = words_of(chains, inputs);
    for part in 0..parts {
        let path = part_file::path(folder, part);
        let mut file = PartFile::read(&path)?;
        let is_right = file.part == part && file.parts == parts && file.voxels == voxels;
        if !is_right || file.chains != expected || file.samples.layout != all.layout {
            let problem = format!(
                "the file has part {} of {} with {} voxels, sampled with {} options",
                file.part,
                file.parts,
                file.voxels,
                if file.chains == expected { "these" } else { "other" }
            );
            return Err(Error::invalid(
                path.display(),
                problem,
                "run xfibres_gpu again for this part, with the options, number of parts and number of voxels \
                 of the other parts",
            ));
        }
        let own = &indices[range_of(part, parts, voxels)];
        let is_own = |voxel: &usize| own.binary_search(voxel).is_ok();
        if !(file.samples.voxels.is_sorted_by(|a, b| a < b) && file.samples.voxels.iter().all(is_own)) {
            let problem = "it has samples of voxels that are not of this part of the mask";
            return Err(Error::invalid(path.display(), problem, "call xfibres_gpu with this mask"));
        }
        all.voxels.append(&mut file.samples.voxels);
        all.values.append(&mut file.samples.values);
    }
    Ok(all)
}

/// Returns a text that describes all options that affect the posterior samples. File names are not part of
/// it.
fn words_of(chains: &Chains, inputs: &Inputs) -> String {
    let with = if inputs.deviations.is_some() { "with" } else { "without" };
    format!("{chains:?} {with} deviations of gradients")
}

/// Replaces each input file that is a note by the image that this note names.
fn whole_of(inputs: &Inputs) -> Result<Inputs> {
    let whole = |path: &Path| match part_file::read_note(path)? {
        Some(whole) => Ok(whole),
        None => require_image(path),
    };
    Ok(Inputs {
        data: whole(&inputs.data)?,
        mask: require_image(&inputs.mask)?,
        deviations: inputs.deviations.as_deref().map(whole).transpose()?,
        ..inputs.clone()
    })
}

/// Returns the range of the voxels that a part samples. Voxels are numbered within the mask.
fn range_of(part: usize, parts: usize, voxels: usize) -> Range<usize> {
    part * voxels / parts..(part + 1) * voxels / parts
}

fn check_parts(parts: usize, voxels: usize) -> Result<()> {
    if (1..=voxels).contains(&parts) {
        return Ok(());
    }
    let problem = format!("{voxels} voxels cannot be divided into {parts} parts");
    Err(Error::invalid(
        "the number of parts",
        problem,
        "give a number of parts from 1 to the number of voxels in the mask",
    ))
}

fn check_voxels(counted: usize, stated: usize, mask: &Path) -> Result<()> {
    if counted == stated {
        return Ok(());
    }
    let problem = format!("the mask has {counted} voxels, but the command line states {stated}");
    Err(Error::invalid(mask.display(), problem, "give the number of voxels in the mask"))
}

/// Splits the arguments of a program into its options and its last `N` arguments.
fn ending<'a, const N: usize>(
    call: &Call,
    arguments: &'a [String],
) -> Outcome<(&'a [String], [&'a String; N])> {
    if arguments.iter().any(|word| word == "-h" || word == "--help") {
        return Err(call.help());
    }
    let count = arguments.len().checked_sub(N).ok_or_else(|| wrong_count(call, arguments.len(), N))?;
    let (options, last) = arguments.split_at(count);
    Ok((options, std::array::from_fn(|n| &last[n])))
}

fn wrong_count(call: &Call, has: usize, expected: usize) -> EarlyExit {
    let problem = format!("the command has {has} words after its options, but needs {expected}");
    command_line_error(Error::usage(call.name, problem, format!("`{} -h` lists them", call.name)))
}

fn whole(what: &str, word: &str) -> Outcome<usize> {
    word.parse().map_err(|_| {
        command_line_error(Error::usage(
            what,
            format!("`{word}` is not a whole number"),
            "give \
        one",
        ))
    })
}
