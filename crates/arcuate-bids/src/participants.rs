//! Reads the table of participants of a dataset, `participants.tsv`, and the descriptions of its columns.

use crate::dataset::read_object;
use arcuate_core::{Error, Result, is_file_or_link};
use arcuate_io::read_text_file;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

/// The maximum size of a file `participants.tsv`, in bytes.
const LARGEST: u64 = 1 << 26;
/// The name of the column that contains the label of each row's participant.
const PARTICIPANT: &str = "participant_id";

/// The prefix of participant labels in file names.
const PREFIX: &str = "sub-";
/// The file name of the table.
pub const FILE_NAME: &str = "participants.tsv";

/// A table of participants.
#[derive(Debug, Clone, Default)]
pub struct Participants {
    /// The names of the columns of the participants table, except the first column (the participant).
    pub(crate) columns: Vec<String>,
    /// The cells of the table for each participant, one cell per column.
    rows: BTreeMap<String, Vec<String>>,
    /// The descriptions of the columns.
    pub(crate) descriptions: Map<String, Value>,
}

/// Adds the prefix to a label that does not begin with it. With the prefix `sub-`, both `01` and `sub-01`
/// become `sub-01`.
pub(crate) fn with_prefix(label: &str, prefix: &str) -> String {
    if label.starts_with(prefix) { label.to_owned() } else { format!("{prefix}{label}") }
}

impl Participants {
    /// Reads a participants table. If there is a `participants.json` next to it, the descriptions of the
    /// columns in that file are read, too.
    ///
    /// # Errors
    /// Returns an error if `participants.tsv` or `participants.json` cannot be read, or if the table has no
    /// column with the participants.
    pub fn read(path: &Path) -> Result<Self> {
        let refuse = |problem: &str, advice: &str| Error::invalid(path.display(), problem, advice);
        let text = read_text_file(path, LARGEST)?;
        let mut lines = text.trim_start_matches('\u{feff}').lines().filter(|line| !line.trim().is_empty());
        let cells =
            |line: &str| -> Vec<String> { line.split('\t').map(|cell| cell.trim().to_owned()).collect() };
        let mut columns = lines.next().map(cells).unwrap_or_default();
        let Some(place) = columns.iter().position(|name| name == PARTICIPANT) else {
            let advice = "name the column of participants so, with tabs between columns";
            return Err(refuse("its first line has no `participant_id`", advice));
        };
        columns.remove(place);
        let row = |line: &str| {
            let mut row = cells(line);
            let participant = if place < row.len() { row.remove(place) } else { String::new() };
            row.resize(columns.len(), String::new());
            (with_prefix(&participant, PREFIX), row)
        };
        // Rows with an empty participant are skipped.
        let rows = lines.map(row).filter(|(participant, _)| participant != PREFIX).collect();
        let companion_path = path.with_extension("json");
        let descriptions =
            if is_file_or_link(&companion_path) { read_object(&companion_path)? } else { Map::new() };
        Ok(Self { columns, rows, descriptions })
    }

    /// Returns the cell of a participant in a column of the table. Returns `None` if the cell is empty.
    pub(crate) fn cell(&self, participant: &str, column: usize) -> Option<&str> {
        let cell = self.rows.get(participant)?.get(column)?.as_str();
        (!cell.is_empty() && cell != "n/a").then_some(cell)
    }

    /// Returns the labels of all participants in the table, sorted and without the prefix `sub-`.
    pub fn labels(&self) -> Vec<&str> {
        self.rows.keys().filter_map(|participant| participant.strip_prefix(PREFIX)).collect()
    }

    /// Returns the number of participants in the table whose labels are not in `known`.
    pub(crate) fn without(&self, known: &HashSet<String>) -> usize {
        self.rows.keys().filter(|participant| !known.contains(*participant)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn participant_tables_in_different_formats_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("participants.tsv");
        let text = "\u{feff}age\tparticipant_id\tsex\r\nn/a\t02\r\n31\tsub-01\tF\r\n\r\n9\t\r\n";
        std::fs::write(&path, text).unwrap();
        std::fs::write(path.with_extension("json"), r#"{"age": {"Units": "year"}}"#).unwrap();
        let table = Participants::read(&path).unwrap();
        assert_eq!(table.columns, ["age", "sex"]);
        assert_eq!(table.labels(), ["01", "02"]);
        assert_eq!(table.cell("sub-01", 0), Some("31"));
        assert_eq!(table.cell("sub-01", 1), Some("F"));
        assert_eq!(
            (table.cell("sub-02", 0), table.cell("sub-02", 1), table.cell("sub-03", 0)),
            (None, None, None)
        );
        assert_eq!(table.descriptions["age"]["Units"], "year");
        assert_eq!(table.without(&HashSet::from(["sub-01".to_owned()])), 1);
        std::fs::write(&path, "who,age\n").unwrap();
        assert!(Participants::read(&path).unwrap_err().to_string().contains("has no `participant_id`"));
    }
}
