//! Reads and writes MRtrix images. The formats `.mif` and `.mif.gz` are read and written. A `.mih` file,
//! which is a header whose image data are in another file, can only be read.
//!
//! The header is a text with lines `key: value` between the first line, `mrtrix image`, and the line `END`.
//! The key `layout` has a sign and a number for each axis. The number is the rank of the axis in the storage
//! order (0 is fastest). The sign is the direction in which the file stores the axis. Voxel coordinates, and
//! therefore `transform`, count in the direction of `+`. The columns of `transform` are unit vectors. The
//! transform from voxel coordinates to scanner coordinates is therefore `transform · diag(vox)`.

mod header;
mod read;
mod write;

#[cfg(test)]
mod tests;

pub(crate) use read::{describe, read};
pub(crate) use write::write;

/// Endings of the names of MRtrix images in one file.
pub(crate) const ENDINGS: [&str; 2] = [".mif", ".mif.gz"];
