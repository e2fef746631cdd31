//! GIFTI: an XML document of arrays, each as text, as base64, as compressed base64, or in a file beside it
//! (<https://www.nitrc.org/projects/gifti>).

mod array;
mod read;
mod write;

pub(super) use read::read;
pub(super) use write::{Content, write};
