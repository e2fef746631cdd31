//! A job: a piece of work that a program requests, and the data that are collected during the work.

use crate::checksums::Checksums;
use crate::data_sources::DataSources;
use crate::host::{Host, LibraryHost};
use crate::log_file::LogFile;
use crate::series::KeptSeries;
use crate::shell::shell_line;
use crate::warnings::{Listening, WarningList};
use arcuate_compute::Device;
use arcuate_core::{Control, Error, Grid, Result, name_parameters};
use arcuate_io::{Results, TractogramOptions, WriteOptions};
use serde_json::Value;
use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::Instant;

/// The request of a user: the command and its options, as [records](crate::record) state them.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Name of the command, for example `track tensor`. Empty if a program calls the library.
    pub command: String,
    /// Program name and its arguments.
    pub words: Vec<OsString>,
    /// Options of the command and their values. The names are those that the user types.
    pub options: Vec<(String, Value)>,
}

/// Options of a job.
#[derive(Debug, Clone)]
pub struct JobOptions {
    /// Request of the user.
    #[doc(hidden)]
    pub request: Request,
    /// Seed of the random numbers.
    pub random_seed: u64,
    /// True if existing results may be overwritten.
    pub force: bool,
    /// True if the program uses the job for other work after a record is written. Writing a record then
    /// [clears](Job::forget) the data of the finished work. It is false for a command, which does one piece
    /// of work with one or several records.
    #[doc(hidden)]
    pub is_reused: bool,
    /// Log of steps and messages.
    pub log: Option<LogFile>,
}

impl Default for JobOptions {
    /// Returns the default options. The request of the user contains the arguments of this program.
    fn default() -> Self {
        let request = Request { words: std::env::args_os().collect(), ..Request::default() };
        Self { request, random_seed: 0, force: false, is_reused: true, log: None }
    }
}

/// A piece of work that a program requests. The job holds the inputs, results, checksums, timings, warnings
/// and the log of the work. It also holds the diffusion series that several stages read, and the files from
/// which data were read. Each stage of the work has its own job ([`for_stage`](Self::for_stage)).
///
/// The program is the job's [`Host`]. The default is a program that calls the library and computes on the
/// CPU. Another device, another random seed, and a function that receives the progress can be given:
///
/// ```
/// use arcuate_compute::Device;
/// use arcuate_core::Control;
/// use arcuate_pipeline::host::LibraryHost;
/// use arcuate_pipeline::job::{Job, JobOptions};
///
/// let control = Control::default().with_progress(|done, of| println!("{done} of {of}"));
/// let host = LibraryHost { device: Device::Cpu, control };
/// let job = Job::new(host, JobOptions { random_seed: 5, ..JobOptions::default() });
/// assert_eq!(job.random_seed(), 5);
/// ```
///
/// Records contain the warnings of algorithms only if they are collected. For this, the program calls
/// [`listen`](crate::warnings::listen), or adds a [`WarningLayer`](crate::warnings::WarningLayer) to its
/// `tracing` subscriber.
pub struct Job {
    shared: Rc<Shared>,
    request: Request,
    timings: RefCell<Vec<(String, f64)>>,
    warnings: WarningList,
    /// Collects the warnings of the process until it is dropped. `None` if this is the job of a stage.
    listening: Option<Listening>,
    results: Results,
    sources: RefCell<DataSources>,
}

/// Data that a job shares with the jobs of its stages.
struct Shared {
    host: Box<dyn Host>,
    device: OnceCell<Device>,
    is_device_used: Cell<bool>,
    random_seed: Cell<u64>,
    force: bool,
    is_reused: bool,
    log: Option<LogFile>,
    checksums: RefCell<Checksums>,
    kept_series: RefCell<KeptSeries>,
    /// Paths of the files that the stages of a run will write.
    expected: RefCell<Vec<PathBuf>>,
}

impl Default for Job {
    fn default() -> Self {
        Self::new(LibraryHost::default(), JobOptions::default())
    }
}

impl Job {
    /// Creates a job. The job collects all warnings of the process until it is dropped.
    pub fn new(host: impl Host + 'static, options: JobOptions) -> Self {
        let results = Results::default();
        let shared = Shared {
            host: Box::new(host),
            device: OnceCell::new(),
            is_device_used: Cell::new(false),
            random_seed: Cell::new(options.random_seed),
            force: options.force,
            is_reused: options.is_reused,
            log: options.log,
            checksums: RefCell::new(Checksums::new(results.list())),
            kept_series: RefCell::default(),
            expected: RefCell::default(),
        };
        let mut job = Self::of(Rc::new(shared), options.request, results);
        job.listening = Some(job.warnings.listen());
        job
    }

