//! FSL's programs (`bedpostx`, `xfibres`, `probtrackx2`, `dtifit` and others) with the same names, options,
//! files and exit codes, so that scripts, nipype and fslpy can call them. The computations are in
//! `arcuate-pipeline`.
//!
//! A program that uses this crate passes its command line to [`Call::of`], together with a function that
//! [starts](Begin) a job.

mod bedpostx;
mod biggest;
mod call;
mod dtifit;
mod dyads;
mod environment;
mod example;
mod grammar;
mod help;
mod matrix_merge;
mod model;
mod outputs;
mod parameters;
mod part_file;
mod parts;
mod pictures;
mod probtrackx2;
mod proj_thresh;
mod results;
mod samples;
mod seed_maps;
mod subject;
mod xfibres;
mod xfibres_options;

pub use call::{Begin, Call, EarlyExit, Outcome, command_line_error};
pub use environment::Settings;
pub use parameters::{OPTIONS, option};
pub use pictures::{record_in, record_of_files};

use arcuate_core::Error;
use call::Program;
use std::ffi::OsString;
use std::path::Path;

/// Names of FSL's programs.
const NAMES: &[(&str, Program)] = &[
    ("bedpostx", Program::Bedpostx),
    ("bedpostx_gpu", Program::Bedpostx),
    ("xfibres", Program::Xfibres),
    ("xfibres_gpu", Program::XfibresOfPart),
    ("split_parts_gpu", Program::SplitParts),
    ("merge_parts_gpu", Program::MergeParts),
    ("bedpostx_postproc_gpu.sh", Program::Postprocessing),
    ("bedpostx_postproc_gpu", Program::Postprocessing),
    (probtrackx2::NAME, Program::Probtrackx2),
    ("probtrackx2_gpu", Program::Probtrackx2),
    ("dtifit", Program::Dtifit),
    ("make_dyadic_vectors", Program::MakeDyadicVectors),
    ("find_the_biggest", Program::FindTheBiggest),
    ("proj_thresh", Program::ProjThresh),
    ("fdt_matrix_merge", Program::MatrixMerge),
];

/// Returns the names of FSL's programs.
pub fn names() -> impl Iterator<Item = &'static str> {
    NAMES.iter().map(|(name, _)| *name)
}

fn program(name: &str) -> Option<(&'static str, Program)> {
    NAMES.iter().copied().find(|(known, _)| *known == name)
}

/// Returns the main name of a program: `bedpostx` for `bedpostx_gpu`.
pub fn first_name(name: &str) -> Option<&'static str> {
    let (_, named) = program(name)?;
    NAMES.iter().find(|(_, known)| *known == named).map(|(first, _)| *first)
}

/// Returns the help page of one of FSL's programs, without examples.
pub fn page(name: &str) -> Option<String> {
    program(name).map(|(_, program)| help::page(program))
}

impl Call {
    /// Recognises a command line of one of FSL's programs. The name of the executable, or the first argument,
    /// is the name of the program. Returns `None` if neither is such a name.
    pub fn of(words: &[OsString], begin: Begin) -> Option<Self> {
        let base = Path::new(words.first()?).file_name()?.to_string_lossy().into_owned();
        let by_name = program(base.strip_suffix(".exe").unwrap_or(&base));
        let by_word = || program(words.get(1)?.to_str()?);
        let (name, program) = by_name.or_else(by_word)?;
        let first = if by_name.is_some() { 1 } else { 2 };
        Some(Self {
            program,
            name,
            words: words.to_vec(),
            arguments: words[first..].to_vec(),
            is_by_name: by_name.is_some(),
            begin,
        })
    }

    /// Returns the name of the program.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Runs the program.
    ///
    /// # Errors
    /// Returns the errors of the program, whose texts contain parameters in ‘single quotes’. Requests for
    /// help are also returned as errors.
    pub fn run(&self) -> Outcome<()> {
        let text = |word: &OsString| {
            word.to_str().map(str::to_owned).ok_or_else(|| {
                let problem = "it is not UTF-8 text";
                command_line_error(Error::usage(word.to_string_lossy(), problem, "rename what it names"))
            })
        };
        let arguments: Vec<String> = self.arguments.iter().map(text).collect::<Outcome<_>>()?;
        let job = match self.program {
            Program::Bedpostx => bedpostx::run(self, &arguments),
            Program::Xfibres => xfibres::run(self, &arguments),
            Program::SplitParts => parts::split(self, &arguments),
            Program::XfibresOfPart => parts::sample(self, &arguments),
            Program::MergeParts => parts::merge(self, &arguments),
            Program::Postprocessing => parts::finish(self, &arguments),
            Program::Probtrackx2 => probtrackx2::run(self, &arguments),
            Program::Dtifit => dtifit::run(self, &arguments),
            Program::MakeDyadicVectors => dyads::run(self, &arguments),
            Program::FindTheBiggest => biggest::run(self, &arguments),
            Program::ProjThresh => proj_thresh::run(self, &arguments),
            Program::MatrixMerge => matrix_merge::run(self, &arguments),
        }?;
        // Warnings are printed on standard output. Callers such as nipype treat any text on standard error as
        // a failure.
        for warning in job.warnings() {
            job.print(format_args!("warning: {warning}\n"));
        }
        Ok(job.settle()?)
    }
}

#[cfg(test)]
mod tests {
    use super::call::results_of;
    use super::*;

    fn call(line: &str) -> Option<(Program, bool, Vec<OsString>)> {
        let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        Call::of(&words, Box::new(|_, _| unreachable!("nothing is run")))
            .map(|call| (call.program, call.is_by_name, call.arguments))
    }

    #[test]
    fn programs_are_recognised_by_name() {
        let rest = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        assert_eq!(
            call("/opt/fsl/bin/bedpostx sub -n 2"),
            Some((Program::Bedpostx, true, rest(&["sub", "-n", "2"])))
        );
        assert_eq!(call("arcuate xfibres -h"), Some((Program::Xfibres, false, rest(&["-h"]))));
        // nipype calls `bedpostx` with a folder that is also named `bedpostx`.
        assert_eq!(call("bedpostx bedpostx"), Some((Program::Bedpostx, true, rest(&["bedpostx"]))));
        assert_eq!(call("xfibres_gpu"), Some((Program::XfibresOfPart, true, Vec::new())));
        assert_eq!(call("/usr/bin/dtifit -h").unwrap().0, Program::Dtifit);
        assert_eq!(call("bin/bedpostx_postproc_gpu.sh 1").unwrap().0, Program::Postprocessing);
        assert_eq!(call("arcuate fit bedpostx"), None);
        assert_eq!(call("arcuate"), None);
    }

    #[test]
    fn the_result_folder_is_next_to_the_subject() {
        let of = |name: &str| results_of(Path::new(name)).ok().unwrap();
        assert_eq!(of("data/sub-1/"), Path::new("data/sub-1.bedpostX"));
        assert_eq!(of("sub.1"), Path::new("sub.1.bedpostX"));
        assert!(of(".").is_absolute());
    }
}
