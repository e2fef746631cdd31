//! MRtrix images. `.mif` and `.mif.gz` are read and written; `.mih`, a header with data in another file, can
//! only be read.
//!
//! The header is text, with lines `key: value` after `mrtrix image`, up to `END`. For each axis, `layout` has
//! a number, the rank of the axis in storage order (0 is fastest), and a sign, the storage direction. Voxel
//! coordinates, and therefore `transform`, count in the direction of `+`. The transform has unit axes. So the
//! transform from voxels to scanner space is `transform · diag(vox)`.

mod header;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use read::{describe, read};
pub(crate) use write::write;
