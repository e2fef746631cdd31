//! `arcuate run`: runs the stages of a pipeline (for example, mask, fit and tracking) one after the other.
//! Each stage is also a command of its own.

mod arguments;
mod options;
mod ready;
pub(crate) mod recipe;
mod share;
pub(crate) mod stage_commands;

pub(crate) use options::{Evaluation, Run, Tracking};
pub(crate) use share::Share;

use crate::grammar::Grammar;
use crate::output_files::OutputFile;
use crate::usage_errors::about;
use arcuate_core::{Error, Result};
use arcuate_pipeline::job::Job;
use arcuate_pipeline::report;
use arcuate_pipeline::run::{Filled, KEY_FIGURES, RunFolder, RunOptions, Stage, TITLE, finish};
use arcuate_pipeline::shell::shell_line;
use clap::{Args, FromArgMatches};
use ready::Ready;
use recipe::Recipe;
use share::{remove_parts, require_whole};
pub(crate) use stage_commands::Definition;
use std::ffi::OsString;
use std::path::PathBuf;

impl Run {
    pub(crate) fn run(&self, job: &Job, grammar: &Grammar) -> Result<()> {
        self.run_into(job, grammar, false).map(|_| ())
    }

    /// Runs the pipeline and returns true if there was anything to do. If `is_own` is true, the output folder
    /// belongs to this run alone, and leftovers of other runs are removed from it.
    fn run_into(&self, job: &Job, grammar: &Grammar, is_own: bool) -> Result<bool> {
        if self.show_recipe {
            job.print(recipe::defaults());
            return Ok(false);
        }
        if self.only_print {
            let recipe = self.recipe()?;
            for stage in self.ready(&recipe, job, grammar)? {
                let global = stage.uses.words(&grammar.global.words);
                let words = stage.job.words().iter().chain(global);
                job.print(format_args!("{}\n", shell_line(words)));
            }
            return Ok(false);
        }
        if let Some(share) = self.share {
            let recipe = self.recipe()?;
            let stages = self.ready(&recipe, job, grammar)?;
            let folder = self.folder(TITLE, is_own, job)?;
            return share.perform(&folder, &stages, &recipe, job).map(|()| false);
        }
        let (folder, mut record) = match self.work(TITLE, is_own, job, grammar)? {
            Filled::Now(folder, record) => (*folder, *record),
            Filled::Before(_) => {
                let path = self.options()?.out;
                job.show_message(format_args!(
                    "{}: all of it is there already, of the same inputs and options; --force does it anew",
                    path.display()
                ));
                return Ok(false);
            }
        };
        let (chosen, choice) = self.options()?.chosen()?;
        choice.note(&mut record);
        record.done(chosen.describe());
        record.keep_key_figures(&KEY_FIGURES);
        finish(&folder, &mut record, self.anatomy.as_deref(), job).map(|()| true)
    }

    /// Returns what the run does, in a sentence.
    pub(crate) fn done(&self) -> Result<String> {
        Ok(self.options()?.chosen()?.0.describe())
    }

    /// Runs all stages except the report.
    pub(crate) fn work(&self, title: &str, is_own: bool, job: &Job, grammar: &Grammar) -> Result<Filled> {
        let recipe = self.recipe()?;
        let stages = self.ready(&recipe, job, grammar)?;
        let filled = self.folder(title, is_own, job)?.fill(&stages, job)?;
        if is_own {
            remove_parts(&stages);
        }
        Ok(filled)
    }

    /// Creates the output folder and describes it before any stage runs.
    fn folder(&self, title: &str, is_own: bool, job: &Job) -> Result<RunFolder> {
        if let Some(image) = &self.anatomy {
            report::check_anatomy(image)?;
        }
        job.keep_series();
        let options = self.options()?;
        let own_inputs: Vec<PathBuf> = self.recipe.iter().chain(&self.anatomy).cloned().collect();
        Ok(RunFolder {
            message: options.chosen()?.1.describe(),
            inputs: options.inputs().into_iter().chain(own_inputs.clone()).collect(),
            path: options.out,
            title: title.into(),
            files: vec![OutputFile::file(report::FILE_NAME, "The report")],
            own_inputs,
            is_own,
        })
    }

