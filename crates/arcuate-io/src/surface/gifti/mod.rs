//! Reads and writes GIFTI files, which are XML documents that contain arrays of numbers. Each array is stored
//! as text, as base64, as compressed base64, or in a separate file in the same folder
//! (<https://www.nitrc.org/projects/gifti>).

mod array;
mod read;
mod write;

pub(crate) use read::read;
/// Endings of the names of GIFTI files, and of compressed GIFTI files, which can only be read.
pub const ENDINGS: [&str; 2] = [".gii", ".gii.gz"];

pub(crate) use write::{refuse_compression, write_output};
