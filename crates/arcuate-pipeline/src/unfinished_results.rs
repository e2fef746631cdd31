//! Results of a command that has not come to its end. While a command writes its results into a folder, a file there states that
//! they are not all, and which they are. The record of the command takes its place. If the command is killed, a later one knows by
//! it which files may go.

use crate::record;
use arcuate_io::{SavedState, StateKind};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The file in the folder.
pub(crate) const FILE_NAME: &str = "arcuate.unfinished.json";
const KIND: StateKind = StateKind { name: "unfinished results", version: 1 };

/// What the file says.
#[derive(Debug, Serialize, Deserialize)]
struct Statement {
    /// For whoever looks into the folder.
    note: String,
    /// The command line.
    command: Vec<String>,
    version: String,
    /// Files that the command writes, or that it has begun to replace, by their names in the folder.
    files: Vec<String>,
}

fn state(path: &Path) -> SavedState<'_> {
    SavedState { path, kind: KIND, remedy: "remove it, and run the command again with ‘force’" }
}

/// States in a folder that the results in `files` are not finished.
pub(crate) fn begin(folder: &Path, command: Vec<String>, files: Vec<String>) -> arcuate_core::Result<()> {
    let note =
        "A command was writing these files and has not finished. Run it again: it replaces them.".to_owned();
    let version = env!("CARGO_PKG_VERSION").to_owned();
    state(&folder.join(FILE_NAME)).write_json(&Statement { note, command, version, files })
}

/// Ends what [`begin`] began.
pub(crate) fn end(folder: &Path) {
    // One that stays beside a record says nothing.
    let _ = std::fs::remove_file(folder.join(FILE_NAME));
}

/// The same if the record is there: its command was killed in between.
pub(crate) fn end_if_finished(folder: &Path) {
    if folder.join(record::FILE_NAME).is_file() {
        end(folder);
    }
}

/// Files that a command which did not come to its end has left in a folder, or may have. There are none if the folder has a record,
/// which is written last, or if what states them was changed.
pub(crate) fn left_in(folder: &Path) -> Vec<PathBuf> {
    let path = folder.join(FILE_NAME);
    if path.symlink_metadata().is_err() || folder.join(record::FILE_NAME).symlink_metadata().is_ok() {
        return Vec::new();
    }
    match state(&path).read_json::<Statement>() {
        Ok(statement) => {
            statement.files.iter().filter_map(|name| record::inside(folder, name).ok()).collect()
        }
        Err(error) => {
            tracing::warn!("{error}");
            Vec::new()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_is_known_until_a_record_is_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        assert!(left_in(path).is_empty());
        begin(path, vec!["arcuate".into()], vec!["fa.nii.gz".into(), "../mine".into()]).unwrap();
        assert_eq!(left_in(path), [path.join("fa.nii.gz")]);
        let whole = std::fs::read(path.join(FILE_NAME)).unwrap();
        let changed = String::from_utf8(whole.clone()).unwrap().replace("fa.nii.gz", "md.nii.gz");
        std::fs::write(path.join(FILE_NAME), changed).unwrap();
        assert!(left_in(path).is_empty());
        std::fs::write(path.join(FILE_NAME), whole).unwrap();
        std::fs::write(path.join(record::FILE_NAME), "{}").unwrap();
        assert!(left_in(path).is_empty());
        end(path);
        assert_eq!(path.read_dir().unwrap().count(), 1);
    }
}
