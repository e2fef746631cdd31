use arcuate_core::{Error, Result};
use std::path::{Path, PathBuf};

/// A folder that appears under its name only when it is complete, as [`AtomicFile`](crate::AtomicFile) does for files.
///
/// Files go into a temporary folder beside the target; [`finish`](Self::finish) renames it. Dropped before that,
/// nothing remains, and what was there before is untouched.
#[derive(Debug)]
pub(crate) struct AtomicFolder {
    path: PathBuf,
    temporary: tempfile::TempDir,
}

impl AtomicFolder {
    /// Begins a folder at `path`, whose parent must exist.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        let parent = match path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent,
            _ => Path::new("."),
        };
        let mut builder = tempfile::Builder::new();
        builder.prefix(".arcuate-").suffix(".partial");
        // As readable as any folder its user makes.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            builder.permissions(std::fs::Permissions::from_mode(0o777));
        }
        let temporary = builder.tempdir_in(parent).map_err(|e| Error::write(path, e))?;
        Ok(Self { path: path.to_owned(), temporary })
    }

    /// Where its files go meanwhile.
    pub(crate) fn inside(&self) -> &Path {
        self.temporary.path()
    }

    /// Makes the folder complete under its name, in place of a file or folder of that name.
    pub(crate) fn finish(self) -> Result<()> {
        let Self { path, temporary } = self;
        let failed = |e| Error::write(&path, e);
        let old = if path.symlink_metadata().is_ok() {
            // A folder cannot be renamed onto another that holds files: the old one steps aside first.
            let aside = temporary.path().with_extension("replaced");
            std::fs::rename(&path, &aside).map_err(failed)?;
            Some(aside)
        } else {
            None
        };
        let made = temporary.keep();
        if let Err(error) = std::fs::rename(&made, &path) {
            if let Some(aside) = &old {
                let _ = std::fs::rename(aside, &path); // best effort: the error is reported either way
            }
            let _ = std::fs::remove_dir_all(&made);
            return Err(failed(error));
        }
        match old {
            Some(aside) if aside.is_dir() => std::fs::remove_dir_all(&aside).map_err(failed),
            Some(aside) => std::fs::remove_file(&aside).map_err(failed),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_what_was_there_only_when_finished() {
        let parent = tempfile::tempdir().unwrap();
        let path = parent.path().join("out.trx");
        for (round, contents) in ["first", "second"].iter().enumerate() {
            let folder = AtomicFolder::create(&path).unwrap();
            std::fs::write(folder.inside().join("a"), contents).unwrap();
            assert_eq!(path.exists(), round > 0);
            folder.finish().unwrap();
            assert_eq!(std::fs::read_to_string(path.join("a")).unwrap(), *contents);
        }
        let unfinished = AtomicFolder::create(&path).unwrap();
        drop(unfinished);
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
        // A file of that name gives way too.
        let file = parent.path().join("file.trx");
        std::fs::write(&file, "x").unwrap();
        AtomicFolder::create(&file).unwrap().finish().unwrap();
        assert!(file.is_dir());
        assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 2);
    }
}
