//! Programs, notebooks and workflows that ask for the work by themselves, without a command line.

use crate::caller::{Caller, Sources};
use crate::checksums::Checksums;
use crate::series::{GradientSource, KeptSeries, Series, Weighting};
use crate::series_file::read_kept;
use crate::shell::shell_line;
use crate::warnings::{Heard, Listening};
use arcuate_compute::Device;
use arcuate_core::{Control, Error, Grid, Result};
use arcuate_io::{Results, TractogramOptions, WriteOptions};
use serde_json::Value;
use std::cell::{Cell, RefCell, RefMut};
use std::ffi::OsString;
use std::fmt::Display;
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// What a session lends to the work.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The device to compute on.
    pub device: Device,
    /// The seed of random numbers.
    pub random_seed: u64,
    /// Whether results may be written over.
    pub force: bool,
    /// Who is told how far the work is, ends it, and hears warnings of calls that take long.
    pub control: Control,
    /// What records say was called: the program and the words after it.
    pub words: Vec<OsString>,
    /// Options for the records, by their names.
    pub options: Vec<(String, Value)>,
}

impl Default for SessionOptions {
    /// The processor, and the words that this program was called with.
    fn default() -> Self {
        Self {
            device: Device::Cpu,
            random_seed: 0,
            force: false,
            control: Control::default(),
            words: std::env::args_os().collect(),
            options: Vec::new(),
        }
    }
}

/// A [`Caller`] that is no command: what stages need of who asks for them. It serves for any number of them, one after the other:
/// once the record of one is written, it [knows nothing](Self::forget) of that any more.
///
/// Records have the warnings of algorithms where the process [listens](crate::warnings::listen) to them, or has
/// [`Ears`](crate::warnings::Ears). What is [said](Caller::say) of results goes to `tracing`, as information.
pub struct Session {
    shared: Rc<Shared>,
    timings: RefCell<Vec<(String, f64)>>,
    heard: Heard,
    /// Of one that is no stage's.
    listening: Option<Listening>,
    results: Results,
    sources: RefCell<Sources>,
}

/// What a session shares with those of its stages.
struct Shared {
    options: SessionOptions,
    /// Whether the device was asked for.
    is_device_used: Cell<bool>,
    checksums: RefCell<Checksums>,
    kept_series: RefCell<KeptSeries>,
}

impl Session {
    /// Begins a session.
    pub fn new(options: SessionOptions) -> Self {
        let results = Results::default();
        let shared = Shared {
            options,
            is_device_used: Cell::new(false),
            checksums: RefCell::new(Checksums::new(results.list())),
            kept_series: RefCell::default(),
        };
        let mut session = Self::of(Rc::new(shared), results);
        session.listening = Some(session.heard.listen());
        session
    }

    fn of(shared: Rc<Shared>, results: Results) -> Self {
        Self {
            shared,
            timings: RefCell::default(),
            heard: Heard::default(),
            listening: None,
            results,
            sources: RefCell::default(),
        }
    }

    /// The same for a stage of the work: with the same device and the same series, and timings, warnings and results of its own.
    pub fn for_stage(&self) -> Self {
        Self::of(Rc::clone(&self.shared), self.results.for_stage())
    }

    /// Keeps a series that is read, for the stages that come.
    pub fn keep_series(&self) {
        self.shared.kept_series.borrow_mut().keep();
    }

    /// Takes the warnings of the process for its own that are given until the answer is dropped: of one for a stage, which else
    /// hears none.
    pub fn listen(&self) -> Listening {
        self.heard.listen()
    }

    /// Forgets the work so far: what comes is no part of it. So it is once a record is written; who goes on after an error says so.
    pub fn forget(&self) {
        self.results.unwatch();
        // Those of stages are of one work.
        if self.listening.is_some() {
            self.shared.is_device_used.set(false);
            self.shared.checksums.borrow_mut().clear();
            self.shared.kept_series.borrow_mut().forget();
            self.timings.take();
            self.results.forget();
            self.heard.clear();
        }
    }

    /// An error about data, said of the file that they came from.
    pub fn about(&self, error: Error) -> Error {
        self.sources.borrow().about(error)
    }
}

impl Default for Session {
    fn default() -> Self {
        Self::new(SessionOptions::default())
    }
}

impl Caller for Session {
    fn words(&self) -> &[OsString] {
        &self.shared.options.words
    }

    fn options(&self) -> &[(String, Value)] {
        &self.shared.options.options
    }

    fn checksums(&self) -> RefMut<'_, Checksums> {
        self.shared.checksums.borrow_mut()
    }

    fn timings(&self) -> Vec<(String, f64)> {
        self.timings.borrow().clone()
    }

    fn warnings(&self) -> Vec<String> {
        self.heard.list()
    }

    fn device_so_far(&self) -> &Device {
        if self.shared.is_device_used.get() { &self.shared.options.device } else { &Device::Cpu }
    }

    fn device(&self) -> Result<&Device> {
        self.shared.is_device_used.set(true);
        Ok(&self.shared.options.device)
    }

    fn random_seed(&self) -> u64 {
        self.shared.options.random_seed
    }

    fn control(&self) -> Control {
        self.shared.options.control.clone()
    }

    fn force(&self) -> bool {
        self.shared.options.force
    }

    fn results(&self) -> &Results {
        &self.results
    }

    fn settle(&self) -> Result<()> {
        self.results.list().settle()?;
        self.forget();
        Ok(())
    }

    fn image_options(&self) -> WriteOptions {
        let description = format!("arcuate {}", env!("CARGO_PKG_VERSION"));
        WriteOptions { description, ..WriteOptions::default() }
    }

    fn tractogram_options(&self) -> TractogramOptions {
        let history = format!("{} (arcuate {})", shell_line(self.words()), env!("CARGO_PKG_VERSION"));
        TractogramOptions { history, ..TractogramOptions::default() }
    }

    fn read_series(
        &self,
        path: &Path,
        source: &GradientSource,
        weighting: Weighting<'_>,
    ) -> Result<Rc<Series>> {
        read_kept(&self.shared.kept_series, path, source, weighting, self)
    }

    fn kept_grid(&self) -> Option<Grid> {
        self.shared.kept_series.borrow().grid()
    }

    fn came_from(&self, data: &'static str, file: &dyn Display) {
        self.sources.borrow_mut().note(data, file);
    }

    fn part(&self, name: &str, work: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        self.shared.options.control.check()?;
        let started = Instant::now();
        work()?;
        self.timings.borrow_mut().push((name.to_owned(), started.elapsed().as_secs_f64()));
        Ok(())
    }

    fn say(&self, line: &str) {
        tracing::info!("{line}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::require_file;
    use arcuate_io::write_file;

    #[test]
    fn a_session_removes_no_results_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("input"), "abc").unwrap();
        let [first, second] = [Session::default(), Session::default()];
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
    fn a_stage_of_a_session_shares_its_inputs() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("input"), "abc").unwrap();
        let session = Session::default();
        session.watch(&[at("input")]);
        let stage = session.for_stage();
        require_file(&at("result"), &[], &stage).unwrap();
        std::fs::write(at("input"), "changed").unwrap();
        assert!(write_file(&at("result"), "").is_err() && !at("result").exists());
        // Once the session goes on to other work, it does not matter any more.
        drop(stage);
        session.forget();
        require_file(&at("result"), &[], &session).unwrap();
        write_file(&at("result"), "").unwrap();
    }
}
