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
pub(crate) use read::{describe, read};
pub(crate) use write::{add_lost, write};
