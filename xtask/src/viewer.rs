//! The 3-D viewer of the report: a small npm project, bundled into one file that the report crate embeds.

use crate::process::{self, Outcome};
use std::path::PathBuf;
use std::time::SystemTime;

fn bundle() -> PathBuf {
    process::root().join("viewer/dist/viewer.js")
}

/// Builds the viewer where Node is there and the bundle is older than its sources; says so where it is not.
pub(crate) fn build_if_possible() -> Outcome {
    if !process::exists("npm") {
        eprintln!("xtask: no npm found: the report will have its still pictures but no 3-D viewer");
        return Ok(());
    }
    if is_fresh() { Ok(()) } else { require() }
}

/// Builds the viewer.
pub(crate) fn require() -> Outcome {
    if !process::exists("npm") {
        return Err("the viewer needs Node and npm: install them, then run `cargo xtask viewer`".to_owned());
    }
    let npm = |arguments: &[&str]| {
        process::run(process::in_root("npm").args(["--prefix", "viewer"]).args(arguments))
    };
    npm(&["ci", "--no-audit", "--no-fund"])?;
    npm(&["run", "build"])
}

fn is_fresh() -> bool {
    let changed = |path: PathBuf| path.metadata().and_then(|m| m.modified()).ok();
    let Some(built) = changed(bundle()) else { return false };
    let viewer = process::root().join("viewer");
    let sources = std::fs::read_dir(viewer.join("src")).into_iter().flatten().flatten().map(|e| e.path());
    let others = ["package-lock.json", "package.json", "build.mjs", "licences"].map(|name| viewer.join(name));
    sources.chain(others).filter_map(changed).all(|time: SystemTime| time <= built)
}
