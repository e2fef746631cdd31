//! Reads and writes NumPy arrays (`.npy`) and archives of NumPy arrays (`.npz`).

mod archive;
mod header;
mod read;
mod write;

pub use archive::NpzWriter;
pub(crate) use header::{Header, MAX_HEADER};
pub use read::read_npy_complex;
pub(crate) use write::NpyWriter;
pub use write::write_npy;
