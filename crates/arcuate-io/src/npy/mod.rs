//! NumPy's arrays, `.npy`.

mod header;
mod read;
mod write;

pub(crate) use header::{Header, MOST_HEADER, write as write_header};
pub use read::read_npy_complex;
pub use write::write_npy;
pub(crate) use write::{NpyWriter, kind};
