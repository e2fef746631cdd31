//! Tractograms of every format, selected by the ending of the file name.

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

/// A tractogram and the image that it was made in, if the file specifies it.
#[derive(Debug, Clone, PartialEq)]
pub struct TractogramFile {
    /// The streamlines, in RAS mm, with their data.
    pub tractogram: Tractogram,
    /// Grid of the image: `.trk` and `.trx` have it, `.tck` does not.
    pub grid: Option<Grid>,
}

/// A file format for tractograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TractogramFormat {
    /// MRtrix tracks, `.tck`, compressed `.tck.gz`: positions only.
    Tck,
    /// TrackVis, `.trk`, compressed `.trk.gz`: positions, and up to ten named values at each point and for
    /// each streamline.
    Trk,
    /// Tractography exchange, `.trx`, a zip archive or a folder: everything.
    Trx,
}

impl TractogramFormat {
    /// The format of a file name's ending; returns an error for unknown endings. `.tck.gz` and `.trk.gz` are
    /// the same formats, compressed.
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
                "decompress it (gunzip), or use .trx",
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

/// Options for writing a tractogram.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TractogramOptions {
    /// Type of the stored positions.
    pub positions: PositionType,
    /// Layout of a `.trx`; the other formats have only one.
    pub layout: TrxLayout,
    /// The origin of the tractogram: the `command_history` of a `.tck`. The other formats cannot store it.
    pub history: String,
}

/// Summary of the streamlines passed to a sink.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TractogramSummary {
    /// Format of the file.
    pub format: TractogramFormat,
    /// Number of streamlines.
    pub streamlines: u64,
    /// Total number of points.
    pub points: u64,
    /// The image that the file describes.
    pub grid: Option<Grid>,
}

/// A tractogram with a parsed header, ready to be read.
#[derive(Debug)]
pub struct TractogramReader {
    opened: Opened,
}

/// A file of any format with a parsed header.
#[derive(Debug)]
enum Opened {
    Tck(TckFile),
    Trk(Box<TrkFile>),
    Trx(Box<TrxFile>),
}

impl TractogramReader {
    /// Opens a file and reads its header.
    ///
    /// Returns an error of one line with the file name for unknown endings and damaged headers.
    pub fn open(path: &Path) -> Result<Self> {
        Self::open_in(path, Space::Unknown)
    }

    /// Opens a file like [`open`](Self::open). If it does not specify the space of its streamlines, `space`
    /// is used.
    pub fn open_in(path: &Path, space: Space<'_>) -> Result<Self> {
        let opened = match TractogramFormat::of(path)? {
            TractogramFormat::Tck => Opened::Tck(TckFile::open(path)?),
            TractogramFormat::Trk => Opened::Trk(Box::new(TrkFile::open(path, space)?)),
            TractogramFormat::Trx => Opened::Trx(Box::new(TrxFile::open(path)?)),
        };
        Ok(Self { opened })
    }

    /// The format of the file.
    pub fn format(&self) -> TractogramFormat {
        match self.opened {
            Opened::Tck(_) => TractogramFormat::Tck,
            Opened::Trk(_) => TractogramFormat::Trk,
            Opened::Trx(_) => TractogramFormat::Trx,
        }
    }

    /// Returns whether the whole file is compressed, as in `.tck.gz`.
    pub fn is_gzip(&self) -> bool {
        match &self.opened {
            Opened::Tck(file) => file.is_gzip(),
            Opened::Trk(file) => file.is_gzip(),
            Opened::Trx(_) => false,
        }
    }

    /// The image that the file describes; `None` for `.tck`.
    pub fn grid(&self) -> Option<Grid> {
        match &self.opened {
            Opened::Tck(_) => None,
            Opened::Trk(file) => file.grid(),
            Opened::Trx(file) => file.grid(),
        }
    }

    /// Returns whether the file does not specify the position of its image, as in some `.trk` files.
    pub fn lacks_its_place(&self) -> bool {
        matches!(&self.opened, Opened::Trk(file) if !file.is_placed())
    }

    /// The values of points and streamlines in the file: none for `.tck`.
    pub fn data(&self) -> Vec<DataDescription> {
        match &self.opened {
            Opened::Tck(_) => Vec::new(),
            Opened::Trk(file) => file.data(),
            Opened::Trx(file) => file.data(),
        }
    }

    /// Names of everything in addition to positions, including groups and their values.
    pub fn data_names(&self) -> Vec<String> {
        let data = self.data().into_iter().map(|data| data.name);
        let Opened::Trx(file) = &self.opened else { return data.collect() };
        let of_groups = file.per_group.iter().map(|(group, column)| format!("{group}/{}", column.name));
        data.chain(file.groups.iter().map(|group| group.name.clone())).chain(of_groups).collect()
    }

