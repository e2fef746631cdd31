//! Behaviour when the system has no memory left: one error line and exit code 1, instead of Rust's abort.

// An allocator needs unsafe code. This one forwards every call to the system's allocator.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

/// The system's allocator, which ends the program cleanly if memory runs out.
struct Reporting;

#[global_allocator]
static ALLOCATOR: Reporting = Reporting;

// SAFETY: every call is forwarded unchanged to the system's allocator, and every result is returned
// unchanged.
unsafe impl GlobalAlloc for Reporting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the contract of the system's allocator.
        answered(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as in `alloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as in `alloc`.
        answered(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as in `alloc`.
        answered(unsafe { System.realloc(pointer, layout, size) }, size)
    }
}

#[inline]
fn answered(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() && !arcuate_io::memory::is_tried() {
        give_up(size);
    }
    pointer
}

/// Memory that is freed when memory runs out, so that the error can be printed.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
const RESERVE_LAYOUT: Layout = match Layout::from_size_align(1 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("a size and an alignment that every system has"),
};

/// Allocates the reserve. If memory runs out later, the program leaves no unfinished files.
pub(crate) fn install() {
    // SAFETY: the layout is not empty.
    RESERVE.store(unsafe { System.alloc(RESERVE_LAYOUT) }, Ordering::Release);
}

/// Ends the program. Returns only if even this fails because of missing memory.
#[cold]
fn give_up(size: usize) {
    thread_local! {
        static SPEAKS: Cell<bool> = const { Cell::new(false) };
    }
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::AcqRel) {
        if SPEAKS.get() {
            // The reserve was not enough, so Rust aborts.
            return;
        }
        // Another thread is ending the program.
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    SPEAKS.set(true);
    let reserve = RESERVE.swap(ptr::null_mut(), Ordering::AcqRel);
    if !reserve.is_null() {
        // SAFETY: the pointer came from this allocator with this layout, and the swap gave it to no other
        // thread.
        unsafe { System.dealloc(reserve, RESERVE_LAYOUT) };
    }
    arcuate::program::leave_nothing();
    let mut errors = std::io::stderr();
    // Clear a progress bar in the current line.
    let line = if errors.is_terminal() { "\r\x1b[K" } else { "" };
    let mebibytes = size as f64 / f64::from(1 << 20);
    // If standard error cannot be written, the exit code still reports the failure.
    let _ = writeln!(
        errors,
        "{line}error: memory: {mebibytes:.1} MiB more are not available; use fewer streamlines, a smaller mask, or a machine with more memory"
    );
    std::process::exit(1);
}
