use crate::checksums::Checksums;
use crate::global_options::GlobalOptions;
use crate::invocation::Invocation;
use crate::log_file::LogFile;
use crate::parameters::{in_options, line_in_options};
use crate::progress::{self, Progress, Screen, Shown, aside};
use crate::series::{GradientSource, KeptSeries, Series, Weighting};
use crate::uses::Uses;
use crate::warnings::{Heard, Listening};
use arcuate_compute::{Device, DeviceChoice};
use arcuate_core::{Control, Error, Grid, Result, printable_lines};
use arcuate_io::{Results, TractogramOptions, WriteOptions};
use arcuate_pipeline::caller::{Caller, Sources};
use arcuate_pipeline::series_file::read_kept;
use arcuate_pipeline::shell::shell_line;
use arcuate_pipeline::threads;
use serde_json::Value;
use std::cell::{Cell, OnceCell, RefCell, RefMut};
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// What a command has at hand: what was asked, the device, the seed, and how to speak to the user.
pub(crate) struct Context {
    session: Rc<Session>,
    pub(crate) invocation: Invocation,
    timings: RefCell<Vec<(String, f64)>>,
    heard: Heard,
    /// What this command reads and where its results go.
    results: Results,
    /// Where data came from, by what libraries call them.
    sources: RefCell<Sources>,
    /// Whether standard output is for something else than words.
    speaks_aside: bool,
    /// Of a program that is no command line: its warnings are heard as long as this is there.
    listening: Option<Listening>,
    /// Where what is done is noted.
    log: Option<LogFile>,
}

/// What a program that is no command line lends to a command.
pub(crate) struct Host {
    /// Opens the device, at the first call.
    pub(crate) device: Box<dyn Fn() -> Result<Device>>,
    /// Hears how far the work is, and ends it.
    pub(crate) control: Control,
}

/// What the commands of one process share.
struct Session {
    choice: DeviceChoice,
    device_memory: Option<u64>,
    device: OnceCell<Device>,
    random_seed: Cell<u64>,
    threads: Option<usize>,
    force: bool,
    quiet: bool,
    screen: Screen,
    unsaid: RefCell<Option<std::io::Error>>,
    checksums: RefCell<Checksums>,
    kept_series: RefCell<KeptSeries>,
    /// Nobody at a command line.
    host: Option<Host>,
    /// What it is told.
    said: RefCell<String>,
}

impl Context {
    pub(crate) fn new(
        options: &GlobalOptions,
        invocation: Invocation,
        uses: Uses,
        screen: Screen,
    ) -> Result<Self> {
        check_together(options, &invocation, uses)?;
        threads::start(options.threads)?;
        let context = Self::begin(options, invocation, screen, None);
        context.listen().for_good();
        // GPUs asked for by number are wanted before any work is done; otherwise who needs none need not wait for one.
        if let DeviceChoice::Cuda(_) = context.session.choice {
            context.device()?;
        }
        Ok(context)
    }

    /// What a command of another program has at hand. Work is done by the threads that it is called in, nothing is printed, and
    /// signals are the program's affair.
    pub(crate) fn of_program(
        options: &GlobalOptions,
        invocation: Invocation,
        uses: Uses,
        host: Host,
    ) -> Result<Self> {
        check_together(options, &invocation, uses)?;
        let log = options.log.as_deref().map(LogFile::open).transpose()?;
        let mut context = Self::begin(options, invocation, Screen::None, Some(host)).with_log(log);
        context.listening = Some(context.listen());
        Ok(context)
    }

    fn begin(options: &GlobalOptions, invocation: Invocation, screen: Screen, host: Option<Host>) -> Self {
        let results = Results::default();
        let session = Session {
            choice: options.device.clone(),
            device_memory: options.device_memory,
            device: OnceCell::new(),
            random_seed: Cell::new(options.random_seed),
            threads: options.threads,
            force: options.force,
            quiet: options.quiet,
            screen,
            unsaid: RefCell::new(None),
            checksums: RefCell::new(Checksums::new(results.list())),
            kept_series: RefCell::default(),
            host,
            said: RefCell::default(),
        };
        Self::of(Rc::new(session), invocation, results)
    }

    fn of(session: Rc<Session>, invocation: Invocation, results: Results) -> Self {
        Self {
            session,
            invocation,
            timings: RefCell::default(),
            heard: Heard::of_command(),
            results,
            sources: RefCell::default(),
            speaks_aside: false,
            listening: None,
            log: None,
        }
    }

