//! Allocations whose failure is reported by the caller, with the name of the file that needed them.
//!
//! The global allocator may end the program when memory is exhausted, as the command line does. This flag
//! marks allocations whose failure is reported better.

use std::cell::Cell;
use std::collections::TryReserveError;

thread_local! {
    static TRIED: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is trying an allocation that may fail; for a global allocator.
pub fn is_tried() -> bool {
    TRIED.get()
}

/// Returns whether this amount of memory is available now, without keeping it. For work that would otherwise
/// fail late or gradually.
pub fn can_be_had(bytes: u64) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let there = usize::try_from(bytes).is_ok_and(|bytes| reserve(&mut room, bytes).is_ok());
    // The compiler may remove an allocation that is not used.
    std::hint::black_box(&room);
    there
}

/// Reserves memory for exactly `count` more values, or returns an error.
pub(crate) fn reserve<T>(values: &mut Vec<T>, count: usize) -> Result<(), TryReserveError> {
    tried(|| values.try_reserve_exact(count))
}

/// Runs an allocation that may fail.
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
