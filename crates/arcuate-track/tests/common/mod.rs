//! Fields, options and sinks for tests of GPUs that work and of GPUs that fail.

#![allow(dead_code, reason = "each test program uses a part of it")]

pub(crate) mod fod;
pub(crate) mod kept;
pub(crate) mod samples;
