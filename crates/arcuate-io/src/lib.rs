//! The file formats of diffusion MRI, one file of source per format; no numerics.

mod atomic;

pub use atomic::{AtomicFile, write_file};
