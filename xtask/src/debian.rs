//! Packages of any release of Debian, unpacked into a folder. This machine's system stays unchanged, but it must be
//! a Debian or Ubuntu with apt.

use crate::process;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Fetches packages of a release of Debian and all packages that they depend on, and unpacks them into a
/// folder below `target`. Returns the folder. `foreign` lists further processor architectures, and a package
/// of such an architecture is named `PACKAGE:ARCHITECTURE`. The error is one line.
pub(crate) fn unpacked(
    release: &str,
    foreign: &[&str],
    packages: &[&str],
    name: &str,
) -> Result<PathBuf, String> {
    let folder = absolute(&process::target_folder().join("tools").join(name))?;
    let root = folder.join("root");
    let wanted = format!("{release} {foreign:?} {packages:?}");
    let done = folder.join("unpacked.txt");
    if fs::read_to_string(&done).is_ok_and(|earlier| earlier == wanted) {
        return Ok(root);
    }
    let own = answer(Command::new("dpkg").arg("--print-architecture"))?.trim().to_owned();
    remove(&folder)?;
    for path in ["state/lists/partial", "cache/archives/partial", "root"] {
        make_folder(&folder.join(path))?;
    }
    write(&folder.join("sources.list"), &format!("deb {} {release} main\n", mirror()?))?;
    // The list of installed packages is empty, so all dependencies are fetched.
    write(&folder.join("status"), "")?;
    let architectures = [&[own.as_str()], foreign].concat().join(",");
    let at = |key: &str, path: &str| format!("{key}={}", folder.join(path).display());
    let options = [
        at("Dir::Etc::SourceList", "sources.list"),
        "Dir::Etc::SourceParts=/dev/null".to_owned(),
        at("Dir::State", "state"),
        at("Dir::State::status", "status"),
        at("Dir::Cache", "cache"),
        format!("APT::Architectures={architectures}"),
        "APT::Sandbox::User=root".to_owned(),
        "Acquire::Retries=2".to_owned(),
    ];
    let apt = |words: &[&str]| {
        let mut command = Command::new("apt-get");
        command.arg("--quiet").arg("--quiet").env("LC_ALL", "C");
        for option in &options {
            command.arg("--option").arg(option);
        }
        answer(command.args(words))
    };
    apt(&["update", "--error-on=any"])?;
    apt(&[&["install", "--yes", "--download-only", "--no-install-recommends"], packages].concat())?;
    for file in fs::read_dir(folder.join("cache/archives")).map_err(|e| format!("{e}"))?.flatten() {
        if file.path().extension().is_some_and(|ending| ending == "deb") {
            answer(Command::new("dpkg-deb").arg("--extract").arg(file.path()).arg(&root))?;
        }
    }
    write(&done, &wanted)?;
    Ok(root)
}

/// Returns the address from which this machine fetches Debian's packages.
fn mirror() -> Result<String, String> {
    let mut command = Command::new("apt-get");
    command.args(["indextargets", "--format", "$(REPO_URI)", "Created-By: Packages", "Label: Debian"]);
    let lines = answer(&mut command)?;
    lines.lines().next().map(str::to_owned).ok_or_else(|| "apt has no list of Debian's packages".to_owned())
}

/// Returns the output of a program. The error is the last line that the program printed.
fn answer(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|e| format!("{name} cannot be run ({e})"))?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(format!("{name} failed: {}", errors.trim().lines().last().unwrap_or("it printed no reason")))
}

fn absolute(path: &Path) -> Result<PathBuf, String> {
    make_folder(path)?;
    path.canonicalize().map_err(|e| format!("{}: {e}", path.display()))
}

fn make_folder(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn remove(path: &Path) -> Result<(), String> {
    fs::remove_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}
