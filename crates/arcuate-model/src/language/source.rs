//! The text of a model file, and errors that refer to a line and column of this text.

use arcuate_core::{Error, closest};

/// The text of a model file, and the name of the file for error messages.
#[derive(Debug, Clone, Default)]
pub(crate) struct Source {
    /// The name of the model file, or the name of a model that was built in Rust.
    pub(crate) name: String,
    pub(crate) text: String,
    /// Names with a meaning in all formulas. No `let` may redefine them.
    pub(crate) taken: Vec<String>,
}

/// A position in the text of a [`Source`], as a byte offset. It is `None` for models without a text.
pub(crate) type Place = Option<usize>;

impl Source {
    /// Returns an error about the model file that states the line and the column of a position.
    pub(crate) fn error(&self, place: Place, problem: impl Into<String>, advice: impl Into<String>) -> Error {
        let subject = match place {
            None => self.name.clone(),
            Some(place) => {
                let end = (0..=place.min(self.text.len())).rev().find(|&at| self.text.is_char_boundary(at));
                let before = &self.text[..end.unwrap_or(0)];
                let line = 1 + before.matches('\n').count();
                let column = 1 + before.chars().rev().take_while(|&c| c != '\n').count();
                format!("{}, line {line}, column {column}", self.name)
            }
        };
        Error::invalid(subject, problem, advice)
    }
}

/// Returns the text “did you mean x” if one of the known names is similar to the given word. If none is
/// similar, returns other advice.
pub(crate) fn did_you_mean<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str>,
    otherwise: impl Into<String>,
) -> String {
    match closest(word, known) {
        Some(name) => format!("did you mean `{name}`?"),
        None => otherwise.into(),
    }
}
