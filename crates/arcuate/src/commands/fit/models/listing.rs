//! `arcuate fit --list`: lists the signal models, or shows what a model file declares.

use super::reading::read_models;
use arcuate_core::Result;
use arcuate_model::fit::check_starts;
use arcuate_model::language::{Form, Model};
use arcuate_model::models::{model, model_names, model_text};
use arcuate_pipeline::job::Job;
use clap::{Arg, Args};
use std::fmt::Write;

/// The options that print models and fit nothing.
#[derive(Debug, Args)]
#[group(skip)]
#[command(next_help_heading = "Models")]
pub(super) struct Listing {
    /// List all models, or print one of them
    ///
    /// Without MODEL, prints the names of all models with their free parameters. With the name of a model,
    /// prints its file. With a model file, checks the file and lists its parameters, measured quantities,
    /// maps and outputs.
    #[arg(long)]
    list: bool,
    /// With --list, print the compiled formula of each MODEL (units: µm, ms and T)
    #[arg(long, requires = "list", requires = "models")]
    graph: bool,
}

/// Makes the other arguments of `fit` optional, and rejects them if `--list` is given.
pub(in crate::commands::fit) fn beside_fit(argument: Arg) -> Arg {
    match argument.get_id().as_str() {
        "list" | "graph" => argument,
        "models" => argument.required(false).required_unless_present("list"),
        "dwi" | "out" => argument.required(false).required_unless_present("list").conflicts_with("list"),
        _ => argument.conflicts_with("list"),
    }
}

impl Listing {
    pub(super) fn is_requested(&self) -> bool {
        self.list
    }

    pub(super) fn run(&self, models: Option<&str>, job: &Job) -> Result<()> {
        match models {
            Some(words) if self.graph => {
                let models = read_models(words)?;
                for model in &models {
                    if models.len() > 1 {
                        job.print(format!("{}:\n", model.name()));
                    }
                    job.print(model.listing()?);
                }
            }
            None => job.print(&list()?),
            Some(name) if model_text(name).is_some() => job.print(model_text(name).unwrap_or_default()),
            Some(words) => {
                let models = read_models(words)?;
                check_starts(&models)?;
                for model in &models {
                    job.print(summary(model));
                }
            }
        }
        Ok(())
    }
}

fn list() -> Result<String> {
    let mut text = String::new();
    for name in model_names() {
        let model = model(name)?;
        let _ = writeln!(text, "{name:<22} {}: {}", model.title(), fitted(&model));
    }
    Ok(text)
}

fn fitted(model: &Model) -> String {
    let free = model.parameters().iter().filter(|parameter| !parameter.is_fixed());
    free.map(arcuate_model::language::Parameter::name).collect::<Vec<_>>().join(", ")
}

/// Returns the parameters, measurements, maps and outputs of a model as text.
fn summary(model: &Model) -> String {
    let mut text = format!("{}: {}\n", model.name(), model.title());
    for parameter in model.parameters() {
        let kind = match parameter.form() {
            Form::Orientation { .. } => "orientation".to_owned(),
            Form::Number { bounds, .. } => format!("{} to {} {}", bounds.low, bounds.high, parameter.unit()),
        };
        let fixed = if parameter.is_fixed() { ", fixed" } else { "" };
        let _ = writeln!(text, "  {:<16} {kind}{fixed}", parameter.name());
    }
    for known in model.measurements() {
        let _ = writeln!(text, "  {:<16} of every measurement, {}: --column", known.name(), known.unit());
    }
    for known in model.maps() {
        let _ = writeln!(text, "  {:<16} of every voxel, {}: --map", known.name(), known.unit());
    }
    for output in model.outputs() {
        let _ = writeln!(text, "  {:<16} computed from these, {}", output.name(), output.unit());
    }
    text
}
