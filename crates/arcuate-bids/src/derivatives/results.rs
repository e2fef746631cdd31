//! Reads the result folder of a finished run, and the records (JSON files with provenance) of its files.

use arcuate_core::Result;
use arcuate_io::MAP_ENDINGS;
use arcuate_pipeline::record::{Record, companion_path, inside};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The results of a run, all in one folder.
#[derive(Debug)]
pub(super) struct Results {
    /// The result folder.
    pub(super) folder: PathBuf,
    /// The record of the complete run.
    record: Record,
}

impl Results {
    /// Reads a result folder.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        Ok(Self { folder: folder.to_owned(), record: Record::read(folder)? })
    }

    /// Returns the path of the result file with this name. Returns `None` if the file does not exist, or if
    /// the record of the run does not list it.
    pub(super) fn file(&self, name: &str) -> Result<Option<PathBuf>> {
        if !self.record.files.iter().any(|file| file.name == name) {
            return Ok(None);
        }
        inside(&self.folder, name).map(|path| path.is_file().then_some(path))
    }

    /// Returns the file name of a result image, given its name without extension. Returns `None` if the run
    /// does not have this image.
    pub(super) fn image(&self, stem: &str) -> Result<Option<String>> {
        for ending in MAP_ENDINGS {
            let name = format!("{stem}{ending}");
            if self.file(&name)?.is_some() {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// Returns the record (JSON with provenance) of a result file. If the file has no record, returns the
    /// record of its folder. If the folder has none either, returns the record of the run.
    pub(super) fn record_of(&self, name: &str) -> Result<Record> {
        let own = companion_path(Path::new(name));
        let of_folder = Path::new(name).with_file_name(arcuate_pipeline::record::FILE_NAME);
        for step in [own, of_folder].iter().map(|path| path.to_string_lossy()) {
            if self.record.steps.iter().any(|known| *known == step) {
                return Record::read_from(&inside(&self.folder, &step)?);
            }
        }
        Ok(self.record.clone())
    }

    /// Returns the path of `path` relative to the result folder. Returns `None` if the file is not in this
    /// folder. Both paths must be canonical.
    pub(super) fn name_of(&self, path: &Path) -> Option<String> {
        let folder = std::fs::canonicalize(&self.folder).ok()?;
        let below = std::fs::canonicalize(path).ok()?.strip_prefix(folder).ok()?.to_owned();
        Some(crate::addresses::slashed(&below))
    }
}

/// Returns the value of a command-line option from the record of the command.
pub(super) fn option<'a>(record: &'a Record, name: &str) -> Option<&'a Value> {
    record.options.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// Returns the value of a command-line option from the record of the command, if the value is a number.
pub(super) fn number(record: &Record, name: &str) -> Option<f64> {
    option(record, name).and_then(Value::as_f64)
}

/// Returns the value of a command-line option from the record of the command, if the value is a text or a
/// path.
pub(super) fn word<'a>(record: &'a Record, name: &str) -> Option<&'a str> {
    option(record, name).and_then(Value::as_str)
}

/// Returns a figure (a number with a name, such as the number of streamlines) from the record of a command.
pub(super) fn figure<'a>(record: &'a Record, name: &str) -> Option<&'a Value> {
    let figures = record.figures.0.iter();
    figures
        .filter(|(known, _)| known == name)
        .map(|(_, figure)| &figure.value)
        .find(|value| value.is_number())
}

/// Returns a number from a text of the record that describes a choice of the program. It is the number that
/// follows the words `behind` in the text with the title `name`. If `behind` is empty, it is the number at
/// the beginning of the text.
pub(super) fn chosen_number(record: &Record, name: &str, behind: &str) -> Option<f64> {
    let (_, words) = record.choices.0.iter().find(|(known, _)| known == name)?;
    let rest = &words[words.find(behind)? + behind.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Searches the tables of a record for a row whose first cell is `what`, and returns the second cell of this
/// row.
pub(super) fn counted<'a>(record: &'a Record, what: &str) -> Option<&'a Value> {
    let mut rows = record.tables.iter().flat_map(|table| &table.rows);
    rows.find(|row| row.first().and_then(Value::as_str) == Some(what))?.get(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_pipeline::stages::tracking::bend_of_steps;

    #[test]
    fn numbers_are_read_from_the_recorded_choices() {
        let mut record = Record::default();
        record.choice("step", "1.25 mm");
        record.choice("sharpest turn", bend_of_steps(45.0, 1.25, 1.633_1));
        assert_eq!(chosen_number(&record, "step", ""), Some(1.25));
        assert_eq!(chosen_number(&record, "sharpest turn", ""), Some(45.0));
        assert_eq!(chosen_number(&record, "sharpest turn", "radius of curvature of "), Some(1.63));
        assert_eq!(chosen_number(&record, "sharpest turn", "of nothing "), None);
        assert_eq!(chosen_number(&record, "another", ""), None);
    }
}
