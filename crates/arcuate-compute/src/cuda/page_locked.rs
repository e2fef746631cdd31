//! Page-locked memory of the host that belongs to nobody: what a GPU keeps for later copies.
#![allow(unsafe_code)]

use std::ptr::NonNull;

/// Page-locked memory of the host, in bytes that have values.
pub(super) struct PageLocked {
    pub(super) address: NonNull<u8>,
    pub(super) bytes: usize,
}

// SAFETY: an address of memory that nobody uses.
unsafe impl Send for PageLocked {}

impl PageLocked {
    pub(super) fn address(&self) -> *mut u8 {
        self.address.as_ptr()
    }
}
