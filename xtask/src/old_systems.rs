//! Trials of the archive and of the wheel on old systems. The systems consist of packages of older releases of
//! Debian, in folders that become the root folder of the tried program. The program sees no file of this machine.

use crate::debian;
use crate::process::{self, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// If this variable is set, a trial fails if the packages of the old system cannot be fetched.
const REQUIRED: &str = "ARCUATE_OLD_SYSTEM_REQUIRED";
/// The oldest release whose packages Debian's mirrors have. Its glibc is 2.31.
const OLDEST: &str = "bullseye";
/// The oldest release with a Python that the wheel supports. Its glibc is 2.36.
const OLDEST_WITH_PYTHON: &str = "bookworm";
/// The platforms of wheels that pip may choose, for any Linux since 2014.
const PLATFORMS: [&str; 3] = ["manylinux_2_28", "manylinux_2_27", "manylinux2014"];

/// Unpacks an archive on an old system that has only the C library, and runs its program.
pub(crate) fn try_archive(archive: &Path) -> Outcome {
    let Some(root) = system(OLDEST, &["libc6", "libgcc-s1"], "old-system")? else { return Ok(()) };
    let place = root.join("opt");
    clear(&place)?;
    clear(&root.join("tmp"))?;
    process::run(
        Command::new("tar").args(["--strip-components=1", "-xzf"]).arg(archive).arg("-C").arg(&place),
    )?;
    process::run(inside(&root)?.args(["/opt/bin/arcuate", "--version"]))?;
    // The program sees `root` as its root folder, so this path is below `root`.
    let demo = ["demo", "--voxel-size", "8", "--select", "500", "--out", "/tmp/demo", "--quiet"];
    process::run(inside(&root)?.arg("/opt/bin/arcuate").args(demo))?;
    if !root.join("tmp/demo").is_dir() {
        return Err("the demo on an old system has written no results".to_owned());
    }
    println!("the archive works on Debian {OLDEST} with nothing but its C library");
    Ok(())
}

/// Runs a Python program with the wheel on the oldest system that has a supported Python. Checks the library of the
/// wheel with the dynamic linker of an even older system.
pub(crate) fn try_wheel(wheel: &Path, trial: &str) -> Outcome {
    let packages = ["python3-minimal", "libpython3-stdlib", "libstdc++6"];
    let Some(python) = system(OLDEST_WITH_PYTHON, &packages, "old-python")? else { return Ok(()) };
    let Some(oldest) = system(OLDEST, &["libc6", "libgcc-s1"], "old-system")? else { return Ok(()) };
    let place = python.join("opt");
    clear(&place)?;
    clear(&python.join("tmp"))?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"])
        .args(["--only-binary", ":all:", "--implementation", "cp", "--python-version", "3.11"])
        .args(["--abi", "cp311", "--abi", "abi3", "--abi", "none", "--target"])
        .arg(&place);
    for platform in PLATFORMS {
        pip.arg("--platform").arg(format!("{platform}_{}", std::env::consts::ARCH));
    }
    process::run(pip.arg(wheel))?;
    process::run(inside(&python)?.env("PYTHONPATH", "/opt").args(["/usr/bin/python3", "-c", trial]))?;
    // The dynamic linker of the oldest system checks the versions of all functions. Its Python is too old to import
    // the package.
    clear(&oldest.join("opt"))?;
    let library = "arcuate/_arcuate.abi3.so";
    copy(&place.join(library), &oldest.join("opt/library.so"))?;
    let linker = linker(&oldest)?;
    process::run(inside(&oldest)?.arg(linker).args(["--list", "/opt/library.so"]))?;
    println!(
        "the wheel works on Debian {OLDEST_WITH_PYTHON}, and its library needs nothing newer than Debian {OLDEST}"
    );
    Ok(())
}

/// Returns the root folder of an old system with these packages. If they cannot be fetched, returns `None` and
/// prints the reason, or returns an error if the trial is required.
fn system(release: &str, packages: &[&str], name: &str) -> Result<Option<PathBuf>, String> {
    match debian::unpacked(release, &[], packages, name) {
        Ok(root) => Ok(Some(root)),
        Err(error) if std::env::var_os(REQUIRED).is_some() => Err(format!("Debian {release}: {error}")),
        Err(error) => {
            println!("not tried on an old system, because Debian {release} cannot be fetched: {error}");
            Ok(None)
        }
    }
}

/// Returns a command that runs a program in another root folder, without the variables of this process.
fn inside(root: &Path) -> Result<Command, String> {
    let user = Command::new("id").arg("-u").output().map_err(|e| format!("id cannot be run ({e})"))?;
    let mut command = if user.stdout.trim_ascii() == b"0" {
        Command::new("chroot")
    } else {
        // Other users may change the root folder in a namespace of their own.
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "chroot"]);
        command
    };
    command.arg(root).env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("LC_ALL", "C.UTF-8");
    Ok(command)
}

/// Returns the path of the dynamic linker of a system.
fn linker(root: &Path) -> Result<String, String> {
    for folder in ["lib64", "lib"] {
        let entries = fs::read_dir(root.join(folder)).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        if let Some(name) = names.into_iter().find(|name| name.starts_with("ld-linux")) {
            return Ok(format!("/{folder}/{name}"));
        }
    }
    Err(format!("{}: there is no dynamic linker", root.display()))
}

/// Creates a folder, or removes everything in it.
fn clear(folder: &Path) -> Outcome {
    let refuse = |e: std::io::Error| format!("{}: {e}", folder.display());
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(refuse(e)),
        _ => {}
    }
    fs::create_dir_all(folder).map_err(refuse)
}

fn copy(from: &Path, to: &Path) -> Outcome {
    fs::copy(from, to).map(|_| ()).map_err(|e| format!("{}: {e}", from.display()))
}
