//! Reads the signal models that a command line names.

use crate::hints;
use arcuate_core::{Error, Result};
use arcuate_model::language::Model;
use arcuate_model::models;
use arcuate_pipeline::model_files;

/// Splits a comma-separated list of models.
pub(crate) fn model_names(list: &str) -> Result<Vec<&str>> {
    let words: Vec<&str> = list.split(',').collect();
    if words.iter().any(|word| word.trim().is_empty()) {
        let problem = format!("the list `{list}` has a comma without a model before or after the comma");
        return Err(Error::usage("MODEL", problem, "remove the comma, or add a model"));
    }
    // Some unknown words are names of models in other programs. The hint for such a name is more helpful than
    // the error about an unknown model.
    let unknown = words.iter().filter(|word| models::model_text(word).is_none());
    match unknown.into_iter().find_map(|word| hints::model_meant(word)) {
        Some(hint) => Err(hint),
        None => Ok(words),
    }
}

/// Reads the models of a comma-separated list. Their names must differ.
pub(crate) fn read_models(list: &str) -> Result<Vec<Model>> {
    model_files::read_models(&model_names(list)?)
}
