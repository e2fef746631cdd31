//! Reads and writes tractograms (files of streamlines) in every supported format. The ending of the file name
//! selects the format.

mod describe;
mod write;

pub use describe::{TractogramDescription, describe_tractogram};
pub use write::{TractogramWriter, convert_tractogram, write_tractogram};

use crate::batches::Counts;
use crate::endings::is_gzip_name;
use crate::formats::{
    FileKind, TRACTOGRAMS, TractogramFormat, TractogramFunctions, find, listed, written_endings,
};
use crate::tractogram_types::{DataDescription, OpenTractogram, Space};
use arcuate_core::{
    Column, Error, Grid, Result, StreamlineGroups, StreamlineSink, StreamlineSource, Tractogram,
};
use std::path::Path;

/// A tractogram, and the voxel grid of the image in which it was made, if the file specifies this grid.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct TractogramFile {
    /// The streamlines of the file, in RAS mm, with the values of their points and streamlines.
    pub tractogram: Tractogram,
    /// The voxel grid of the image in which the tractogram was made. Files in the formats `.trk` and `.trx`
    /// contain it; `.tck` files do not.
    pub grid: Option<Grid>,
}

impl TractogramFormat {
    /// Returns the tractogram format that the ending of a file name selects. Returns an error for an unknown
    /// ending. Files ending in `.tck.gz` and `.trk.gz` have the formats `.tck` and `.trk`, compressed.
    pub fn of(path: &Path) -> Result<Self> {
        functions_of(path).map(|functions| functions.format)
    }
}

fn functions_of(path: &Path) -> Result<&'static TractogramFunctions> {
    let ending_of = |path: &Path| {
        path.extension().map(|ending| ending.to_string_lossy().to_ascii_lowercase()).filter(|e| !e.is_empty())
    };
    let known = listed(&written_endings(FileKind::Tractogram), "or");
    let Some(last) = ending_of(path) else {
        return Err(Error::usage(
            path.display(),
            "the file name has no ending, so the format of the tractogram is not known",
            format!("use a name that ends in {known}"),
        ));
    };
    if let Some((_, functions)) = find(TRACTOGRAMS, path) {
        return Ok(functions);
    }
    let inner = ending_of(&path.with_extension("")).filter(|_| is_gzip_name(path));
    if inner.as_deref() == Some("trx") {
        return Err(Error::usage(
            path.display(),
            "`.trx.gz` is not the ending of a tractogram: a .trx is an archive already",
            "decompress the file (gunzip), or use .trx",
        ));
    }
    let ending = inner.map_or(last.clone(), |inner| format!("{inner}.{last}"));
    Err(Error::usage(
        path.display(),
        format!("`.{ending}` is not the ending of a tractogram format"),
        format!("use {known}"),
    ))
}

/// A summary of the streamlines that were read from a file.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct TractogramSummary {
    /// Format of the file that was read.
    pub format: TractogramFormat,
    /// Number of streamlines.
    pub streamlines: u64,
    /// Number of points of all streamlines.
    pub points: u64,
    /// The voxel grid of the image to which the streamlines belong, if the file describes it.
    pub grid: Option<Grid>,
}

/// An open tractogram file whose header has been parsed. Its streamlines can be read once.
#[derive(Debug)]
pub struct TractogramReader {
    format: TractogramFormat,
    opened: Box<dyn OpenTractogram>,
}

