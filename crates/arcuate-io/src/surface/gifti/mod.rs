//! Reads and writes GIFTI files, which are XML documents that contain arrays of numbers. Each array is stored
//! as text, as base64, as compressed base64, or in a separate file in the same folder
//! (<https://www.nitrc.org/projects/gifti>).

mod array;
mod read;
mod write;

pub(super) use read::read;
pub(super) use write::{Content, write};
