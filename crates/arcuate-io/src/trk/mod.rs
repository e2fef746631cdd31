//! TrackVis tracks (`.trk`). The file has a header of 1000 bytes. For each streamline follow the number of
//! points, the points with their scalars, and the properties of the streamline. All values are in single
//! precision.
//!
//! The crate `trk-io` defines the layout of the header, but its code for streamlines is not used.
//! `trk_io::Reader` panics on truncated files and allocates any number of points that a streamline claims.
//! `trk_io::Writer` panics when the disk is full and cannot write to a temporary name. This module compares
//! every size with the actual bytes.

mod header;
mod read;
mod space;
mod write;

pub(crate) use header::NamedValues;
pub(crate) use read::TrkFile;
pub(crate) use write::TrkWriter;
