//! The wheel of the Python package. It is built for older Linux systems, installed in an otherwise empty environment,
//! and tested there.

use crate::old_systems;
use crate::process::{self, Outcome};
use crate::zig::{self, ZIG};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The packages that build the wheel.
const TOOLS: [&str; 2] = ["maturin>=1.9,<2", ZIG];
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
/// other architecture, also builds the wheel for that one. With `--try`, the wheel is also tested on an older
/// system.
pub(crate) fn run(arguments: &[String]) -> Outcome {
    let is_tried = match arguments {
        [] => false,
        [one] if one == "--try" => true,
        _ => return Err("`wheel` takes nothing but `--try`".to_owned()),
    };
    let compatibility = format!("manylinux_2_{}", zig::GLIBC);
    let tools = zig::environment("wheel-tools", &TOOLS)?;
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
        let mut maturin = process::in_root(tools.join("bin/maturin"));
        maturin
            .args(["build", "--profile", "wheel", "--zig", "--compatibility", &compatibility])
            .args(["--target", target, "--out"])
            .arg(&out);
        process::run(maturin.env("PATH", zig::path_with(&tools)))?;
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
    let clean = zig::environment("wheel-trial", &[own.to_string_lossy().as_ref()])?;
    // Runs in another folder, so that Python imports the installed package and not the source folder.
    process::run(Command::new(clean.join("bin/python")).current_dir(&clean).args(["-c", TRIAL]))?;
    if is_tried { old_systems::try_wheel(&own, TRIAL) } else { Ok(()) }
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
