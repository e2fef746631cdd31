//! Where results go. Every command that writes passes here before any work: nothing is written over unless the user said
//! `--force`, never a file that the same command reads or writes, and two commands do not write into one folder at once.

use crate::caller::Caller;
use crate::map_format::MapFormat;
use crate::output_files::OutputFile;
use crate::record::{self, Record};
use arcuate_core::{Error, Result};
use std::fs::File;
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, PoisonError, TryLockError};

/// Folders that were made for results, deepest first, while their commands are at work.
static MADE: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the folders that were made and have nothing in them: where the program ends before its first result.
pub fn remove_empty_folders() {
    // Not waited for: this thread may be adding one when it ends the program for want of memory.
    let mut made = match MADE.try_lock() {
        Ok(made) => made,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    for folder in made.drain(..) {
        remove_if_empty(&folder);
    }
}

/// The file in the folder of a run that says which it is of. Its name begins with a dot: it is nobody's result.
pub(crate) const RUN_FILE: &str = ".arcuate-run.json";

/// Removes a folder in which there is no result.
fn remove_if_empty(folder: &Path) {
    let has_others = |entries: std::fs::ReadDir| entries.flatten().any(|entry| entry.file_name() != RUN_FILE);
    if std::fs::read_dir(folder).is_ok_and(|entries| !has_others(entries)) {
        let _ = std::fs::remove_file(folder.join(RUN_FILE));
    }
    // Refused for a folder with something in it, which is what shall stay.
    let _ = std::fs::remove_dir(folder);
}

/// Whether a command is writing its results into a folder.
pub fn is_being_written(folder: &Path) -> bool {
    lock(folder).is_err()
}

/// A folder of results.
pub struct OutputFolder {
    path: PathBuf,
    /// Folders that were not there before, deepest first.
    made: Mutex<Vec<PathBuf>>,
    /// What an earlier command wrote here, its record first: to be removed when the first new result comes.
    earlier: Mutex<Vec<PathBuf>>,
    /// Held as long as results are written; none where the file system or the system cannot lock a folder.
    lock: Option<File>,
    /// The format of its maps.
    format: MapFormat,
}

impl OutputFolder {
    /// Makes the folder (and those above it) ready for the files of a command that reads `inputs`, and for its record.
    pub fn create(
        path: &Path,
        files: &[OutputFile],
        inputs: &[PathBuf],
        context: &dyn Caller,
    ) -> Result<Self> {
        Self::ready(path, files, inputs, context, context.force())
    }

    /// The same for a command that goes on after an earlier one of its own, whose results stay unless it writes them again; or that
    /// `replaces` them.
    pub fn go_on(
        path: &Path,
        files: &[OutputFile],
        inputs: &[PathBuf],
        replaces: bool,
        context: &dyn Caller,
    ) -> Result<Self> {
        let mut folder = Self::ready(path, files, inputs, context, true)?;
        if !replaces {
            folder.earlier = Mutex::default();
        }
        Ok(folder)
    }

    fn ready(
        path: &Path,
        files: &[OutputFile],
        inputs: &[PathBuf],
        context: &dyn Caller,
        force: bool,
    ) -> Result<Self> {
        let names: Vec<&str> =
            files.iter().map(|file| file.name.as_ref()).chain([record::FILE_NAME]).collect();
        names.iter().try_for_each(|name| require_own(&path.join(name), context))?;
        let folder = Self::reserve(path, &names, inputs, force)?;
        context.watch(inputs);
        Ok(folder)
    }

    fn reserve(path: &Path, names: &[&str], inputs: &[PathBuf], force: bool) -> Result<Self> {
        if let Some(ending) = ending_of_a_file(path) {
            let folder = path.display().to_string();
            let folder = &folder[..folder.len() - ending.len()];
            let problem =
                format!("results are several files, which need a folder, and {ending} is the ending of one");
            let advice = format!("write ‘out’ {folder}, or another name without it");
            return Err(Error::usage(path.display(), problem, advice));
        }
        if path.exists() && !path.is_dir() {
            return Err(Error::usage(path.display(), "it is a file, not a folder", "choose another ‘out’"));
        }
        let made = missing(path);
        let mut folder = Self {
            path: path.to_owned(),
            made: Mutex::new(made.clone()),
            earlier: Mutex::default(),
            lock: None,
            format: MapFormat::default(),
        };
        for name in names {
            let file = folder.path.join(name);
            if let Some(parent) = file.parent().filter(|parent| parent.exists() && !parent.is_dir()) {
                let problem = "it is a file, not a folder";
                return Err(Error::usage(parent.display(), problem, "choose another ‘out’"));
            }
            require_free(&file, inputs, force)?;
        }
        MADE.lock().unwrap_or_else(PoisonError::into_inner).extend(made);
        std::fs::create_dir_all(path).map_err(|e| Error::write(path, e))?;
        folder.lock = lock(path)?;
        arcuate_io::remove_abandoned(path);
        // A folder that cannot be written is better known now than after the work.
        arcuate_io::AtomicFile::create(&folder.path.join("probe")).map_err(|e| e.about(path.display()))?;
        folder.earlier = Mutex::new(written_earlier(path, inputs));
        Ok(folder)
    }

    /// The same for maps of another format, by whose names its files must be known already.
    pub fn with_maps_as(mut self, format: MapFormat) -> Self {
        self.format = format;
        self
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a result is to be written, a map in the format of the folder. With the first, those of an earlier command go.
    pub fn file(&self, name: &str) -> PathBuf {
        self.begin();
        self.path.join(self.format.name(name).as_ref())
    }

    /// Makes a folder within it, for results whose names begin with its name; as it, it goes where none comes.
    pub fn create_below(&self, name: &Path) -> Result<PathBuf> {
        self.begin();
        let below = self.path.join(name);
        let made = missing(&below);
        MADE.lock().unwrap_or_else(PoisonError::into_inner).splice(0..0, made.iter().cloned());
        self.made.lock().unwrap_or_else(PoisonError::into_inner).splice(0..0, made);
        std::fs::create_dir_all(&below).map_err(|e| Error::write(&below, e))?;
        Ok(below)
    }

    /// Removes what an earlier command wrote, its record before the rest: what is interrupted leaves no mixture that an old
    /// record vouches for.
    pub fn begin(&self) {
        let mut earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        if !earlier.is_empty() {
            tracing::info!("{}: {} files of an earlier command go", self.path.display(), earlier.len());
        }
        for old in earlier.drain(..) {
            // One that cannot be removed is written over, or stays as a file that no record names.
            let _ = std::fs::remove_file(&old);
            if let Some(below) = old.parent().filter(|parent| *parent != self.path) {
                // Refused as long as there is something in it.
                let _ = std::fs::remove_dir(below);
            }
        }
    }
}

impl Drop for OutputFolder {
    /// Where the work failed before its first result, no empty folder remains.
    fn drop(&mut self) {
        let own = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|folder| !own.contains(folder));
        own.iter().for_each(|folder| remove_if_empty(folder));
    }
}

/// Endings of files that somebody may want where a folder is written.
const ENDINGS: [&str; 15] = [
    ".nii.gz", ".nii", ".mif.gz", ".mif", ".mih", ".hdr", ".img", ".mgz", ".tck", ".trk", ".trx", ".csv",
    ".npz", ".txt", ".html",
];

/// The ending of a file in a name that is to be a folder's and is none yet.
fn ending_of_a_file(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?;
    let is_it = |ending: &&&str| name.len() > ending.len() && name.to_ascii_lowercase().ends_with(**ending);
    ENDINGS.iter().find(is_it).copied().filter(|_| !path.is_dir())
}

/// The folders on the way to a path, and itself, that are not there, deepest first.
fn missing(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
    missing.map(Path::to_owned).collect()
}

/// A result that is a file of its own, with its record beside it: fails like [`require_file`].
pub fn require_file_and_record(path: &Path, inputs: &[PathBuf], context: &dyn Caller) -> Result<()> {
    require_files_and_record(path, &[path.to_owned()], inputs, context)
}

/// Several results that belong together, with the record beside the first of them, `main`: fails like [`require_file`].
pub fn require_files_and_record(
    main: &Path,
    files: &[PathBuf],
    inputs: &[PathBuf],
    context: &dyn Caller,
) -> Result<()> {
    for file in files {
        require_file(file, inputs, context)?;
    }
    let record = record::beside(main);
    require_own(&record, context)?;
    require_free(&record, inputs, context.force())
}

/// A result that is a file of its own: fails where there is something already that may not be overwritten; what killed
/// commands left unfinished in its folder goes.
pub fn require_file(path: &Path, inputs: &[PathBuf], context: &dyn Caller) -> Result<()> {
    require_own(path, context)?;
    require_free(path, inputs, context.force())?;
    context.watch(inputs);
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // They go again where the work fails.
    MADE.lock().unwrap_or_else(PoisonError::into_inner).extend(missing(parent));
    // Where that fails, so does the file, which says it better. What cannot be written is better known now than after the
    // work.
    let _ = std::fs::create_dir_all(parent);
    arcuate_io::remove_abandoned(parent);
    arcuate_io::AtomicFile::create(path).map(|_| ())
}

/// Fails where another result of the same command has this name already: one of the two would be lost.
fn require_own(path: &Path, context: &dyn Caller) -> Result<()> {
    if context.takes(place_of(path)) {
        return Ok(());
    }
    let problem = "two results of this command would have this name";
    Err(Error::usage(path.display(), problem, "give each of them another"))
}

/// What is the same for all ways to write the name of a file that need not be there, in a folder that need not be there.
fn place_of(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let (parent, name) = (absolute.parent().unwrap_or(Path::new("/")), absolute.file_name());
    let there = parent.ancestors().find_map(|folder| {
        let (below, mut place) = (parent.strip_prefix(folder).ok()?, folder.canonicalize().ok()?);
        for part in below.components() {
            // Where nothing is yet, there is no link either.
            if part == Component::ParentDir {
                place.pop();
            } else {
                place.push(part);
            }
        }
        Some(place)
    });
    there.unwrap_or_else(|| parent.to_owned()).join(name.unwrap_or_default())
}

/// Fails where a file is there already and `--force` was not given, and in any case where it is one of those that the
/// command reads, or lies in a folder that is one.
fn require_free(path: &Path, inputs: &[PathBuf], force: bool) -> Result<()> {
    let is_within =
        |input: &PathBuf| input.is_dir() && path.ancestors().skip(1).any(|above| same_file(input, above));
    if let Some(input) = inputs.iter().find(|input| same_file(input, path) || is_within(input)) {
        let problem = "it is an input, and the results would be written over it";
        return Err(Error::usage(input.display(), problem, "choose another ‘out’"));
    }
    // A link that leads nowhere is something too.
    if path.symlink_metadata().is_ok() && !force {
        return Err(Error::usage(
            path.display(),
            "it is there already",
            "choose another name, or say ‘force’ to write over it",
        ));
    }
    Ok(())
}

/// Whether two paths lead to one file, by whatever name or link.
fn same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let identity = |path: &Path| path.metadata().map(|m| (m.dev(), m.ino()));
        matches!((identity(a), identity(b)), (Ok(a), Ok(b)) if a == b)
    }
    #[cfg(not(unix))]
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Locks a folder for its writer; fails where another process has it.
fn lock(path: &Path) -> Result<Option<File>> {
    let Ok(folder) = File::open(path) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(std::fs::TryLockError::WouldBlock) => {
            let problem = "another arcuate is writing its results there";
            Err(Error::usage(path.display(), problem, "wait for it, or choose another ‘out’"))
        }
        Err(std::fs::TryLockError::Error(_)) => Ok(None),
    }
}

