//! GIFTI: an XML document of arrays, each as text, base64, compressed base64, or in an external file next to
//! it (<https://www.nitrc.org/projects/gifti>).

mod array;
mod read;
mod write;

pub(super) use read::read;
pub(super) use write::{Content, write};
