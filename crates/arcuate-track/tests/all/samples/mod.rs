//! Tests of the public interface of tracking through samples.

mod counted_rows;
mod fields;
mod gpu;
mod independence;
mod many_regions;
mod parts;
mod refusals;
mod rules;
mod runs;
mod sinks;
mod surfaces;
mod warps;
