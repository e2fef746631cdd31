//! Tests that break the emulated GPU, and tests of PTX that is written as text. Each test holds `Faults`, so one test runs at
//! a time.

#![cfg(test)]
#![allow(unsafe_code)]

#[path = "../common/mod.rs"]
mod common;
mod driver_calls;
mod written_arithmetic;
mod written_ptx;
mod written_ptx_wrong;
mod wrong;
