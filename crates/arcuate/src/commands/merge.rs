//! `arcuate merge`: merges the results of several jobs that each tracked a part of the streamlines.

use super::track::merged;
use crate::grammar::Grammar;
use crate::usage_errors::line_of;
use arcuate_core::{Error, Result};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::stages::tracking::{PartWords, folder_of_parts};
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Merge the parts of a tracking run
///
/// Each part is a result of `arcuate track` with --part. Writes the maps, matrices and tractograms of the whole
/// run, with the same bits as one run without parts. For this, it repeats the command of the parts without
/// --part. If that command has relative paths, call `arcuate merge` in the same folder as that command. The
/// parts are kept.
#[derive(Debug, Args)]
pub(crate) struct Merge {
    /// Folder of the parts: NAME.parts for the result NAME
    parts: PathBuf,
}

impl Merge {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        let shown = self.parts.display();
        let made = PartWords::of(&self.parts)?;
        let taken = (grammar.parse)(without_part(made.words)).map_err(|error| {
            let problem = format!(
                "this version of Arcuate does not accept the command line with which the parts were \
                 computed: {}",
                line_of(&error)
            );
            Error::invalid(&shown, problem, "compute the parts again")
        })?;
        let command = taken.invocation.command.clone();
        let below = job.for_stage(taken.invocation.request());
        let (out, work) = merged(&command, &taken.matches).map_err(|error| below.reword(error))?;
        if !is_same(&folder_of_parts(&out), &self.parts) {
            let problem = format!(
                "according to the command line of the parts, their result is {}, whose parts would be in \
                 another folder",
                out.display()
            );
            return Err(Error::usage(
                &shown,
                problem,
                "run this command in the working folder in which the parts were computed",
            ));
        }
        job.set_random_seed(made.random_seed);
        work.run(&below).map_err(|error| below.reword(error))
    }
}

/// Returns the command line without --part.
fn without_part(words: Vec<String>) -> Vec<OsString> {
    let (mut kept, mut words) = (Vec::new(), words.into_iter());
    while let Some(word) = words.next() {
        if word == "--part" {
            words.next();
        } else if !word.starts_with("--part=") {
            kept.push(word.into());
        }
    }
    kept
}

/// Returns true if two paths are the same folder.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_merge_command_line_omits_the_part_option() {
        for part in [vec!["--part", "2/8"], vec!["--part=2/8"]] {
            let words =
                [vec!["arcuate", "track", "samples", "s", "--out=a"], part, vec!["--nearest"]].concat();
            let kept = without_part(words.into_iter().map(str::to_owned).collect());
            assert_eq!(kept, ["arcuate", "track", "samples", "s", "--out=a", "--nearest"]);
        }
    }
}
