//! Where the compiler comes from: `ARCUATE_NVRTC`, or the wheel that NVIDIA publishes, kept under `target`.

use crate::process::{self, Outcome};
use std::fs;
use std::path::{Path, PathBuf};

/// The one version whose products are committed: its PTX 8.4 loads from driver 550 on.
const VERSION: &str = "12.4.127";
const PACKAGE: &str = "nvidia-cuda-nvrtc-cu12";
const SHA256: &str = "a178759ebb095827bd30ef56598ec182b85547f1508941a3d560eb7ea1fbf338";
const LIBRARY: &str = "nvidia/cuda_nvrtc/lib/libnvrtc.so.12";

/// Path of the library, fetched if need be.
pub(super) fn library() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("ARCUATE_NVRTC") {
        let path = PathBuf::from(path);
        return if path.is_file() {
            Ok(path)
        } else {
            Err(format!("ARCUATE_NVRTC: {} is no file; name libnvrtc.so.12 of {VERSION}", path.display()))
        };
    }
    let folder = process::root().join("target/nvrtc");
    let library = folder.join(VERSION).join(LIBRARY);
    if !library.is_file() {
        fetch(&folder).map_err(|e| {
            format!(
                "{e}; the kernels' compiler comes by Python 3 with pip, for Linux on x86-64 (or set ARCUATE_NVRTC to \
                 libnvrtc.so.12 of {VERSION})"
            )
        })?;
    }
    Ok(library)
}

fn fetch(folder: &Path) -> Outcome {
    eprintln!("xtask: fetching {PACKAGE} {VERSION}");
    let unpacking = folder.join("unpacking");
    remove(&unpacking)?;
    fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let requirements = folder.join("requirements.txt");
    fs::write(&requirements, format!("{PACKAGE}=={VERSION} --hash=sha256:{SHA256}\n"))
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
    let wheel =
        folder.join(format!("{}-{VERSION}-py3-none-manylinux2014_x86_64.whl", PACKAGE.replace('-', "_")));
    process::run(
        process::in_root("python3").args(["-m", "zipfile", "--extract"]).arg(&wheel).arg(&unpacking),
    )?;
    // Under its own name only when it is whole: an interrupted run leaves nothing that looks like a compiler.
    let place = folder.join(VERSION);
    remove(&place)?;
    fs::rename(&unpacking, &place).map_err(|e| format!("{}: {e}", place.display()))
}

fn remove(folder: &Path) -> Outcome {
    if folder.is_dir() {
        fs::remove_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    Ok(())
}
