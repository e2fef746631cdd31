//! Unused page-locked host memory, which a GPU keeps for later copies.
#![allow(unsafe_code)]

use std::ptr::NonNull;

/// Page-locked host memory as initialised bytes.
pub(super) struct PageLocked {
    pub(super) address: NonNull<u8>,
    pub(super) bytes: usize,
}

// SAFETY: an address of unused memory.
unsafe impl Send for PageLocked {}

impl PageLocked {
    pub(super) fn address(&self) -> *mut u8 {
        self.address.as_ptr()
    }
}
