//! Unused page-locked host memory that a GPU keeps for later copies.
#![allow(unsafe_code)]

use std::ptr::NonNull;

/// Page-locked host memory whose bytes are initialised.
pub(super) struct PageLocked {
    pub(super) address: NonNull<u8>,
    pub(super) bytes: usize,
}

// SAFETY: the value is an address of memory that nothing else uses.
unsafe impl Send for PageLocked {}

impl PageLocked {
    pub(super) fn address(&self) -> *mut u8 {
        self.address.as_ptr()
    }
}
