//! Signal models by name or from files.

use arcuate_core::{Error, Result};
use arcuate_io::read_text_file;
use arcuate_model::language::Model;
use arcuate_model::models;
use std::path::Path;

/// Maximum size of a model file, in bytes.
const LARGEST_MODEL: u64 = 1 << 20;

/// Returns a built-in signal model, or reads a signal model from a file. If `word` ends in `.toml` or
/// contains a folder, it is the path of a file. If not, it is the name of a built-in model.
pub fn read_model(word: &str) -> Result<Model> {
    let path = Path::new(word);
    let is_file = path.extension().is_some_and(|e| e == "toml") || word.contains(['/', '\\']);
    if !is_file {
        return models::model(word);
    }
    let text = read_text_file(path, LARGEST_MODEL)?;
    Model::parse(word, &text)
}

/// Reads several signal models with [`read_model`]. Returns an error if two models have the same name.
pub fn read_models(words: &[&str]) -> Result<Vec<Model>> {
    let models: Vec<Model> = words.iter().map(|word| read_model(word)).collect::<Result<_>>()?;
    for (n, model) in models.iter().enumerate() {
        if let Some(first) = models[..n].iter().position(|other| other.name() == model.name()) {
            let problem =
                format!("the models {} and {} have the same name {}", words[first], words[n], model.name());
            let advice = "give each model once; of two files change `name` in one";
            return Err(Error::usage("MODEL", problem, advice));
        }
    }
    Ok(models)
}
