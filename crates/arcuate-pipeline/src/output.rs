//! Where results go. Every command that writes passes here before any work: nothing is written over unless the user said
//! `--force`, never a file that the same command reads or writes, and two commands do not write one file or one folder at once.

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
    earlier: Mutex<Earlier>,
    /// Held as long as results are written; none where the file system or the system cannot lock a folder.
    lock: Option<File>,
    /// The format of its maps.
    format: MapFormat,
    /// The list of what the command reads and makes.
    watch: Watch,
    /// Places within it that results of the command have.
    claims: Mutex<Vec<Claim>>,
    /// What is known of its results, so that none stay without a record.
    progress: Box<Progress>,
}

/// What earlier commands wrote into a folder. It makes way for the first new result.
#[derive(Default)]
struct Earlier {
    /// Results of a command that came to its end, its record first: they are kept until the new ones are complete.
    complete: Vec<PathBuf>,
    /// Files that a command left when it was killed: they are removed.
    left: Vec<PathBuf>,
    /// Where the complete results are meanwhile.
    aside: Option<SetAside>,
}

impl Earlier {
    fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.complete.iter().chain(&self.left)
    }

    /// Moves or removes the files, and the folders below `folder` that are empty then.
    fn make_way(&mut self, folder: &Path) {
        let mut aside = if self.complete.is_empty() { None } else { SetAside::new(folder).ok() };
        let complete = self.complete.drain(..).map(|file| (file, true));
        for (old, is_complete) in complete.chain(self.left.drain(..).map(|file| (file, false))) {
            let aside = aside.as_mut().filter(|_| is_complete);
            if aside.is_none_or(|aside| aside.take(&old).is_err()) {
                // One that cannot be removed is written over, or stays as a file that no record names.
                let _ = std::fs::remove_file(&old);
            }
            if let Some(below) = old.parent().filter(|parent| *parent != folder) {
                // Refused as long as there is something in it.
                let _ = std::fs::remove_dir(below);
            }
        }
        self.aside = aside;
    }
}

/// How far the results in a folder are.
#[derive(Default)]
struct Progress {
    /// Names of the results, as they were announced.
    names: Vec<String>,
    /// The command line.
    command: Vec<String>,
    /// Whether a command that is interrupted continues with what it has left, instead of beginning again.
    is_continued: bool,
    /// Whether the results are complete without a record.
    is_finished: AtomicBool,
    /// Each result, with what was there before the first result was written; nothing before that.
    before: Mutex<Option<BTreeMap<PathBuf, Option<Version>>>>,
}

