//! Allocates memory in a way that may fail. If an allocation fails, the caller returns an error that names
//! the file for which the memory was needed.
//!
//! The global allocator of a program may end the program when memory is exhausted, as the command-line
//! program does. During an allocation in this module, a flag of the thread tells the allocator that it must
//! report the failure to the caller.

use std::cell::Cell;
use std::collections::TryReserveError;

thread_local! {
    static TRIED: Cell<bool> = const { Cell::new(false) };
}

/// Returns true if this thread is making an allocation that may fail. Global allocators call this function to
/// decide whether to end the program.
pub fn is_tried() -> bool {
    TRIED.get()
}

/// Returns true if this number of bytes of memory is available now. The memory is released again. Callers use
/// this function before work that would otherwise fail late.
pub fn can_allocate(bytes: u64) -> bool {
    let mut room: Vec<u8> = Vec::new();
    let there = usize::try_from(bytes).is_ok_and(|bytes| reserve(&mut room, bytes).is_ok());
    // Without this line, the compiler could remove the allocation, because its memory is not used.
    std::hint::black_box(&room);
    there
}

/// Reserves memory in `values` for exactly `count` more elements. Returns an error if there is not enough
/// memory.
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
    fn impossible_allocations_are_detected() {
        assert!(can_allocate(0) && can_allocate(1 << 20));
        assert!(!can_allocate(u64::MAX) && !can_allocate(1 << 60));
    }
}
