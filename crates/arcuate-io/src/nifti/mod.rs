//! NIfTI-1 and NIfTI-2 images. `.nii` and `.nii.gz` are read and written; pairs of `.hdr` and `.img` can only
//! be read.

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