    /// The same, with its words for the user on standard error.
    pub(crate) fn speaking_aside(self) -> Self {
        let mut aside = self;
        aside.speaks_aside = true;
        aside
    }

    /// The same for another command, which does a stage of this one.
    pub(crate) fn for_stage(&self, invocation: Invocation) -> Self {
        let results = self.results.for_stage();
        Self::of(Rc::clone(&self.session), invocation, results).with_log(self.log.clone())
    }

    /// The same, noting what is done.
    pub(crate) fn with_log(mut self, log: Option<LogFile>) -> Self {
        if let Some(log) = &log {
            self.results.set_log(log.place().to_owned());
        }
        self.log = log;
        self
    }

    /// Notes a line, where somebody wants a log.
    fn note(&self, line: impl Display) {
        if let Some(log) = &self.log {
            log.note(&line.to_string());
        }
    }

    /// Takes the warnings for its own that are given until the answer is dropped; those of a stage are also those of the
    /// command that it is a stage of.
    pub(crate) fn listen(&self) -> Listening {
        self.heard.listen()
    }

    /// Keeps a series that is read, for the stages that come.
    pub(crate) fn keep_series(&self) {
        self.session.kept_series.borrow_mut().keep();
    }

    /// Draws from another seed of random numbers: that of work which was begun by another command.
    pub(crate) fn draw_from(&self, random_seed: u64) {
        self.session.random_seed.set(random_seed);
    }

    /// How many threads were asked for.
    pub(crate) fn threads(&self) -> Option<usize> {
        self.session.threads
    }

    /// The memory of GPUs that may be used, as a word of a command line.
    pub(crate) fn device_memory_word(&self) -> Option<String> {
        self.session.device_memory.map(|bytes| format!("{}MiB", bytes >> 20))
    }

    /// Forgets a series that was kept: what comes next has nothing to do with it.
    pub(crate) fn forget(&self) {
        self.session.kept_series.borrow_mut().forget();
    }

    /// An error of a library in the words of the command: parameters are options, and data the files that they came from.
    pub(crate) fn in_its_words(&self, error: Error) -> Error {
        self.sources.borrow().about(in_options(error, &self.invocation.command))
    }

    /// Does a step, shows how far it is, and notes how long it took.
    pub(crate) fn step<R>(&self, name: &str, work: impl FnOnce(&Progress) -> Result<R>) -> Result<R> {
        self.control().check()?;
        let command = &self.invocation.command;
        self.note(format_args!("{command}: {name}"));
        let shown = Shown::begin(command, name, self.session.screen);
        let started = Instant::now();
        let result = work(shown.progress());
        let seconds = started.elapsed().as_secs_f64();
        drop(shown);
        if result.is_ok() {
            tracing::info!("{name}: {seconds:.2} s");
            self.note(format_args!("{command}: {name}: {seconds:.1} s"));
            self.timings.borrow_mut().push((name.to_owned(), seconds));
        }
        result
    }

    /// Does a step that writes results and does not read them by their names: they get these together, at its end.
    pub(crate) fn write<R>(&self, name: &str, work: impl FnOnce() -> Result<R>) -> Result<R> {
        self.step(name, |_| self.results.list().together(work))
    }

    /// A line for the user, on standard output, unless quiet.
    pub(crate) fn say(&self, line: impl Display) {
        self.note(&line);
        if self.session.quiet {
            return;
        }
        if self.speaks_aside {
            let line = printable_lines(&line.to_string());
            // Where nobody listens, the result is there all the same.
            let _ = aside(|| writeln!(std::io::stderr().lock(), "{line}"));
            return;
        }
        self.print(format_args!("{line}\n"));
    }

    /// Text that was asked for, on standard output, quiet or not, without what disturbs a terminal: names of files and
    /// titles of models can hold anything. Once that has failed, no more is written.
    pub(crate) fn print(&self, text: impl std::fmt::Display) {
        let text = printable_lines(&text.to_string());
        if self.session.host.is_some() {
            self.session.said.borrow_mut().push_str(&text);
            return;
        }
        let mut unsaid = self.session.unsaid.borrow_mut();
        if unsaid.is_none() {
            *unsaid = aside(|| write!(std::io::stdout().lock(), "{text}")).err();
        }
    }

