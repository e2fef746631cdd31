//! Reads and writes NIfTI-1 and NIfTI-2 images. The formats `.nii` and `.nii.gz` are read and written. Pairs
//! of `.hdr` and `.img` files can only be read.

mod fnirt;
mod header;
mod quaternion;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub use fnirt::{FnirtCoefficients, read_fnirt_coefficients};
pub use read::files_of_pair;
pub(crate) use read::{describe, read};
pub(crate) use write::{add_lost, write};

/// Endings of the names of NIfTI images in one file.
pub const ENDINGS: [&str; 2] = [".nii", ".nii.gz"];
/// Endings of the names of NIfTI images in two files.
pub const PAIR_ENDINGS: [&str; 4] = [".hdr", ".img", ".hdr.gz", ".img.gz"];
/// Bytes that identify a NIfTI image, and their offset. The first two rows are the magic of versions 1 and 2.
/// The third row is the size of the header of version 1 in a big-endian file.
pub(crate) const BEGINNINGS: [(usize, &[u8]); 3] = [(344, b"n+1\0"), (4, b"n+2\0"), (0, b"\0\0\x01\x5c")];
