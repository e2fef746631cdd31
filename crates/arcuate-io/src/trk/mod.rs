//! TrackVis tracks (`.trk`): a header of 1000 bytes, then for each streamline its number of points, the points with
//! their scalars, and its properties, all in single precision.
//!
//! The header's layout is defined by `trk-io`, but its streamline code is not used. `trk_io::Reader` panics
//! on truncated files and allocates any number of points that a streamline claims. `trk_io::Writer` panics
//! when the disk is full and cannot write to a temporary name. Here every size is checked against the actual
//! bytes.

mod header;
mod read;
mod space;
mod write;

pub(crate) use header::NamedValues;
pub(crate) use read::TrkFile;
pub(crate) use write::TrkWriter;
