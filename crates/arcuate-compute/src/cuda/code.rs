//! Error codes of the driver (`CUresult`) that this module distinguishes.

pub(super) const INVALID_VALUE: u32 = 1;
pub(super) const OUT_OF_MEMORY: u32 = 2;
pub(super) const STUB_LIBRARY: u32 = 34;
pub(super) const DEVICE_UNAVAILABLE: u32 = 46;
pub(super) const NO_DEVICE: u32 = 100;
pub(super) const NOT_FOUND: u32 = 500;
pub(super) const NOT_READY: u32 = 600;
pub(super) const PEER_ACCESS_ALREADY_ENABLED: u32 = 704;
