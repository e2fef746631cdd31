//! Reads and writes tractograms (files of streamlines) in every supported format. The ending of the file name
//! selects the format.

mod describe;
mod write;

pub use describe::{TractogramDescription, describe_tractogram};
pub use write::{TractogramWriter, convert_tractogram, write_tractogram};

use crate::batches::{Collector, Counts};
use crate::streamline_output::is_gzip_name;
use crate::tck::TckFile;
use crate::tractogram_types::{DataDescription, DataOf, PositionType, Space};
use crate::trk::TrkFile;
use crate::trx::{TrxFile, TrxLayout};
use arcuate_core::{
    Column, Error, Grid, Result, StreamlineBatch, StreamlineGroups, StreamlineSink, StreamlineSource,
    Tractogram,
};
use std::fmt;
use std::path::Path;

/// A tractogram, and the voxel grid of the image in which it was made, if the file specifies this grid.
#[derive(Debug, Clone, PartialEq)]
pub struct TractogramFile {
    /// The streamlines of the file, in RAS mm, with the values of their points and streamlines.
    pub tractogram: Tractogram,
    /// The voxel grid of the image in which the tractogram was made. Files in the formats `.trk` and `.trx`
    /// contain it; `.tck` files do not.
    pub grid: Option<Grid>,
}

/// A file format for tractograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TractogramFormat {
    /// MRtrix tracks, `.tck` and compressed `.tck.gz`. The format stores only positions.
    Tck,
    /// TrackVis tracks, `.trk` and compressed `.trk.gz`. The format stores positions, and up to ten named
    /// values at each point and for each streamline.
    Trk,
    /// Tractography exchange, `.trx`, which is a zip archive or a folder. The format stores positions, and
    /// any number of values of points, streamlines and groups of streamlines.
    Trx,
}

impl TractogramFormat {
    /// Returns the tractogram format that the ending of a file name selects. Returns an error for an unknown
    /// ending. Files ending in `.tck.gz` and `.trk.gz` have the formats `.tck` and `.trk`, compressed.
    pub fn of(path: &Path) -> Result<Self> {
        let ending_of = |path: &Path| {
            path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase()
        };
        let last = ending_of(path);
        let ending = if is_gzip_name(path) {
            match ending_of(&path.with_extension("")).as_str() {
                "" => last,
                inner => format!("{inner}.{last}"),
            }
        } else {
            last
        };
        match ending.as_str() {
            "tck" | "tck.gz" => Ok(Self::Tck),
            "trk" | "trk.gz" => Ok(Self::Trk),
            "trx" => Ok(Self::Trx),
            "" => Err(Error::usage(
                path.display(),
                "the file name has no ending, so the format of the tractogram is not known",
                "use a name that ends in .tck, .trk, .trx, .tck.gz or .trk.gz",
            )),
            "trx.gz" => Err(Error::usage(
                path.display(),
                "`.trx.gz` is not the ending of a tractogram: a .trx is an archive already",
                "decompress the file (gunzip), or use .trx",
            )),
            ending => Err(Error::usage(
                path.display(),
                format!("`.{ending}` is not the ending of a tractogram format"),
                "use .tck, .trk, .trx, .tck.gz or .trk.gz",
            )),
        }
    }
}

impl fmt::Display for TractogramFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tck => "MRtrix tracks (.tck)",
            Self::Trk => "TrackVis (.trk)",
            Self::Trx => "tractography exchange (.trx)",
        })
    }
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

/// A summary of the streamlines that were read from a file.
#[derive(Debug, Clone, Copy, PartialEq)]
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
    opened: Opened,
}

