//! The built-in models. Each model is a model file that users can read and change.

mod fibres;

pub use fibres::{FibreForm, Fibres};

use crate::language::{Model, did_you_mean};
use arcuate_core::{Error, Result};

/// Name and text of each built-in model file.
const MODELS: [(&str, &str); 14] = [
    ("tensor-nonlinear", include_str!("tensor-nonlinear.toml")),
    ("ball-1-stick", include_str!("ball-1-stick.toml")),
    ("ball-2-sticks", include_str!("ball-2-sticks.toml")),
    ("ball-3-sticks", include_str!("ball-3-sticks.toml")),
    ("ball-1-stick-gamma", include_str!("ball-1-stick-gamma.toml")),
    ("ball-2-sticks-gamma", include_str!("ball-2-sticks-gamma.toml")),
    ("ball-3-sticks-gamma", include_str!("ball-3-sticks-gamma.toml")),
    ("noddi-watson", include_str!("noddi-watson.toml")),
    ("noddi-watson-exvivo", include_str!("noddi-watson-exvivo.toml")),
    ("noddi-bingham", include_str!("noddi-bingham.toml")),
    ("noddi-2-binghams", include_str!("noddi-2-binghams.toml")),
    ("ball-1-racket", include_str!("ball-1-racket.toml")),
    ("ball-2-rackets", include_str!("ball-2-rackets.toml")),
    ("ball-3-rackets", include_str!("ball-3-rackets.toml")),
];

/// Names of the model files in the documentation, `docs/src/models/NAME.toml`. Users can read and change
/// these files. They are not part of the program.
pub const MODEL_FILES: [&str; 9] = [
    "T2",
    "T2-two",
    "exvivo-ball-2-sticks",
    "inversion-recovery",
    "ivim",
    "kurtosis",
    "sandi",
    "ssfp-ball-1-stick",
    "tortuous-zeppelin",
];

/// Returns the names of all built-in models, in the order in which lists show them.
pub fn model_names() -> impl Iterator<Item = &'static str> {
    MODELS.into_iter().map(|(name, _)| name)
}

/// Returns the text of a built-in model file.
pub fn model_text(name: &str) -> Option<&'static str> {
    MODELS.into_iter().find(|(known, _)| *known == name).map(|(_, text)| text)
}

/// Returns a built-in model.
pub fn model(name: &str) -> Result<Model> {
    if let Some(text) = model_text(name) {
        return Model::parse(name, text);
    }
    if let Some(file) = MODEL_FILES.into_iter().find(|file| file.eq_ignore_ascii_case(name)) {
        let problem = "no built-in model has this name, and the documentation has a model file of it";
        let advice =
            format!("copy docs/src/models/{file}.toml from Arcuate's source code, and give ./{file}.toml");
        return Err(Error::usage(name, problem, advice));
    }
    let names: Vec<&str> = model_names().collect();
    let all = format!(
        "the known models are {}; give your own model as a file, such as ./{name}.toml",
        names.join(", ")
    );
    let advice = did_you_mean(name, names, all);
    Err(Error::usage(name, "no model has this name", advice))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_built_in_model_is_valid_and_named_as_its_file() {
        for name in model_names() {
            let model = model(name).unwrap();
            assert_eq!(model.name(), name);
            assert!(!model.title().is_empty() && !model.about().is_empty() && !model.references().is_empty());
            assert!(model.parameters().iter().all(|parameter| !parameter.about().is_empty()));
            assert!(!model.stages().is_empty());
        }
    }
}
