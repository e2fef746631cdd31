//! `arcuate run`: the stages of a run, each done by its command.

mod options;
mod recipe;
mod stage_commands;
mod words;

pub(crate) use options::{Run, references};

use super::fit::tensor;
use super::{evaluate, mask, report, track};
use crate::context::Context;
use crate::grammar::Grammar;
use crate::invocation::shell_line;
use crate::output::OutputFolder;
use crate::output_files::OutputFile;
use crate::record::Record;
use crate::scan;
use crate::stage_command::StageCommand;
use crate::uses::Uses;
use arcuate_core::{Error, Result};
use arcuate_io::write_file;
use arcuate_pipeline::run::{RunFolder, RunOptions, Stage, StageWork};
use clap::{Args, FromArgMatches};
use recipe::Recipe;
use stage_commands::Definition;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The figures of the stages that a reader should see first.
const KEY_FIGURES: [&str; 5] =
    [scan::SIGNAL_TO_NOISE, mask::VOLUME, tensor::MEDIAN_FA, track::MEAN_LENGTH, evaluate::SUPPORTED];

/// A stage, ready to run.
struct Ready<'a> {
    stage: Stage,
    command: Box<dyn StageCommand>,
    uses: Uses,
    context: Context,
    recipe: &'a Recipe,
}

impl StageWork for Ready<'_> {
    fn name(&self) -> &str {
        &self.context.invocation.command
    }

    fn outputs(&self) -> Vec<PathBuf> {
        self.command.outputs()
    }

    fn check(&self) -> Result<()> {
        let _listening = self.context.listen();
        let checked = self.command.check(&self.context);
        checked.map_err(|e| self.recipe.about(self.stage, self.context.in_its_words(e)))
    }

    fn run(&self) -> Result<()> {
        let _listening = self.context.listen();
        self.command.run(&self.context).map_err(|e| self.context.in_its_words(e))
    }
}

impl Run {
    pub(crate) fn run(&self, context: &Context, grammar: &Grammar) -> Result<()> {
        if self.show_recipe {
            context.print(recipe::defaults());
            return Ok(());
        }
        if self.only_print {
            let recipe = self.recipe()?;
            for stage in self.ready(&recipe, context, grammar)? {
                let global = stage.uses.words(&context.invocation.global_words);
                let words = stage.context.invocation.words.iter().chain(global);
                context.print(format_args!("{}\n", shell_line(words)));
            }
            return Ok(());
        }
        let title = "From diffusion series to evaluated tractogram";
        let (folder, mut record) = self.work(title, context, grammar)?;
        record.done(self.options()?.in_words());
        record.keep_key_figures(&KEY_FIGURES);
        finish(&folder, &mut record, self.anatomy.as_deref(), context)
    }

    /// All stages but the report.
    pub(crate) fn work(
        &self,
        title: &str,
        context: &Context,
        grammar: &Grammar,
    ) -> Result<(OutputFolder, Record)> {
        let recipe = self.recipe()?;
        let stages = self.ready(&recipe, context, grammar)?;
        if let Some(image) = &self.anatomy {
            report::check_anatomy(image)?;
        }
        context.keep_series();
        let options = self.options()?;
        let folder = RunFolder {
            inputs: self.inputs(&options.series),
            path: options.out,
            title: title.into(),
            files: vec![OutputFile::file(report::FILE_NAME, "The report")],
            own_inputs: self.recipe.iter().chain(&self.anatomy).cloned().collect(),
        };
        folder.fill(&stages, context)
    }

    /// What is asked for, for the library.
    fn options(&self) -> Result<RunOptions> {
        let (Some(series), Some(out)) = (&self.dwi, &self.out) else {
            return Err(Error::usage("run", "it needs a series and --out", "give both"));
        };
        Ok(RunOptions {
            mask: self.mask.clone(),
            labels: self.labels.clone(),
            label_names: self.label_names.clone(),
            select: self.select,
            tracking: self.tracking.into(),
            evaluation: self.evaluate.into(),
            format: self.maps.format(),
            ..RunOptions::new(series, out)
        })
    }

    /// The files that are read.
    fn inputs(&self, dwi: &Path) -> Vec<PathBuf> {
        let optional = [&self.mask, &self.labels, &self.label_names, &self.recipe, &self.anatomy]
            .into_iter()
            .flatten()
            .cloned();
        self.gradients.files(dwi).into_iter().chain(optional).collect()
    }

    fn recipe(&self) -> Result<Recipe> {
        self.recipe.as_deref().map_or_else(|| Ok(Recipe::default()), Recipe::read)
    }

    /// The stages, their command lines taken apart as any.
    fn ready<'a>(&self, recipe: &'a Recipe, context: &Context, grammar: &Grammar) -> Result<Vec<Ready<'a>>> {
        let planned = self.options()?.stages()?;
        let stages: Vec<Stage> = planned.iter().map(|planned| planned.inputs.stage()).collect();
        recipe.warn_of_idle_tables(&stages);
        let ready = |(planned, stage): (_, Stage)| {
            let taken = (grammar.parse)(self.words(planned, recipe)).and_then(|taken| {
                let command = (Definition::of(stage).make)(&taken.matches)?;
                Ok((command, taken))
            });
            let (command, taken) = taken.map_err(|e| {
                let text = e.render().to_string();
                let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
                let advice = format!("see `arcuate {} --help`", stage.name());
                recipe.about(stage, Error::usage(stage.name(), first, advice))
            })?;
            let context = context.for_stage(taken.invocation);
            Ok(Ready { stage, command, uses: taken.uses, context, recipe })
        };
        planned.iter().zip(stages).map(ready).collect()
    }
}

/// Writes record and report and says where they are.
pub(crate) fn finish(
    folder: &OutputFolder,
    record: &mut Record,
    anatomy: Option<&Path>,
    context: &Context,
) -> Result<()> {
    record.write(folder.path(), context)?;
    let page = context.step("report", |_| report::render(folder.path(), record, anatomy, context))?;
    let path = folder.file(report::FILE_NAME);
    write_file(&path, page)?;
    context.say(format_args!("report: {}", path.display()));
    Ok(())
}

/// `arcuate run` as a part of another command, of the words behind `run`.
pub(crate) fn of_words(words: Vec<OsString>) -> Run {
    let command = Run::augment_args(clap::Command::new("run").no_binary_name(true));
    let matches = command.get_matches_from(words);
    Run::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}
