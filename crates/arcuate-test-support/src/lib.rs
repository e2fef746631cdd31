//! Where tests find real scans, and how they hear what is logged. Scans are not part of the repository: tests look in
//! `$ARCUATE_DATA`, else in `../shared/data` beside the checkout, and say by name what they skip.

mod heard;

pub use heard::heard;

use std::path::{Path, PathBuf};

/// The folder of real data, where there is one.
pub fn data_folder() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("ARCUATE_DATA").map_or(beside, PathBuf::from);
    folder.is_dir().then_some(folder)
}

/// A file of real data, or nothing (said on standard error) where it is absent: the caller then returns.
///
/// # Panics
/// Where the file is absent though `ARCUATE_DATA_REQUIRED` is set, so that a run meant to check everything cannot pass
/// by skipping.
pub fn real_data(name: &str) -> Option<PathBuf> {
    let path = data_folder().map(|folder| folder.join(name)).filter(|path| path.exists());
    if path.is_none() {
        let required = std::env::var_os("ARCUATE_DATA_REQUIRED").is_some();
        assert!(!required, "real data `{name}` not found, and ARCUATE_DATA_REQUIRED is set");
        eprintln!("skipped: real data `{name}` not found; set ARCUATE_DATA to the folder that holds it");
    }
    path
}
