//! Rules for the files that commands write. Each command that writes results checks these rules before it
//! starts to work:
//! - An existing file is replaced only if the user gives `--force`.
//! - A file that the same command reads or writes is never replaced.
//! - Two commands cannot write the same file or folder at the same time.

use crate::companions::companions;
use crate::folder_names::require_folder_name;
use crate::job::Job;
use crate::map_format::MapFormat;
use crate::output_files::OutputFile;
use crate::record::{self, Record};
use crate::unfinished_results;
use arcuate_core::{Error, Result, printable};
use arcuate_io::{Claim, Results, SetAside, Watch, place_of};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::SystemTime;

/// Folders that running commands created for their results, deepest first.
static CREATED_FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Removes the folders that this program created and that are still empty. This function is called if the
/// program ends before it has written a result.
pub fn remove_empty_folders() {
    // This function must not wait for the lock of the list of created folders. If the program ends because
    // memory is exhausted, this thread may hold the lock itself.
    let mut made = match CREATED_FOLDERS.try_lock() {
        Ok(made) => made,
        Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
        Err(TryLockError::WouldBlock) => return,
    };
    for folder in made.drain(..) {
        remove_if_empty(&folder);
    }
}

/// File in the folder of `arcuate run` that identifies the run. Its name begins with a dot because it is not
/// a result.
pub(crate) const RUN_FILE: &str = ".arcuate-run.json";

/// Removes a folder that contains no result.
fn remove_if_empty(folder: &Path) {
    let has_others = |entries: std::fs::ReadDir| entries.flatten().any(|entry| entry.file_name() != RUN_FILE);
    if std::fs::read_dir(folder).is_ok_and(|entries| !has_others(entries)) {
        let _ = std::fs::remove_file(folder.join(RUN_FILE));
    }
    // `remove_dir` does not remove a folder that contains files. A folder that contains files must stay.
    let _ = std::fs::remove_dir(folder);
}

/// Checks whether a command is writing results into a folder.
pub fn is_being_written(folder: &Path) -> bool {
    lock(folder).is_err()
}

/// A folder of results.
pub struct OutputFolder {
    path: PathBuf,
    /// Folders that this object created, deepest first.
    made: Mutex<Vec<PathBuf>>,
    earlier: Mutex<Earlier>,
    /// Lock of the folder against other commands, held while results are written. `None` if the file system
    /// or the operating system cannot lock a folder.
    lock: Option<File>,
    /// File format of the maps.
    format: MapFormat,
    /// List of the inputs and results of the command.
    watch: Watch,
    /// Paths in the folder that are reserved for the results of this command.
    claims: Mutex<Vec<Claim>>,
    /// State of the results. It shows which files to remove if the command fails before it writes its record.
    progress: Box<Progress>,
}

/// Results of earlier commands in the folder. When the command writes its first result, complete results are
/// moved to another place, and incomplete results are removed.
#[derive(Default)]
struct Earlier {
    /// Results of a command that completed, with its record first. They are kept until the new results are
    /// complete.
    complete: Vec<PathBuf>,
    /// Files that a killed command left in the folder. They are removed.
    left: Vec<PathBuf>,
    /// Place to which the complete results are moved until the new results are complete.
    aside: Option<SetAside>,
}

impl Earlier {
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.complete.iter().chain(&self.left)
    }

    /// Moves the complete results of an earlier command aside, and removes the files of killed commands. Then
    /// removes the subfolders of `folder` that became empty.
    fn move_aside(&mut self, folder: &Path) {
        let mut aside = if self.complete.is_empty() { None } else { SetAside::new(folder).ok() };
        let complete = self.complete.drain(..).map(|file| (file, true));
        for (old, is_complete) in complete.chain(self.left.drain(..).map(|file| (file, false))) {
            let aside = aside.as_mut().filter(|_| is_complete);
            if aside.is_none_or(|aside| aside.take(&old).is_err()) {
                // If an old file cannot be removed, a new result overwrites it, or it stays in the folder
                // without being listed in a record.
                let _ = std::fs::remove_file(&old);
            }
            if let Some(below) = old.parent().filter(|parent| *parent != folder) {
                // `remove_dir` does not remove a folder that contains files.
                let _ = std::fs::remove_dir(below);
            }
        }
        self.aside = aside;
    }
}

