//! Tractograms of every format, chosen by the ending of the file name.

mod describe;
mod write;

pub use describe::{TractogramDescription, describe_tractogram};
pub use write::{TractogramWriter, convert_tractogram, write_tractogram};

use crate::batches::{Collector, Counts};
use crate::tck::TckFile;
use crate::tractogram_types::{PositionType, Space};
use crate::trk::TrkFile;
use crate::trx::{TrxFile, TrxLayout};
use arcuate_core::{Column, Error, Grid, Result, StreamlineSink, Tractogram};
use std::fmt;
use std::path::Path;

/// A tractogram and the image it was made in, where the file says which.
#[derive(Debug, Clone, PartialEq)]
pub struct TractogramFile {
    /// The streamlines, in RAS mm, with their data.
    pub tractogram: Tractogram,
    /// Size and place of the image: `.trk` and `.trx` have it, `.tck` does not.
    pub grid: Option<Grid>,
}

/// A file format for tractograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TractogramFormat {
    /// MRtrix tracks, `.tck`: positions alone.
    Tck,
    /// TrackVis, `.trk`: positions, and up to ten named values at each point and of each streamline.
    Trk,
    /// Tractography exchange, `.trx`, a zip archive or a folder: everything.
    Trx,
}

impl TractogramFormat {
    /// The format that a file name's ending stands for; fails on others.
    pub fn of(path: &Path) -> Result<Self> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_ascii_lowercase();
        match ending.as_str() {
            "tck" => Ok(Self::Tck),
            "trk" => Ok(Self::Trk),
            "trx" => Ok(Self::Trx),
            "" => Err(Error::usage(
                path.display(),
                "its name has no ending, which tells the format of a tractogram",
                "end it in .tck, .trk or .trx",
            )),
            ending => Err(Error::usage(
                path.display(),
                format!("`.{ending}` is no ending of a tractogram that Arcuate knows"),
                "use .tck, .trk or .trx",
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

/// How to write a tractogram.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TractogramOptions {
    /// Type of the stored positions.
    pub positions: PositionType,
    /// Form of a `.trx`; the other formats have only one.
    pub layout: TrxLayout,
    /// How the tractogram came to be: the `command_history` of a `.tck`. The other formats have no place for it.
    pub history: String,
}

/// What passed through a sink.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TractogramSummary {
    /// Format of the file.
    pub format: TractogramFormat,
    /// Number of streamlines.
    pub streamlines: u64,
    /// Number of points of all of them.
    pub points: u64,
    /// The image that the file describes.
    pub grid: Option<Grid>,
}

/// A file of any format whose header has been read.
enum Opened {
    Tck(TckFile),
    Trk(Box<TrkFile>),
    Trx(Box<TrxFile>),
}

impl Opened {
    fn open(path: &Path) -> Result<Self> {
        Self::open_in(path, Space::Unknown)
    }

    fn open_in(path: &Path, space: Space<'_>) -> Result<Self> {
        Ok(match TractogramFormat::of(path)? {
            TractogramFormat::Tck => Self::Tck(TckFile::open(path)?),
            TractogramFormat::Trk => Self::Trk(Box::new(TrkFile::open(path, space)?)),
            TractogramFormat::Trx => Self::Trx(Box::new(TrxFile::open(path)?)),
        })
    }

    fn format(&self) -> TractogramFormat {
        match self {
            Self::Tck(_) => TractogramFormat::Tck,
            Self::Trk(_) => TractogramFormat::Trk,
            Self::Trx(_) => TractogramFormat::Trx,
        }
    }

    fn grid(&self) -> Option<Grid> {
        match self {
            Self::Tck(_) => None,
            Self::Trk(file) => file.grid(),
            Self::Trx(file) => file.grid(),
        }
    }

    /// Names of everything beside the positions.
    fn data_names(&self) -> Vec<String> {
        match self {
            Self::Tck(_) => Vec::new(),
            Self::Trk(file) => {
                file.scalars().iter().chain(file.properties()).map(|d| d.name.clone()).collect()
            }
            Self::Trx(file) => {
                let columns = file.per_point.iter().chain(&file.per_streamline).chain(&file.groups);
                let of_groups =
                    file.per_group.iter().map(|(group, column)| format!("{group}/{}", column.name));
                columns.map(|column| column.name.clone()).chain(of_groups).collect()
            }
        }
    }

    fn stream(self, sink: &mut dyn StreamlineSink) -> Result<TractogramSummary> {
        let (format, grid) = (self.format(), self.grid());
        let Counts { streamlines, points } = match self {
            Self::Tck(file) => file.stream(sink)?,
            Self::Trk(file) => file.stream(sink)?,
            Self::Trx(file) => file.stream(sink)?,
        };
        Ok(TractogramSummary { format, streamlines, points, grid })
    }
}

/// Reads a tractogram whole. Positions take 12 bytes a point, streamlines 8 bytes each; nothing is held twice.
///
/// Fails with one line that names the file on unknown endings, damaged files and positions that are not numbers.
pub fn read_tractogram(path: &Path) -> Result<TractogramFile> {
    read_tractogram_in(path, Space::Unknown)
}

/// Reads a tractogram like [`read_tractogram`], which lies in `space` where the file does not say it.
pub fn read_tractogram_in(path: &Path, space: Space<'_>) -> Result<TractogramFile> {
    let opened = Opened::open_in(path, space)?;
    let grid = opened.grid();
    let tractogram = match opened {
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

/// The values of each streamline under a name; nothing where the file has none. Of a `.trx` nothing else is read.
pub fn read_per_streamline(path: &Path, name: &str) -> Result<Option<Column>> {
    Ok(match Opened::open(path)? {
        Opened::Tck(_) => None,
        Opened::Trk(file) => file.read()?.per_streamline.remove(name),
        Opened::Trx(file) => file.read_per_streamline(name)?,
    })
}

/// Passes the streamlines of a file to `sink` in order, in batches of about 65,536 points (a longer streamline is not
/// cut), in RAS mm and without their data. Needs no more memory than a batch, whatever the size of the file.
pub fn stream_tractogram(path: &Path, sink: &mut dyn StreamlineSink) -> Result<TractogramSummary> {
    stream_tractogram_in(path, Space::Unknown, sink)
}

/// Passes streamlines on like [`stream_tractogram`]; they lie in `space` where the file does not say it.
pub fn stream_tractogram_in(
    path: &Path,
    space: Space<'_>,
    sink: &mut dyn StreamlineSink,
) -> Result<TractogramSummary> {
    Opened::open_in(path, space)?.stream(sink)
}

/// Whether a file leaves open where its image is in space, from its header alone: some `.trk`.
pub fn lacks_its_place(path: &Path) -> Result<bool> {
    Ok(matches!(Opened::open(path)?, Opened::Trk(file) if !file.is_placed()))
}

/// The image that a file describes, from its header alone; nothing for `.tck`.
pub fn read_tractogram_grid(path: &Path) -> Result<Option<Grid>> {
    Ok(Opened::open(path)?.grid())
}

/// Names of all data beside the positions that a file holds, from its header alone: none for `.tck`.
pub fn tractogram_data_names(path: &Path) -> Result<Vec<String>> {
    Ok(Opened::open(path)?.data_names())
}
