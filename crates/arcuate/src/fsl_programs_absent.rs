//! Replaces the module `fsl_programs` if the program is built without the feature `fsl`.

use arcuate_core::{Error, Result};
use arcuate_pipeline::record::{FILE_NAME, Record};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Returns the error that names the feature, in place of a help page.
pub(crate) fn page(name: &str) -> String {
    format!("{}\n", refused(name, 0))
}

/// Returns the error that names the feature.
pub(crate) fn refused(name: &str, _: usize) -> Error {
    Error::without_feature(format!("arcuate {name}"), "fsl")
}

/// Runs nothing, because the program has none of FSL's programs.
pub(crate) fn run(_: &[OsString]) -> Option<ExitCode> {
    None
}

/// Returns the names of FSL's programs in this program: none.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    std::iter::empty()
}

/// Returns the option of one of FSL's programs for a parameter: none.
pub(crate) fn option(_: &str, _: &str) -> Option<&'static str> {
    None
}

/// Returns the path of the record in a folder, which is not a folder of FSL's programs.
pub(crate) fn record_in(folder: &Path) -> PathBuf {
    folder.join(FILE_NAME)
}

/// Returns the record of a folder that one of FSL's programs wrote: none, because this program does not read it.
#[expect(clippy::unnecessary_wraps, reason = "with the feature `fsl`, the folder is read")]
pub(crate) fn record_of_files(_: &Path) -> Result<Option<Record>> {
    Ok(None)
}