    /// Reads the groups of streamlines, which are held in memory: 4 bytes for each member.
    pub fn read_groups(&mut self) -> Result<StreamlineGroups> {
        match &mut self.opened {
            Opened::Tck(_) | Opened::Trk(_) => Ok(StreamlineGroups::default()),
            Opened::Trx(file) => file.read_groups(),
        }
    }

    /// Passes the streamlines to `sink` in order, in batches of about 65,536 points (a longer streamline is
    /// not divided), in RAS mm and without their data. Memory is limited to a batch for any file size.
    pub fn stream(self, sink: &mut dyn StreamlineSink) -> Result<TractogramSummary> {
        self.stream_with(&[], sink)
    }

    /// Passes the streamlines on like [`stream`](Self::stream), with the `wanted` ones of
    /// [`data`](Self::data). A file without streamlines gives one empty batch, which has the names of the
    /// data.
    ///
    /// Returns an error if more than 256 columns of a `.trx` are wanted.
    pub fn stream_with(
        self,
        wanted: &[DataDescription],
        sink: &mut dyn StreamlineSink,
    ) -> Result<TractogramSummary> {
        let (format, grid) = (self.format(), self.grid());
        let Counts { streamlines, points } = match self.opened {
            Opened::Tck(file) => file.stream(sink)?,
            Opened::Trk(file) => file.stream(wanted, sink)?,
            Opened::Trx(file) => file.stream(wanted, sink)?,
        };
        Ok(TractogramSummary { format, streamlines, points, grid })
    }
}

/// Reads a whole tractogram: `.tck`, `.trk`, `.trx`, `.tck.gz`, `.trk.gz`. Positions take 12 bytes per point,
/// streamlines 8 bytes each; nothing is held twice.
///
/// Returns an error of one line with the file name for unknown endings, damaged files and positions that are
/// not numbers.
pub fn read_tractogram(path: &Path) -> Result<TractogramFile> {
    read_tractogram_in(path, Space::Unknown)
}

/// Reads a tractogram like [`read_tractogram`]. If the file does not specify the space of its streamlines,
/// `space` is used.
pub fn read_tractogram_in(path: &Path, space: Space<'_>) -> Result<TractogramFile> {
    let reader = TractogramReader::open_in(path, space)?;
    let grid = reader.grid();
    let tractogram = match reader.opened {
        Opened::Tck(file) => {
            let mut collector = Collector::new(path, file.room())?;
            file.stream(&mut collector)?;
            collector.into_tractogram()?
        }
        Opened::Trk(file) => file.read()?,
        Opened::Trx(file) => file.read()?,
    };
    Ok(TractogramFile { tractogram, grid })
}

/// Reads the image that a file describes from its header; `None` for `.tck`.
pub fn read_tractogram_grid(path: &Path) -> Result<Option<Grid>> {
    Ok(TractogramReader::open(path)?.grid())
}

/// Reads the values of each streamline with this name; `None` if the file has none. Nothing else is kept.
pub fn read_per_streamline(path: &Path, name: &str) -> Result<Option<Column>> {
    let reader = TractogramReader::open(path)?;
    if let Opened::Trx(file) = reader.opened {
        // In other formats its values are not contiguous.
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

/// Collects a value of streamlines.
struct Values(Option<Column>);

impl StreamlineSink for Values {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        for (_, rows) in batch.per_streamline() {
            self.0.get_or_insert_with(|| rows.column.without_rows()).extend_from(&rows)?;
        }
        Ok(())
    }
}

/// The streamlines of a file without their data, readable any number of times.
#[derive(Debug, Clone, Copy)]
pub struct TractogramSource<'a> {
    /// The file.
    pub path: &'a Path,
    /// Their space, if the file does not specify it.
    pub space: Space<'a>,
}

impl StreamlineSource for TractogramSource<'_> {
    fn stream(&self, sink: &mut dyn StreamlineSink) -> Result<()> {
        stream_tractogram_in(self.path, self.space, sink).map(|_| ())
    }
}

/// Passes the streamlines of a file to a sink, like [`TractogramReader::stream`].
pub fn stream_tractogram(path: &Path, sink: &mut dyn StreamlineSink) -> Result<TractogramSummary> {
    stream_tractogram_in(path, Space::Unknown, sink)
}

/// Passes streamlines on like [`stream_tractogram`]. If the file does not specify their space, `space` is
/// used.
pub fn stream_tractogram_in(
    path: &Path,
    space: Space<'_>,
    sink: &mut dyn StreamlineSink,
) -> Result<TractogramSummary> {
    TractogramReader::open_in(path, space)?.stream(sink)
}