/// Progress of the results in a folder.
#[derive(Default)]
struct Progress {
    /// File names of the results that the command will write.
    names: Vec<String>,
    /// The command line.
    command: Vec<String>,
    /// True if the command continues after an interruption and uses the results that exist already.
    is_continued: bool,
    /// True if the results are complete although the command writes no record.
    is_finished: AtomicBool,
    /// Versions of the files with the names of results, before the first result is written. A file whose
    /// version differs at the end was written by this command. `None` until the first result is written.
    before: Mutex<Option<BTreeMap<PathBuf, Option<Version>>>>,
}

/// Length, modification time and inode number of a file. A change shows that the file was written again.
type Version = (u64, Option<SystemTime>, u64);

fn version(path: &Path) -> Option<Version> {
    let metadata = path.symlink_metadata().ok()?;
    #[cfg(unix)]
    let number = std::os::unix::fs::MetadataExt::ino(&metadata);
    #[cfg(not(unix))]
    let number = 0;
    Some((metadata.len(), metadata.modified().ok(), number))
}

impl OutputFolder {
    /// Prepares a folder for the results and the record of a command. Creates the folder and its parent
    /// folders if they are missing. `inputs` are the files and folders that the command reads.
    ///
    /// Returns an error if a result exists already and must not be replaced. Also returns an error if an
    /// input of the command is one of its results, the folder itself, or an earlier result that would be
    /// removed.
    pub fn create(path: &Path, files: &[OutputFile], inputs: &[PathBuf], job: &Job) -> Result<Self> {
        Self::ready(path, files, inputs, job, EarlierResults { force: job.force(), go: true })
    }

    /// Prepares a folder like [`create`](Self::create), for a command that continues the work of an earlier
    /// command. If `replaces` is true, the results of the earlier command are removed. If not, they stay
    /// until the command writes them again.
    pub fn continue_earlier(
        path: &Path,
        files: &[OutputFile],
        inputs: &[PathBuf],
        replaces: bool,
        job: &Job,
    ) -> Result<Self> {
        Self::ready(path, files, inputs, job, EarlierResults { force: true, go: replaces })
    }

    fn ready(
        path: &Path,
        files: &[OutputFile],
        inputs: &[PathBuf],
        job: &Job,
        existing: EarlierResults,
    ) -> Result<Self> {
        let names: Vec<&str> =
            files.iter().map(|file| file.name.as_ref()).chain([record::FILE_NAME]).collect();
        names.iter().try_for_each(|name| require_unique_name(&path.join(name), job))?;
        let mut folder = Self::reserve(path, &names, inputs, existing, job.results())?;
        folder.progress.command =
            job.words().iter().map(|word| word.to_string_lossy().into_owned()).collect();
        job.watch(inputs);
        Ok(folder)
    }

