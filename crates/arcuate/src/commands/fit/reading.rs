//! The models that a command line names.

use crate::hints;
use arcuate_core::{Error, Result};
use arcuate_model::language::Model;
use arcuate_model::models;
use arcuate_pipeline::model_files;

/// The items of a list that is separated by commas.
pub(crate) fn model_words(list: &str) -> Result<Vec<&str>> {
    let words: Vec<&str> = list.split(',').collect();
    if words.iter().any(|word| word.trim().is_empty()) {
        let problem = format!("`{list}` has a comma with no model beside it");
        return Err(Error::usage("MODEL", problem, "remove the comma, or name another model"));
    }
    // Of names that other programs have, the hint says more.
    let unknown = words.iter().filter(|word| models::model_text(word).is_none());
    match unknown.into_iter().find_map(|word| hints::model_meant(word)) {
        Some(hint) => Err(hint),
        None => Ok(words),
    }
}

/// The models of a list with commas, of different names.
pub(crate) fn read_models(list: &str) -> Result<Vec<Model>> {
    model_files::read_models(&model_words(list)?)
}
