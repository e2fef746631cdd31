//! Tests of the emulated GPU that request no faults in their own process.

#![cfg(test)]
#![allow(unsafe_code)]

mod broken;
#[path = "../common/mod.rs"]
mod common;
mod primitives;
mod sanitizers;
mod streams;
