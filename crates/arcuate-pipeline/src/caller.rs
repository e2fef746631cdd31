//! What the library knows of the program that asks for the work.

use crate::checksums::Checksums;
use crate::series::{GradientSource, Series, Weighting};
use arcuate_compute::Device;
use arcuate_core::{Control, Error, Grid, Result};
use arcuate_io::{Results, TractogramOptions, WriteOptions};
use serde_json::Value;
use std::cell::RefMut;
use std::ffi::OsString;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The program that asks for the work: a command, or a [`Session`](crate::session::Session) of a program or a notebook. What it
/// says of itself goes into the [records](crate::record); it lends the device, and hears how far the work is and what comes of it.
pub trait Caller {
    /// The program and the words after it.
    fn words(&self) -> &[OsString];
    /// Options by their names, as the user types them, with their values.
    fn options(&self) -> &[(String, Value)];
    /// Checksums of files that were read so far.
    fn checksums(&self) -> RefMut<'_, Checksums>;
    /// Parts of the work that are done, with their seconds.
    fn timings(&self) -> Vec<(String, f64)>;
    /// The warnings so far.
    fn warnings(&self) -> Vec<String>;
    /// The device that did the work until now.
    fn device_so_far(&self) -> &Device;
    /// The device to compute on, opened at the first call: for algorithms that have a GPU half.
    fn device(&self) -> Result<&Device>;
    /// The seed of random numbers.
    fn random_seed(&self) -> u64;
    /// What holds a call that takes long.
    fn control(&self) -> Control;
    /// Whether results may be written over.
    fn force(&self) -> bool;
    /// What the work reads and where its results go.
    fn results(&self) -> &Results;
    /// Has files watched that the work reads: no result gets its name if one of them has changed.
    fn watch(&self, inputs: &[PathBuf]) {
        self.results().watch(inputs);
    }
    /// Declares all results so far complete.
    fn settle(&self) -> Result<()>;
    /// How images are written.
    fn image_options(&self) -> WriteOptions;
    /// How tractograms are written.
    fn tractogram_options(&self) -> TractogramOptions;
    /// A series, read unless it was kept.
    fn read_series(
        &self,
        path: &Path,
        source: &GradientSource,
        weighting: Weighting<'_>,
    ) -> Result<Rc<Series>>;
    /// The lattice of a series that was kept.
    fn kept_grid(&self) -> Option<Grid>;
    /// Notes where data came from that algorithms know by what they are alone ("seed mask", "tractogram"): errors about them
    /// then name the file.
    fn came_from(&self, data: &'static str, file: &dyn Display);
    /// Does a part of the work, once, shows that it is at work, and notes how long it took where it came to its end.
    fn part(&self, name: &str, work: &mut dyn FnMut() -> Result<()>) -> Result<()>;
    /// Notes that a stage of a run begins, by its number from 1 on and how many there are: for logs.
    fn stage(&self, _number: usize, _of: usize, _name: &str) {}
    /// A line for the user, about what was done.
    fn say(&self, line: &str);
}

impl dyn Caller + '_ {
    /// Does a step that writes results and does not read them by their names: they get these together, at its end, which takes little
    /// longer than for one of them ([`together`](arcuate_io::Watch::together)).
    pub fn write<R>(&self, name: &str, work: impl FnOnce() -> Result<R>) -> Result<R> {
        self.step(name, || self.results().list().together(work))
    }

    /// Does a part of the work, like [`part`](Caller::part), and hands on what comes of it.
    pub fn step<R>(&self, name: &str, work: impl FnOnce() -> Result<R>) -> Result<R> {
        let (mut work, mut done) = (Some(work), None);
        self.part(name, &mut || {
            done = work.take().map(|work| work()).transpose()?;
            Ok(())
        })?;
        // Of a caller that does not begin it.
        done.ok_or_else(Error::cancelled)
    }
}

/// Where data came from, by what algorithms call them.
#[derive(Debug, Clone, Default)]
pub struct Sources(Vec<(&'static str, String)>);

impl Sources {
    /// Notes where data came from, in the place of what was noted of such data before.
    pub fn note(&mut self, data: &'static str, file: &dyn Display) {
        self.0.retain(|(known, _)| *known != data);
        self.0.push((data, file.to_string()));
    }

    /// An error about data, said of the file that they came from.
    pub fn about(&self, error: Error) -> Error {
        error.said_of(|data| self.0.iter().find(|(known, _)| *known == data).map(|(_, file)| file))
    }
}
