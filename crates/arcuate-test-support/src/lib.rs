//! Real scans and captured log messages for tests. The scans are not part of the repository. Tests look for
//! them in the folder `$ARCUATE_DATA`. If this variable is not set, the folder is `../shared/data`, relative
//! to the checkout. Tests print the names of missing files and skip the checks that need them.

mod captured_log;

pub use captured_log::{warnings, with_captured_log};

use std::path::{Path, PathBuf};

/// Returns the folder of real data, if it exists.
pub fn data_folder() -> Option<PathBuf> {
    let default_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ARCUATE_DATA").map_or(default_folder, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// Returns the path of a file of real data. If the file is missing, prints a message on standard error and
/// returns `None`. A test then ends without a check.
///
/// # Panics
/// Panics if the file is missing and `ARCUATE_DATA_REQUIRED` is set. A complete check then cannot pass
/// because tests were skipped.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let path = data_folder().map(|folder| folder.join(name)).filter(|path| path.exists());
    if path.is_none() {
        let required = std::env::var_os("ARCUATE_DATA_REQUIRED").is_some();
        assert!(!required, "real data `{name}` not found, and ARCUATE_DATA_REQUIRED is set");
        eprintln!("skipped: real data `{name}` not found; set ARCUATE_DATA to the folder that holds it");
    }
    path
}
