use arcuate_core::{Error, Result};
use std::path::{Path, PathBuf};

/// A folder of results. Nothing in it is written over unless the user said `--force`, and this is known before any
/// work begins.
pub(crate) struct OutputFolder {
    path: PathBuf,
}

impl OutputFolder {
    /// Makes the folder (and those above it) ready for files of the given names.
    pub(crate) fn create(path: &Path, names: &[&str], force: bool) -> Result<Self> {
        if path.exists() && !path.is_dir() {
            return Err(Error::usage(path.display(), "it is a file, not a folder", "choose another --out"));
        }
        let folder = Self { path: path.to_owned() };
        for name in names {
            require_free(&folder.file(name), force)?;
        }
        std::fs::create_dir_all(path).map_err(|e| Error::write(path, e))?;
        // A folder that cannot be written is better known now than after the work.
        arcuate_io::AtomicFile::create(&folder.file("probe")).map_err(|e| e.about(path.display()))?;
        Ok(folder)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// Fails where a file is there already and `--force` was not given, or its folder is not.
pub(crate) fn require_free(path: &Path, force: bool) -> Result<()> {
    if path.exists() && !force {
        return Err(Error::usage(
            path.display(),
            "it is there already",
            "choose another name, or say --force to write over it",
        ));
    }
    Ok(())
}