impl TractogramReader {
    /// Opens a tractogram file in any format and reads its header.
    ///
    /// Returns an error for an unknown ending or a damaged header. The error has one line with the file name.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_in(path, Space::Unknown)
    }

    /// Opens a tractogram file like [`open`](Self::open). If the file does not specify the coordinate space
    /// of its streamlines, `space` is used.
    pub fn open_in(path: &Path, space: Space<'_>) -> Result<Self> {
        let functions = functions_of(path)?;
        Ok(Self { format: functions.format, opened: (functions.open)(path, space)? })
    }

    /// The format of the tractogram file.
    pub fn format(&self) -> TractogramFormat {
        self.format
    }

    /// Returns true if the whole tractogram file is compressed, as in `.tck.gz`.
    pub fn is_gzip(&self) -> bool {
        self.opened.is_gzip()
    }

    /// Returns the voxel grid of the image to which the streamlines belong. Returns `None` for a `.tck` file,
    /// which does not describe an image.
    pub fn grid(&self) -> Option<Grid> {
        self.opened.grid()
    }

    /// Returns true if the file does not specify the position of its image in scanner space, as some `.trk`
    /// files.
    pub fn lacks_its_place(&self) -> bool {
        !self.opened.is_placed()
    }

    /// Returns descriptions of the values that the file stores for points and streamlines. A `.tck` file has
    /// none.
    pub fn data(&self) -> Vec<DataDescription> {
        self.opened.data()
    }

    /// Returns the names of all values that the file stores in addition to positions, including groups of
    /// streamlines and the values of groups.
    pub fn data_names(&self) -> Vec<String> {
        let data = self.data().into_iter().map(|data| data.name);
        let groups = self.opened.groups().into_iter().map(|(name, _)| name);
        data.chain(groups).chain(self.opened.group_data().into_iter().map(|data| data.name)).collect()
    }

    /// Reads the groups of streamlines into memory. Each streamline of a group takes 4 bytes.
    pub fn read_groups(&mut self) -> Result<StreamlineGroups> {
        self.opened.read_groups()
    }

    /// Passes the streamlines to `sink` in order, in RAS mm and without their data. Each batch of streamlines
    /// has about 65,536 points; a streamline with more points is not divided. Memory holds one batch,
    /// whatever the size of the file.
    pub fn stream(self, sink: &mut dyn StreamlineSink) -> Result<TractogramSummary> {
        self.stream_with(&[], sink)
    }

    /// Passes the streamlines to `sink` like [`stream`](Self::stream), together with the values in `requested`,
    /// which are some of [`data`](Self::data). If the file has no streamlines, `sink` gets one empty batch
    /// with the names of these values.
    ///
    /// Returns an error if `requested` has more than 256 kinds of values of a `.trx` file.
    pub fn stream_with(
        self,
        requested: &[DataDescription],
        sink: &mut dyn StreamlineSink,
    ) -> Result<TractogramSummary> {
        let (format, grid) = (self.format(), self.grid());
        let Counts { streamlines, points } = self.opened.stream(requested, sink)?;
        Ok(TractogramSummary { format, streamlines, points, grid })
    }
}

/// Reads a whole tractogram: `.tck`, `.trk`, `.trx`, `.tck.gz`, `.trk.gz`. In memory, each point takes 12
/// bytes and each streamline 8 bytes, and there is no second copy.
///
/// Returns an error for an unknown ending, a damaged file, or a coordinate that is not a number. The error
/// has one line with the file name.
pub fn read_tractogram(path: &Path) -> Result<TractogramFile> {
    read_tractogram_in(path, Space::Unknown)
}

/// Reads a tractogram like [`read_tractogram`]. If the file does not specify the coordinate space of its
/// streamlines, `space` is used.
pub fn read_tractogram_in(path: &Path, space: Space<'_>) -> Result<TractogramFile> {
    let reader = TractogramReader::open_in(path, space)?;
    let grid = reader.grid();
    let tractogram = reader.opened.read()?;
    Ok(TractogramFile { tractogram, grid })
}

/// Reads the header of a tractogram file and returns the voxel grid of the image to which the streamlines
/// belong. Returns `None` for a `.tck` file, which does not describe an image.
pub fn read_tractogram_grid(path: &Path) -> Result<Option<Grid>> {
    Ok(TractogramReader::open(path)?.grid())
}

/// Reads the values that the file stores for each streamline under the name `name`. Returns `None` if the
/// file has no values of this name. Other data are not kept in memory.
pub fn read_per_streamline(path: &Path, name: &str) -> Result<Option<Column>> {
    TractogramReader::open(path)?.opened.read_per_streamline(name)
}

/// The streamlines of a tractogram file without further values. They can be read any number of times.
#[derive(Debug, Clone, Copy)]
pub struct TractogramSource<'a> {
    /// The path of the tractogram file.
    pub path: &'a Path,
    /// The coordinate space of the streamlines, which is used if the file does not specify it.
    pub space: Space<'a>,
}

impl StreamlineSource for TractogramSource<'_> {
    fn stream(&self, sink: &mut dyn StreamlineSink) -> Result<()> {
        stream_tractogram_in(self.path, self.space, sink).map(|_| ())
    }
}

/// Passes the streamlines of a tractogram file to a sink, like [`TractogramReader::stream`].
pub fn stream_tractogram(path: &Path, sink: &mut dyn StreamlineSink) -> Result<TractogramSummary> {
    stream_tractogram_in(path, Space::Unknown, sink)
}

/// Passes the streamlines of a tractogram file to a sink like [`stream_tractogram`]. If the file does not
/// specify the coordinate space of its streamlines, `space` is used.
pub fn stream_tractogram_in(
    path: &Path,
    space: Space<'_>,
    sink: &mut dyn StreamlineSink,
) -> Result<TractogramSummary> {
    TractogramReader::open_in(path, space)?.stream(sink)
}