    fn reserve(
        path: &Path,
        names: &[&str],
        inputs: &[PathBuf],
        existing: EarlierResults,
        results: &Results,
    ) -> Result<Self> {
        require_folder_name(path)?;
        require_no_input_folder(path, inputs)?;
        for name in names {
            let file = path.join(name);
            if let Some(parent) = file.parent().filter(|parent| parent.exists() && !parent.is_dir()) {
                let problem = "this path is a file, not a folder";
                return Err(Error::usage(parent.display(), problem, "choose another ‘out’"));
            }
            require_no_input(&file, inputs)?;
        }
        let left = unfinished_results::left_in(path);
        let mut earlier = Earlier::default();
        if existing.go {
            earlier.complete = recorded_files(path, inputs)?;
        }
        names.iter().map(|name| path.join(name)).try_for_each(|file| {
            // Files that an interrupted command left in the folder are replaced even without `--force`.
            require_absent(&file, existing.force || left.contains(&file))
        })?;
        if existing.go {
            earlier.left = left.into_iter().filter(|file| require_no_input(file, inputs).is_ok()).collect();
        }
        let made = missing(path);
        CREATED_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).extend(made.iter().cloned());
        let mut folder = Self {
            path: path.to_owned(),
            made: Mutex::new(made),
            earlier: Mutex::new(earlier),
            lock: None,
            format: MapFormat::default(),
            watch: results.list().clone(),
            claims: Mutex::new(vec![Claim::new(&path.join(record::FILE_NAME), results.list())]),
            progress: Box::new(Progress {
                names: names.iter().map(|name| (*name).to_owned()).collect(),
                ..Progress::default()
            }),
        };
        std::fs::create_dir_all(path).map_err(|e| Error::write(path, e))?;
        folder.lock = lock(path)?;
        let files: Vec<PathBuf> = names.iter().map(|name| path.join(name)).collect();
        let folders: BTreeSet<&Path> = files.iter().filter_map(|file| file.parent()).collect();
        folders.into_iter().for_each(arcuate_io::remove_abandoned);
        unfinished_results::end_if_finished(path);
        // A file is created and removed to check, before the work begins, that the folder is writable.
        arcuate_io::AtomicFile::create(&path.join("probe")).map_err(|e| e.about(path.display()))?;
        Ok(folder)
    }

    /// Sets the file format of the maps. The names of the results that were given to [`create`](Self::create)
    /// must already have the endings of this format.
    pub fn with_maps_as(mut self, format: MapFormat) -> Self {
        self.format = format;
        self
    }

    /// Marks the folder as that of a command that continues after an interruption. If this command fails, its
    /// results stay in the folder.
    #[must_use]
    pub fn continued(mut self) -> Self {
        self.progress.is_continued = true;
        self
    }

    /// Declares that the results are complete although the command writes no record.
    pub fn finish_without_record(&self) {
        self.progress.is_finished.store(true, Ordering::Relaxed);
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path at which the result with this name is written. If the result is a map, its ending is
    /// changed to that of the folder's map format. The first call moves the results of an earlier command to
    /// another place.
    pub fn file(&self, name: &str) -> PathBuf {
        self.begin();
        let file = self.path.join(self.format.name(name).as_ref());
        if let Some(before) = self.before().as_mut() {
            before.entry(file.clone()).or_insert_with(|| version(&file));
        }
        self.claim(&file);
        file
    }

    fn before(&self) -> MutexGuard<'_, Option<BTreeMap<PathBuf, Option<Version>>>> {
        self.progress.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn claim(&self, path: &Path) {
        let claim = Claim::new(path, &self.watch);
        self.claims.lock().unwrap_or_else(PoisonError::into_inner).push(claim);
    }

    /// Creates a subfolder for results whose names begin with the name of the subfolder. If the subfolder is
    /// still empty at the end, it is removed.
    pub fn create_below(&self, name: &Path) -> Result<PathBuf> {
        self.begin();
        let below = self.path.join(name);
        let made = missing(&below);
        CREATED_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).splice(0..0, made.iter().cloned());
        self.made.lock().unwrap_or_else(PoisonError::into_inner).splice(0..0, made);
        std::fs::create_dir_all(&below).map_err(|e| Error::write(&below, e))?;
        self.claim(&below);
        let record = below.join(record::FILE_NAME);
        if let Some(before) = self.before().as_mut() {
            before.entry(record.clone()).or_insert_with(|| version(&record));
        }
        Ok(below)
    }

    /// Writes a file that lists the results as unfinished. Then moves the results of an earlier command to
    /// another place, its record first. An interrupted command therefore never leaves an old record next to a
    /// mixture of old and new files. If the command fails, the earlier results are moved back.
    pub fn begin(&self) {
        let mut before = self.before();
        if before.is_some() {
            return;
        }
        let mut earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        if !self.progress.is_continued {
            let mut files = self.progress.names.clone();
            files.extend(
                earlier
                    .files()
                    .filter_map(|file| Some(file.strip_prefix(&self.path).ok()?.to_str()?.to_owned())),
            );
            files.sort();
            files.dedup();
            let command = self.progress.command.clone();
            if let Err(error) = unfinished_results::begin(&self.path, command, files) {
                // This error is not reported here. Writing the results will fail for the same reason and
                // report it.
                tracing::debug!("{error}");
            }
        }
        let count = earlier.files().count();
        if count > 0 {
            tracing::info!("{}: {count} files of an earlier command go", self.path.display());
        }
        earlier.move_aside(&self.path);
        let names = self.progress.names.iter().map(String::as_str).chain([record::FILE_NAME]);
        let all = names.map(|name| self.path.join(name));
        *before = Some(all.map(|file| (file.clone(), version(&file))).collect());
    }

    /// If the command failed before it wrote its record, removes its results.
    fn remove_unless_finished(&self) {
        let Some(before) = self.before().take().filter(|_| !self.progress.is_continued) else { return };
        // Some programs write their record into a subfolder.
        let is_new_record = |(file, before): (&PathBuf, &Option<Version>)| {
            file.ends_with(record::FILE_NAME) && file.is_file() && version(file) != *before
        };
        let has_record = before.iter().any(is_new_record);
        if !self.progress.is_finished.load(Ordering::Relaxed) && !has_record {
            let new =
                before.iter().filter(|(file, before)| version(file).is_some_and(|now| Some(now) != **before));
            let failed = new.filter(|(file, _)| std::fs::remove_file(file).is_err()).count();
            if failed > 0 {
                // Some results could not be removed. The file that lists them as unfinished stays, too.
                return;
            }
            let aside = self.earlier.lock().unwrap_or_else(PoisonError::into_inner).aside.take();
            if let Some(aside) = aside {
                aside.put_back();
            }
        }
        unfinished_results::end(&self.path);
    }
}

