//! Memory allocations that may fail. The caller reports the failure with the name of the file that needed the
//! memory.
//!
//! The global allocator may end the program when memory is exhausted, as in the command-line program. A flag
//! of each thread tells the allocator that the caller reports the failure of the present allocation.

use std::cell::Cell;
use std::collections::TryReserveError;

thread_local! {
    static TRIED: Cell<bool> = const { Cell::new(false) };
}

/// Returns whether this thread is trying an allocation that may fail. Global allocators call this function.
pub fn is_tried() -> bool {
    TRIED.get()
}

/// Returns whether this number of bytes of memory is available now, without keeping the memory. Use this
/// function for work that would otherwise fail late.
pub fn can_be_had(bytes: u64) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let there = usize::try_from(bytes).is_ok_and(|bytes| reserve(&mut room, bytes).is_ok());
    // The compiler may remove an allocation that is not used.
    std::hint::black_box(&room);
    there
}

/// Reserves memory for exactly `count` more values. Returns an error if there is not enough memory.
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
