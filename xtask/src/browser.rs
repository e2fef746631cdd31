//! A report in a real browser: nothing is requested, the viewer draws.

use crate::process::{self, Outcome};
use crate::{demo, viewer};

/// Makes a report of a small simulated brain and opens it in headless Chromium.
pub(crate) fn run() -> Outcome {
    viewer::install()?;
    let folder = process::root().join("target/browser-test");
    let out = folder.to_string_lossy().into_owned();
    demo::run(&["--out".to_owned(), out, "--select".to_owned(), "2000".to_owned()])?;
    process::run(
        process::in_root("npm")
            .args(["--prefix", "viewer", "test"])
            .env("ARCUATE_REPORT", folder.join("results/report.html"))
            .env("ARCUATE_SCREENSHOT", folder.join("report.png")),
    )
}
