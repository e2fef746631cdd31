//! Types that describe tractogram files in any format.

use crate::batches::Counts;
use arcuate_core::{
    Column, Error, Grid, Result, StreamlineBatch, StreamlineGroups, StreamlineSink, Tractogram,
};
use std::fmt;
use std::path::Path;

/// The coordinate space of the streamlines in a file that does not specify it. This is the case for a `.trk`
/// file of version 1 or without an affine, whose positions are in voxels of an unknown image. For other
/// files, this value has no effect.
#[derive(Debug, Clone, Copy, Default)]
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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
#[non_exhaustive]
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

/// How a `.trx` tractogram is stored on the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum TrxLayout {
    /// As one zip archive whose entries are not compressed. Other programs can map the entries into memory.
    #[default]
    Stored,
    /// As one zip archive whose entries are compressed by deflate. The file is smaller, but slower to read
    /// and write.
    Deflated,
    /// As a folder with one file for each entry.
    Folder,
}

/// Options for writing a tractogram file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TractogramOptions {
    /// Number type of the stored positions.
    pub positions: PositionType,
    /// How a `.trx` tractogram is stored on the disk: as a zip archive or as a folder. Other formats ignore
    /// this option.
    pub layout: TrxLayout,
    /// A text that describes how the tractogram was made. It becomes the `command_history` of a `.tck` file;
    /// the other formats cannot store it.
    pub history: String,
}

/// An open tractogram file of any format whose header has been parsed. Its streamlines can be read once. The
/// provided methods describe a file that stores only positions.
pub(crate) trait OpenTractogram: fmt::Debug + Send {
    /// Returns whether the whole file is compressed.
    fn is_gzip(&self) -> bool {
        false
    }

    /// Returns the voxel grid of the image that the header describes.
    fn grid(&self) -> Option<Grid> {
        None
    }

    /// Returns true if the file specifies the position of its image in scanner space.
    fn is_placed(&self) -> bool {
        true
    }

    /// Returns the number type of the stored positions.
    fn positions(&self) -> PositionType {
        PositionType::F32
    }

    /// Returns descriptions of the values that the file stores for points and streamlines.
    fn data(&self) -> Vec<DataDescription> {
        Vec::new()
    }

    /// Returns the name of each group of streamlines, and the number of streamlines in it.
    fn groups(&self) -> Vec<(String, u64)> {
        Vec::new()
    }

    /// Returns descriptions of the values of groups, named `group/value`.
    fn group_data(&self) -> Vec<DataDescription> {
        Vec::new()
    }

    /// Reads the groups of streamlines and the values that belong to groups.
    fn read_groups(&mut self) -> Result<StreamlineGroups> {
        Ok(StreamlineGroups::default())
    }

    /// Passes all streamlines of the file to `sink`, with the values in `requested`.
    fn stream(
        self: Box<Self>,
        requested: &[DataDescription],
        sink: &mut dyn StreamlineSink,
    ) -> Result<Counts>;

    /// Reads the whole file into memory.
    fn read(self: Box<Self>) -> Result<Tractogram>;

    /// Reads the values that the file stores for each streamline under the name `name`.
    fn read_per_streamline(self: Box<Self>, name: &str) -> Result<Option<Column>> {
        let mut data = self.data();
        data.retain(|data| data.of == DataOf::Streamline && data.name == name);
        let mut values = ValuesOfStreamlines(None);
        if !data.is_empty() {
            self.stream(&data, &mut values)?;
        }
        Ok(values.0)
    }
}

/// Receives the streamlines, and collects the values that they have under one name.
struct ValuesOfStreamlines(Option<Column>);

impl StreamlineSink for ValuesOfStreamlines {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for (_, rows) in batch.per_streamline() {
            self.0.get_or_insert_with(|| rows.column.without_rows()).extend_from(&rows)?;
        }
        Ok(())
    }
}

/// A tractogram file of any format that is being written.
pub(crate) trait TractogramOutput: StreamlineSink + fmt::Debug + Send {
    /// Completes the file and renames it to its final name. Groups of streamlines are written if the format
    /// can store them.
    fn finish(self: Box<Self>, groups: &StreamlineGroups) -> Result<()>;
}

/// Returns the voxel grid of the image to which the streamlines belong, or an error if it is not known and
/// the format requires it.
pub(crate) fn required_grid<'a>(path: &Path, grid: Option<&'a Grid>) -> Result<&'a Grid> {
    grid.ok_or_else(|| {
        Error::usage(
            path.display(),
            "this tractogram format stores the image space of the streamlines, which is not known",
            "give an image in the space of the streamlines with ‘reference’, or write .tck",
        )
    })
}
