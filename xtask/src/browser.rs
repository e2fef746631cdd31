//! A report in a real browser: nothing is requested, the viewer draws.

use crate::process::{self, Outcome};
use crate::{demo, viewer};

/// Makes a report of a small simulated brain, by the program that `--program` names or by the demonstration's, and opens it in
/// headless Chromium.
pub(crate) fn run(options: &[String]) -> Outcome {
    let program = match options {
        [] => None,
        [option, program] if option == "--program" => Some(program),
        _ => return Err("`browser-test` takes nothing, or --program FILE".to_owned()),
    };
    viewer::install()?;
    let folder = process::root().join("target/browser-test");
    let out = folder.to_string_lossy().into_owned();
    let options = ["--out".to_owned(), out, "--select".to_owned(), "2000".to_owned()];
    match program {
        Some(program) => {
            let program = std::fs::canonicalize(program).map_err(|e| format!("{program}: {e}"))?;
            process::run(process::in_root(program).args(["demo", "--force"]).args(&options))?;
        }
        None => demo::run(&options)?,
    }
    process::run(
        process::in_root("npm")
            .args(["--prefix", "viewer", "test"])
            .env("ARCUATE_REPORT", folder.join("results/report.html"))
            .env("ARCUATE_SCREENSHOT", folder.join("report.png")),
    )
}
