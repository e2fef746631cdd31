//! NumPy's arrays, `.npy`.

mod read;
mod write;

pub use read::read_npy_complex;
pub use write::write_npy;
