//! Removes output files that programs left unfinished because they were killed.

use crate::disk;
use crate::recovery;
use crate::unfinished::{LOCK, PREFIX, SUFFIX, is_at};
use std::fs::File;
use std::path::Path;

/// Cleans up a folder after programs that were killed: completes their interrupted renames, and removes their
/// unfinished output files. These files have a temporary name and are not locked by any program. If the file
/// system does not support locks, unfinished files stay, because a program may still write them.
pub fn remove_abandoned(folder: &Path) {
    let spared = recovery::complete(folder);
    let Ok(entries) = folder.read_dir() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name
            .to_str()
            .is_some_and(|name| name.starts_with(PREFIX) && (name.ends_with(SUFFIX) || name.ends_with(LOCK)));
        let path = entry.path();
        // Symbolic links are skipped. Pipes and devices are skipped too, because opening one can block the
        // program.
        let is_plain = entry.file_type().is_ok_and(|kind| kind.is_file() || kind.is_dir());
        if !is_ours || !is_plain || spared.contains(&name) {
            continue;
        }
        let Ok(file) = File::open(&path) else { continue };
        // The file stays locked until it is removed. The check ensures that this path still belongs to the
        // locked file.
        if file.try_lock().is_ok() && is_at(&file, &path) {
            let _ = disk::remove(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AtomicFile;
    use std::io::Write;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            folder.read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn only_abandoned_files_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at(".arcuate-dead.partial"), "half").unwrap();
        std::fs::create_dir(at(".arcuate-dead-folder.partial")).unwrap();
        std::fs::write(at(".arcuate-dead-folder.partial").join("offsets"), "half").unwrap();
        std::fs::write(at(".arcuate-notes"), "mine").unwrap();
        std::fs::write(at("result.partial"), "mine").unwrap();
        let mut alive = AtomicFile::create(&at("result.txt")).unwrap();
        alive.write_all(b"whole").unwrap();
        remove_abandoned(folder.path());
        alive.finish().unwrap();
        assert_eq!(names(folder.path()), [".arcuate-notes", "result.partial", "result.txt"]);
        assert_eq!(std::fs::read(at("result.txt")).unwrap(), b"whole");
    }

    #[cfg(unix)]
    #[test]
    fn links_with_temporary_names_are_kept() {
        let folder = tempfile::tempdir().unwrap();
        let elsewhere = tempfile::NamedTempFile::new().unwrap();
        let link = folder.path().join(".arcuate-x.partial");
        std::os::unix::fs::symlink(elsewhere.path(), &link).unwrap();
        remove_abandoned(folder.path());
        assert!(link.symlink_metadata().is_ok() && elsewhere.path().exists());
    }
}
