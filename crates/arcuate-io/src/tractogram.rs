//! Tractograms of every format, chosen by the ending of the file name.

use crate::batches::{Collector, Counts};
use crate::tck::{TckFile, TckWriter};
use crate::trk::{TrkFile, TrkWriter};
use crate::trx::{ScalarType, TrxFile, TrxLayout, TrxWriter};
use arcuate_core::{Column, Error, Grid, Point, Result, Tractogram, VisitSink, Visits, length};
use std::fmt;
use std::path::{Path, PathBuf};

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

impl PositionType {
    pub(crate) fn scalar_type(self) -> ScalarType {
        match self {
            Self::F16 => ScalarType::F16,
            Self::F32 => ScalarType::F32,
            Self::F64 => ScalarType::F64,
        }
    }
}

impl fmt::Display for PositionType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scalar_type().fmt(f)
    }
}

/// How to write a tractogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TractogramOptions {
    /// Type of the stored positions.
    pub positions: PositionType,
    /// Form of a `.trx`; the other formats have only one.
    pub layout: TrxLayout,
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

/// What a file holds, found by reading it through once.
#[derive(Debug, Clone, PartialEq)]
pub struct TractogramDescription {
    /// Format of the file.
    pub format: TractogramFormat,
    /// Type of the stored positions.
    pub positions: PositionType,
    /// Number of streamlines.
    pub streamlines: u64,
    /// Number of points of all of them.
    pub points: u64,
    /// Shortest, mean and longest streamline in mm; nothing where there is no streamline.
    pub lengths: Option<[f64; 3]>,
    /// Smallest and largest coordinates in RAS mm; nothing where there is no point.
    pub bounds: Option<[Point; 2]>,
    /// The image that the file describes.
    pub grid: Option<Grid>,
    /// Values at each point.
    pub per_point: Vec<DataDescription>,
    /// Values of each streamline.
    pub per_streamline: Vec<DataDescription>,
    /// Name of each group and how many streamlines it has.
    pub groups: Vec<(String, u64)>,
    /// Values of each group, named `group/value`.
    pub per_group: Vec<DataDescription>,
}

/// Named numbers in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataDescription {
    /// Their name.
    pub name: String,
    /// How many numbers belong together.
    pub width: usize,
    /// Their type as TRX names it, `float32` for instance.
    pub kind: &'static str,
}

/// A file of any format whose header has been read.
enum Opened {
    Tck(TckFile),
    Trk(Box<TrkFile>),
    Trx(Box<TrxFile>),
}