/// Tells whether a file was written again.
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
    /// Makes the folder (and those above it) ready for the files of a command that reads `inputs`, files or folders, and for its record.
    ///
    /// Fails if a file is there already that may not be written over; in any case if it is an input, if the folder is one, or if the
    /// command would remove one with the results of an earlier command.
    pub fn create(path: &Path, files: &[OutputFile], inputs: &[PathBuf], job: &Job) -> Result<Self> {
        Self::ready(path, files, inputs, job, Existing { force: job.force(), go: true })
    }

    /// The same for a command that goes on after an earlier one of its own, whose results stay unless it writes them again; or that
    /// `replaces` them.
    pub fn go_on(
        path: &Path,
        files: &[OutputFile],
        inputs: &[PathBuf],
        replaces: bool,
        job: &Job,
    ) -> Result<Self> {
        Self::ready(path, files, inputs, job, Existing { force: true, go: replaces })
    }

    fn ready(
        path: &Path,
        files: &[OutputFile],
        inputs: &[PathBuf],
        job: &Job,
        existing: Existing,
    ) -> Result<Self> {
        let names: Vec<&str> =
            files.iter().map(|file| file.name.as_ref()).chain([record::FILE_NAME]).collect();
        names.iter().try_for_each(|name| require_own(&path.join(name), job))?;
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
        existing: Existing,
        results: &Results,
    ) -> Result<Self> {
        require_folder_name(path)?;
        require_no_input_folder(path, inputs)?;
        for name in names {
            let file = path.join(name);
            if let Some(parent) = file.parent().filter(|parent| parent.exists() && !parent.is_dir()) {
                let problem = "it is a file, not a folder";
                return Err(Error::usage(parent.display(), problem, "choose another ‘out’"));
            }
            require_no_input(&file, inputs)?;
        }
        let left = unfinished_results::left_in(path);
        let mut earlier = Earlier::default();
        if existing.go {
            earlier.complete = written_earlier(path, inputs)?;
        }
        names.iter().map(|name| path.join(name)).try_for_each(|file| {
            // What an interrupted command has left is replaced without being asked.
            require_free(&file, existing.force || left.contains(&file))
        })?;
        if existing.go {
            earlier.left = left.into_iter().filter(|file| require_no_input(file, inputs).is_ok()).collect();
        }
        let made = missing(path);
        MADE.lock().unwrap_or_else(PoisonError::into_inner).extend(made.iter().cloned());
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
        // A folder that cannot be written is better known now than after the work.
        arcuate_io::AtomicFile::create(&path.join("probe")).map_err(|e| e.about(path.display()))?;
        Ok(folder)
    }

    /// The same for maps of another format, by whose names its files must be known already.
    pub fn with_maps_as(mut self, format: MapFormat) -> Self {
        self.format = format;
        self
    }

    /// The same for a command that continues with what it has left when it was interrupted: its results stay if it fails.
    #[must_use]
    pub fn continued(mut self) -> Self {
        self.progress.is_continued = true;
        self
    }

    /// Declares the results complete, which have no record.
    pub fn finish_without_record(&self) {
        self.progress.is_finished.store(true, Ordering::Relaxed);
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where a result is to be written, a map in the format of the folder. With the first, those of an earlier command go.
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

    /// Makes a folder within it, for results whose names begin with its name; as it, it goes where none comes.
    pub fn create_below(&self, name: &Path) -> Result<PathBuf> {
        self.begin();
        let below = self.path.join(name);
        let made = missing(&below);
        MADE.lock().unwrap_or_else(PoisonError::into_inner).splice(0..0, made.iter().cloned());
        self.made.lock().unwrap_or_else(PoisonError::into_inner).splice(0..0, made);
        std::fs::create_dir_all(&below).map_err(|e| Error::write(&below, e))?;
        self.claim(&below);
        let record = below.join(record::FILE_NAME);
        if let Some(before) = self.before().as_mut() {
            before.entry(record.clone()).or_insert_with(|| version(&record));
        }
        Ok(below)
    }

    /// Sets aside what an earlier command wrote, its record before the rest: what is interrupted leaves no mixture that an old
    /// record vouches for. Before that, a file states that the results are not finished. If the command fails, the earlier results
    /// are put back.
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
                // The results cannot be written either, and say so.
                tracing::debug!("{error}");
            }
        }
        let count = earlier.files().count();
        if count > 0 {
            tracing::info!("{}: {count} files of an earlier command go", self.path.display());
        }
        earlier.make_way(&self.path);
        let names = self.progress.names.iter().map(String::as_str).chain([record::FILE_NAME]);
        let all = names.map(|name| self.path.join(name));
        *before = Some(all.map(|file| (file.clone(), version(&file))).collect());
    }

    /// Removes the results if there is no record of them: the command has failed.
    fn remove_unless_finished(&self) {
        let Some(before) = self.before().take().filter(|_| !self.progress.is_continued) else { return };
        // Some programs have their record in a folder below.
        let is_new_record = |(file, before): (&PathBuf, &Option<Version>)| {
            file.ends_with(record::FILE_NAME) && file.is_file() && version(file) != *before
        };
        let has_record = before.iter().any(is_new_record);
        if !self.progress.is_finished.load(Ordering::Relaxed) && !has_record {
            let new =
                before.iter().filter(|(file, before)| version(file).is_some_and(|now| Some(now) != **before));
            let failed = new.filter(|(file, _)| std::fs::remove_file(file).is_err()).count();
            if failed > 0 {
                // They stay, and are stated to be unfinished.
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

/// What becomes of results that are in a folder already.
#[derive(Debug, Clone, Copy)]
struct Existing {
    /// Whether they may be written over.
    force: bool,
    /// Whether those of the command that the folder's record is of go.
    go: bool,
}

impl Drop for OutputFolder {
    /// If the work failed, neither results without a record remain, nor an empty folder.
    fn drop(&mut self) {
        self.remove_unless_finished();
        let own = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
        made.retain(|folder| !own.contains(folder));
        own.iter().for_each(|folder| remove_if_empty(folder));
    }
}

/// The folders on the way to a path, and itself, that are not there, deepest first.
fn missing(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().take_while(|p| !p.as_os_str().is_empty() && !p.exists());
    missing.map(Path::to_owned).collect()
}

/// A result that is a file of its own, with its record beside it: fails like [`require_file`].
pub fn require_file_and_record(path: &Path, inputs: &[PathBuf], job: &Job) -> Result<()> {
    require_files_and_record(path, &[path.to_owned()], inputs, job)
}

/// Several results that belong together, with the record beside the first of them, `main`: fails like [`require_file`].
pub fn require_files_and_record(main: &Path, files: &[PathBuf], inputs: &[PathBuf], job: &Job) -> Result<()> {
    for file in files {
        require_file(file, inputs, job)?;
    }
    let record = record::beside(main);
    require_own(&record, job)?;
    require_no_input(&record, inputs)?;
    require_free(&record, job.force())?;
    job.results().claim(&record);
    // They and the record get their names together, so that none is there without the others.
    job.results().list().hold();
    Ok(())
}

/// A result that is a file of its own: fails if something is there already that may not be written over, if it is an input, and
/// if another command writes it. What killed commands left unfinished in its folder is removed.
pub fn require_file(path: &Path, inputs: &[PathBuf], job: &Job) -> Result<()> {
    require_own(path, job)?;
    require_no_input(path, inputs)?;
    require_free(path, job.force())?;
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // They go again if the work fails.
    MADE.lock().unwrap_or_else(PoisonError::into_inner).extend(missing(parent));
    // If that fails, so does the lock, whose error names the file.
    let _ = std::fs::create_dir_all(parent);
    arcuate_io::remove_abandoned(parent);
    claim_file(path, job)?;
    job.watch(inputs);
    Ok(())
}

/// Makes a file that is to be written a result of the work, and keeps other commands from writing it until then. A file that cannot
/// be written is better known now than after the work.
///
/// Fails if another command writes it.
pub fn claim_file(path: &Path, job: &Job) -> Result<()> {
    if !job.results().lock(path)? {
        let problem = "another arcuate is writing it";
        return Err(Error::usage(path.display(), problem, "wait for it, or choose another ‘out’"));
    }
    job.results().claim(path);
    Ok(())
}

/// Fails on a name that the file system cannot have, such as one with more than 255 bytes: the result would be lost after the
/// work.
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

/// Fails on a name that [cannot be](require_possible_name), and where another result of the same command has it already: one of
/// the two would be lost.
fn require_own(path: &Path, job: &Job) -> Result<()> {
    require_possible_name(path)?;
    let place = place_of(path);
    if job.results().is_log(&place) {
        let problem = "the log is written there, and a result would be written over it";
        return Err(Error::usage(path.display(), problem, "give ‘log’ or the result another name"));
    }
    if job.results().takes(place) {
        return Ok(());
    }
    let problem = "two results of this command would have this name";
    Err(Error::usage(path.display(), problem, "give each of them another"))
}

fn is_an_input(input: &Path) -> Error {
    let problem = "it is an input, and the results would be written over it";
    Error::usage(input.display(), problem, "choose another ‘out’")
}

/// Fails if a result would be written over a file that the command reads: an input, a file that is read with one, or a part of a
/// `.trx` folder.
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

/// Fails if a folder of results is an input, or is in an input folder and holds an input.
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

/// Whether a file is in a folder or below it.
fn is_in(file: &Path, folder: &Path) -> bool {
    let file = place_of(file);
    file.ancestors().skip(1).any(|above| same_file(folder, above))
}

/// Fails if a file is there already that may not be written over.
fn require_free(path: &Path, force: bool) -> Result<()> {
    // A link without a target counts too.
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

/// The record of an earlier command in a folder and the files that it names.
///
/// Fails if one of them is an input, or is in an input folder: it would be removed.
fn written_earlier(folder: &Path, inputs: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let Ok(record) = Record::read(folder) else { return Ok(Vec::new()) };
    let steps = record.steps.iter().map(String::as_str);
    let files = record.files.iter().map(|file| file.name.as_ref());
    // Only what is in its folder is removed; the rest stays, as files that no record names.
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
        let existing = Existing { force, go: true };
        OutputFolder::reserve(path, &[name, record::FILE_NAME], inputs, existing, &Results::default())
    }

    #[test]
    fn a_name_that_is_too_long_is_refused_before_the_work() {
        let folder = tempfile::tempdir().unwrap();
        require_possible_name(&folder.path().join("x".repeat(255))).unwrap();
        let error = require_possible_name(&folder.path().join("x".repeat(256))).unwrap_err();
        assert_eq!(error.problem(), "its name has 256 bytes, and a file system takes 255");
        // Each part may be short, and the whole too long.
        let deep = "folder/".repeat(2000) + "file.nii.gz";
        if cfg!(target_os = "linux") {
            let error = require_possible_name(Path::new(&deep)).unwrap_err().to_string();
            assert!(error.contains("does not take this name") && error.len() < 400, "{error}");
        }
    }

    #[test]
    fn what_an_earlier_command_wrote_goes_with_the_first_result() {
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
        // Where the earlier results are meanwhile.
        names.retain(|name| !(name.starts_with(".arcuate-") && name.ends_with(".partial")));
        names.sort();
        let unfinished = unfinished_results::FILE_NAME;
        assert_eq!(names, [unfinished, "input.nii.gz", "mine.txt", "new.txt", "second.txt"]);
        assert!(outside.exists());
    }

    #[test]
    fn earlier_results_are_there_again_if_the_command_that_replaces_them_fails() {
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
    fn results_without_a_record_go_if_the_command_fails() {
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
        // A file of the user's that would have been written over, and was not.
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
    fn what_a_killed_command_left_is_replaced_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path();
        let folder = reserve(path, "a", &[], false).unwrap();
        std::fs::write(folder.file("a"), "half").unwrap();
        std::fs::write(path.join("b"), "mine").unwrap();
        // As a killed program leaves it.
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
            let error = require_no_input(&root.path().join(&name), std::slice::from_ref(&input)).unwrap_err();
            assert!(error.to_string().contains("b.nii.gz: it is an input"), "{name}: {error}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_there() {
        let root = tempfile::tempdir().unwrap();
        let link = root.path().join("mask.nii.gz");
        std::os::unix::fs::symlink("/nowhere/at/all", &link).unwrap();
        assert!(require_free(&link, false).is_err());
        assert!(require_free(&link, true).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn the_second_writer_of_a_folder_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let first = reserve(root.path(), "a", &[], false).unwrap();
        let error = reserve(root.path(), "b", &[], false).err().unwrap();
        assert!(error.to_string().contains("another arcuate is writing its results there"), "{error}");
        drop(first);
        reserve(root.path(), "b", &[], false).unwrap();
    }

    /// A folder of results with a record, in which a test has files.
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
    fn a_folder_that_is_an_input_is_refused_with_force_too() {
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
            // Its files are read.
            (&fit, vec![fit.join("samples.nii.gz")]),
            (&fit, vec![root.join("./fit/mean.nii.gz")]),
            // It is given itself, or is a part of a folder that is.
            (&fit, vec![fit.clone()]),
            (&foreign, vec![root.join("foreign"), seed.clone()]),
            // Its record names files of a folder that is read.
            (&whole, vec![whole.join("samples")]),
        ] {
            for force in [false, true] {
                let error = reserve(out, "new.txt", &inputs, force).err().unwrap().to_string();
                let expected = format!("{}: it is an input", out.display());
                assert!(error.starts_with(&expected), "{error}");
            }
        }
        assert!(fit.join("mean.nii.gz").exists() && whole.join("report.html").exists());
        // Beside an input, above one that no record names, and in a new folder within one.
        drop(reserve(&root.join("new"), "a", std::slice::from_ref(&fit), false).unwrap());
        drop(reserve(&root.join("foreign"), "a", &[foreign.clone(), seed], false).unwrap());
        drop(reserve(&foreign.join("new"), "a", &[root.join("foreign")], false).unwrap());
    }

    #[test]
    fn files_that_are_read_with_an_input_are_inputs() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        for (input, beside) in [
            ("mat/matrix_counts.npz", "mat/matrix_rows.tsv"),
            ("k.cfl", "k.hdr"),
            ("dwi.nii.gz", "dwi.bvec"),
            ("dwi.mif", "dwi.json"),
            ("fdt.dot", "coords_for_fdt"),
            ("tracks.tck", "tracks.tck.json"),
        ] {
            std::fs::create_dir_all(at(beside).parent().unwrap()).unwrap();
            require_no_input(&at(beside), &[at(input)]).unwrap();
            std::fs::write(at(beside), "").unwrap();
            let error = require_no_input(&at(beside), &[at(input)]).unwrap_err().to_string();
            assert!(error.starts_with(&format!("{}: it is an input", at(beside).display())), "{error}");
        }
    }

    #[test]
    fn the_second_writer_of_a_file_is_refused() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("tracks.trx");
        let [first, second] = [Job::default(), Job::default()];
        require_file(&path, &[], &first).unwrap();
        let error = require_file(&path, &[], &second).unwrap_err();
        assert_eq!(error.problem(), "another arcuate is writing it");
        // Another file beside it has its own writer.
        require_file(&root.path().join("other.trx"), &[], &second).unwrap();
        drop(first);
        require_file(&path, &[], &Job::default()).unwrap();
        drop(second);
        assert_eq!(root.path().read_dir().unwrap().count(), 0);
    }

    #[test]
    fn a_log_is_not_written_over() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.tck");
        let job = Job::default();
        job.results().set_log(place_of(&path));
        let error = require_file(&path, &[], &job).unwrap_err();
        assert_eq!(error.problem(), "the log is written there, and a result would be written over it");
    }
}
