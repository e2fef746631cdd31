//! Weights of streamlines, one number each.

use arcuate_core::Error;
use std::path::Path;

/// An error of a library about weights, said of the file that they came from; others stay as they are.
pub(crate) fn about_weights(path: Option<&Path>) -> impl Fn(Error) -> Error + Copy {
    move |error| match path {
        Some(path) if error.subject() == "streamline weights" => error.about(path.display()),
        _ => error,
    }
}
