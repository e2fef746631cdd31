//! Assembles the kernels that Arcuate generates at run time, as a GPU driver does.

use super::fetch;
use super::usage;
use crate::process::{self, Outcome};
use crate::side_by_side::side_by_side;
use crate::test_programs as programs;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The GPU architectures for which kernels are assembled: the oldest supported one, and the one of the
/// committed machine code.
const ARCHITECTURES: [&str; 2] = ["sm_75", "sm_90"];

/// The examples that write the kernels of the built-in models and of the solvers.
const WRITERS: [&str; 2] = ["write_ptx", "write_solver_kernels"];

/// Writes the kernels into a folder under `target`, assembles each, and prints its resource use.
pub(super) fn run() -> Outcome {
    let assembler = fetch::ASSEMBLER.path()?;
    let folder = process::target_folder().join("written-kernels");
    if folder.is_dir() {
        fs::remove_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    // The program is built as for tests, so that existing build products are used.
    let build = ["build", "--workspace", "--example", WRITERS[0], "--example", WRITERS[1]];
    let messages = programs::messages(
        process::in_root(process::cargo_program()).args(build).args(programs::features()),
    )?;
    for writer in WRITERS {
        let writer =
            programs::example(&messages, writer).ok_or("cargo does not print the path of an example")?;
        process::run(Command::new(writer).arg(&folder))?;
    }
    let mut files: Vec<PathBuf> = fs::read_dir(&folder)
        .map_err(|e| format!("{}: {e}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "ptx"))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("{}: no kernel was written", folder.display()));
    }
    for line in side_by_side(&files, |_, file| assemble(&assembler, file))? {
        println!("{line}");
    }
    Ok(())
}

/// Assembles a kernel for each architecture. Returns its resource use on the last one.
fn assemble(assembler: &Path, file: &Path) -> Result<String, String> {
    let name = file.file_stem().unwrap_or_default().display();
    let mut line = String::new();
    for architecture in ARCHITECTURES {
        let mut command = Command::new(assembler);
        command.args(["-v", "-arch", architecture, "-o"]).arg(file.with_extension("cubin")).arg(file);
        let output = command.output().map_err(|e| format!("{}: {e}", assembler.display()))?;
        let log = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return Err(format!("{name} on {architecture}: {}", log.trim()));
        }
        let (functions, _) = usage::read(&log);
        if functions.is_empty() {
            return Err(format!("{name} on {architecture}: no kernel came out"));
        }
        line = format!("{name} on {architecture}\n{}", usage::table(&functions));
    }
    Ok(line)
}
