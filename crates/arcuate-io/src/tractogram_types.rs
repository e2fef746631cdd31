//! Types that describe tractogram files in any format.

use arcuate_core::Grid;
use std::fmt;

/// The coordinate space of the streamlines in a file that does not specify it. This is the case for a `.trk`
/// file of version 1 or without an affine, whose positions are in voxels of an unknown image. For other
/// files, this value has no effect.
#[derive(Debug, Clone, Copy, Default)]
pub enum Space<'a> {
    /// The image is unknown. The voxel coordinates are used as RAS mm, as in nibabel, with a warning.
    #[default]
    Unknown,
    /// The coordinates are voxels of the image with this grid, which the user has specified. Reading returns
    /// an error if the file describes an image of another size.
    Stated(&'a Grid),
    /// The coordinates are voxels of the image with this grid, if the file describes an image of the same
    /// size. A warning tells the user about this. If the size differs, the space is unknown.
    Likely(&'a Grid),
}

/// The number type of stored positions. In memory, positions have single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PositionType {
    /// Half precision (16 bits), which only `.trx` files support. With its 11 significant bits, coordinates
    /// at 64 to 128 mm from the origin are rounded to multiples of 0.06 mm.
    F16,
    /// Single precision, which every format supports.
    #[default]
    F32,
    /// Double precision, which `.tck` and `.trx` files support. It adds no accuracy to Arcuate's streamlines,
    /// and is only for programs that require it.
    F64,
}

impl fmt::Display for PositionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // These are the names of number types in the TRX format. They are parts of the names of the entries
        // in a `.trx` file.
        f.write_str(match self {
            Self::F16 => "float16",
            Self::F32 => "float32",
            Self::F64 => "float64",
        })
    }
}

/// The elements to which named values of a tractogram file belong: points, streamlines or groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataOf {
    /// The values belong to points: each point has its own values.
    Point,
    /// The values belong to streamlines: each streamline has its own values.
    Streamline,
    /// The values belong to groups of streamlines: each group has its own values.
    Group,
}

/// A description of values with a name in a tractogram file, such as a weight of each streamline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDescription {
    /// States whether the values belong to points, streamlines or groups.
    pub of: DataOf,
    /// Name of the values.
    pub name: String,
    /// Number of values per object.
    pub width: usize,
    /// The name of the values' number type in the TRX format, such as `float32`.
    pub kind: &'static str,
}
