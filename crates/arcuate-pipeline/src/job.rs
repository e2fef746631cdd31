//! A job: a piece of work that a program asks for, with everything that is noted about it while it is done.

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
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;

/// A request of a user, as [records](crate::record) state it.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// The command: `track tensor`. Empty for a program that calls the library.
    pub command: String,
    /// The program and the words after it.
    pub words: Vec<OsString>,
    /// Options by their names, as the user types them, with their values.
    pub options: Vec<(String, Value)>,
}

/// Options of a job.
#[derive(Debug, Clone)]
pub struct JobOptions {
    /// The request of the user.
    pub request: Request,
    /// The seed of random numbers.
    pub random_seed: u64,
    /// If true, results may be written over.
    pub force: bool,
    /// If true, the job serves for other work after a record is written. It then [forgets](Job::forget) the work of the record.
    /// A command does one piece of work, which may have several records.
    pub is_reused: bool,
    /// The log of steps and messages.
    pub log: Option<LogFile>,
}

impl Default for JobOptions {
    /// The words that this program was called with.
    fn default() -> Self {
        let request = Request { words: std::env::args_os().collect(), ..Request::default() };
        Self { request, random_seed: 0, force: false, is_reused: true, log: None }
    }
}

/// A piece of work that a program asks for. It has the inputs, results, checksums, timings and warnings of the work, the series that
/// stages share, the sources of data, and the log. Stages of the work have jobs of their own ([`for_stage`](Self::for_stage)).
///
/// The program is the job's [`Host`]. By default that is a program that calls the library and computes on the CPU. Another device,
/// seed or progress report are options:
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
/// Records have the warnings of algorithms if the process [listens](crate::warnings::listen) to them, or its subscriber of `tracing`
/// has [`WarningLayer`](crate::warnings::WarningLayer).
pub struct Job {
    shared: Rc<Shared>,
    request: Request,
    timings: RefCell<Vec<(String, f64)>>,
    warnings: WarningList,
    /// Only for a job that is no stage.
    listening: Option<Listening>,
    results: Results,
    sources: RefCell<DataSources>,
}

/// The part of a job that the jobs of its stages share.
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
}

impl Default for Job {
    fn default() -> Self {
        Self::new(LibraryHost::default(), JobOptions::default())
    }
}

impl Job {
    /// Begins a job. Until it is dropped, warnings of the process are its warnings.
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

    /// A job for a stage of the work. It shares the host, the series, the checksums and the list of files that are read, and has
    /// timings, warnings and results of its own.
    pub fn for_stage(&self, request: Request) -> Self {
        Self::of(Rc::clone(&self.shared), request, self.results.for_stage())
    }

    /// The request of the user.
    pub fn request(&self) -> &Request {
        &self.request
    }

    /// The program and the words after it.
    pub fn words(&self) -> &[OsString] {
        &self.request.words
    }

    /// Options by their names, as the user types them, with their values.
    pub fn options(&self) -> &[(String, Value)] {
        &self.request.options
    }

