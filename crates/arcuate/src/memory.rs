//! What happens when the system has no memory left: one line and exit code 1, where Rust's own answer is an abort.

// An allocator cannot be written without; this one passes every call on to the system's.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};
use std::time::Duration;

/// The system's allocator, which ends the program in good order where memory has run out.
struct Reporting;

#[global_allocator]
static ALLOCATOR: Reporting = Reporting;

// SAFETY: every call goes to the system's allocator as it came, and every answer back as it was.
unsafe impl GlobalAlloc for Reporting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract, which is the system's.
        answered(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        answered(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
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

/// What is given back when memory has run out, so that there is some for the last words.
static RESERVE: AtomicPtr<u8> = AtomicPtr::new(ptr::null_mut());
const RESERVE_LAYOUT: Layout = match Layout::from_size_align(1 << 20, 16) {
    Ok(layout) => layout,
    Err(_) => panic!("a size and an alignment that every system has"),
};

/// From now on memory that has run out leaves nothing unfinished behind.
pub(crate) fn install() {
    // SAFETY: the layout is not empty.
    RESERVE.store(unsafe { System.alloc(RESERVE_LAYOUT) }, Ordering::Release);
}

/// Ends the program; returns only where even that fails for want of memory.
#[cold]
fn give_up(size: usize) {
    thread_local! {
        static SPEAKS: Cell<bool> = const { Cell::new(false) };
    }
    static BEGUN: AtomicBool = AtomicBool::new(false);
    if BEGUN.swap(true, Ordering::AcqRel) {
        if SPEAKS.get() {
            // The reserve was not enough: Rust aborts.
            return;
        }
        // Another thread ends the program.
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    }
    SPEAKS.set(true);
    let reserve = RESERVE.swap(ptr::null_mut(), Ordering::AcqRel);
    if !reserve.is_null() {
        // SAFETY: it was had from this allocator with this layout, and the swap gave it to nobody else.
        unsafe { System.dealloc(reserve, RESERVE_LAYOUT) };
    }
    arcuate::program::leave_nothing();
    let mut errors = std::io::stderr();
    // A progress bar may stand in the line.
    let line = if errors.is_terminal() { "\r\x1b[K" } else { "" };
    let mebibytes = size as f64 / f64::from(1 << 20);
    // Where nobody listens, the exit code still tells.
    let _ = writeln!(
        errors,
        "{line}error: memory: {mebibytes:.1} MiB more cannot be had; work on fewer streamlines or within a smaller mask, \
         or where there is more memory"
    );
    std::process::exit(1);
}
