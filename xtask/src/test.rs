use crate::process::{Outcome, cargo};
use crate::viewer;

/// Every test of the workspace.
pub(crate) fn run(options: &[String]) -> Outcome {
    // The report's tests look at the page with the viewer where it can be had.
    viewer::build_if_possible()?;
    cargo(&["test", "--workspace"], options)
}
