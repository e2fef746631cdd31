//! Reads and writes track files of TrackVis (`.trk`). A file begins with a header of 1000 bytes. For each
//! streamline, the number of its points follows, then the coordinates and scalars of each point, and then the
//! properties of the streamline. All values are in single precision.
//!
//! The crate `trk-io` is only used by a test. Its type
//! `trk_io::Reader` panics on truncated files and allocates any number of points that a streamline claims.
//! `trk_io::Writer` panics when the disk is full and cannot write to a temporary name. This module compares
//! every stated size with the bytes that the file contains.

mod header;
mod read;
mod space;
mod write;

pub(crate) use header::NamedValues;
pub(crate) use read::open;
pub(crate) use write::create;
