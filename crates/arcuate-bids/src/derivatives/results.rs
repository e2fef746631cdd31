//! The finished folder of a run: which files it has, and what their records say.

use arcuate_core::Result;
use arcuate_pipeline::record::{Record, beside, inside};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Endings of images, as runs write them.
const ENDINGS: [&str; 3] = [".nii.gz", ".nii", ".mif"];

/// The results of a run.
#[derive(Debug)]
pub(super) struct Results {
    /// Their folder.
    pub(super) folder: PathBuf,
    /// Its record, which stands for the whole.
    record: Record,
}

impl Results {
    /// Reads what a folder has.
    pub(super) fn read(folder: &Path) -> Result<Self> {
        Ok(Self { folder: folder.to_owned(), record: Record::read(folder)? })
    }

    /// Where a result is, if the run has it. What lies there beside results is none.
    pub(super) fn file(&self, name: &str) -> Result<Option<PathBuf>> {
        if !self.record.files.iter().any(|file| file.name == name) {
            return Ok(None);
        }
        inside(&self.folder, name).map(|path| path.is_file().then_some(path))
    }

    /// The name of an image that is given without its ending, if the run has it.
    pub(super) fn image(&self, stem: &str) -> Result<Option<String>> {
        for ending in ENDINGS {
            let name = format!("{stem}{ending}");
            if self.file(&name)?.is_some() {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }

    /// What is known of how a result was made: the record beside it, of its folder, or of the whole.
    pub(super) fn record_of(&self, name: &str) -> Result<Record> {
        let own = beside(Path::new(name));
        let of_folder = Path::new(name).with_file_name(arcuate_pipeline::record::FILE_NAME);
        for step in [own, of_folder].iter().map(|path| path.to_string_lossy()) {
            if self.record.steps.iter().any(|known| *known == step) {
                return Record::read_from(&inside(&self.folder, &step)?);
            }
        }
        Ok(self.record.clone())
    }

    /// The name that a file has in the folder; nothing where it is elsewhere. Both are as the file system has them.
    pub(super) fn name_of(&self, path: &Path) -> Option<String> {
        let folder = std::fs::canonicalize(&self.folder).ok()?;
        let below = std::fs::canonicalize(path).ok()?.strip_prefix(folder).ok()?.to_owned();
        Some(crate::addresses::slashed(&below))
    }
}

/// An option of a command.
pub(super) fn option<'a>(record: &'a Record, name: &str) -> Option<&'a Value> {
    record.options.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
}

/// An option that is a number.
pub(super) fn number(record: &Record, name: &str) -> Option<f64> {
    option(record, name).and_then(Value::as_f64)
}

/// An option that is a word or a path.
pub(super) fn word<'a>(record: &'a Record, name: &str) -> Option<&'a str> {
    option(record, name).and_then(Value::as_str)
}

/// A figure that is a number.
pub(super) fn figure<'a>(record: &'a Record, name: &str) -> Option<&'a Value> {
    let figures = record.figures.0.iter();
    figures
        .filter(|(known, _)| known == name)
        .map(|(_, figure)| &figure.value)
        .find(|value| value.is_number())
}

/// Of what a command chose, in words, the number that stands behind some of these, or in front of all where there are none.
pub(super) fn chosen_number(record: &Record, name: &str, behind: &str) -> Option<f64> {
    let (_, words) = record.choices.0.iter().find(|(known, _)| known == name)?;
    let rest = &words[words.find(behind)? + behind.len()..];
    let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// What a table of a record says of something in its second column.
pub(super) fn counted<'a>(record: &'a Record, what: &str) -> Option<&'a Value> {
    let mut rows = record.tables.iter().flat_map(|table| &table.rows);
    rows.find(|row| row.first().and_then(Value::as_str) == Some(what))?.get(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use arcuate_pipeline::stages::tracking::bend_of_steps;

    #[test]
    fn numbers_are_read_from_what_was_chosen() {
        let mut record = Record::default();
        record.choice("step", "1.25 mm");
        record.choice("sharpest turn", bend_of_steps(45.0, 1.25, 1.633_1));
        assert_eq!(chosen_number(&record, "step", ""), Some(1.25));
        assert_eq!(chosen_number(&record, "sharpest turn", ""), Some(45.0));
        assert_eq!(chosen_number(&record, "sharpest turn", "a radius of "), Some(1.63));
        assert_eq!(chosen_number(&record, "sharpest turn", "of nothing "), None);
        assert_eq!(chosen_number(&record, "another", ""), None);
    }
}
