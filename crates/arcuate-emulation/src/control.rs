//! What tests ask of the stand-in driver: faults, the order of things, what was left behind.

use crate::LOADED;
use libloading::os::unix::Symbol;
use std::ffi::{CString, c_char};
use std::sync::{Mutex, MutexGuard};

/// A function of the stand-in, by name.
///
/// # Safety
///
/// `F` must be the type that `driver/control.cpp` gives it.
unsafe fn function<F>(name: &str) -> Symbol<F> {
    let Some(Ok(library)) = LOADED.get() else {
        panic!("{name}: only the emulated device can do this; ask `emulated()` first");
    };
    // SAFETY: the caller's promise.
    unsafe { library.get(name) }.unwrap_or_else(|e| panic!("the stand-in driver lacks {name}: {e}"))
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Faults on request. They strike whoever comes next in this process, so that tests which use them belong into a file
/// (a process) of their own; among themselves they wait for one another. Dropping it heals.
pub struct Faults {
    _alone: MutexGuard<'static, ()>,
}

impl Faults {
    /// No fault yet.
    ///
    /// # Panics
    ///
    /// Where the device is not the emulated one.
    pub fn begin() -> Self {
        // A test that failed while it had this one has cleared its faults all the same.
        let alone = ONE_AT_A_TIME.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let faults = Self { _alone: alone };
        faults.heal();
        faults
    }

    /// Takes back what was asked for, heals devices that a failed launch has broken, and forgets the last report.
    #[allow(clippy::unused_self, reason = "only who holds the faults ends them")]
    pub fn heal(&self) {
        // SAFETY: void ().
        unsafe { function::<unsafe extern "C" fn()>("arcuate_emulation_clear_faults")() }
    }

    /// `successes` more allocations of device memory succeed; the one after them does not, once.
    pub fn fail_allocation_after(&self, successes: u64) {
        // SAFETY: void (uint64_t).
        unsafe { function::<unsafe extern "C" fn(u64)>("arcuate_emulation_fail_allocation_after")(successes) }
    }

    /// Devices have no more than `bytes` of memory from now on.
    pub fn limit_memory(&self, bytes: u64) {
        // SAFETY: void (uint64_t).
        unsafe { function::<unsafe extern "C" fn(u64)>("arcuate_emulation_limit_memory")(bytes) }
    }

    /// The `nth` launch from now (1 is the next) of kernel `name`, or of any where it is empty, fails when the device
    /// comes to it, and with it everything on that device until this guard is dropped, as on a GPU.
    pub fn fail_launch(&self, name: &str, nth: u64) {
        let name = CString::new(name).expect("kernels have no zero in their names");
        // SAFETY: void (const char*, uint64_t); the text is copied.
        unsafe {
            function::<unsafe extern "C" fn(*const c_char, u64)>("arcuate_emulation_fail_launch")(
                name.as_ptr(),
                nth,
            );
        }
    }

    /// The `nth` call from now (1 is the next) of those that need a context, which are all about memory, streams, events
    /// and kernels, does nothing and answers with `code`, a number that may be no error of any driver yet.
    pub fn fail_call(&self, nth: u64, code: i32) {
        // SAFETY: void (uint64_t, int).
        unsafe { function::<unsafe extern "C" fn(u64, i32)>("arcuate_emulation_fail_call")(nth, code) }
    }
}

impl Drop for Faults {
    fn drop(&mut self) {
        self.heal();
    }
}

/// Chooses the order in which threads, blocks and streams run from now on; see `ARCUATE_EMULATION_ORDER`.
pub fn set_order(seed: u64) {
    // SAFETY: void (uint64_t).
    unsafe { function::<unsafe extern "C" fn(u64)>("arcuate_emulation_set_order")(seed) }
}

/// Device memory that was allocated and not freed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveAllocations {
    /// How many allocations.
    pub count: u64,
    /// Their bytes together.
    pub bytes: u64,
}

/// The device memory in use, on all devices.
pub fn live_allocations() -> LiveAllocations {
    let mut live = LiveAllocations { count: 0, bytes: 0 };
    // SAFETY: void (uint64_t*, uint64_t*), which writes one number to each.
    unsafe {
        function::<unsafe extern "C" fn(*mut u64, *mut u64)>("arcuate_emulation_live_allocations")(
            &raw mut live.count,
            &raw mut live.bytes,
        );
    }
    live
}

/// What the emulation said of the last kernel or call that went wrong; empty where nothing did. It also goes to standard
/// error.
pub fn last_report() -> String {
    text_of("arcuate_emulation_last_report")
}

/// The kernels that are emulated: name, and the path of the `kernels.cu` from the root of the workspace, or "written at run
/// time" of those that are in none.
pub fn kernels() -> Vec<[String; 2]> {
    let all = text_of("arcuate_emulation_kernels");
    let pair = |line: &str| line.split_once(' ').map(|(name, file)| [name.to_owned(), file.to_owned()]);
    all.lines().filter_map(pair).collect()
}

/// What a function that writes a text says.
fn text_of(name: &str) -> String {
    let mut text = vec![0_u8; 1 << 14];
    loop {
        // SAFETY: uint64_t (char*, uint64_t), which writes no more than the bytes it is told and answers the whole length.
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
