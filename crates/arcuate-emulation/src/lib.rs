//! Runs Arcuate's CUDA kernels on the processor, behind a stand-in for NVIDIA's driver, so that tests exercise the whole
//! GPU half (allocation, copies, launches, the kernels themselves) on machines without a GPU. For tests only.
//!
//! [`load`] puts the stand-in where the driver is looked for. Environment:
//!
//! | variable | meaning |
//! |---|---|
//! | `ARCUATE_TEST_DEVICE=cuda` | use the real driver: `load` does nothing |
//! | `ARCUATE_EMULATION_REQUIRED=1` | a test that cannot have the emulation fails instead of being skipped |
//! | `ARCUATE_EMULATION_ORDER` | seed of the order in which threads, blocks and streams run; 0 is the natural one, 1 the default |
//! | `ARCUATE_EMULATION_DEVICES` | number of devices, 2 |
//! | `ARCUATE_EMULATION_MEMORY` | bytes of memory of each, 1 GiB |
//! | `ARCUATE_EMULATION_CAPABILITY` | their compute capability times ten, 90; with commas, that of each, the last for all that follow |
//! | `ARCUATE_EMULATION_DRIVER` | the driver's version, 12040 |
//! | `ARCUATE_EMULATION_THREADS` | worker threads, at most 8 |
//! | `ARCUATE_EMULATION_BREAK` | a family, the path of a `kernels.cu` from the root of the workspace: no launch of its kernels succeeds |
//! | `ARCUATE_EMULATION_LAUNCHES` | a file, to which each process adds the families whose kernels it launches |
//!
//! Kernels are compiled when the tests are built. `ARCUATE_EMULATION_SANITIZE=address,undefined` at that time puts the
//! sanitizers into them (`cargo xtask sanitize`).

#![allow(unsafe_code)]

mod control;

pub use control::{Faults, LiveAllocations, families, last_report, live_allocations, set_order};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::path::Path;
use std::sync::OnceLock;

static LOADED: OnceLock<Result<Library, String>> = OnceLock::new();

/// Makes the stand-in driver the one that is found under the names `libcuda.so.1` and `libcuda.so`. To be called before
/// the program looks for a driver; later calls do nothing.
///
/// # Errors
///
/// In one line, why kernels cannot be emulated here.
pub fn load() -> Result<(), String> {
    if on_real_device() {
        return Ok(());
    }
    LOADED.get_or_init(open).as_ref().map(|_| ()).map_err(Clone::clone)
}

/// Whether `test` can use device "cuda:0", emulated or, with `ARCUATE_TEST_DEVICE=cuda`, real. Says on standard error that
/// the test is skipped where not.
///
/// # Panics
///
/// With `ARCUATE_EMULATION_REQUIRED=1`, where it would say so.
pub fn available(test: &str) -> bool {
    let Err(why) = load() else { return true };
    assert!(std::env::var_os("ARCUATE_EMULATION_REQUIRED").is_none_or(|value| value != "1"), "{test}: {why}");
    eprintln!("skipped {test}: {why}");
    false
}

/// Whether the device under test is the emulated one, whose faults and order tests can choose.
pub fn emulated() -> bool {
    matches!(LOADED.get(), Some(Ok(_)))
}

/// The folder of the stand-in driver, for the library path of programs that tests start (`LD_LIBRARY_PATH`); none where
/// there is no emulation, or it is not the device under test.
pub fn library_folder() -> Option<&'static Path> {
    load().ok()?;
    if emulated() {
        option_env!("ARCUATE_EMULATION_LIBRARY").and_then(|path| Path::new(path).parent())
    } else {
        None
    }
}

/// Whether the emulated kernels carry sanitizers, which end the process at the first wrong access.
pub fn sanitized() -> bool {
    let path = option_env!("ARCUATE_EMULATION_LIBRARY").map(Path::new);
    path.and_then(Path::parent).is_some_and(|folder| folder.ends_with("sanitized"))
}

fn on_real_device() -> bool {
    std::env::var_os("ARCUATE_TEST_DEVICE").is_some_and(|value| value == "cuda")
}

fn open() -> Result<Library, String> {
    let Some(path) = option_env!("ARCUATE_EMULATION_LIBRARY").map(Path::new) else {
        return Err(option_env!("ARCUATE_EMULATION_WHY").unwrap_or("the emulation was not built").to_owned());
    };
    let needs_sanitizer = path.parent().is_some_and(|folder| folder.ends_with("sanitized"));
    if needs_sanitizer
        && std::env::var_os("LD_PRELOAD").is_none_or(|list| !list.to_string_lossy().contains("asan"))
    {
        return Err(
            "the emulation was built with sanitizers: run the tests by `cargo xtask sanitize`".to_owned()
        );
    }
    let library = open_for_all(path)?;
    // It stays loaded: nobody who found the driver by name lets go of it.
    std::mem::forget(open_for_all(&path.with_file_name("libcuda.so"))?);
    Ok(library)
}

fn open_for_all(path: &Path) -> Result<Library, String> {
    // SAFETY: what runs on loading are the C++ initialisers of our own library, which only build its tables.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.map_err(|e| {
        format!("{}: the emulation cannot be loaded ({e}); build the tests anew", path.display())
    })
}
