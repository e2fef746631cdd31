//! Allocations whose failure is reported by who asked, with the name of the file that needed them.
//!
//! A program may end when memory has run out, as the command line does. Where that is reported better, it must know.

use std::cell::Cell;
use std::collections::TryReserveError;

thread_local! {
    static TRIED: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is asking for memory that it can do without: to be asked by a global allocator.
pub fn is_tried() -> bool {
    TRIED.get()
}

/// Room for exactly `count` more values, or an error.
pub(crate) fn reserve<T>(values: &mut Vec<T>, count: usize) -> Result<(), TryReserveError> {
    TRIED.set(true);
    let answer = values.try_reserve_exact(count);
    TRIED.set(false);
    answer
}