    /// Checksums of files that were read so far.
    pub fn checksums(&self) -> RefMut<'_, Checksums> {
        self.shared.checksums.borrow_mut()
    }

    /// The steps that are done, with their seconds.
    pub fn timings(&self) -> Vec<(String, f64)> {
        self.timings.borrow().clone()
    }

    /// The warnings so far, with the user's names of parameters.
    pub fn warnings(&self) -> Vec<String> {
        // Warnings are of the process, which has no command.
        let name = |parameter: &str| self.shared.host.parameter("", parameter);
        self.warnings.list().iter().map(|warning| name_parameters(warning, name).into_owned()).collect()
    }

    /// Takes warnings of the process as those of this stage, until the result is dropped. A job that is no stage always does.
    pub fn listen(&self) -> Listening {
        self.warnings.listen()
    }

    /// The device, opened at the first call: for algorithms with a GPU implementation.
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

    /// The device that did the work so far. An algorithm without a GPU implementation need not open another one.
    pub fn device_so_far(&self) -> &Device {
        let opened = self.shared.device.get().filter(|_| self.shared.is_device_used.get());
        opened.unwrap_or(&Device::Cpu)
    }

    /// The seed of random numbers.
    pub fn random_seed(&self) -> u64 {
        self.shared.random_seed.get()
    }

    /// Changes the seed of random numbers to that of work which another command began.
    pub fn set_random_seed(&self, random_seed: u64) {
        self.shared.random_seed.set(random_seed);
    }

    /// Reports the progress of long calls, and cancels them.
    pub fn control(&self) -> Control {
        self.shared.host.control()
    }

    /// Returns whether results may be written over.
    pub fn force(&self) -> bool {
        self.shared.force
    }

    /// The files that are read, and the places of results.
    pub fn results(&self) -> &Results {
        &self.results
    }

    /// Watches files that the work reads: no result gets its name if one of them has changed.
    pub fn watch(&self, inputs: &[PathBuf]) {
        self.results.watch(inputs);
    }

    /// Declares all results so far complete.
    pub fn settle(&self) -> Result<()> {
        self.results.list().settle()?;
        if self.shared.is_reused {
            self.forget();
        }
        Ok(())
    }

    /// Forgets the work so far, so that the job can serve for other work. A job that [is reused](JobOptions::is_reused) does so once a
    /// record is written. Call it after an error.
    pub fn forget(&self) {
        self.results.unwatch();
        // Stages belong to one piece of work.
        if self.listening.is_some() {
            self.shared.is_device_used.set(false);
            self.shared.checksums.borrow_mut().clear();
            self.forget_series();
            self.timings.take();
            self.results.forget();
            self.warnings.clear();
        }
    }

    /// The series that stages share.
    pub(crate) fn kept_series(&self) -> &RefCell<KeptSeries> {
        &self.shared.kept_series
    }

    /// Keeps a series that is read, for the stages that follow.
    pub fn keep_series(&self) {
        self.shared.kept_series.borrow_mut().keep();
    }

    /// Forgets the series that was kept.
    pub fn forget_series(&self) {
        self.shared.kept_series.borrow_mut().forget();
    }

    /// The grid of the series that was kept.
    pub fn kept_grid(&self) -> Option<Grid> {
        self.shared.kept_series.borrow().grid()
    }

    /// Notes the file that data came from. Errors about the data ("seed mask", "tractogram") then name the file.
    pub fn came_from(&self, data: &'static str, file: &dyn Display) {
        self.sources.borrow_mut().note(data, file);
    }

    /// An error with the user's names: options for parameters, and files for the data that came from them.
    pub fn reword(&self, error: Error) -> Error {
        let name = |parameter: &str| self.shared.host.parameter(&self.request.command, parameter);
        self.sources.borrow().name_in(error.with_parameters(name))
    }

    /// How images are written: with the program and the command in the header.
    pub fn image_options(&self) -> WriteOptions {
        let description = format!("arcuate {} {}", env!("CARGO_PKG_VERSION"), self.request.command);
        WriteOptions { description: description.trim_end().to_owned(), ..WriteOptions::default() }
    }

    /// How tractograms are written: with the command line, if the format has a place for it.
    pub fn tractogram_options(&self) -> TractogramOptions {
        let history = format!("{} (version {})", shell_line(self.words()), env!("CARGO_PKG_VERSION"));
        TractogramOptions { history, ..TractogramOptions::default() }
    }

    /// Does a step of the work. The host shows it, and its time is noted if it succeeds.
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

    /// Does a step that writes results and does not read them by their names. The results get their names together at its end, which
    /// takes little longer than for one of them ([`together`](arcuate_io::Watch::together)).
    pub fn write<R>(&self, name: &str, work: impl FnOnce() -> Result<R>) -> Result<R> {
        self.step(name, || self.results.list().together(work))
    }

    /// Shows the user a line about what was done, with the user's names of parameters.
    pub fn say(&self, line: impl Display) {
        let line = line.to_string();
        let line =
            name_parameters(&line, |parameter| self.shared.host.parameter(&self.request.command, parameter));
        self.log(&line);
        self.shared.host.say(&line);
    }

    /// Writes text that the user asked for, with its line ends.
    pub fn print(&self, text: impl Display) {
        self.shared.host.print(&text.to_string());
    }

    /// Adds a line to the log.
    fn log(&self, line: impl Display) {
        if let Some(log) = &self.shared.log {
            log.note(&line.to_string());
        }
    }

    /// Notes in the log that a stage begins: its number, counted from 1, the number of stages, and its name.
    pub fn log_stage(&self, number: usize, of: usize, name: &str) {
        self.log(format_args!("stage {number} of {of}: {name}"));
    }

    /// Notes the warnings and the error at the end of the work in the log, for a host that does not log them.
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
    fn a_job_removes_no_results_of_another() {
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
    fn a_stage_of_a_job_shares_its_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("input"), "abc").unwrap();
        let job = Job::default();
        job.watch(&[at("input")]);
        let stage = job.for_stage(job.request().clone());
        require_file(&at("result"), &[], &stage).unwrap();
        std::fs::write(at("input"), "changed").unwrap();
        assert!(write_file(&at("result"), "").is_err() && !at("result").exists());
        // Other work of the job does not depend on the file.
        drop(stage);
        job.forget();
        require_file(&at("result"), &[], &job).unwrap();
        write_file(&at("result"), "").unwrap();
    }

    /// Names one parameter, and notes what it shows.
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

        fn say(&self, line: &str) {
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
    fn users_read_options_and_files_for_parameters_and_data() {
        let host = Rc::new(Named::default());
        let job = job_of(&host, true);
        job.came_from("seed mask", &"seeds.nii");
        let error = job.reword(Error::invalid("seed mask", "it is empty", "lower ‘step_mm’"));
        assert_eq!(error.to_string(), "seeds.nii: it is empty; lower --step");
        job.say("‘step_mm’ is 1 mm");
        job.print("a\nb\n");
        assert_eq!(*host.shown.borrow(), ["--step is 1 mm", "a\nb"]);
    }

    #[test]
    fn the_device_is_opened_once_and_only_if_it_is_used() {
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
    fn a_job_that_is_reused_forgets_what_a_record_has() {
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
