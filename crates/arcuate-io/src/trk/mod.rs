//! TrackVis tracks (`.trk`): a header of 1000 bytes, then for each streamline its number of points, the points with
//! their scalars, and its properties, all in single precision.
//!
//! The header's layout is `trk-io`'s. Its streamlines are not: `trk_io::Reader` panics on truncated files and
//! allocates whatever number of points a streamline claims, and `trk_io::Writer` panics when the disk is full and
//! cannot write to a temporary name. Here every size is checked against the bytes that are really there.

mod header;
mod read;
mod space;
mod write;

pub(crate) use header::NamedValues;
pub(crate) use read::TrkFile;
pub(crate) use write::TrkWriter;
