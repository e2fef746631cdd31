//! Control of the emulated driver by tests: faults, execution order, and memory leaks.

use crate::LOADED;
use libloading::os::unix::Symbol;
use std::ffi::{CString, c_char};
use std::sync::{Mutex, MutexGuard};

/// Returns the function of the emulated CUDA driver that has this name.
///
/// # Safety
///
/// `F` is the type of the returned function. It must be the type that `driver/control.cpp` gives to this
/// function.
unsafe fn function<F>(name: &str) -> Symbol<F> {
    let Some(Ok(library)) = LOADED.get() else {
        panic!("{name}: only the emulated device can do this; ask `emulated()` first");
    };
    // SAFETY: the caller guarantees that `F` is the type of the function.
    unsafe { library.get(name) }.unwrap_or_else(|e| panic!("the stand-in driver lacks {name}: {e}"))
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Faults (failures of kernels and of driver calls, little memory) that a test requests. They affect any use
/// of the emulated driver in this process. Tests that use faults should therefore be in a separate test
/// program (`tests/faults`). Only one of these tests runs at a time; the others wait. Dropping this value
/// removes all faults.
pub struct Faults {
    _alone: MutexGuard<'static, ()>,
}

impl Faults {
    /// Waits until no other test uses faults of the emulated driver. Returns a value that requests faults;
    /// none is set at the start.
    ///
    /// # Panics
    ///
    /// Panics if the tested device is a real GPU instead of the emulated one.
    pub fn begin() -> Self {
        // If a test panics while it holds the lock of the faults, dropping this value still removes its
        // faults.
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let faults = Self { _alone: alone };
        faults.heal();
        faults
    }

    /// Removes all faults, repairs devices that a failed launch has broken, and clears the last report.
    #[allow(clippy::unused_self, reason = "only who holds the faults ends them")]
    pub fn heal(&self) {
        // SAFETY: the C function has the type `void ()`.
        unsafe { function::<unsafe extern "C" fn()>("arcuate_emulation_clear_faults")() }
    }

    /// Makes one allocation of device memory fail. Before it, `successes` more allocations succeed.
    pub fn fail_allocation_after(&self, successes: u64) {
        // SAFETY: the C function has the type `void (uint64_t)`.
        unsafe { function::<unsafe extern "C" fn(u64)>("arcuate_emulation_fail_allocation_after")(successes) }
    }

    /// Limits the memory of each device to `bytes`.
    pub fn limit_memory(&self, bytes: u64) {
        // SAFETY: the C function has the type `void (uint64_t)`.
        unsafe { function::<unsafe extern "C" fn(u64)>("arcuate_emulation_limit_memory")(bytes) }
    }

    /// Makes the `nth` launch from now (1 is the next) of the kernel `name` fail when the device executes it.
    /// If `name` is empty, launches of any kernel are counted. As on a GPU, everything on that device then
    /// fails until the returned value is dropped.
    pub fn fail_launch(&self, name: &str, nth: u64) {
        let name = CString::new(name).expect("kernels have no zero in their names");
        // SAFETY: the C function has the type `void (const char*, uint64_t)`, and copies the text.
        unsafe {
            function::<unsafe extern "C" fn(*const c_char, u64)>("arcuate_emulation_fail_launch")(
                name.as_ptr(),
                nth,
            );
        }
    }

    /// Makes the `nth` driver call from now (1 is the next) do nothing and return the error code `code`. Only
    /// driver calls that need a context are counted: those for memory, streams, events and kernels. `code`
    /// may be a number that no driver defines as an error.
    pub fn fail_call(&self, nth: u64, code: i32) {
        // SAFETY: the C function has the type `void (uint64_t, int)`.
        unsafe { function::<unsafe extern "C" fn(u64, i32)>("arcuate_emulation_fail_call")(nth, code) }
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        self.heal();
    }
}

/// Sets the order in which threads, blocks and streams run, like the environment variable
/// `ARCUATE_EMULATION_ORDER`.
pub fn set_order(seed: u64) {
    // SAFETY: the C function has the type `void (uint64_t)`.
    unsafe { function::<unsafe extern "C" fn(u64)>("arcuate_emulation_set_order")(seed) }
}

/// Device memory that was allocated and not freed: its size and number of allocations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveAllocations {
    /// Number of allocations.
    pub count: u64,
    /// Total size of the allocations in bytes.
    pub bytes: u64,
}

/// Returns the memory that is allocated on all emulated devices.
pub fn live_allocations() -> LiveAllocations {
    let mut live = LiveAllocations { count: 0, bytes: 0 };
    // SAFETY: the C function has the type `void (uint64_t*, uint64_t*)`, and writes one number to each
    // pointer.
    unsafe {
        function::<unsafe extern "C" fn(*mut u64, *mut u64)>("arcuate_emulation_live_allocations")(
            &raw mut live.count,
            &raw mut live.bytes,
        );
    }
    live
}

/// Returns the error report of the last kernel or driver call that failed. The report is empty if none has
/// failed. The report is also printed to standard error.
pub fn last_report() -> String {
    text_of("arcuate_emulation_last_report")
}

/// Returns the name of each emulated kernel, and the path of its `kernels.cu` relative to the workspace root.
/// A kernel that is in no such file has "written at run time" instead of the path.
pub fn kernels() -> Vec<[String; 2]> {
    let all = text_of("arcuate_emulation_kernels");
    let pair = |line: &str| line.split_once(' ').map(|(name, file)| [name.to_owned(), file.to_owned()]);
    all.lines().filter_map(pair).collect()
}

/// Returns the text that the function `name` of the emulated driver writes.
fn text_of(name: &str) -> String {
    let mut text = vec![0_u8; 1 << 14];
    loop {
        // SAFETY:
        // The called C function has the type `uint64_t (char*, uint64_t)`. It writes at most the given number
        // of bytes, and returns the complete length of its text.
        let length = unsafe {
            function::<unsafe extern "C" fn(*mut c_char, u64) -> u64>(name)(
                text.as_mut_ptr().cast(),
                text.len() as u64,
            )
        } as usize;
        if length < text.len() {
            text.truncate(length);
            return String::from_utf8_lossy(&text).into_owned();
        }
        text.resize(length + 1, 0);
    }
}