/// Specifies what happens to files that exist already in a folder of results.
#[derive(Debug, Clone, Copy)]
struct EarlierResults {
    /// True if existing files with the names of results may be overwritten.
    force: bool,
    /// True if the files that the existing record lists are removed.
    go: bool,
}

impl Drop for OutputFolder {
    /// If the work failed, removes results without a record, and empty folders that this object created.
    fn drop(&mut self) {
        self.remove_unless_finished();
        let own = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made = CREATED_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|folder| !own.contains(folder));
        own.iter().for_each(|folder| remove_if_empty(folder));
        // The lock of the folder is released explicitly. If another thread starts a program at this moment,
        // that program has a copy of the open folder for a short time. Without this call, the folder would
        // stay locked for this time.
        if let Some(lock) = &self.lock {
            let _ = lock.unlock();
        }
    }
}

/// Returns the missing folders of a path, including the path itself, deepest first.
fn missing(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
    missing.map(Path::to_owned).collect()
}

/// Prepares a single result file, and its record next to the file. Returns the errors of [`require_file`].
pub fn require_file_and_record(path: &Path, inputs: &[PathBuf], job: &Job) -> Result<()> {
    require_files_and_record(path, &[path.to_owned()], inputs, job)
}

/// Prepares several result files that belong together, and their common record next to the file `main`.
/// Returns the errors of [`require_file`].
pub fn require_files_and_record(main: &Path, files: &[PathBuf], inputs: &[PathBuf], job: &Job) -> Result<()> {
    for file in files {
        require_file(file, inputs, job)?;
    }
    let record = record::companion_path(main);
    require_unique_name(&record, job)?;
    require_no_input(&record, inputs)?;
    require_absent(&record, job.force())?;
    job.results().claim(&record);
    // The result files and their record get their final names at the same time, so that no file exists
    // without the others.
    job.results().list().hold();
    Ok(())
}

/// Prepares a single result file. Also removes the unfinished files that killed commands left in the folder
/// of the result.
///
/// Returns an error if the result file exists and must not be replaced, if it is an input, or if another
/// command writes it.
pub fn require_file(path: &Path, inputs: &[PathBuf], job: &Job) -> Result<()> {
    require_unique_name(path, job)?;
    require_no_input(path, inputs)?;
    require_absent(path, job.force())?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // New parent folders of the result are noted. If the work fails, they are removed.
    CREATED_FOLDERS.lock().unwrap_or_else(PoisonError::into_inner).extend(missing(parent));
    // If the parent folder cannot be created, the lock below fails, too. The error of the lock contains the
    // path of the file.
    let _ = std::fs::create_dir_all(parent);
    arcuate_io::remove_abandoned(parent);
    claim_file(path, job)?;
    job.watch(inputs);
    Ok(())
}

