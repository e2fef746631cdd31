//! Creates command-line arguments and quoted text for the files of a workflow.

use super::plan::{WorkflowPlan, WorkflowUnit};
use arcuate_core::{Error, Result};
use serde_json::Value;
use std::path::Path;

/// Returns the arguments of `arcuate bids` that select one scan.
pub(super) fn selection(unit: &WorkflowUnit) -> [&str; 2] {
    ["--scan", &unit.id]
}

/// Returns a path as text, or an error if the path is not valid UTF-8.
pub(super) fn text(path: &Path) -> Result<&str> {
    path.to_str().ok_or_else(|| {
        Error::usage(
            path.display(),
            "the path is not UTF-8 text, but the files of a workflow can contain only UTF-8 text",
            "rename the file or folder",
        )
    })
}

/// Quotes a text for YAML. YAML accepts JSON strings.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Quotes a list of texts for YAML.
pub(super) fn quoted_list(texts: &[String]) -> String {
    let texts: Vec<String> = texts.iter().map(|text| quoted(text)).collect();
    format!("[{}]", texts.join(", "))
}

/// Quotes arguments for a shell.
pub(super) fn command_line<S: AsRef<str>>(arguments: &[S]) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-+=./:,@%".contains(c);
    let word = |word: &S| {
        let word = word.as_ref();
        let plain = !word.is_empty() && word.chars().all(is_plain);
        if plain { word.to_owned() } else { format!("'{}'", word.replace('\'', r"'\''")) }
    };
    arguments.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// Returns the arguments of `arcuate bids` for a job, except the arguments that select the scan.
pub(super) fn job_arguments(plan: &WorkflowPlan, threads: &str, shares: bool) -> String {
    let mut arguments = command_line(&plan.options);
    if !arguments.is_empty() {
        arguments.push(' ');
    }
    arguments += "--threads ";
    arguments += threads;
    let is_chosen = plan.options.iter().any(|word| word == "--device" || word.starts_with("--device="));
    if !is_chosen {
        arguments += if plan.gpu { " --device cuda" } else { " --device cpu" };
        if let Some(memory) = plan.device_memory.as_ref().filter(|_| plan.gpu && shares) {
            arguments += " --device-memory ";
            arguments += &command_line(&[memory]);
        }
    }
    arguments
}