    /// Notes the warnings, and what it ended with: of a program that is no command line, which shows them by itself.
    pub(crate) fn note_end(&self, error: Option<&Error>) {
        for warning in self.heard.list() {
            self.note(format_args!("warning: {warning}"));
        }
        if let Some(error) = error {
            self.note(format_args!("error: {error}"));
        }
    }

    /// What a program that is no command line is told.
    pub(crate) fn said(&self) -> String {
        self.session.said.take()
    }

    /// Fails where what results without a record were made of has changed meanwhile, or standard output could not be written,
    /// unless its reader had enough (`arcuate info FILE | head -1`).
    pub(crate) fn finish(&self) -> Result<()> {
        self.settle()?;
        if self.session.host.is_some() {
            return Ok(());
        }
        let failed = self.session.unsaid.take().or_else(|| std::io::stdout().flush().err());
        match failed {
            Some(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(Error::write(Path::new("standard output"), error))
            }
            _ => Ok(()),
        }
    }
}

/// Fails on options of every command that do not go together, or with the command.
fn check_together(options: &GlobalOptions, invocation: &Invocation, uses: Uses) -> Result<()> {
    uses.check(options, invocation)?;
    if options.device == DeviceChoice::Cpu && options.device_memory.is_some() {
        let problem = "it limits the memory of GPUs, and --device cpu uses none";
        return Err(Error::usage("--device-memory", problem, "leave one of the two out"));
    }
    Ok(())
}

impl Caller for Context {
    fn words(&self) -> &[OsString] {
        &self.invocation.words
    }

    fn options(&self) -> &[(String, Value)] {
        &self.invocation.options
    }

    fn checksums(&self) -> RefMut<'_, Checksums> {
        self.session.checksums.borrow_mut()
    }

    fn timings(&self) -> Vec<(String, f64)> {
        self.timings.borrow().clone()
    }

    fn warnings(&self) -> Vec<String> {
        self.heard.list()
    }

    // For algorithms without a GPU half too, which need not open a GPU that nobody asked for by number.
    fn device_so_far(&self) -> &Device {
        self.session.device.get().unwrap_or(&Device::Cpu)
    }

    fn device(&self) -> Result<&Device> {
        let session = &self.session;
        if let Some(device) = session.device.get() {
            return Ok(device);
        }
        let device = match &session.host {
            Some(host) => (host.device)()?,
            None => session.choice.open(session.device_memory)?,
        };
        Ok(session.device.get_or_init(|| device))
    }

    fn random_seed(&self) -> u64 {
        self.session.random_seed.get()
    }

    fn control(&self) -> Control {
        self.session.host.as_ref().map_or_else(progress::control, |host| host.control.clone())
    }

    fn force(&self) -> bool {
        self.session.force
    }

    fn results(&self) -> &Results {
        &self.results
    }

    fn settle(&self) -> Result<()> {
        self.results.list().settle()
    }

    // With the program and the command, as far as headers have room.
    fn image_options(&self) -> WriteOptions {
        let description = format!("arcuate {} {}", env!("CARGO_PKG_VERSION"), self.invocation.command);
        WriteOptions { description, ..WriteOptions::default() }
    }

    // With the command line, where the format has a place for it.
    fn tractogram_options(&self) -> TractogramOptions {
        let line = shell_line(&self.invocation.words);
        let history = format!("{line} (version {})", env!("CARGO_PKG_VERSION"));
        TractogramOptions { history, ..TractogramOptions::default() }
    }

    fn read_series(
        &self,
        path: &Path,
        source: &GradientSource,
        weighting: Weighting<'_>,
    ) -> Result<Rc<Series>> {
        read_kept(&self.session.kept_series, path, source, weighting, self)
    }

    fn kept_grid(&self) -> Option<Grid> {
        self.session.kept_series.borrow().grid()
    }

    fn came_from(&self, data: &'static str, file: &dyn Display) {
        self.sources.borrow_mut().note(data, file);
    }

    fn stage(&self, number: usize, of: usize, name: &str) {
        self.note(format_args!("stage {number} of {of}: {name}"));
    }

    fn part(&self, name: &str, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.step(name, |_| work())
    }

    fn say(&self, line: &str) {
        Self::say(self, line_in_options(line, &self.invocation.command));
    }
}
