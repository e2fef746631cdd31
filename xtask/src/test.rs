use crate::process::{self, Outcome};
use crate::viewer;

/// Every test of the workspace.
pub(crate) fn run(options: &[String]) -> Outcome {
    // The report's tests look at the page with the viewer where it can be had.
    viewer::build_if_possible();
    let mut tests = process::in_root(process::cargo_program());
    tests.args(["test", "--workspace"]).args(options);
    let beside = process::root().join("../shared/data");
    if std::env::var_os("ARCUATE_DATA").is_some() || beside.is_dir() {
        // Where real scans are, a test that does not find its own is wrong, not skipped.
        tests.env("ARCUATE_DATA_REQUIRED", "1");
    } else {
        eprintln!("xtask: no real scans (set ARCUATE_DATA): the tests that need them check nothing");
    }
    process::run(&mut tests)
}
