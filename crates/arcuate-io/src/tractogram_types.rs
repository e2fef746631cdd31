//! Types that describe tractogram files in any format.

use arcuate_core::Grid;
use std::fmt;

/// The space of streamlines whose file does not specify the space. A `.trk` of version 1, or without an
/// affine, only has positions in voxels of an image. For other files, this value has no effect.
#[derive(Debug, Clone, Copy, Default)]
pub enum Space<'a> {
    /// Voxel coordinates are used as RAS mm, as in nibabel, with a warning.
    #[default]
    Unknown,
    /// Coordinates are voxels of the image with this grid, which the user has specified. Reading returns an
    /// error if the file describes an image of another size.
    Stated(&'a Grid),
    /// Coordinates are voxels of the image with this grid, if the file describes an image of the same size. A
    /// warning reports this. If the size differs, the space is unknown.
    Likely(&'a Grid),
}

/// The number type of stored positions. In memory, positions have single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PositionType {
    /// Half precision, which only `.trx` supports. It has 11 bits, so the spacing of numbers is 0.03 to 0.06
    /// mm at 64 to 128 mm from the origin.
    F16,
    /// Single precision, which every format supports.
    #[default]
    F32,
    /// Double precision, which `.tck` and `.trx` support. It adds no accuracy to Arcuate's results, and is
    /// only for programs that require it.
    F64,
}

impl fmt::Display for PositionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // These are TRX's names of the number types, which become part of the names of its entries.
        f.write_str(match self {
            Self::F16 => "float16",
            Self::F32 => "float32",
            Self::F64 => "float64",
        })
    }
}

/// The kind of object to which named values in a file belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataOf {
    /// The values belong to points: each point has its own values.
    Point,
    /// The values belong to streamlines: each streamline has its own values.
    Streamline,
    /// The values belong to groups of streamlines: each group has its own values.
    Group,
}

/// A description of named values in a tractogram file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDescription {
    /// The kind of object to which the values belong.
    pub of: DataOf,
    /// Name of the values.
    pub name: String,
    /// Number of values per object.
    pub width: usize,
    /// TRX's name for the number type of the values, such as `float32`.
    pub kind: &'static str,
}
