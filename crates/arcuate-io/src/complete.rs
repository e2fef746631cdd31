//! Output files and folders whose content is complete, but which still have temporary names.

use crate::disk::{self, Unsynchronised};
use crate::unfinished::{self, Unfinished};
use arcuate_core::{Error, Result};
use std::fs::File;
use std::path::{Path, PathBuf};
use tempfile::{NamedTempFile, TempDir};

/// A complete output file or folder that has a temporary name in the folder of its final name. If this value
/// is dropped, the output is removed.
#[derive(Debug)]
pub(crate) struct Complete {
    target: PathBuf,
    temporary: PathBuf,
    /// The file or folder; `None` once it has its final name.
    content: Option<Content>,
}

#[derive(Debug)]
enum Content {
    File(NamedTempFile),
    /// A folder, and the lock which tells other programs that the folder is in use.
    Folder(TempDir, #[expect(dead_code, reason = "held, not used")] Option<File>),
}

impl Complete {
    /// Creates the value for an output file that will be renamed to `target`.
    pub(crate) fn file(target: PathBuf, file: NamedTempFile) -> Self {
        Self { target, temporary: file.path().to_owned(), content: Some(Content::File(file)) }
    }

    /// Creates the value for an output folder that will be renamed to `target`.
    pub(crate) fn folder(target: PathBuf, folder: TempDir, lock: Option<File>) -> Self {
        Self { target, temporary: folder.path().to_owned(), content: Some(Content::Folder(folder, lock)) }
    }

    /// The final name of the result.
    pub(crate) fn target(&self) -> &Path {
        &self.target
    }

    /// The temporary path of the result.
    pub(crate) fn temporary(&self) -> &Path {
        &self.temporary
    }

    pub(crate) fn is_folder(&self) -> bool {
        matches!(self.content, Some(Content::Folder(..)))
    }

    /// Adds to `all` the files and folders of this output that must be on the disk before it is renamed to
    /// its final name.
    fn unsynchronised<'a>(&'a self, all: &mut Vec<Unsynchronised<'a>>) -> std::io::Result<()> {
        match &self.content {
            Some(Content::File(file)) => all.push(Unsynchronised::Open(file.as_file(), &self.target)),
            Some(Content::Folder(folder, _)) => below(folder.path(), all)?,
            None => {}
        }
        Ok(())
    }

    /// Renames the output to its final name. A file that has this name is replaced.
    pub(crate) fn take_name(&mut self, unfinished: &mut Unfinished) -> std::io::Result<()> {
        disk::rename(&self.temporary, &self.target)?;
        unfinished.remove(&self.temporary);
        self.forget();
        Ok(())
    }

    /// Exchanges the names of the output and of the existing folder with the final name. Returns the
    /// temporary path at which the existing folder is afterwards. Returns `None` if the file system cannot
    /// exchange names.
    pub(crate) fn exchange(&mut self) -> std::io::Result<Option<PathBuf>> {
        let is_done = disk::exchange(&self.temporary, &self.target)?;
        if is_done {
            self.forget();
        }
        Ok(is_done.then(|| self.temporary.clone()))
    }

    /// Ensures that the file or folder is kept when this value is dropped.
    fn forget(&mut self) {
        match self.content.take() {
            // The file is locked as long as it is open, which is until this point.
            Some(Content::File(file)) => {
                let (_, mut path) = file.into_parts();
                path.disable_cleanup(true);
            }
            Some(Content::Folder(folder, _)) => {
                let _ = folder.keep();
            }
            None => {}
        }
    }
}

impl Drop for Complete {
    fn drop(&mut self) {
        if self.content.is_some() {
            let mut unfinished = unfinished::unfinished();
            unfinished.remove(&self.temporary);
            self.content = None;
        }
    }
}

/// Adds the folder, and all files and folders below it, to `all`. All these files are closed.
fn below(folder: &Path, all: &mut Vec<Unsynchronised<'_>>) -> std::io::Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            below(&entry.path(), all)?;
        } else {
            all.push(Unsynchronised::Closed(entry.path()));
        }
    }
    all.push(Unsynchronised::Folder(folder.to_owned()));
    Ok(())
}

/// Waits until the contents of all these output files are on the disk.
pub(crate) fn synchronise(files: &[Complete]) -> Result<()> {
    let Some(first) = files.first() else { return Ok(()) };
    let refuse = |error| Error::write(&first.target, error);
    let mut all = Vec::new();
    files.iter().try_for_each(|file| file.unsynchronised(&mut all)).map_err(refuse)?;
    disk::synchronise_all(&all).map_err(|(n, error)| {
        let path = match &all[n] {
            Unsynchronised::Open(_, path) => path,
            Unsynchronised::Closed(_) | Unsynchronised::Folder(_) => first.target(),
        };
        Error::write(path, error)
    })
}
