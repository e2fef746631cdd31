use arcuate_core::{Error, Result};
use std::path::{Path, PathBuf};

/// A folder of results. Nothing in it is written over unless the user said `--force`, and this is known before any
/// work begins.
pub(crate) struct OutputFolder {
    path: PathBuf,
    /// Folders that were not there before, deepest first.
    made: Vec<PathBuf>,
}

impl OutputFolder {
    /// Makes the folder (and those above it) ready for files of the given names.
    pub(crate) fn create(path: &Path, names: &[&str], force: bool) -> Result<Self> {
        if path.exists() && !path.is_dir() {
            return Err(Error::usage(path.display(), "it is a file, not a folder", "choose another --out"));
        }
        let made = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
        let folder = Self { path: path.to_owned(), made: made.map(Path::to_owned).collect() };
        for name in names {
            let file = folder.file(name);
            if let Some(parent) = file.parent().filter(|parent| parent.exists() && !parent.is_dir()) {
                let problem = "it is a file, not a folder";
                return Err(Error::usage(parent.display(), problem, "choose another --out"));
            }
            require_free(&file, force)?;
        }
        std::fs::create_dir_all(path).map_err(|e| Error::write(path, e))?;
        // A folder that cannot be written is better known now than after the work.
        arcuate_io::AtomicFile::create(&folder.file("probe")).map_err(|e| e.about(path.display()))?;
        Ok(folder)
    }

    /// Fails where one of the files to be written is one of those that are read, which `--force` would destroy.
    pub(crate) fn require_apart(&self, names: &[&str], inputs: &[PathBuf]) -> Result<()> {
        let written: Vec<PathBuf> =
            names.iter().filter_map(|name| self.file(name).canonicalize().ok()).collect();
        let both = |input: &&PathBuf| input.canonicalize().is_ok_and(|path| written.contains(&path));
        match inputs.iter().find(both) {
            Some(input) => {
                let problem = "it is an input, and the results would be written over it";
                Err(Error::usage(input.display(), problem, "choose another --out"))
            }
            None => Ok(()),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

impl Drop for OutputFolder {
    /// Where the work failed before its first result, no empty folder remains.
    fn drop(&mut self) {
        for folder in &self.made {
            // Refused for a folder with something in it, which is what shall stay.
            let _ = std::fs::remove_dir(folder);
        }
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
