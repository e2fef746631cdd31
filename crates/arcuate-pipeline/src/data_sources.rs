//! Files that data came from.

use arcuate_core::Error;
use std::fmt::Display;

/// Files from which the data of a job were read. The key of a file is the name of its data in errors of the
/// algorithms, such as "seed mask" or "tractogram".
#[derive(Debug, Clone, Default)]
pub struct DataSources(Vec<(&'static str, String)>);

impl DataSources {
    /// Notes the file from which `data` were read. It replaces an earlier file of the same data.
    pub fn note(&mut self, data: &'static str, file: &dyn Display) {
        self.0.retain(|(known, _)| *known != data);
        self.0.push((data, file.to_string()));
    }

    /// If the subject of an error is the name of data, replaces it with the file from which the data were
    /// read.
    pub fn name_in(&self, error: Error) -> Error {
        error.with_subject(|data| self.0.iter().find(|(known, _)| *known == data).map(|(_, file)| file))
    }
}
