//! MRtrix images: `.mif` and `.mif.gz`; `.mih` (a header with data in another file) can be read.
//!
//! The header is text: lines `key: value` after `mrtrix image`, up to `END`. For each axis, `layout` gives
//! its rank in storage order (0 is fastest) and, by its sign, its storage direction. Voxel coordinates, and
//! therefore `transform`, count in the direction of `+`. The transform has unit axes: voxel to scanner is
//! `transform · diag(vox)`.

mod header;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use read::{describe, read};
pub(crate) use write::write;
