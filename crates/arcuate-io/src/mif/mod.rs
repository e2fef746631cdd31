//! MRtrix images: `.mif`, `.mif.gz`, and `.mih` (a header whose data are in another file) to read.
//!
//! The header is text: `key: value` lines after `mrtrix image`, up to `END`. `layout` gives, for each axis, its rank in
//! the order of storage (0 is fastest) and, by its sign, the direction in which the axis is stored; voxel coordinates,
//! and with them `transform`, count in the direction of `+`. The transform is of unit axes: voxel to scanner is
//! `transform · diag(vox)`.

mod header;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use read::{describe, read};
pub(crate) use write::write;
