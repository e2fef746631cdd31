//! The 3-D viewer of the report: a small npm project, bundled into one file that the report crate embeds.

use crate::process::{self, Outcome};
use std::path::PathBuf;
use std::process::Command;
use std::time::SystemTime;

/// The oldest Node that the viewer's tools run on.
const NODE: u32 = 20;

fn bundle() -> PathBuf {
    process::root().join("viewer/dist/viewer.js")
}

/// Builds the viewer where that is possible and the bundle is older than its sources. The report does without it, so
/// nothing here fails: what is missing is said in one line.
pub(crate) fn build_if_possible() {
    if is_fresh() {
        return;
    }
    if let Err(reason) = require() {
        eprintln!("xtask: the report will have its still pictures but no 3-D viewer ({reason})");
    }
}

/// Builds the viewer.
pub(crate) fn require() -> Outcome {
    match node_version() {
        Some(version) if version >= NODE => {}
        Some(version) => return Err(format!("the viewer needs Node {NODE} or newer, this is {version}")),
        None => return Err(format!("the viewer needs Node {NODE} or newer")),
    }
    if is_fresh() {
        return Ok(());
    }
    let npm = |arguments: &[&str]| {
        process::run(process::in_root("npm").args(["--prefix", "viewer"]).args(arguments))
    };
    npm(&["ci", "--no-audit", "--no-fund"])?;
    npm(&["run", "build"])
}

/// The major version of Node, where it is there.
fn node_version() -> Option<u32> {
    let output = Command::new("node").arg("--version").output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.trim().trim_start_matches('v').split('.').next()?.parse().ok()
}

fn is_fresh() -> bool {
    let changed = |path: PathBuf| path.metadata().and_then(|m| m.modified()).ok();
    let Some(built) = changed(bundle()) else { return false };
    let viewer = process::root().join("viewer");
    let sources = std::fs::read_dir(viewer.join("src")).into_iter().flatten().flatten().map(|e| e.path());
    let others = ["package-lock.json", "package.json", "build.mjs", "licences"].map(|name| viewer.join(name));
    sources.chain(others).filter_map(changed).all(|time: SystemTime| time <= built)
}
