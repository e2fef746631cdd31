//! Files that data came from.

use arcuate_core::Error;
use std::fmt::Display;

/// Files that data came from. The keys are the names that algorithms have for the data ("seed mask",
/// "tractogram").
#[derive(Debug, Clone, Default)]
pub struct DataSources(Vec<(&'static str, String)>);

impl DataSources {
    /// Adds the file that data came from. It replaces an earlier file of the same data.
    pub fn note(&mut self, data: &'static str, file: &dyn Display) {
        self.0.retain(|(known, _)| *known != data);
        self.0.push((data, file.to_string()));
    }

    /// Replaces the subject of an error with the file that the data came from.
    pub fn name_in(&self, error: Error) -> Error {
        error.with_subject(|data| self.0.iter().find(|(known, _)| *known == data).map(|(_, file)| file))
    }
}