    fn of(shared: Rc<Shared>, request: Request, results: Results) -> Self {
        if let Some(log) = &shared.log {
            results.set_log(log.place().to_owned());
        }
        Self {
            shared,
            request,
            timings: RefCell::default(),
            warnings: WarningList::of_job(),
            listening: None,
            results,
            sources: RefCell::default(),
        }
    }

    /// Creates a job for a stage of this work. Both jobs share the host, the kept diffusion series, the
    /// checksums and the list of input files. The new job has its own timings, warnings and results.
    #[doc(hidden)]
    pub fn for_stage(&self, request: Request) -> Self {
        Self::of(Rc::clone(&self.shared), request, self.results.for_stage())
    }

    /// Returns the request of the user.
    #[doc(hidden)]
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// Returns the program name and its arguments.
    #[doc(hidden)]
    pub fn words(&self) -> &[OsString] {
        &self.request.words
    }

    /// Returns the options and their values. The names are those that the user types.
    #[doc(hidden)]
    pub fn options(&self) -> &[(String, Value)] {
        &self.request.options
    }

    /// Returns the checksums of the input files that were computed so far.
    #[doc(hidden)]
    pub fn checksums(&self) -> RefMut<'_, Checksums> {
        self.shared.checksums.borrow_mut()
    }

    /// Returns the name and the duration, in seconds, of each finished step.
    pub fn timings(&self) -> Vec<(String, f64)> {
        self.timings.borrow().clone()
    }

    /// Returns the warnings so far. In their text, names of library parameters are replaced by names that the
    /// user knows, such as command-line options.
    pub fn warnings(&self) -> Vec<String> {
        // A warning belongs to the process and not to a command, so the command is empty here.
        let name = |parameter: &str| self.shared.host.parameter("", parameter);
        self.warnings.list().iter().map(|warning| name_parameters(warning, name).into_owned()).collect()
    }

    /// Collects the warnings of the process for this stage, until the returned value is dropped. A job that
    /// is not a stage always collects them.
    #[doc(hidden)]
    pub fn listen(&self) -> Listening {
        self.warnings.listen()
    }

    /// Returns the device (CPU or GPU) for algorithms that have a GPU implementation. The first call opens
    /// the device.
    pub fn device(&self) -> Result<&Device> {
        let device = if let Some(device) = self.shared.device.get() {
            device
        } else {
            let device = self.shared.host.open_device()?;
            self.shared.device.get_or_init(|| device)
        };
        self.shared.is_device_used.set(true);
        Ok(device)
    }

    /// Returns the device that did the work so far. This is the CPU if no algorithm has asked for a device
    /// yet.
    #[doc(hidden)]
    pub fn device_so_far(&self) -> &Device {
        let opened = self.shared.device.get().filter(|_| self.shared.is_device_used.get());
        opened.unwrap_or(&Device::Cpu)
    }

    /// Returns the seed of the random numbers.
    pub fn random_seed(&self) -> u64 {
        self.shared.random_seed.get()
    }

    /// Sets the seed of the random numbers. It is used if this job continues work that another command began
    /// with that seed.
    #[doc(hidden)]
    pub fn set_random_seed(&self, random_seed: u64) {
        self.shared.random_seed.set(random_seed);
    }

    /// Returns the [`Control`] through which algorithms report their progress and learn that they are
    /// cancelled.
    pub fn control(&self) -> Control {
        self.shared.host.control()
    }

    /// Checks whether existing results may be overwritten.
    pub fn force(&self) -> bool {
        self.shared.force
    }

    /// Returns the list of input files and the paths of the results.
    #[doc(hidden)]
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Watches input files for changes. If an input file changes during the work, no result gets its final
    /// name.
    #[doc(hidden)]
    pub fn watch(&self, inputs: &[PathBuf]) {
        self.results.watch(inputs);
    }

    /// Declares all results so far complete.
    #[doc(hidden)]
    pub fn settle(&self) -> Result<()> {
        self.results.list().settle()?;
        if self.shared.is_reused {
            self.forget();
        }
        Ok(())
    }

    /// Clears the data of the work so far, so that the job can be used for other work. A job that [is
    /// reused](JobOptions::is_reused) calls this function itself when a record is written. After an error,
    /// the program must call it.
    #[doc(hidden)]
    pub fn forget(&self) {
        self.results.unwatch();
        // Only the main job clears the data that it shares with the jobs of its stages, because all stages
        // belong to the same work.
        if self.listening.is_some() {
            self.shared.is_device_used.set(false);
            self.shared.checksums.borrow_mut().clear();
            self.forget_series();
            self.timings.take();
            self.results.forget();
            self.warnings.clear();
        }
    }

    /// Returns the series that stages share.
    pub(crate) fn kept_series(&self) -> &RefCell<KeptSeries> {
        &self.shared.kept_series
    }

    /// Keeps the next diffusion series that is read in memory, for the stages that follow.
    #[doc(hidden)]
    pub fn keep_series(&self) {
        self.shared.kept_series.borrow_mut().keep();
    }

    /// Drops the diffusion series that was kept in memory. Series that are read later are not kept.
    #[doc(hidden)]
    pub fn forget_series(&self) {
        self.shared.kept_series.borrow_mut().forget();
    }

    /// Returns the voxel grid of the diffusion series that is kept in memory.
    #[doc(hidden)]
    pub fn kept_grid(&self) -> Option<Grid> {
        self.shared.kept_series.borrow().grid()
    }

    /// Sets the paths of the files that the stages of a run will write. Existing files with these paths will
    /// be replaced.
    #[doc(hidden)]
    pub fn expect(&self, files: Vec<PathBuf>) {
        *self.shared.expected.borrow_mut() = files;
    }

    /// Returns the path of a file, or `None` if a stage of the run will write this file. An existing file
    /// with this path is then out of date, and must not be checked.
    #[doc(hidden)]
    pub fn unless_expected<'p>(&self, file: Option<&'p Path>) -> Option<&'p Path> {
        file.filter(|file| !self.shared.expected.borrow().iter().any(|expected| expected == file))
    }

    /// Notes the file from which `data` (such as "seed mask" or "tractogram") were read. Errors about these
    /// data then state the file.
    #[doc(hidden)]
    pub fn came_from(&self, data: &'static str, file: &dyn Display) {
        self.sources.borrow_mut().note(data, file);
    }

    /// Replaces names in an error by names that the user knows. Names of library parameters become options of
    /// the command, and names of data become the files from which they were read.
    #[doc(hidden)]
    pub fn reword(&self, error: Error) -> Error {
        let name = |parameter: &str| self.shared.host.parameter(&self.request.command, parameter);
        self.sources.borrow().name_in(error.with_parameters(name))
    }

    /// Returns the options for writing images, with the program and the command in the header.
    #[doc(hidden)]
    pub fn image_options(&self) -> WriteOptions {
        let description = format!("arcuate {} {}", env!("CARGO_PKG_VERSION"), self.request.command);
        WriteOptions { description: description.trim_end().to_owned(), ..WriteOptions::default() }
    }

    /// Returns the options for writing tractograms, with the command line if the format can store it.
    #[doc(hidden)]
    pub fn tractogram_options(&self) -> TractogramOptions {
        let history = format!("{} (version {})", shell_line(self.words()), env!("CARGO_PKG_VERSION"));
        TractogramOptions { history, ..TractogramOptions::default() }
    }

    /// Runs a step of the work, with the name `name`. The host shows the step to the user. If the step
    /// succeeds, its duration is noted.
    #[doc(hidden)]
    pub fn step<R>(&self, name: &str, work: impl FnOnce() -> Result<R>) -> Result<R> {
        self.control().check()?;
        let command = &self.request.command;
        self.log(format_args!("{command}: {name}"));
        let shown = self.shared.host.begin_step(command, name);
        let started = Instant::now();
        let result = work();
        let seconds = started.elapsed().as_secs_f64();
        drop(shown);
        if result.is_ok() {
            tracing::info!("{name}: {seconds:.2} s");
            self.log(format_args!("{command}: {name}: {seconds:.1} s"));
            self.timings.borrow_mut().push((name.to_owned(), seconds));
        }
        result
    }

    /// Runs a step that writes results and does not read them again. All results get their final names
    /// together at the end of the step ([`together`](arcuate_io::Watch::together)), which takes less time
    /// than one after the other.
    #[doc(hidden)]
    pub fn write<R>(&self, name: &str, work: impl FnOnce() -> Result<R>) -> Result<R> {
        self.step(name, || self.results.list().together(work))
    }

    /// Shows the user one line about the work. In this line, names of library parameters are replaced by
    /// names that the user knows.
    #[doc(hidden)]
    pub fn show_message(&self, line: impl Display) {
        let line = line.to_string();
        let line =
            name_parameters(&line, |parameter| self.shared.host.parameter(&self.request.command, parameter));
        self.log(&line);
        self.shared.host.show_message(&line);
    }

    /// Shows text that the user requested, such as a table. The text contains its line ends.
    #[doc(hidden)]
    pub fn print(&self, text: impl Display) {
        self.shared.host.print(&text.to_string());
    }

    /// Adds a line to the log.
    fn log(&self, line: impl Display) {
        if let Some(log) = &self.shared.log {
            log.note(&line.to_string());
        }
    }

    /// Writes the start of a stage to the log file: the number of the stage, the number of all stages, and
    /// the name of the stage. Stages are counted from 1.
    #[doc(hidden)]
    pub fn log_stage(&self, number: usize, of: usize, name: &str) {
        self.log(format_args!("stage {number} of {of}: {name}"));
    }

    /// Writes the warnings and the error of the finished work to the log file. It is for hosts that do not do
    /// this themselves.
    #[doc(hidden)]
    pub fn log_end(&self, error: Option<&Error>) {
        for warning in self.warnings() {
            self.log(format_args!("warning: {warning}"));
        }
        if let Some(error) = error {
            self.log(format_args!("error: {error}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::require_file;
    use arcuate_io::write_file;
    use std::any::Any;

    #[test]
    fn jobs_do_not_remove_results_of_other_jobs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("input"), "abc").unwrap();
        let [first, second] = [Job::default(), Job::default()];
        require_file(&at("first"), &[], &first).unwrap();
        require_file(&at("second"), &[at("input")], &second).unwrap();
        for name in ["first", "second", "saved"] {
            write_file(&at(name), name).unwrap();
        }
        std::fs::write(at("input"), "changed").unwrap();
        let error = second.settle().unwrap_err().to_string();
        assert!(error.contains("input: it was changed while it was read"), "{error}");
        first.settle().unwrap();
        assert_eq!(["first", "second", "saved"].map(|name| at(name).exists()), [true, false, true]);
    }

    #[test]
    fn stages_of_a_job_share_their_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("input"), "abc").unwrap();
        let job = Job::default();
        job.watch(&[at("input")]);
        let stage = job.for_stage(job.request().clone());
        require_file(&at("result"), &[], &stage).unwrap();
        std::fs::write(at("input"), "changed").unwrap();
        assert!(write_file(&at("result"), "").is_err() && !at("result").exists());
        // When the stage with the changed input file is dropped, the other work of the job can still finish.
        drop(stage);
        job.forget();
        require_file(&at("result"), &[], &job).unwrap();
        write_file(&at("result"), "").unwrap();
    }

    /// A host that has another name for one parameter, and keeps the lines that it should show.
    #[derive(Default)]
    struct Named {
        shown: RefCell<Vec<String>>,
    }

    impl Host for Named {
        fn open_device(&self) -> Result<Device> {
            self.shown.borrow_mut().push("device".into());
            Ok(Device::Cpu)
        }

        fn control(&self) -> Control {
            Control::default()
        }

        fn show_message(&self, line: &str) {
            self.shown.borrow_mut().push(line.to_owned());
        }

        fn begin_step(&self, command: &str, step: &str) -> Box<dyn Any> {
            self.shown.borrow_mut().push(format!("{command}: {step}"));
            Box::new(())
        }

        fn parameter(&self, command: &str, parameter: &str) -> Option<&'static str> {
            (command == "track" && parameter == "step_mm").then_some("--step")
        }
    }

    fn job_of(host: &Rc<Named>, is_reused: bool) -> Job {
        let request = Request { command: "track".into(), ..Request::default() };
        Job::new(Rc::clone(host), JobOptions { request, is_reused, ..JobOptions::default() })
    }

    #[test]
    fn messages_name_the_options_and_files_of_the_user() {
        let host = Rc::new(Named::default());
        let job = job_of(&host, true);
        job.came_from("seed mask", &"seeds.nii");
        let error = job.reword(Error::invalid("seed mask", "it is empty", "lower ‘step_mm’"));
        assert_eq!(error.to_string(), "seeds.nii: it is empty; lower --step");
        job.show_message("‘step_mm’ is 1 mm");
        job.print("a\nb\n");
        assert_eq!(*host.shown.borrow(), ["--step is 1 mm", "a\nb"]);
    }

    #[test]
    fn the_device_is_opened_once_and_only_on_use() {
        let host = Rc::new(Named::default());
        let job = job_of(&host, true);
        job.step("fit", || Ok(())).unwrap();
        assert_eq!((job.device_so_far(), host.shown.borrow().len()), (&Device::Cpu, 1));
        for _ in 0..2 {
            job.device().unwrap();
        }
        assert_eq!(*host.shown.borrow(), ["track: fit", "device"]);
    }

    #[test]
    fn reused_jobs_forget_timings_after_settling() {
        let failed = |job: &Job| job.step("fail", || Err::<(), _>(Error::cancelled()));
        for (is_reused, kept) in [(true, 0), (false, 1)] {
            let job = job_of(&Rc::default(), is_reused);
            job.step("fit", || Ok(())).unwrap();
            failed(&job).unwrap_err();
            assert_eq!(job.timings().len(), 1, "a step that fails has no time");
            job.settle().unwrap();
            assert_eq!(job.timings().len(), kept);
        }
    }
}
