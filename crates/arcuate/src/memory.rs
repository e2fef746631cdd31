//! Actions of the program if the system has no free memory left. It prints one error line and exits with code
//! 1. Without this module, Rust would abort the program.

// An allocator needs unsafe code. The allocator in this module passes every call to the allocator of the
// system.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

/// The allocator of the system. If memory runs out, this wrapper removes unfinished files and ends the
/// program with an error.
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

/// Memory that is reserved at the start. It is freed when memory runs out, so that the error can be printed.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
const RESERVE_LAYOUT: Layout = match Layout::from_size_align(1 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("a size and an alignment that every system has"),
};

/// Reserves the memory that is needed to end the program cleanly, without unfinished files, if memory runs
/// out later.
pub(crate) fn install() {
    // SAFETY: the layout is not empty.
    RESERVE.store(unsafe { System.alloc(RESERVE_LAYOUT) }, Ordering::Release);
}

/// Ends the program because memory has run out. Returns only if this fails, because it needs memory itself.
#[cold]
fn give_up(size: usize) {
    thread_local! {
        static SPEAKS: Cell<bool> = const { Cell::new(false) };
    }
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::AcqRel) {
        if SPEAKS.get() {
            // The reserved memory was not enough to end the program. Rust then aborts it.
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
    // Clears the progress bar in the current line of the terminal.
    let line = if errors.is_terminal() { "\r\x1b[K" } else { "" };
    let mebibytes = size as f64 / f64::from(1 << 20);
    // An error of this write is ignored. The exit code still reports the failure.
    let _ = writeln!(
        errors,
        "{line}error: memory: {mebibytes:.1} MiB more are not available; use fewer streamlines, a smaller mask, or a machine with more memory"
    );
    std::process::exit(1);
}
