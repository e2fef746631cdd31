//! Types that describe tractogram files in any format.

use arcuate_core::Grid;
use std::fmt;

/// The space of streamlines if their file does not specify it: a `.trk` of version 1, or without an affine,
/// only has positions in voxels of an image. It has no effect on other files.
#[derive(Debug, Clone, Copy, Default)]
pub enum Space<'a> {
    /// Voxel coordinates are used as RAS mm, as in nibabel, with a warning.
    #[default]
    Unknown,
    /// The voxels of this image, which the user specified. Returns an error if the header describes an image
    /// of another size.
    Stated(&'a Grid),
    /// The voxels of this available image if the header describes an image of its size (with a warning);
    /// otherwise as if unknown.
    Likely(&'a Grid),
}

/// The stored type of positions. In memory they have single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PositionType {
    /// Half precision, only in `.trx`: 11 bits, which is 0.03 to 0.06 mm at 64 to 128 mm from the origin.
    F16,
    /// Single precision, in every format.
    #[default]
    F32,
    /// Double precision, in `.tck` and `.trx`. It adds no accuracy to Arcuate's results and is only for
    /// programs that require it.
    F64,
}

impl fmt::Display for PositionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // TRX's names, which become part of the names of its entries.
        f.write_str(match self {
            Self::F16 => "float16",
            Self::F32 => "float32",
            Self::F64 => "float64",
        })
    }
}

/// The kind of object that numbers in a file belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataOf {
    /// Each point has values.
    Point,
    /// Each streamline has values.
    Streamline,
    /// A group has values.
    Group,
}

/// Named numbers in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDescription {
    /// The kind of object that they belong to.
    pub of: DataOf,
    /// Their name.
    pub name: String,
    /// Numbers per object.
    pub width: usize,
    /// TRX's name of their type, such as `float32`.
    pub kind: &'static str,
}
