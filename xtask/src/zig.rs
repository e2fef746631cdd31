//! Programs for older Linux systems: Zig links them against an old C library, whatever library this machine has.

use crate::process;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

/// The package with Zig.
pub(crate) const ZIG: &str = "ziglang>=0.14,<0.16";
/// The oldest glibc, 2.`n`, that programs for users need: of Debian 10, Ubuntu 18.10 and RHEL 8.
pub(crate) const GLIBC: u32 = 28;

/// Creates a Python environment with these packages.
pub(crate) fn environment(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let folder = process::target_folder().join("tools").join(name);
    process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    process::run(&mut pip)?;
    Ok(folder)
}

/// Returns the variable `PATH` with the programs of a Python environment before all others.
pub(crate) fn path_with(environment: &std::path::Path) -> OsString {
    let mut path = OsString::from(environment.join("bin"));
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    path
}
