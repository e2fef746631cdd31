//! Runs Arcuate's CUDA kernels on the processor, behind a stand-in for NVIDIA's driver, so that tests exercise the whole
//! GPU half (allocation, copies, launches, the kernels themselves) on machines without a GPU. For tests only.
//!
//! [`load`] puts the stand-in where the driver is looked for. Environment:
//!
//! | variable | meaning |
//! |---|---|
//! | `ARCUATE_TEST_DEVICE=cuda` | use the real driver: `load` does nothing |
//! | `ARCUATE_EMULATION_REQUIRED=1` | a test that cannot have the emulation fails instead of being skipped |
//! | `ARCUATE_NO_FALLBACK=1` | set by [`available`]: what a GPU fails at is an error, not done elsewhere |
//! | `ARCUATE_EMULATION_ORDER` | seed of the order in which threads, blocks and streams run; 0 is the natural one, 1 the default |
//! | `ARCUATE_EMULATION_DEVICES` | number of devices, 2 |
//! | `ARCUATE_EMULATION_MEMORY` | bytes of memory of each, 1 GiB |
//! | `ARCUATE_EMULATION_CAPABILITY` | their compute capability times ten, 90; with commas, that of each, the last for all that follow |
//! | `ARCUATE_EMULATION_DRIVER` | the driver's version, 12040 |
//! | `ARCUATE_EMULATION_THREADS` | worker threads, at most 8 |
//! | `ARCUATE_EMULATION_BREAK` | the name of a kernel: none of its launches succeeds |
//! | `ARCUATE_EMULATION_IDLE` | the name of a kernel: its launches succeed and do nothing |
//! | `ARCUATE_EMULATION_LAUNCHES` | a file, to which each process adds the kernels that it launches, and whether it may fall back |
//! | `ARCUATE_EMULATION_LIBRARY` | another library of kernels than the one that was built with the tests |
//!
//! Kernels that are written at run time are in no `kernels.cu`: a module of PTX text with an `.entry` that none of those has is read
//! and interpreted, instruction by instruction with the bits of IEEE 754, a warp at a time. Of NaN, too, the bits are those of an
//! H200, where not several of 64 bits meet. What the subset of PTX lacks is refused as `ptxas` would, with the line; so are sums
//! and products without `.rn`, which `ptxas` fuses. Accesses outside of allocations and arrays, registers that nobody wrote, and
//! threads that wait for one another end the launch, with kernel, block, thread, line and instruction. The names of such kernels
//! stand in `driver/written_kernels.inc`, which `ARCUATE_EMULATION_BREAK` and `ARCUATE_EMULATION_IDLE` take, too.
//!
//! Kernels of `kernels.cu` are compiled when the tests are built. `ARCUATE_EMULATION_SANITIZE=address,undefined` at that time puts the
//! sanitizers into them; `cargo xtask sanitize` builds such a library and has ordinary tests load it.

#![allow(unsafe_code)]

mod control;

pub use control::{Faults, LiveAllocations, kernels, last_report, live_allocations, set_order};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
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
/// From now on nothing in this process, nor in those that it starts, falls back to the processor or to smaller pieces:
/// what the GPU fails at is the test's error. Tests of fallbacks ask [`available_with_fallback`].
///
/// # Panics
///
/// With `ARCUATE_EMULATION_REQUIRED=1`, where it would say so. Where a test of this process needs fallbacks.
pub fn available(test: &str) -> bool {
    is_available(test, false)
}

/// As [`available`] for tests of the fallback itself: work that the GPU fails at is done elsewhere, as for users. Such
/// tests have a process (a file) of their own, for a fallback in any other would make a broken kernel look right.
///
/// # Panics
///
/// As [`available`]; where another test of this process forbids fallbacks.
pub fn available_with_fallback(test: &str) -> bool {
    is_available(test, true)
}

fn is_available(test: &str, with_fallback: bool) -> bool {
    static CHOSEN: OnceLock<bool> = OnceLock::new();
    let chosen = *CHOSEN.get_or_init(|| {
        // SAFETY: Rust's other readers of the environment wait for this one writer, and the stand-in, whose code is not
        // Rust's, is loaded after it.
        unsafe { std::env::set_var("ARCUATE_NO_FALLBACK", if with_fallback { "0" } else { "1" }) };
        with_fallback
    });
    assert!(
        chosen == with_fallback,
        "{test}: tests with and without fallbacks are in one process; put those of the fallback into a file of their own"
    );
    let Err(why) = load() else { return true };
    assert!(std::env::var_os("ARCUATE_EMULATION_REQUIRED").is_none_or(|value| value != "1"), "{test}: {why}");
    eprintln!("skipped {test}: {why}");
    false
}

/// Whether the device under test is the emulated one, whose faults and order tests can choose.
pub fn emulated() -> bool {
    matches!(LOADED.get(), Some(Ok(_)))
}

/// The folder of the stand-in driver, for the library path of programs that `test` starts (`LD_LIBRARY_PATH`); none where
/// there is no emulation, or it is not the device under test. For the rest it is as [`available`]: no program that the
/// test starts falls back to the processor.
///
/// # Panics
///
/// As [`available`].
pub fn library_folder(test: &str) -> Option<&'static Path> {
    if available(test) && emulated() { library().and_then(Path::parent) } else { None }
}

/// Whether the emulated kernels carry sanitizers, which end the process at the first wrong access.
pub fn sanitized() -> bool {
    library().and_then(Path::parent).is_some_and(|folder| folder.ends_with("sanitized"))
}

/// The library of kernels that tests load.
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
