//! The models that a command line names.

use crate::hints;
use arcuate_core::{Error, Result};
use arcuate_model::language::Model;
use arcuate_pipeline::model_files;

/// The models of a list with commas, of different names.
pub(crate) fn read_models(list: &str) -> Result<Vec<Model>> {
    let words: Vec<&str> = list.split(',').collect();
    if words.iter().any(|word| word.trim().is_empty()) {
        let problem = format!("`{list}` has a comma with no model beside it");
        return Err(Error::usage("MODEL", problem, "remove the comma, or name another model"));
    }
    // Of names that other programs have, the hint says more.
    let meant = || words.iter().find_map(|word| hints::model_meant(word));
    model_files::read_models(&words).map_err(|error| meant().unwrap_or(error))
}