/// Registers a file as a result of this command, and locks it against other commands until it is written. If
/// the file cannot be written, the command fails here, before its work.
///
/// Returns an error if another command writes the file.
pub fn claim_file(path: &Path, job: &Job) -> Result<()> {
    if !job.results().lock(path)? {
        let problem = "another arcuate is writing it";
        return Err(Error::usage(
            path.display(),
            problem,
            "wait until the other arcuate process has finished, or choose another ‘out’",
        ));
    }
    job.results().claim(path);
    Ok(())
}

/// Returns an error if the file system does not allow the name of a result, for example a name with more than
/// 255 bytes. Without this check, the command would fail at the end of its work.
fn require_possible_name(path: &Path) -> Result<()> {
    const LONGEST: usize = 255;
    let refuse = |problem: String| {
        let shown = printable(&path.display().to_string(), 120);
        Err(Error::usage(shown, problem, "choose a shorter name"))
    };
    let bytes = path.file_name().map_or(0, std::ffi::OsStr::len);
    if bytes > LONGEST {
        return refuse(format!("its name has {bytes} bytes, and a file system takes {LONGEST}"));
    }
    match path.symlink_metadata() {
        Err(error) if error.kind() == std::io::ErrorKind::InvalidFilename => {
            refuse(format!("the file system does not take this name ({error})"))
        }
        _ => Ok(()),
    }
}

/// Returns an error if the file system [does not allow](require_possible_name) the name of a result. Also
/// returns an error if another result of the same command has the same name, because one of the two results
/// would overwrite the other.
fn require_unique_name(path: &Path, job: &Job) -> Result<()> {
    require_possible_name(path)?;
    let place = place_of(path);
    if job.results().is_log(&place) {
        let problem = "the log is written there, and a result would be written over it";
        return Err(Error::usage(
            path.display(),
            problem,
            "give another file name for ‘log’ or for the result",
        ));
    }
    if job.results().claim_place(place) {
        return Ok(());
    }
    let problem = "two results of this command would have this name";
    Err(Error::usage(path.display(), problem, "give each of them another"))
}

fn is_an_input(input: &Path) -> Error {
    let problem = "it is an input, and the results would be written over it";
    Error::usage(input.display(), problem, "choose another ‘out’")
}

/// Returns an error if a result would overwrite a file that the command reads: an input, a companion of an
/// input, or a part of a `.trx` folder.
fn require_no_input(path: &Path, inputs: &[PathBuf]) -> Result<()> {
    let is_within = |input: &PathBuf| {
        input.join("header.json").is_file() && path.ancestors().skip(1).any(|above| same_file(input, above))
    };
    match inputs.iter().find(|input| same_file(input, path) || is_within(input)) {
        Some(input) => Err(is_an_input(input)),
        None if !path.exists() => Ok(()),
        None => {
            let mut with_inputs = inputs.iter().flat_map(|input| companions(input));
            with_inputs.find(|file| same_file(file, path)).map_or(Ok(()), |file| Err(is_an_input(&file)))
        }
    }
}

/// Returns an error if a folder of results is an input, or if it is inside an input folder and contains an
/// input.
fn require_no_input_folder(path: &Path, inputs: &[PathBuf]) -> Result<()> {
    let is_part = |folder: &PathBuf| {
        is_in(path, folder) && inputs.iter().any(|input| input.is_file() && is_in(input, path))
    };
    let mut folders = inputs.iter().filter(|input| input.is_dir());
    match folders.find(|folder| same_file(folder, path) || is_part(folder)) {
        Some(_) => Err(is_an_input(path)),
        None => Ok(()),
    }
}

/// Checks whether a file is inside a folder, at any depth.
fn is_in(file: &Path, folder: &Path) -> bool {
    let file = place_of(file);
    file.ancestors().skip(1).any(|above| same_file(folder, above))
}

/// Returns an error if a file exists and must not be overwritten.
fn require_absent(path: &Path, force: bool) -> Result<()> {
    // A link whose target does not exist counts as an existing file.
    if path.symlink_metadata().is_ok() && !force {
        return Err(Error::usage(
            path.display(),
            "it is there already",
            "choose another name, or give ‘force’ to replace the existing file",
        ));
    }
    Ok(())
}