/// The record of an earlier command in a folder and the files that it names, but for those that are read now.
fn written_earlier(folder: &Path, inputs: &[PathBuf]) -> Vec<PathBuf> {
    let Ok(record) = Record::read(folder) else { return Vec::new() };
    let steps = record.steps.iter().map(String::as_str);
    let files = record.files.iter().map(|file| file.name.as_ref());
    // Only what is in its folder is removed; the rest stays, as files that no record names.
    let named = steps.chain(files).filter_map(|name| record::inside(folder, name).ok());
    std::iter::once(folder.join(record::FILE_NAME))
        .chain(named)
        .filter(|path| !inputs.iter().any(|input| same_file(input, path)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(folder: &Path, files: &[&str]) {
        let files = files.iter().map(|&name| OutputFile::file(name.to_owned(), "a file")).collect();
        let mut record = Record::default();
        (record.form, record.files) = (1, files);
        std::fs::write(folder.join(record::FILE_NAME), serde_json::to_string(&record).unwrap()).unwrap();
    }

    #[test]
    fn what_an_earlier_command_wrote_goes_with_the_first_result() {
        let root = tempfile::tempdir().unwrap();
        let (path, outside) = (root.path().join("out"), root.path().join("outside.txt"));
        std::fs::create_dir(&path).unwrap();
        for name in ["fa.nii.gz", "input.nii.gz", "mine.txt", "../outside.txt"] {
            std::fs::write(path.join(name), name).unwrap();
        }
        record(&path, &["fa.nii.gz", "input.nii.gz", "../outside.txt", record::FILE_NAME]);
        let inputs = [path.join("input.nii.gz")];
        let refused = OutputFolder::reserve(&path, &[record::FILE_NAME], &inputs, false).err().unwrap();
        assert!(refused.to_string().contains("arcuate.json: it is there already"), "{refused}");
        let folder = OutputFolder::reserve(&path, &[record::FILE_NAME], &inputs, true).unwrap();
        assert!(path.join("fa.nii.gz").exists() && path.join(record::FILE_NAME).exists());
        std::fs::write(folder.file("new.txt"), "new").unwrap();
        std::fs::write(folder.file("second.txt"), "new").unwrap();
        let mut names: Vec<String> =
            path.read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        assert_eq!(names, ["input.nii.gz", "mine.txt", "new.txt", "second.txt"]);
        assert!(outside.exists());
    }

    #[test]
    fn inputs_are_never_written_over() {
        let root = tempfile::tempdir().unwrap();
        let input = root.path().join("b.nii.gz");
        std::fs::write(&input, "image").unwrap();
        let mut names = vec!["b.nii.gz".to_owned()];
        #[cfg(unix)]
        {
            std::fs::hard_link(&input, root.path().join("hard.nii.gz")).unwrap();
            std::os::unix::fs::symlink(&input, root.path().join("soft.nii.gz")).unwrap();
            names.extend(["hard.nii.gz".to_owned(), "soft.nii.gz".to_owned()]);
        }
        for name in names {
            let error =
                require_free(&root.path().join(&name), std::slice::from_ref(&input), true).unwrap_err();
            assert!(error.to_string().contains("b.nii.gz: it is an input"), "{name}: {error}");
        }
    }

    #[test]
    fn a_name_is_the_same_however_it_is_written() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| place_of(&root.path().join(name));
        assert_eq!(at("a.nii"), at("./a.nii"));
        assert_eq!(at("not/there/a.nii"), at("not/./there/a.nii"));
        assert_eq!(at("not/there/a.nii"), at("not/there/../there/a.nii"));
        assert_ne!(at("a.nii"), at("b.nii"));
        assert_ne!(at("not/a.nii"), at("a.nii"));
        assert_eq!(place_of(Path::new("a.nii")), place_of(Path::new("./a.nii")));
        #[cfg(unix)]
        {
            std::fs::create_dir(root.path().join("folder")).unwrap();
            std::os::unix::fs::symlink("folder", root.path().join("link")).unwrap();
            assert_eq!(at("folder/x/a.nii"), at("link/x/a.nii"));
            assert_eq!(at("link/../a.nii"), at("a.nii"));
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_there() {
        let root = tempfile::tempdir().unwrap();
        let link = root.path().join("mask.nii.gz");
        std::os::unix::fs::symlink("/nowhere/at/all", &link).unwrap();
        assert!(require_free(&link, &[], false).is_err());
        assert!(require_free(&link, &[], true).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn the_second_writer_of_a_folder_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let first = OutputFolder::reserve(root.path(), &["a"], &[], false).unwrap();
        let error = OutputFolder::reserve(root.path(), &["b"], &[], false).err().unwrap();
        assert!(error.to_string().contains("another arcuate is writing its results there"), "{error}");
        drop(first);
        OutputFolder::reserve(root.path(), &["b"], &[], false).unwrap();
    }
}
