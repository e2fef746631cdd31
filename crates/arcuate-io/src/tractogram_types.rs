//! What there is to say about a tractogram file, whatever its format.

use arcuate_core::Grid;
use std::fmt;

/// Where streamlines lie whose file does not say it: those of a `.trk` of version 1, or without affine, have places in voxels
/// of an image alone. For all other files it says nothing.
#[derive(Debug, Clone, Copy, Default)]
pub enum Space<'a> {
    /// Voxel coordinates are taken for RAS mm, as nibabel does, with a warning.
    #[default]
    Unknown,
    /// In the voxels of this image, which the user named for it. Fails where the header describes an image of another size.
    Stated(&'a Grid),
    /// In the voxels of this image, which happens to be at hand, where the header describes an image of its size (with a
    /// warning); else as if unknown.
    Likely(&'a Grid),
}

/// How positions are stored in a file. In memory they are single precision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PositionType {
    /// Half precision, only in `.trx`: 11 bits, so 0.03 to 0.06 mm at 64 to 128 mm from the origin.
    F16,
    /// Single precision, in every format.
    #[default]
    F32,
    /// Double precision, in `.tck` and `.trx`. Adds nothing to what Arcuate computes; for programs that ask for it.
    F64,
}

impl fmt::Display for PositionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // As TRX names them: these names become part of its entries'.
        f.write_str(match self {
            Self::F16 => "float16",
            Self::F32 => "float32",
            Self::F64 => "float64",
        })
    }
}

/// What numbers in a file belong to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataOf {
    /// Each point has some.
    Point,
    /// Each streamline has some.
    Streamline,
    /// A group has some.
    Group,
}

/// Named numbers in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDescription {
    /// What they belong to.
    pub of: DataOf,
    /// Their name.
    pub name: String,
    /// How many numbers belong together.
    pub width: usize,
    /// Their type as TRX names it, `float32` for instance.
    pub kind: &'static str,
}
