//! Emulation of CUDA on the CPU. A library that replaces NVIDIA's driver runs Arcuate's kernels. Tests can
//! thus exercise the complete GPU implementation (allocation, copies, launches, the kernels themselves) on
//! machines without a GPU. The emulation is for tests only.
//!
//! [`load`] makes the program find the emulated driver instead of NVIDIA's driver. The following environment
//! variables control the emulated driver:
//!
//! | variable | meaning |
//! |---|---|
//! | `ARCUATE_TEST_DEVICE=cuda` | use the real driver: `load` does nothing |
//! | `ARCUATE_EMULATION_REQUIRED=1` | if the emulation is not available, tests fail instead of being skipped |
//! | `ARCUATE_NO_FALLBACK=1` | set by [`available`]: GPU failures are errors, without fallback |
//! | `ARCUATE_EMULATION_ORDER` | seed of the order in which threads, blocks and streams run; 0 is the natural order, 1 the default |
//! | `ARCUATE_EMULATION_DEVICES` | number of devices, default 2 |
//! | `ARCUATE_EMULATION_MEMORY` | memory of each device in bytes, default 1 GiB |
//! | `ARCUATE_EMULATION_CAPABILITY` | compute capability times ten, default 90; a comma-separated list sets each device, and the last value applies to all further ones |
//! | `ARCUATE_EMULATION_DRIVER` | version of the driver, default 12040 |
//! | `ARCUATE_EMULATION_THREADS` | number of worker threads, default at most 8 |
//! | `ARCUATE_EMULATION_BREAK` | name of a kernel whose launches all fail |
//! | `ARCUATE_EMULATION_IDLE` | name of a kernel whose launches succeed but do nothing |
//! | `ARCUATE_EMULATION_LAUNCHES` | a file to which each process appends the kernels that it launches, and whether fallback is allowed |
//! | `ARCUATE_EMULATION_LIBRARY` | a kernel library to use instead of the one built with the tests |
//!
//! Kernels that are generated at run time are not in any `kernels.cu`. If the PTX text (assembly code for
//! GPUs) of a module contains a kernel (`.entry`) that was not compiled with the tests, the emulated driver
//! interprets the PTX. The interpreter executes one instruction of one warp at a time, with bit-exact IEEE
//! 754 arithmetic. NaN payloads are also those of an H200, unless several 64-bit NaNs are combined.
//! Unsupported PTX is rejected with its line number, as `ptxas` would do. Sums and products without the
//! rounding mode `.rn` are also rejected, because `ptxas` may fuse them. A launch fails on an access outside
//! allocations and arrays, on use of an unwritten register, and on a deadlock of threads. The error names the
//! kernel, block, thread, line and instruction. Generated kernels are listed in `driver/written_kernels.inc`.
//! The variables `ARCUATE_EMULATION_BREAK` and `ARCUATE_EMULATION_IDLE` also accept the names of generated
//! kernels.
//!
//! Kernels in `kernels.cu` are compiled when the tests are built. If
//! `ARCUATE_EMULATION_SANITIZE=address,undefined` is set during the build, the compiled kernels contain the
//! compiler's sanitizers for invalid memory access and undefined behaviour. `cargo xtask sanitize` builds
//! such a library and runs ordinary tests with it.

#![allow(clippy::expect_used, clippy::panic, reason = "only tests use this crate")]
#![allow(unsafe_code)]

mod control;

pub use control::{Faults, LiveAllocations, kernels, last_report, live_allocations, set_order};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

static LOADED: OnceLock<Result<Library, String>> = OnceLock::new();

/// Loads the emulated driver under the names `libcuda.so.1` and `libcuda.so`. A program must call this
/// function before it looks for a driver. Later calls do nothing.
///
/// # Errors
///
/// Returns the reason why kernels cannot be emulated, in one line.
pub fn load() -> Result<(), String> {
    if on_real_device() {
        return Ok(());
    }
    LOADED.get_or_init(open).as_ref().map(|_| ()).map_err(Clone::clone)
}

