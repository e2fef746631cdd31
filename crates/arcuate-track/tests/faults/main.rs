//! Tracking on a GPU that fails gives one warning and bit-identical results. A fault affects the test that launches the next
//! kernel, so one test runs at a time.

#![cfg(test)]

#[path = "../common/mod.rs"]
mod common;
mod fod;
mod samples;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Returns a lock that lets only one test run at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
