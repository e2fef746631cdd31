//! Tracking through samples, by the whole of its interface.

mod common;
mod fields;
mod independence;
mod refusals;
mod rules;
