//! `arcuate run`: a composition of other commands, and nothing else.

mod options;
mod plan;
mod recipe;
mod steps;

pub(crate) use options::{Run, references};

use super::fit::tensor;
use super::{evaluate, mask, report, track};
use crate::context::Context;
use crate::grammar::{Grammar, Parsed};
use crate::invocation::{Invocation, shell_line};
use crate::output::OutputFolder;
use crate::products::Product;
use crate::record::Record;
use crate::scan;
use arcuate_core::{Error, Result};
use arcuate_io::write_file;
use clap::{Args, FromArgMatches};
use options::{Evaluation, Tracking};
use recipe::Recipe;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The figures of the steps that a reader should see first.
const KEY_FIGURES: [&str; 5] =
    [scan::SIGNAL_TO_NOISE, mask::VOLUME, tensor::MEDIAN_FA, track::MEAN_LENGTH, evaluate::SUPPORTED];

/// A step, ready to run.
struct Ready {
    command: Box<dyn Parsed>,
    invocation: Invocation,
}

impl Run {
    pub(crate) fn run(&self, context: &Context, grammar: &Grammar) -> Result<()> {
        if self.show_recipe {
            context.print(recipe::defaults());
            return Ok(());
        }
        if self.only_print {
            for step in self.ready(grammar)? {
                let global = step.command.uses().words(&context.invocation.global_words);
                let words = step.invocation.words.iter().chain(global);
                context.print(format_args!("{}\n", shell_line(words)));
            }
            return Ok(());
        }
        let title = "From diffusion series to evaluated tractogram";
        let (folder, mut record) = self.work(title, context, grammar)?;
        record.done(self.in_words());
        record.keep_key_figures(&KEY_FIGURES);
        finish(&folder, &mut record, self.anatomy.as_deref(), context)
    }

    /// All steps but the report.
    pub(crate) fn work(
        &self,
        title: &str,
        context: &Context,
        grammar: &Grammar,
    ) -> Result<(OutputFolder, Record)> {
        let steps = self.ready(grammar)?;
        let (Some(out), Some(dwi)) = (&self.out, &self.dwi) else {
            unreachable!("clap requires both unless a recipe is shown");
        };
        // Nothing is begun before all is known that can be known.
        let mut files: Vec<Product> = vec![Product::file(report::FILE_NAME, "The report")];
        for step in &steps {
            let outputs = step.command.as_step().outputs();
            let names = outputs.iter().filter_map(|path| path.strip_prefix(out).ok());
            files.extend(names.map(|name| Product::file(name.to_string_lossy().into_owned(), "")));
        }
        if let Some(image) = &self.anatomy {
            report::check_anatomy(image)?;
        }
        let folder = OutputFolder::create(out, &files, &self.inputs(dwi), context)?;
        context.keep_series();
        let contexts: Vec<Context> =
            steps.iter().map(|step| context.for_step(step.invocation.clone())).collect();
        let recipe = self.recipe()?;
        for (step, its) in steps.iter().zip(&contexts) {
            let _listening = its.listen();
            step.command
                .as_step()
                .check(its)
                .map_err(|e| recipe.about(&step.invocation.command, its.in_its_words(e)))?;
        }
        folder.begin();
        let mut record = Record::new(title, vec![Product::file(report::FILE_NAME, "The report")], context);
        record.add_inputs(self.recipe.as_slice(), context)?;
        record.add_inputs(self.anatomy.as_slice(), context)?;
        for (step, its) in steps.iter().zip(&contexts) {
            let _listening = its.listen();
            step.command.as_step().run(its).map_err(|e| its.in_its_words(e))?;
            if let Some(of_step) = step.command.as_step().outputs().last() {
                record.absorb(of_step, out, &step.invocation.command)?;
            }
        }
        Ok((folder, record))
    }

    /// What was done, in a sentence.
    fn in_words(&self) -> String {
        let followed = match self.tracking {
            Tracking::Tensor => "streamlines were followed along the tensors",
            Tracking::Geodesic => "shortest paths were followed through the tensors",
            Tracking::Samples => "streamlines were followed through samples of two fibres in every voxel",
        };
        let evaluated = match self.evaluate {
            Evaluation::Life => ", and LiFE weighed them by how well they explain the measured signal",
            Evaluation::Commit => ", and COMMIT weighed them by how well they explain the measured signal",
            Evaluation::None => "",
        };
        format!(
            "The brain was found in the scan, a diffusion tensor fitted in every voxel, {followed}{evaluated}."
        )
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

    /// The steps, their command lines taken apart as any.
    fn ready(&self, grammar: &Grammar) -> Result<Vec<Ready>> {
        if self.select.is_some() && self.tracking == Tracking::Geodesic {
            let problem = "geodesic tracking gives a streamline for each seed and stops at no number";
            let advice = "leave it out, or set seeds in [track.geodesic] of a recipe";
            return Err(Error::usage("--select", problem, advice));
        }
        let recipe = self.recipe()?;
        let steps = self.plan(&recipe);
        recipe.warn_of_idle_tables(&steps);
        steps
            .into_iter()
            .map(|step| {
                let (command, invocation) = (grammar.parse)(step.words).map_err(|e| {
                    let text = e.render().to_string();
                    let first = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
                    let error =
                        Error::usage(step.command, first, format!("see `arcuate {} --help`", step.command));
                    recipe.about(step.command, error)
                })?;
                Ok(Ready { command, invocation })
            })
            .collect()
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

/// `arcuate run` as a step of another command, of the words behind `run`.
pub(crate) fn of_words(words: Vec<OsString>) -> Run {
    let command = Run::augment_args(clap::Command::new("run").no_binary_name(true));
    let matches = command.get_matches_from(words);
    Run::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
}
