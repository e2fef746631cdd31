//! GIFTI files: XML documents of arrays. Each array is stored as text, base64, compressed base64, or in a
//! separate file next to the document (<https://www.nitrc.org/projects/gifti>).

mod array;
mod read;
mod write;

pub(super) use read::read;
pub(super) use write::{Content, write};
