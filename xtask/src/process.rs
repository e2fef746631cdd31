//! Running programs from the root of the checkout.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Success, or a one-line error.
pub(crate) type Outcome = Result<(), String>;

/// Returns the root of the checkout.
pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// Returns the folder of cargo's products.
pub(crate) fn target_folder() -> PathBuf {
    let chosen = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    root().join(chosen)
}

/// Returns the cargo program that runs this.
pub(crate) fn cargo_program() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_owned())
}

/// Returns a command that runs in the root of the checkout.
pub(crate) fn in_root(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs cargo in the root of the checkout.
pub(crate) fn cargo(arguments: &[&str], more: &[String]) -> Outcome {
    run(in_root(cargo_program()).args(arguments).args(more))
}

/// Builds xtask with a feature, and runs a task with it.
pub(crate) fn with_feature(feature: &str, task: &str, options: &[String]) -> Outcome {
    cargo(&["run", "--quiet", "--package", "xtask", "--features", feature, "--", task], options)
}

/// Runs a program and waits for its end.
pub(crate) fn run(command: &mut Command) -> Outcome {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|e| format!("{name} cannot be run ({e})"))?;
    if status.success() { Ok(()) } else { Err(format!("{name} failed ({status})")) }
}
