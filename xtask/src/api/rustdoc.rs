//! Runs rustdoc for the library's crates and reads its JSON output.

use crate::process::{self, Outcome};
use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

/// This variable contains the path of rustdoc for the process that cargo runs instead of rustdoc.
const PROGRAM: &str = "ARCUATE_XTASK_RUSTDOC";
/// Options of rustdoc for JSON output.
const JSON: [&str; 4] = ["-Z", "unstable-options", "--output-format", "json"];

/// Runs rustdoc with unstable options, if cargo started this process as rustdoc. Otherwise returns `None`.
///
/// The variable `RUSTC_BOOTSTRAP` allows unstable options. It must not be set for cargo, because some build scripts
/// read it, and cargo would compile these dependencies again.
pub(crate) fn act_as_rustdoc() -> Option<ExitCode> {
    let program = std::env::var_os(PROGRAM)?;
    let status = Command::new(program).args(std::env::args_os().skip(1)).env("RUSTC_BOOTSTRAP", "1").status();
    Some(if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Returns the format of the JSON output of the installed rustdoc.
pub(crate) fn format() -> Result<u64, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("no temporary folder ({e})"))?;
    let source = folder.path().join("empty.rs");
    fs::write(&source, "").map_err(|e| format!("{}: {e}", source.display()))?;
    let mut rustdoc = Command::new(program());
    rustdoc.arg(&source).arg("--out-dir").arg(folder.path()).args(JSON).env("RUSTC_BOOTSTRAP", "1");
    process::run(&mut rustdoc)?;
    read(&folder.path().join("empty.json"))?["format_version"]
        .as_u64()
        .ok_or_else(|| "rustdoc's output states no format".to_owned())
}

/// Documents the workspace, with warnings as errors.
pub(crate) fn pages() -> Outcome {
    process::run(&mut documentation(&[]))
}

fn documentation(options: &[&str]) -> Command {
    let mut doc = process::in_root(process::cargo_program());
    // Without dev-dependencies, some crates have fewer features, and the emulated kernels would be compiled again.
    doc.args(["doc", "--quiet", "--workspace", "--no-deps", "--exclude", "arcuate-emulation"]);
    doc.env("RUSTDOCFLAGS", [&["--deny", "warnings"], options].concat().join(" "));
    doc
}

/// Returns the JSON output of rustdoc for `arcuate` and each crate of the workspace that it uses, by crate name. The output
/// of all crates of the workspace is made, because rustdoc reports the same warnings for JSON as for pages, and they are
/// errors.
pub(crate) fn crates() -> Result<BTreeMap<String, Value>, String> {
    let this = std::env::current_exe().map_err(|e| format!("the path of xtask is unknown ({e})"))?;
    process::run(documentation(&JSON).env("RUSTDOC", this).env(PROGRAM, program()))?;
    let folder = process::target_folder().join("doc");
    names()?
        .iter()
        .map(|name| {
            let name = name.replace('-', "_");
            let output = read(&folder.join(format!("{name}.json")))?;
            Ok((name, output))
        })
        .collect()
}

/// Returns the rustdoc of this machine.
fn program() -> OsString {
    std::env::var_os("RUSTDOC").unwrap_or_else(|| "rustdoc".into())
}

/// Reads a JSON file.
fn read(path: &Path) -> Result<Value, String> {
    let text = fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    serde_json::from_slice(&text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Returns `arcuate`, and the crates of the workspace among its dependencies.
fn names() -> Result<Vec<String>, String> {
    let path = process::root().join("crates/arcuate/Cargo.toml");
    let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut names = vec!["arcuate".to_owned()];
    let dependencies = text.lines().skip_while(|line| line.trim() != "[dependencies]").skip(1);
    for line in dependencies.take_while(|line| !line.starts_with('[')) {
        let name = line.split(['.', ' ', '=']).next().unwrap_or_default();
        if name.starts_with("arcuate-") {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}
