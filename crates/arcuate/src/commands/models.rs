use super::fit::reading::read_models;
use crate::context::Context;
use arcuate_core::Result;
use arcuate_model::fit::check_starts;
use arcuate_model::language::{Form, Model};
use arcuate_model::models::{model, model_names, model_text};
use clap::Args;
use std::fmt::Write;

/// List the signal models, or print one as a file to read and change
///
/// Every model of `arcuate fit` is a file in the model language. To make your own, print one into a file, change it, and
/// fit it: arcuate models ball-1-stick > mine.toml; arcuate fit ./mine.toml DWI --out DIR
#[derive(Debug, Args)]
pub(crate) struct Models {
    /// Model to print; or a file, to check it: several, separated by commas, where one starts from another
    #[arg(value_name = "MODEL")]
    models: Option<String>,
    /// Print the program of a model's signal instead: what is computed once, of each measurement, of each voxel, and of both, in
    /// µm, ms and T
    #[arg(long, requires = "models")]
    graph: bool,
}

impl Models {
    pub(crate) fn run(&self, context: &Context) -> Result<()> {
        match self.models.as_deref() {
            Some(words) if self.graph => {
                let models = read_models(words)?;
                for model in &models {
                    if models.len() > 1 {
                        context.print(format!("{}:\n", model.name()));
                    }
                    context.print(model.listing()?);
                }
            }
            None => context.print(&list()?),
            Some(name) if model_text(name).is_some() => context.print(model_text(name).unwrap_or_default()),
            Some(words) => {
                let models = read_models(words)?;
                check_starts(&models)?;
                for model in &models {
                    context.print(summary(model));
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

/// What a file declares.
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
        let _ = writeln!(text, "  {:<16} made of these, {}", output.name(), output.unit());
    }
    text
}
