//! Tests of the emulated GPU that request no faults in their own process.

#![allow(unsafe_code)]

mod broken;
#[path = "../common/mod.rs"]
mod common;
mod primitives;
mod sanitizers;
mod streams;