impl Opened {
    fn open(path: &Path) -> Result<Self> {
        Ok(match TractogramFormat::of(path)? {
            TractogramFormat::Tck => Self::Tck(TckFile::open(path)?),
            TractogramFormat::Trk => Self::Trk(Box::new(TrkFile::open(path)?)),
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

    fn stream(self, sink: &mut dyn VisitSink) -> Result<TractogramSummary> {
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
    let opened = Opened::open(path)?;
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

/// Passes the streamlines of a file to `sink` in order, in batches of about 65,536 points (a longer streamline is not
/// cut), in RAS mm and without their data. Needs no more memory than a batch, whatever the size of the file.
pub fn stream_tractogram(path: &Path, sink: &mut dyn VisitSink) -> Result<TractogramSummary> {
    Opened::open(path)?.stream(sink)
}

/// The image that a file describes, from its header alone; nothing for `.tck`.
pub fn read_tractogram_grid(path: &Path) -> Result<Option<Grid>> {
    Ok(Opened::open(path)?.grid())
}

/// Reads a file through once and says what it holds.
pub fn describe_tractogram(path: &Path) -> Result<TractogramDescription> {
    let opened = Opened::open(path)?;
    let single =
        |name: &str, width| DataDescription { name: name.to_owned(), width, kind: ScalarType::F32.name() };
    let mut description = TractogramDescription {
        format: opened.format(),
        positions: PositionType::F32,
        streamlines: 0,
        points: 0,
        lengths: None,
        bounds: None,
        grid: opened.grid(),
        per_point: Vec::new(),
        per_streamline: Vec::new(),
        groups: Vec::new(),
        per_group: Vec::new(),
    };
    match &opened {
        Opened::Tck(file) if file.is_double() => description.positions = PositionType::F64,
        Opened::Tck(_) => {}
        Opened::Trk(file) => {
            description.per_point = file.scalars().iter().map(|d| single(&d.name, d.width)).collect();
            description.per_streamline = file.properties().iter().map(|d| single(&d.name, d.width)).collect();
        }
        Opened::Trx(file) => {
            description.positions = match file.position_type() {
                ScalarType::F16 => PositionType::F16,
                ScalarType::F64 => PositionType::F64,
                _ => PositionType::F32,
            };
            description.per_point = file.per_point.iter().map(|c| c.describe(&c.name)).collect();
            description.per_streamline = file.per_streamline.iter().map(|c| c.describe(&c.name)).collect();
            description.groups = file.groups.iter().map(|c| (c.name.clone(), c.rows)).collect();
            let of_group = file.per_group.iter();
            description.per_group =
                of_group.map(|(group, c)| c.describe(&format!("{group}/{}", c.name))).collect();
        }
    }
    let mut measure = Measure::default();
    let summary = opened.stream(&mut measure)?;
    description.streamlines = summary.streamlines;
    description.points = summary.points;
    if summary.streamlines > 0 {
        let mean = measure.total / summary.streamlines as f64;
        description.lengths = Some([measure.shortest, mean, measure.longest]);
    }
    if summary.points > 0 {
        description.bounds = Some([measure.least, measure.most]);
    }
    Ok(description)
}

/// Lengths and extent of the streamlines that pass by.
struct Measure {
    shortest: f64,
    longest: f64,
    total: f64,
    least: Point,
    most: Point,
}

impl Default for Measure {
    fn default() -> Self {
        Self {
            shortest: f64::INFINITY,
            longest: 0.0,
            total: 0.0,
            least: [f32::INFINITY; 3],
            most: [f32::NEG_INFINITY; 3],
        }
    }
}

impl VisitSink for Measure {
    fn take(&mut self, visits: Visits<'_>) -> Result<()> {
        for streamline in visits.iter() {
            let millimetres = length(streamline);
            self.shortest = self.shortest.min(millimetres);
            self.longest = self.longest.max(millimetres);
            self.total += millimetres;
        }
        for point in visits.positions {
            for axis in 0..3 {
                self.least[axis] = self.least[axis].min(point[axis]);
                self.most[axis] = self.most[axis].max(point[axis]);
            }
        }
        Ok(())
    }
}

/// Writes a tractogram whole. `.trx` keeps all data; `.trk` keeps up to ten names of 20 bytes at each point and of
/// each streamline, in single precision; `.tck` keeps positions alone. A warning names what is left out.
///
/// `.trk` and `.trx` need `grid`, the image that the streamlines belong to. Fails on positions that are not numbers.
pub fn write_tractogram(
    path: &Path,
    tractogram: &Tractogram,
    grid: Option<&Grid>,
    options: &TractogramOptions,
) -> Result<()> {
    tractogram.check().map_err(|e| e.about(path.display()))?;
    let keeps_data = match TractogramFormat::of(path)? {
        TractogramFormat::Trk => !tractogram.per_point.is_empty() || !tractogram.per_streamline.is_empty(),
        TractogramFormat::Tck | TractogramFormat::Trx => false,
    };
    if keeps_data {
        // Values stand between the positions, so both are written together.
        require_single(path, options.positions)?;
        check_positions(path, tractogram.as_visits(), 0, options.positions)?;
        return TrkWriter::write(path, tractogram, required(path, grid)?);
    }
    let mut writer = TractogramWriter::create(path, grid, options)?;
    writer.take(tractogram.as_visits())?;
    writer.finish_with(tractogram)
}

/// Copies a tractogram into another file, whose ending tells the format. Streamlines go through in batches where no
/// data beside them exist or none can be kept; otherwise the tractogram is held in memory once.
///
/// `grid` is the image that the streamlines belong to; without it, the one that `from` describes is taken.
pub fn convert_tractogram(
    from: &Path,
    to: &Path,
    grid: Option<&Grid>,
    options: &TractogramOptions,
) -> Result<()> {
    let opened = Opened::open(from)?;
    let own_grid = opened.grid();
    let grid = grid.or(own_grid.as_ref());
    let data = opened.data_names();
    let to_tck = TractogramFormat::of(to)? == TractogramFormat::Tck;
    if data.is_empty() || to_tck {
        if !data.is_empty() {
            warn_of_dropped(to, &data);
        }
        let mut writer = TractogramWriter::create(to, grid, options)?;
        opened.stream(&mut writer)?;
        return writer.finish();
    }
    drop(opened);
    let file = read_tractogram(from)?;
    write_tractogram(to, &file.tractogram, grid, options)
}

fn warn_of_dropped(path: &Path, names: &[String]) {
    tracing::warn!(
        "{}: .tck holds positions alone; dropped: {} (write .trx to keep everything)",
        path.display(),
        names.join(", ")
    );
}

/// Writes streamlines to a file as they come, in any format, without holding their positions.
///
/// The file appears under its name when [`finish`](Self::finish) returns; dropped before, nothing remains.
#[derive(Debug)]
pub struct TractogramWriter {
    path: PathBuf,
    positions: PositionType,
    streamlines: u64,
    /// A batch could not be written: what is there must not appear as a result.
    has_failed: bool,
    format: FormatWriter,
    /// Columns for the end of the file; no streamlines.
    data: Tractogram,
}

#[derive(Debug)]
enum FormatWriter {
    Tck(TckWriter),
    Trk(TrkWriter),
    Trx(Box<TrxWriter>),
}

impl TractogramWriter {
    /// Begins a file. `grid` is the image that the streamlines belong to, which `.trk` and `.trx` must name. Fails on
    /// unknown endings and on position types that the format does not have.
    pub fn create(path: &Path, grid: Option<&Grid>, options: &TractogramOptions) -> Result<Self> {
        let positions = options.positions;
        let format = match TractogramFormat::of(path)? {
            TractogramFormat::Tck => {
                if positions == PositionType::F16 {
                    return Err(Error::usage(
                        path.display(),
                        ".tck has no half-precision positions",
                        "choose float32, or write .trx",
                    ));
                }
                FormatWriter::Tck(TckWriter::create(path, positions == PositionType::F64)?)
            }
            TractogramFormat::Trk => {
                require_single(path, positions)?;
                FormatWriter::Trk(TrkWriter::create(path, required(path, grid)?)?)
            }
            TractogramFormat::Trx => {
                let writer = TrxWriter::create(path, required(path, grid)?, positions, options.layout)?;
                FormatWriter::Trx(Box::new(writer))
            }
        };
        Ok(Self {
            path: path.to_owned(),
            positions,
            streamlines: 0,
            has_failed: false,
            format,
            data: Tractogram::new(),
        })
    }

    /// Adds values of each streamline, to be written at the end: one row for each streamline that will have passed.
    /// Fails for formats that cannot take them once streamlines have been written, which are all but `.trx`.
    pub fn add_per_streamline(&mut self, name: &str, column: Column) -> Result<()> {
        match self.format {
            FormatWriter::Trx(_) => {
                self.data.per_streamline.insert(name.to_owned(), column);
                Ok(())
            }
            FormatWriter::Tck(_) | FormatWriter::Trk(_) => Err(Error::usage(
                self.path.display(),
                format!("its format cannot take the data `{name}` after the streamlines"),
                "write .trx",
            )),
        }
    }

    /// Streamlines written so far.
    pub fn streamlines(&self) -> u64 {
        self.streamlines
    }

    /// Makes the file complete under its name.
    pub fn finish(mut self) -> Result<()> {
        let data = std::mem::take(&mut self.data);
        self.finish_with(&data)
    }

    /// Completes the file with the data (not the streamlines) of `data`, where the format has room.
    fn finish_with(self, data: &Tractogram) -> Result<()> {
        if self.has_failed {
            let problem = "some of its streamlines could not be written";
            return Err(Error::invalid(self.path.display(), problem, "see the error before this one"));
        }
        let names = || -> Vec<String> {
            let columns = data.per_point.keys().chain(data.per_streamline.keys()).chain(data.groups.keys());
            columns.cloned().collect()
        };
        match self.format {
            FormatWriter::Tck(writer) => {
                if !names().is_empty() {
                    warn_of_dropped(&self.path, &names());
                }
                writer.finish()
            }
            FormatWriter::Trk(writer) => {
                if !data.groups.is_empty() {
                    crate::trk::warn_of_dropped(&self.path, &names());
                }
                writer.finish()
            }
            FormatWriter::Trx(writer) => writer.finish(data),
        }
    }
}

impl VisitSink for TractogramWriter {
    fn take(&mut self, visits: Visits<'_>) -> Result<()> {
        self.has_failed = true;
        check_positions(&self.path, visits, self.streamlines, self.positions)?;
        match &mut self.format {
            FormatWriter::Tck(writer) => writer.take(visits),
            FormatWriter::Trk(writer) => writer.take(visits),
            FormatWriter::Trx(writer) => writer.take(visits),
        }?;
        self.streamlines += visits.len() as u64;
        self.has_failed = false;
        Ok(())
    }
}

fn required<'a>(path: &Path, grid: Option<&'a Grid>) -> Result<&'a Grid> {
    grid.ok_or_else(|| {
        Error::usage(
            path.display(),
            "its format records the image that the streamlines belong to, and none is known",
            "give an image of that space with --reference, or write .tck",
        )
    })
}

fn require_single(path: &Path, positions: PositionType) -> Result<()> {
    if positions == PositionType::F32 {
        return Ok(());
    }
    let problem = format!(".trk has no {positions} positions");
    Err(Error::usage(path.display(), problem, "choose float32, or write .trx"))
}

/// Fails, naming the streamline, on positions that are not numbers (NaN ends a streamline in `.tck`) or do not fit the
/// stored type.
fn check_positions(path: &Path, visits: Visits<'_>, before: u64, kind: PositionType) -> Result<()> {
    let fits = |value: f32| match kind {
        PositionType::F16 => half::f16::from_f32(value).is_finite(),
        PositionType::F32 | PositionType::F64 => value.is_finite(),
    };
    if visits.positions.iter().flatten().all(|&value| fits(value)) {
        return Ok(());
    }
    for (n, streamline) in visits.iter().enumerate() {
        let number = before + n as u64;
        for value in streamline.iter().flatten() {
            if !value.is_finite() {
                let problem = format!("streamline {number} has a position that is not a number");
                return Err(Error::invalid(path.display(), problem, "remove this streamline before writing"));
            }
            if !fits(*value) {
                let problem = format!("streamline {number} reaches {value} mm, too far for half precision");
                return Err(Error::invalid(path.display(), problem, "write positions as float32"));
            }
        }
    }
    Ok(())
}
