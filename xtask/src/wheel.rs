//! The wheel of the Python package. It is built for older Linux systems, installed in an otherwise empty environment,
//! and tested there.

use crate::process::{self, Outcome};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages that build the wheel. Zig links against an old C library, whatever library this machine has.
const TOOLS: [&str; 2] = ["maturin>=1.9,<2", "ziglang>=0.14,<0.16"];
/// The tag of a wheel for Linux systems with a C library of 2018 or newer: Debian 10, Ubuntu 18.10, RHEL 8.
const LINUX: &str = "manylinux_2_28";
/// The maximum size of a wheel in bytes.
const MOST: u64 = 40_000_000;
/// Processor architectures, each with the compiler's name for Linux on it. The first is that of this machine.
const TARGETS: [(&str, &str); 2] =
    [("x86_64", "x86_64-unknown-linux-gnu"), ("aarch64", "aarch64-unknown-linux-gnu")];

/// The test program for an environment with only the wheel.
const TRIAL: &str = "
import arcuate as ar
brain = ar.simulate(voxel_size=6, directions=12, b_value=1000)
maps = ar.fit_tensor(brain.dwi, brain.gradients, brain.mask)
tracks = ar.track_tensor(maps.tensor, mask=brain.mask, select=200)
life = ar.evaluate_life(tracks, brain.dwi, brain.gradients, brain.mask, device='cpu')
fit = ar.fit('ball-1-stick', brain.dwi, brain.gradients, brain.mask, device='cpu')
assert len(tracks) == 200 and (life.weights > 0).any() and fit.voxels > 100
print('arcuate', ar.__version__, 'works:', life, ar.devices()[0].description)
";

/// Builds the wheel for this processor architecture, installs it and tests it. If the compiler supports the
/// other architecture, also builds the wheel for that one.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    if !arguments.is_empty() {
        return Err("`wheel` takes nothing".to_owned());
    }
    let tools = environment("wheel-tools", &TOOLS)?;
    let out = process::target_folder().join("wheels");
    remove(&out)?;
    for (processor, target) in TARGETS {
        let is_own = processor == std::env::consts::ARCH;
        if !is_own && !has_target(target) {
            println!(
                "{processor}: not built, for the compiler lacks it; `rustup target add {target}` brings it"
            );
            continue;
        }
        let mut path = std::ffi::OsString::from(tools.join("bin"));
        path.push(":");
        path.push(std::env::var_os("PATH").unwrap_or_default());
        let mut maturin = process::in_root(tools.join("bin/maturin"));
        maturin
            .args(["build", "--release", "--zig", "--compatibility", LINUX, "--target", target, "--out"])
            .arg(&out);
        process::run(maturin.env("PATH", path))?;
    }
    for wheel in wheels(&out)? {
        let bytes = fs::metadata(&wheel).map_err(|e| format!("{}: {e}", wheel.display()))?.len();
        println!("{}: {:.1} MB", wheel.display(), bytes as f64 / 1e6);
        if bytes > MOST {
            return Err(format!("{} has more than {} MB", wheel.display(), MOST / 1_000_000));
        }
    }
    let own =
        wheels(&out)?.into_iter().find(|wheel| wheel.to_string_lossy().contains(std::env::consts::ARCH));
    let own = own.ok_or("there is no wheel for this processor")?;
    let clean = environment("wheel-trial", &[own.to_string_lossy().as_ref()])?;
    // Runs in another folder, so that Python imports the installed package and not the source folder.
    process::run(Command::new(clean.join("bin/python")).current_dir(&clean).args(["-c", TRIAL]))
}

/// Creates a Python environment with these packages.
fn environment(name: &str, packages: &[&str]) -> Result<PathBuf, String> {
    let folder = process::target_folder().join("tools").join(name);
    process::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    let mut pip = Command::new(folder.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(packages);
    process::run(&mut pip)?;
    Ok(folder)
}

/// Returns whether the compiler has the standard library of a target.
fn has_target(target: &str) -> bool {
    let libdir = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output();
    libdir.is_ok_and(|answer| Path::new(String::from_utf8_lossy(&answer.stdout).trim()).is_dir())
}

fn wheels(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let say = |e: std::io::Error| format!("{}: {e}", folder.display());
    let files = fs::read_dir(folder).map_err(say)?.map(|entry| entry.map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = files.collect::<Result<_, _>>().map_err(say)?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "whl"));
    files.sort();
    Ok(files)
}

fn remove(folder: &Path) -> Outcome {
    match fs::remove_dir_all(folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(format!("{}: {e}", folder.display())),
        _ => Ok(()),
    }
}