/// Checks whether two paths lead to the same file, through any name or link.
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

/// Locks a folder, so that only this process writes into it. Returns an error if another process holds the
/// lock.
fn lock(path: &Path) -> Result<Option<File>> {
    let Ok(folder) = File::open(path) else { return Ok(None) };
    match folder.try_lock() {
        Ok(()) => Ok(Some(folder)),
        Err(std::fs::TryLockError::WouldBlock) => {
            let problem = "another arcuate is writing its results there";
            Err(Error::usage(
                path.display(),
                problem,
                "wait until the other arcuate process has finished, or choose another ‘out’",
            ))
        }
        Err(std::fs::TryLockError::Error(_)) => Ok(None),
    }
}

/// Returns the path of the record that an earlier command wrote into a folder, and the paths of all files
/// that this record lists.
///
/// Returns an error if one of these files is an input or is inside an input folder, because these files will
/// be removed.
fn recorded_files(folder: &Path, inputs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let Ok(record) = Record::read(folder) else { return Ok(Vec::new()) };
    let steps = record.steps.iter().map(String::as_str);
    let files = record.files.iter().map(|file| file.name.as_ref());
    // Files that the record lists outside its own folder are not removed.
    let named = steps.chain(files).filter_map(|name| record::inside(folder, name).ok());
    let all: Vec<PathBuf> = std::iter::once(folder.join(record::FILE_NAME)).chain(named).collect();
    let is_read = |file: &Path| {
        inputs.iter().any(|input| if input.is_dir() { is_in(file, input) } else { same_file(input, file) })
    };
    match all.iter().find(|file| file.exists() && is_read(file)) {
        Some(_) => Err(is_an_input(folder)),
        None => Ok(all),
    }
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

    fn reserve(path: &Path, name: &str, inputs: &[PathBuf], force: bool) -> Result<OutputFolder> {
        let existing = EarlierResults { force, go: true };
        OutputFolder::reserve(path, &[name, record::FILE_NAME], inputs, existing, &Results::default())
    }

    #[test]
    fn too_long_names_are_rejected_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        require_possible_name(&folder.path().join("x".repeat(255))).unwrap();
        let error = require_possible_name(&folder.path().join("x".repeat(256))).unwrap_err();
        assert_eq!(error.problem(), "its name has 256 bytes, and a file system takes 255");
        // Each component of this path is short, but the path as a whole is too long for a file system.
        let deep = "folder/".repeat(2000) + "file.nii.gz";
        if cfg!(target_os = "linux") {
            let error = require_possible_name(Path::new(&deep)).unwrap_err().to_string();
            assert!(error.contains("does not take this name") && error.len() < 400, "{error}");
        }
    }

    #[test]
    fn earlier_results_are_removed_with_the_first_new_result() {
        let root = tempfile::tempdir().unwrap();
        let (path, outside) = (root.path().join("out"), root.path().join("outside.txt"));
        std::fs::create_dir(&path).unwrap();
        for name in ["fa.nii.gz", "input.nii.gz", "mine.txt", "../outside.txt"] {
            std::fs::write(path.join(name), name).unwrap();
        }
        record(&path, &["fa.nii.gz", "../outside.txt", record::FILE_NAME]);
        let inputs = [path.join("input.nii.gz")];
        let refused = reserve(&path, record::FILE_NAME, &inputs, false).err().unwrap();
        assert!(refused.to_string().contains("arcuate.json: it is there already"), "{refused}");
        let folder = reserve(&path, record::FILE_NAME, &inputs, true).unwrap();
        assert!(path.join("fa.nii.gz").exists() && path.join(record::FILE_NAME).exists());
        std::fs::write(folder.file("new.txt"), "new").unwrap();
        std::fs::write(folder.file("second.txt"), "new").unwrap();
        let mut names: Vec<String> =
            path.read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        // The subfolder to which the earlier results are moved is not listed.
        names.retain(|name| !(name.starts_with(".arcuate-") && name.ends_with(".partial")));
        names.sort();
        let unfinished = unfinished_results::FILE_NAME;
        assert_eq!(names, [unfinished, "input.nii.gz", "mine.txt", "new.txt", "second.txt"]);
        assert!(outside.exists());
    }

    #[test]
    fn earlier_results_are_restored_if_the_command_fails() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("out");
        let content = |name: &str| std::fs::read_to_string(path.join(name)).unwrap();
        std::fs::create_dir_all(path.join("below")).unwrap();
        for name in ["a", "b", "below/c"] {
            std::fs::write(path.join(name), "old").unwrap();
        }
        record(&path, &["a", "b", "below/c"]);
        let old_record = content(record::FILE_NAME);
        let folder = reserve(&path, "a", &[], true).unwrap();
        std::fs::write(folder.file("a"), "half").unwrap();
        std::fs::write(folder.file("new"), "half").unwrap();
        assert!(!path.join(record::FILE_NAME).exists() && !path.join("below").exists());
        drop(folder);
        assert_eq!(names_in(&path), ["a", record::FILE_NAME, "b", "below"]);
        assert_eq!(["a", "b", "below/c"].map(content), ["old"; 3]);
        assert_eq!(content(record::FILE_NAME), old_record);
        let folder = reserve(&path, "a", &[], true).unwrap();
        std::fs::write(folder.file("a"), "whole").unwrap();
        record(&path, &["a"]);
        drop(folder);
        assert_eq!(names_in(&path), ["a", record::FILE_NAME]);
        assert_eq!(content("a"), "whole");
    }

    fn names_in(path: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            path.read_dir().unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn results_without_a_record_are_removed_if_the_command_fails() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("out");
        let folder = reserve(&path, "a", &[], false).unwrap();
        std::fs::write(folder.file("a"), "half").unwrap();
        std::fs::write(folder.file("b"), "half").unwrap();
        drop(folder);
        assert!(!path.exists());
        std::fs::create_dir(&path).unwrap();
        std::fs::write(path.join("mine"), "mine").unwrap();
        let folder = reserve(&path, "a", &[], false).unwrap();
        std::fs::write(folder.file("a"), "half").unwrap();
        // The command announces that it will write this file of the user, but does not write it.
        folder.file("mine");
        drop(folder);
        assert_eq!(names_in(&path), ["mine"]);
        let folder = reserve(&path, "a", &[], false).unwrap();
        std::fs::write(folder.file("a"), "whole").unwrap();
        record(&path, &["a"]);
        drop(folder);
        assert_eq!(names_in(&path), ["a", record::FILE_NAME, "mine"]);
    }

    #[test]
    fn only_results_of_killed_commands_are_replaced() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path();
        let folder = reserve(path, "a", &[], false).unwrap();
        std::fs::write(folder.file("a"), "half").unwrap();
        std::fs::write(path.join("b"), "mine").unwrap();
        // The state of the results is removed. The folder is then not cleaned up when it is dropped, as if
        // the program was killed.
        folder.progress.before.lock().unwrap().take();
        drop(folder);
        assert_eq!(names_in(path), ["a", unfinished_results::FILE_NAME, "b"]);
        assert!(reserve(path, "b", &[], false).is_err());
        let folder = reserve(path, "a", &[], false).unwrap();
        assert!(path.join("a").exists());
        folder.file("c");
        assert_eq!(names_in(path), [unfinished_results::FILE_NAME, "b"]);
    }

    #[test]
    fn inputs_are_never_overwritten() {
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
            let error = require_no_input(&root.path().join(&name), std::slice::from_ref(&input)).unwrap_err();
            assert!(error.to_string().contains("b.nii.gz: it is an input"), "{name}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn dangling_links_count_as_existing() {
        let root = tempfile::tempdir().unwrap();
        let link = root.path().join("mask.nii.gz");
        std::os::unix::fs::symlink("/nowhere/at/all", &link).unwrap();
        assert!(require_absent(&link, false).is_err());
        assert!(require_absent(&link, true).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn second_writers_of_a_folder_are_rejected() {
        let root = tempfile::tempdir().unwrap();
        let first = reserve(root.path(), "a", &[], false).unwrap();
        let error = reserve(root.path(), "b", &[], false).err().unwrap();
        assert!(error.to_string().contains("another arcuate is writing its results there"), "{error}");
        drop(first);
        reserve(root.path(), "b", &[], false).unwrap();
    }

    /// Creates a folder with these result files and a record.
    fn results(root: &Path, name: &str, files: &[&str]) -> PathBuf {
        let folder = root.join(name);
        std::fs::create_dir_all(&folder).unwrap();
        for file in files {
            std::fs::write(folder.join(file), "old").unwrap();
        }
        record(&folder, files);
        folder
    }

    #[test]
    fn input_folders_are_rejected_even_with_force() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let fit = results(root, "fit", &["samples.nii.gz", "mean.nii.gz"]);
        let foreign = root.join("foreign/cst");
        std::fs::create_dir_all(&foreign).unwrap();
        std::fs::write(foreign.join("seed.nii.gz"), "").unwrap();
        let whole = results(root, "whole", &["report.html"]);
        std::fs::create_dir(whole.join("samples")).unwrap();
        std::fs::write(whole.join("samples/f1.nii.gz"), "").unwrap();
        record(&whole, &["report.html", "samples/f1.nii.gz"]);
        let seed = foreign.join("seed.nii.gz");
        for (out, inputs) in [
            // The folder of results contains files that the command reads.
            (&fit, vec![fit.join("samples.nii.gz")]),
            (&fit, vec![root.join("./fit/mean.nii.gz")]),
            // The folder of results is itself an input, or is inside an input folder.
            (&fit, vec![fit.clone()]),
            (&foreign, vec![root.join("foreign"), seed.clone()]),
            // The record in the folder of results lists files in a subfolder that is an input.
            (&whole, vec![whole.join("samples")]),
        ] {
            for force in [false, true] {
                let error = reserve(out, "new.txt", &inputs, force).err().unwrap().to_string();
                let expected = format!("{}: it is an input", out.display());
                assert!(error.starts_with(&expected), "{error}");
            }
        }
        assert!(fit.join("mean.nii.gz").exists() && whole.join("report.html").exists());
        // A folder of results may be next to an input, or it may be a new subfolder of an input. A parent
        // folder of an input is also allowed if the parent folder has no record.
        drop(reserve(&root.join("new"), "a", std::slice::from_ref(&fit), false).unwrap());
        drop(reserve(&root.join("foreign"), "a", &[foreign.clone(), seed], false).unwrap());
        drop(reserve(&foreign.join("new"), "a", &[root.join("foreign")], false).unwrap());
    }

    #[test]
    fn companion_files_count_as_inputs() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for (input, companion_path) in [
            ("mat/matrix_counts.npz", "mat/matrix_rows.tsv"),
            ("k.cfl", "k.hdr"),
            ("dwi.nii.gz", "dwi.bvec"),
            ("dwi.mif", "dwi.json"),
            ("fdt.dot", "coords_for_fdt"),
            ("tracks.tck", "tracks.tck.json"),
        ] {
            std::fs::create_dir_all(at(companion_path).parent().unwrap()).unwrap();
            require_no_input(&at(companion_path), &[at(input)]).unwrap();
            std::fs::write(at(companion_path), "").unwrap();
            let error = require_no_input(&at(companion_path), &[at(input)]).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("{}: it is an input", at(companion_path).display())),
                "{error}"
            );
        }
    }

    #[test]
    fn second_writers_of_a_file_are_rejected() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("tracks.trx");
        let [first, second] = [Job::default(), Job::default()];
        require_file(&path, &[], &first).unwrap();
        let error = require_file(&path, &[], &second).unwrap_err();
        assert_eq!(error.problem(), "another arcuate is writing it");
        // Another file in the same folder is not locked.
        require_file(&root.path().join("other.trx"), &[], &second).unwrap();
        drop(first);
        require_file(&path, &[], &Job::default()).unwrap();
        drop(second);
        assert_eq!(root.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn logs_are_not_overwritten() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.tck");
        let job = Job::default();
        job.results().set_log(place_of(&path));
        let error = require_file(&path, &[], &job).unwrap_err();
        assert_eq!(error.problem(), "the log is written there, and a result would be written over it");
    }
}