/// Returns whether the test named `test` can use the device "cuda:0". The device is emulated, or a real GPU
/// if `ARCUATE_TEST_DEVICE=cuda` is set. If there is no such device, the function reports on standard error
/// that the test is skipped.
///
/// The function also disables every fallback after a GPU failure (to the CPU, or to smaller pieces of work),
/// in this process and its child processes. GPU failures are then errors of the test. Tests of fallbacks call
/// [`available_with_fallback`].
///
/// # Panics
///
/// Panics if the device is not available and `ARCUATE_EMULATION_REQUIRED=1` is set, or if another test of this process
/// needs fallbacks.
pub fn available(test: &str) -> bool {
    is_available(test, false)
}

/// Returns the same as [`available`], for tests of the fallback itself. If the GPU fails to do some work, the
/// CPU does this work, as for users. Such tests must be in a separate test program (`tests/faults`),
/// because a fallback in any other test could hide a broken kernel.
///
/// # Panics
///
/// Panics in the same cases as [`available`], or if another test of this process forbids fallbacks.
pub fn available_with_fallback(test: &str) -> bool {
    is_available(test, true)
}

fn is_available(test: &str, with_fallback: bool) -> bool {
    static CHOSEN: OnceLock<bool> = OnceLock::new();
    let chosen = *CHOSEN.get_or_init(|| {
        // SAFETY: other Rust code that reads the environment waits for this only writer. The emulated driver, which is
        // not Rust code, is loaded later.
        unsafe { std::env::set_var("ARCUATE_NO_FALLBACK", if with_fallback { "0" } else { "1" }) };
        with_fallback
    });
    assert!(
        chosen == with_fallback,
        "{test}: tests with and without fallbacks are in one process; put those of the fallback into a program of their own"
    );
    let Err(why) = load() else { return true };
    assert!(std::env::var_os("ARCUATE_EMULATION_REQUIRED").is_none_or(|value| value != "1"), "{test}: {why}");
    eprintln!("skipped {test}: {why}");
    false
}

/// Returns whether the tested device is the emulated one. Only then can tests request faults and set the
/// order of execution.
pub fn emulated() -> bool {
    matches!(LOADED.get(), Some(Ok(_)))
}

/// Returns the folder of the emulated driver, for the library path (`LD_LIBRARY_PATH`) of programs that the
/// test named `test` starts. Returns `None` if kernels cannot be emulated or if a real GPU is tested. As with
/// [`available`], programs that the test starts do not fall back to the CPU.
///
/// # Panics
///
/// Panics in the same cases as [`available`].
pub fn library_folder(test: &str) -> Option<&'static Path> {
    if available(test) && emulated() { library().and_then(Path::parent) } else { None }
}

/// Returns whether the emulated kernels contain sanitizers, which end the process at the first invalid memory
/// access.
pub fn sanitized() -> bool {
    library().and_then(Path::parent).is_some_and(|folder| folder.ends_with("sanitized"))
}

/// Returns the path of the library with the emulated driver and kernels that tests load.
fn library() -> Option<&'static Path> {
    static CHOSEN: OnceLock<Option<PathBuf>> = OnceLock::new();
    let chosen = || {
        let own = || option_env!("ARCUATE_EMULATION_LIBRARY").map(OsString::from);
        std::env::var_os("ARCUATE_EMULATION_LIBRARY").or_else(own).map(PathBuf::from)
    };
    CHOSEN.get_or_init(chosen).as_deref()
}

fn on_real_device() -> bool {
    std::env::var_os("ARCUATE_TEST_DEVICE").is_some_and(|value| value == "cuda")
}

fn open() -> Result<Library, String> {
    let Some(path) = library() else {
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
    // The library of the emulated driver is never unloaded, because code that has found the driver by name
    // keeps using it.
    std::mem::forget(open_for_all(&path.with_file_name("libcuda.so"))?);
    Ok(library)
}

fn open_for_all(path: &Path) -> Result<Library, String> {
    // SAFETY: loading runs only the C++ initialisers of the emulation's own library, which build its tables.
    unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.map_err(|e| {
        format!("{}: the emulation cannot be loaded ({e}); build the tests anew", path.display())
    })
}
