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

/// Whether so many bytes can be had now; none are kept. For work that would find it out late, or piece by piece.
pub fn can_be_had(bytes: u64) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let there = usize::try_from(bytes).is_ok_and(|bytes| reserve(&mut room, bytes).is_ok());
    // Memory that nobody looks at need not be asked for.
    std::hint::black_box(&room);
    there
}

/// Room for exactly `count` more values, or an error.
pub(crate) fn reserve<T>(values: &mut Vec<T>, count: usize) -> Result<(), TryReserveError> {
    tried(|| values.try_reserve_exact(count))
}

/// What asks for memory that can be done without.
pub(crate) fn tried<T>(ask: impl FnOnce() -> T) -> T {
    TRIED.set(true);
    let answer = ask();
    TRIED.set(false);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_asked_for_and_given_back() {
        assert!(can_be_had(0) && can_be_had(1 << 20));
        assert!(!can_be_had(u64::MAX) && !can_be_had(1 << 60));
    }
}