/// A file of any tractogram format whose header has been parsed.
#[derive(Debug)]
enum Opened {
    Tck(TckFile),
    Trk(Box<TrkFile>),
    Trx(Box<TrxFile>),
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
        let opened = match TractogramFormat::of(path)? {
            TractogramFormat::Tck => Opened::Tck(TckFile::open(path)?),
            TractogramFormat::Trk => Opened::Trk(Box::new(TrkFile::open(path, space)?)),
            TractogramFormat::Trx => Opened::Trx(Box::new(TrxFile::open(path)?)),
        };
        Ok(Self { opened })
    }

    /// The format of the tractogram file.
    pub fn format(&self) -> TractogramFormat {
        match self.opened {
            Opened::Tck(_) => TractogramFormat::Tck,
            Opened::Trk(_) => TractogramFormat::Trk,
            Opened::Trx(_) => TractogramFormat::Trx,
        }
    }

    /// Returns true if the whole tractogram file is compressed, as in `.tck.gz`.
    pub fn is_gzip(&self) -> bool {
        match &self.opened {
            Opened::Tck(file) => file.is_gzip(),
            Opened::Trk(file) => file.is_gzip(),
            Opened::Trx(_) => false,
        }
    }

    /// Returns the voxel grid of the image to which the streamlines belong. Returns `None` for a `.tck` file,
    /// which does not describe an image.
    pub fn grid(&self) -> Option<Grid> {
        match &self.opened {
            Opened::Tck(_) => None,
            Opened::Trk(file) => file.grid(),
            Opened::Trx(file) => file.grid(),
        }
    }

    /// Returns true if the file does not specify the position of its image in scanner space, as some `.trk`
    /// files.
    pub fn lacks_its_place(&self) -> bool {
        matches!(&self.opened, Opened::Trk(file) if !file.is_placed())
    }

    /// Returns descriptions of the values that the file stores for points and streamlines. A `.tck` file has
    /// none.
    pub fn data(&self) -> Vec<DataDescription> {
        match &self.opened {
            Opened::Tck(_) => Vec::new(),
            Opened::Trk(file) => file.data(),
            Opened::Trx(file) => file.data(),
        }
    }

    /// Returns the names of all values that the file stores in addition to positions, including groups of
    /// streamlines and the values of groups.
    pub fn data_names(&self) -> Vec<String> {
        let data = self.data().into_iter().map(|data| data.name);
        let Opened::Trx(file) = &self.opened else { return data.collect() };
        let of_groups = file.per_group.iter().map(|(group, column)| format!("{group}/{}", column.name));
        data.chain(file.groups.iter().map(|group| group.name.clone())).chain(of_groups).collect()
    }

    /// Reads the groups of streamlines into memory. Each streamline of a group takes 4 bytes.
    pub fn read_groups(&mut self) -> Result<StreamlineGroups> {
        match &mut self.opened {
            Opened::Tck(_) | Opened::Trk(_) => Ok(StreamlineGroups::default()),
            Opened::Trx(file) => file.read_groups(),
        }
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
        let Counts { streamlines, points } = match self.opened {
            Opened::Tck(file) => file.stream(sink)?,
            Opened::Trk(file) => file.stream(requested, sink)?,
            Opened::Trx(file) => file.stream(requested, sink)?,
        };
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
    let tractogram = match reader.opened {
        Opened::Tck(file) => {
            let mut collector = Collector::new(path, file.capacity())?;
            file.stream(&mut collector)?;
            collector.into_tractogram()?
        }
        Opened::Trk(file) => file.read()?,
        Opened::Trx(file) => file.read()?,
    };
    Ok(TractogramFile { tractogram, grid })
}

/// Reads the header of a tractogram file and returns the voxel grid of the image to which the streamlines
/// belong. Returns `None` for a `.tck` file, which does not describe an image.
pub fn read_tractogram_grid(path: &Path) -> Result<Option<Grid>> {
    Ok(TractogramReader::open(path)?.grid())
}

/// Reads the values that the file stores for each streamline under the name `name`. Returns `None` if the
/// file has no values of this name. Nothing else is kept in memory.
pub fn read_per_streamline(path: &Path, name: &str) -> Result<Option<Column>> {
    let reader = TractogramReader::open(path)?;
    if let Opened::Trx(file) = reader.opened {
        // Only in a `.trx` file, all values of a name are stored together and can be read alone.
        return file.read_per_streamline(name);
    }
    let mut data = reader.data();
    data.retain(|data| data.of == DataOf::Streamline && data.name == name);
    let mut values = Values(None);
    if !data.is_empty() {
        reader.stream_with(&data, &mut values)?;
    }
    Ok(values.0)
}

/// Receives the streamlines, and collects the values that they have under one name.
struct Values(Option<Column>);

impl StreamlineSink for Values {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for (_, rows) in batch.per_streamline() {
            self.0.get_or_insert_with(|| rows.column.without_rows()).extend_from(&rows)?;
        }
        Ok(())
    }
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
