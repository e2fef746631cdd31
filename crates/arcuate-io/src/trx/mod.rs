//! Reads and writes files in the tractography exchange format (`.trx`). They are zip archives or folders.
//! Each entry is an array of numbers whose name describes its content, such as `positions.3.float32`.
//! Specification: <https://github.com/tee-ar-ex/trx-spec>.

mod container;
mod header;
mod names;
mod read;
mod write;

pub(crate) use read::open;
pub(crate) use write::create;
