//! Analysis of the workspace's Rust source without a compiler.

pub(crate) mod modules;
pub(crate) mod tokens;

use std::fs;
use std::path::{Path, PathBuf};

/// Returns the sorted root files (`lib.rs` and `main.rs`) of every crate of the checkout at `root`.
pub(crate) fn crate_roots(root: &Path) -> Result<Vec<PathBuf>, String> {
    let crates = root.join("crates");
    let say = |e: std::io::Error| format!("{}: {e}", crates.display());
    let mut folders = vec![root.join("xtask")];
    for entry in fs::read_dir(&crates).map_err(say)? {
        folders.push(entry.map_err(say)?.path());
    }
    folders.sort();
    let files =
        folders.iter().flat_map(|folder| ["lib.rs", "main.rs"].map(|name| folder.join("src").join(name)));
    Ok(files.filter(|file| file.is_file()).collect())
}
