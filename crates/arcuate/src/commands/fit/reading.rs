//! The models that a command line names.

use crate::hints;
use arcuate_core::{Error, Result};
use arcuate_model::language::Model;
use arcuate_model::models;
use std::path::Path;

/// Bytes of a model file at most.
const LARGEST_MODEL: u64 = 1 << 20;

/// A model by its name, or from a file.
fn read_model(word: &str) -> Result<Model> {
    let path = Path::new(word);
    let is_file = path.extension().is_some_and(|e| e == "toml") || word.contains(['/', '\\']);
    if !is_file {
        return models::model(word).map_err(|error| hints::model_meant(word).unwrap_or(error));
    }
    let size = std::fs::metadata(path).map_err(|e| Error::read(path, e))?.len();
    if size > LARGEST_MODEL {
        let problem = format!("a model file of {size} bytes is none");
        return Err(Error::invalid(path.display(), problem, "see `arcuate models ball-1-stick` for one"));
    }
    let text = std::fs::read_to_string(path).map_err(|e| Error::read(path, e))?;
    Model::parse(word, &text)
}

/// The models of a list with commas, of different names.
pub(crate) fn read_models(list: &str) -> Result<Vec<Model>> {
    let words: Vec<&str> = list.split(',').collect();
    if words.iter().any(|word| word.trim().is_empty()) {
        let problem = format!("`{list}` has a comma with no model beside it");
        return Err(Error::usage("MODEL", problem, "remove the comma, or name another model"));
    }
    let models: Vec<Model> = words.iter().map(|word| read_model(word)).collect::<Result<_>>()?;
    for (n, model) in models.iter().enumerate() {
        if let Some(first) = models[..n].iter().position(|other| other.name() == model.name()) {
            let problem = format!("{} and {} are both called {}", words[first], words[n], model.name());
            return Err(Error::usage(
                "MODEL",
                problem,
                "give each model once; of two files change `name` in one",
            ));
        }
    }
    Ok(models)
}