    /// Returns the options for the library.
    fn options(&self) -> Result<RunOptions> {
        let (Some(series), Some(out)) = (&self.dwi, &self.out) else {
            return Err(Error::usage("run", "a run needs a diffusion series and --out", "give both"));
        };
        Ok(RunOptions {
            series: self.gradients.series(series),
            mask: self.mask.clone(),
            labels: self.labels.clone(),
            label_names: self.label_names.clone(),
            select: self.select,
            tracking: self.tracking.map_or_else(Default::default, Into::into),
            evaluation: self.evaluate.map_or_else(Default::default, Into::into),
            five_tissues: self.five_tissues.clone(),
            format: self.maps.format(),
            ..RunOptions::new(series, out)
        })
    }

    fn recipe(&self) -> Result<Recipe> {
        self.recipe.as_deref().map_or_else(|| Ok(Recipe::default()), Recipe::read)
    }

    /// Returns the stages with their parsed command lines.
    fn ready<'a>(&self, recipe: &'a Recipe, job: &Job, grammar: &Grammar) -> Result<Vec<Ready<'a>>> {
        let planned = self.options()?.stages()?;
        let stages: Vec<Stage> = planned.iter().map(|planned| planned.inputs.stage()).collect();
        recipe.warn_of_idle_tables(&stages);
        let ready = |(planned, stage): (_, Stage)| {
            let taken = (grammar.parse)(self.words(planned, recipe)).and_then(|taken| {
                let command = (Definition::of(stage).make)(&taken.matches)?;
                Ok((command, taken))
            });
            let (command, taken) = taken.map_err(|e| recipe.about(stage, about(stage.name(), &e)))?;
            let job = job.for_stage(taken.invocation.request());
            let work = command.planned().map_err(|e| recipe.about(stage, job.reword(e)))?;
            let ready = Ready { work, uses: taken.uses, job, recipe };
            require_whole(&ready).map_err(|e| recipe.about(stage, e))?;
            Ok(ready)
        };
        planned.iter().zip(stages).map(ready).collect()
    }
}

/// Runs `arcuate run` inside another command, into a folder of that command. `words` are the command line
/// without global options. Returns true if there was anything to do.
pub(crate) fn perform(words: Vec<OsString>, job: &Job, grammar: &Grammar) -> Result<bool> {
    let taken = (grammar.parse)(words).map_err(|e| about("run", &e))?;
    let run = Run::from_arg_matches(&taken.matches).map_err(|e| about("run", &e))?;
    let job = job.for_stage(taken.invocation.request());
    let _listening = job.listen();
    run.run_into(&job, grammar, true).map_err(|error| job.reword(error))
}

/// Parses the arguments after `run`, for other commands that contain a run.
pub(crate) fn of_words(words: Vec<OsString>) -> Run {
    let command = Run::augment_args(clap::Command::new("run").no_binary_name(true));
    let matches = command.get_matches_from(words);
    Run::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parsing::GRAMMAR;

    /// Without a recipe, the command lines request the same stages as the library's defaults.
    #[test]
    fn stage_defaults_agree_with_the_library() {
        let lines = [
            "dwi.nii --out out --tracking tensor",
            "dwi.nii --out out --tracking tensor --mask brain.nii --evaluate none --select 70",
            "dwi.nii --out out --tracking tensor --format mif --bval b --bvec v --b-unit s/m2 --b0-threshold 20",
            "dwi.nii --out out --tracking geodesic --evaluate commit",
            "dwi.nii --out out --tracking distributions --five-tissues 5tt.nii --select 70 --format nii",
            "dwi.nii --out out --tracking samples --select 70 --labels labels.nii --format nii",
            "dwi.nii --out out --tracking samples --evaluate none --labels labels.nii --label-names lut.txt",
        ];
        let mut compared = Vec::new();
        for line in lines {
            let run = of_words(line.split(' ').map(OsString::from).collect());
            let (options, recipe) = (run.options().unwrap(), Recipe::default());
            for (planned, work) in options.stages().unwrap().iter().zip(options.work().unwrap()) {
                let taken = (GRAMMAR.parse)(run.words(planned, &recipe)).unwrap();
                let command = (Definition::of(work.stage()).make)(&taken.matches).unwrap();
                assert_eq!(command.planned().unwrap(), work, "{line}");
                compared.push(work.stage());
            }
        }
        for stage in Stage::ALL {
            assert!(compared.contains(&stage), "{stage:?}");
        }
    }
}
