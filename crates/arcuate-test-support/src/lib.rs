//! Real scans and captured log messages for tests. Scans are not part of the repository. Tests look for them in
//! `$ARCUATE_DATA`, otherwise in `../shared/data` relative to the checkout, and print the names of those that they
//! skip.

mod captured_log;

pub use captured_log::{heard, warnings};

use std::path::{Path, PathBuf};

/// Returns the folder of real data, if it exists.
pub fn data_folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ARCUATE_DATA").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Returns a file of real data. If it is missing, reports this on standard error and returns `None`; the caller then
/// returns.
///
/// # Panics
/// Panics if the file is missing and `ARCUATE_DATA_REQUIRED` is set, so that a complete check cannot pass by skipping.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let path = data_folder().map(|folder| folder.join(name)).filter(|path| path.exists());
    if path.is_none() {
        let required = std::env::var_os("ARCUATE_DATA_REQUIRED").is_some();
        assert!(!required, "real data `{name}` not found, and ARCUATE_DATA_REQUIRED is set");
        eprintln!("skipped: real data `{name}` not found; set ARCUATE_DATA to the folder that holds it");
    }
    path
}
