//! File that lists unfinished results. While a command writes into a folder, this file lists its results and
//! states that they are not finished. When the command has written its record, the file is removed. If the
//! command is killed, a later command reads from the file which results it may remove.

use crate::record;
use arcuate_io::{SavedState, StateKind};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// Name of the statement file.
pub(crate) const FILE_NAME: &str = "arcuate.unfinished.json";
const KIND: StateKind = StateKind { name: "unfinished results", version: 1 };

/// Content of the statement file.
#[derive(Debug, Serialize, Deserialize)]
struct Statement {
    /// Text that explains the file to people who find it in the folder.
    note: String,
    /// The command line.
    command: Vec<String>,
    version: String,
    /// Paths, relative to the folder, of the files that the command writes or that it has begun to replace.
    files: Vec<String>,
}

fn state(path: &Path) -> SavedState<'_> {
    SavedState { path, kind: KIND, remedy: "remove it, and run the command again with ‘force’" }
}

/// Writes the file that states that the results `files` are not finished.
pub(crate) fn begin(folder: &Path, command: Vec<String>, files: Vec<String>) -> arcuate_core::Result<()> {
    let note =
        "A command was writing these files and has not finished. Run it again: it replaces them.".to_owned();
    let version = env!("CARGO_PKG_VERSION").to_owned();
    state(&folder.join(FILE_NAME)).write_json(&Statement { note, command, version, files })
}

/// Removes the statement that [`begin`] wrote.
pub(crate) fn end(folder: &Path) {
    // If this file cannot be removed, it has no effect, because there is a record next to it.
    let _ = std::fs::remove_file(folder.join(FILE_NAME));
}

/// Removes the file that lists unfinished results if the folder has a record. In this case, a command was
/// killed after it had written its record and before it removed this file.
pub(crate) fn end_if_finished(folder: &Path) {
    if folder.join(record::FILE_NAME).is_file() {
        end(folder);
    }
}

/// Returns the paths of the files that a killed command left, or may have left, in a folder. The list is
/// empty if the folder has a record, because a command writes its record last. It is also empty if the file
/// that lists unfinished results was changed.
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
    fn unfinished_results_are_known_until_a_record_exists() {
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
