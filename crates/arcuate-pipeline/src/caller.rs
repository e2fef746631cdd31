//! What a record knows of the program that asks for it.

use crate::checksums::Checksums;
use arcuate_compute::Device;
use arcuate_io::WriteOptions;
use serde_json::Value;
use std::cell::RefMut;
use std::ffi::OsString;
use std::path::PathBuf;

/// The program that asks for the work: a command, or a workflow. What it says of itself goes into the [records](crate::record).
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
    /// Whether results may be written over.
    fn force(&self) -> bool;
    /// Notes where a result goes; false where another result of the same work goes there already.
    fn takes(&self, place: PathBuf) -> bool;
    /// How images are written.
    fn image_options(&self) -> WriteOptions;
}
