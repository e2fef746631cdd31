//! The file formats of diffusion MRI, one file of source per format; no numerics.

mod atomic;
mod mapped;

pub use atomic::{AtomicFile, write_file};
