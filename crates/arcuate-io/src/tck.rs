//! Reads and writes MRtrix track files (`.tck`). A text header is followed by the coordinates of the
//! streamline points in RAS mm. A point of three NaN ends each streamline, and a point of three infinities
//! ends the file. The format stores positions, but no further values.

use crate::batches::{Batches, Collector, Counts, NoData, damaged, three};
use crate::streamline_input::StreamlineInput;
use crate::streamline_output::StreamlineOutput;
use crate::tractogram_types::{
    DataDescription, OpenTractogram, PositionType, Space, TractogramOptions, TractogramOutput,
};
use arcuate_core::{
    Error, Grid, Point, Result, StreamlineBatch, StreamlineGroups, StreamlineSink, Tractogram, printable,
};
use std::fmt::Write as _;
use std::path::Path;

/// Maximum number of bytes of a `.tck` header up to the line `END`.
const LONGEST_HEADER: u64 = 1 << 24;
/// Number of points (three coordinates each) that are decoded at a time.
const TRIPLETS: usize = 1 << 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Datatype {
    Float32Little,
    Float32Big,
    Float64Little,
    Float64Big,
}

impl Datatype {
    fn triplet_bytes(self) -> usize {
        match self {
            Self::Float32Little | Self::Float32Big => 12,
            Self::Float64Little | Self::Float64Big => 24,
        }
    }
}

/// An open `.tck` file whose header has been parsed.
#[derive(Debug)]
struct TckFile {
    /// The open file. The next byte to read is the first coordinate after the header.
    input: StreamlineInput,
    datatype: Datatype,
    /// Number of streamlines that the header states.
    claimed: Option<u64>,
}

/// Opens a `.tck` file. Its positions are always in RAS mm.
pub(crate) fn open(path: &Path, _: Space<'_>) -> Result<Box<dyn OpenTractogram>> {
    Ok(Box::new(TckFile::open(path)?))
}

impl TckFile {
    fn open(path: &Path) -> Result<Self> {
        let mut input = StreamlineInput::open(path)?;
        let size = input.left();
        let (mut datatype, mut claimed, mut offset) = (None, None, None);
        let mut header_bytes = 0;
        for number in 0.. {
            let line = input.line(LONGEST_HEADER - header_bytes)?;
            let bytes = line.len();
            header_bytes += bytes as u64;
            let line = String::from_utf8_lossy(&line);
            let line = line.trim_end();
            if number == 0 && line != "mrtrix tracks" {
                let problem = "it is not an MRtrix track file (its first line is not `mrtrix tracks`)";
                return Err(Error::invalid(
                    path.display(),
                    problem,
                    "give a .tck file that MRtrix or Arcuate wrote",
                ));
            }
            if bytes == 0 {
                return Err(damaged(path, "its header has no END"));
            }
            if line == "END" {
                break;
            }
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match key.trim() {
                "datatype" => datatype = Some(parse_datatype(path, value)?),
                "count" => claimed = value.parse().ok(),
                "file" => offset = Some(parse_offset(path, value)?),
                _ => {}
            }
        }
        let datatype = datatype.ok_or_else(|| damaged(path, "its header names no datatype"))?;
        let offset = offset.ok_or_else(|| damaged(path, "its header does not state where the data begin"))?;
        let is_inside = offset >= header_bytes && size.is_none_or(|size| offset <= size);
        if !is_inside || !input.skip(offset - header_bytes)? {
            let size = size.map_or_else(|| "fewer".to_owned(), |size| size.to_string());
            let problem = format!(
                "its header puts the data at byte {offset}, but it has {size} bytes, {header_bytes} of them header"
            );
            return Err(damaged(path, problem));
        }
        Ok(Self { input, datatype, claimed })
    }

    /// Returns upper bounds of the numbers of streamlines and points, to allocate memory. They follow from
    /// the size of the file, because three coordinates are a point, the end of a streamline, or the end of
    /// the file. For compressed files, whose size does not determine them, they are 0.
    fn capacity(&self) -> Counts {
        let triplets = self.input.left().unwrap_or(0) / self.datatype.triplet_bytes() as u64;
        let streamlines = self.claimed.unwrap_or(0).min(triplets);
        Counts { streamlines, points: triplets.saturating_sub(1) }
    }

    fn decode(mut self, sink: &mut dyn StreamlineSink, triplet: impl Fn(&[u8]) -> Point) -> Result<Counts> {
        let path = self.input.path().to_owned();
        let path = path.as_path();
        let size = self.datatype.triplet_bytes();
        let mut batches = Batches::new(path, sink, NoData);
        let mut buffer = vec![0; TRIPLETS * size];
        loop {
            let count = self.input.read_up_to(&mut buffer)?;
            for bytes in buffer[..count].chunks_exact(size) {
                let point = triplet(bytes);
                if point[0].is_finite() {
                    batches.point(point)?;
                } else if point.iter().all(|value| value.is_nan()) {
                    batches.end_streamline()?;
                } else if point.iter().all(|value| value.is_infinite()) {
                    if batches.has_open_streamline() {
                        batches.end_streamline()?;
                    }
                    let (counts, _) = batches.finish()?;
                    warn_of_count(path, self.claimed, counts.streamlines);
                    self.input.finish()?;
                    return Ok(counts);
                } else {
                    batches.point(point)?; // returns an error with the streamline's number
                }
            }
            if count < buffer.len() {
                break;
            }
        }
        // The file has no end mark, because the program that wrote it (such as `tckgen`) was interrupted.
        // A file without an end mark is useful unless it contains no streamlines.
        if batches.streamlines() == 0 {
            return Err(damaged(path, "it ends early: there is neither an end mark nor a whole streamline"));
        }
        let (counts, _) = batches.finish()?;
        tracing::warn!(
            "{}: the file has no end mark, so it is incomplete (it was truncated, or the program that wrote \
             it was interrupted); its {} complete streamlines are read",
            path.display(),
            counts.streamlines
        );
        warn_of_count(path, self.claimed, counts.streamlines);
        Ok(counts)
    }
}

impl OpenTractogram for TckFile {
    fn is_gzip(&self) -> bool {
        self.input.is_gzip()
    }

    fn positions(&self) -> PositionType {
        if self.datatype.triplet_bytes() == 24 { PositionType::F64 } else { PositionType::F32 }
    }

    fn stream(self: Box<Self>, _: &[DataDescription], sink: &mut dyn StreamlineSink) -> Result<Counts> {
        match self.datatype {
            Datatype::Float32Little => self.decode(sink, |b| three(b, f32::from_le_bytes)),
            Datatype::Float32Big => self.decode(sink, |b| three(b, f32::from_be_bytes)),
            Datatype::Float64Little => self.decode(sink, |b| three(b, |v| f64::from_le_bytes(v) as f32)),
            Datatype::Float64Big => self.decode(sink, |b| three(b, |v| f64::from_be_bytes(v) as f32)),
        }
    }

    fn read(self: Box<Self>) -> Result<Tractogram> {
        let path = self.input.path().to_owned();
        let mut collector = Collector::new(&path, self.capacity())?;
        self.stream(&[], &mut collector)?;
        collector.into_tractogram()
    }
}

fn warn_of_count(path: &Path, claimed: Option<u64>, streamlines: u64) {
    if let Some(claimed) = claimed
        && claimed != streamlines
    {
        tracing::warn!(
            "{}: the header states {claimed} streamlines, but the file contains {streamlines}; all \
             streamlines in the file are read",
            path.display()
        );
    }
}

fn parse_datatype(path: &Path, value: &str) -> Result<Datatype> {
    match value.to_ascii_lowercase().as_str() {
        "float32le" => Ok(Datatype::Float32Little),
        "float32be" => Ok(Datatype::Float32Big),
        "float64le" => Ok(Datatype::Float64Little),
        "float64be" => Ok(Datatype::Float64Big),
        _ => Err(Error::invalid(
            path.display(),
            format!("the data type `{value}` is not possible in a .tck file"),
            "write the file as Float32LE, as MRtrix does",
        )),
    }
}

fn parse_offset(path: &Path, value: &str) -> Result<u64> {
    let mut words = value.split_whitespace();
    let (name, offset) = (words.next(), words.next().unwrap_or("0").parse());
    match (name, offset) {
        (Some("."), Ok(offset)) => Ok(offset),
        (Some(name), Ok(_)) if name != "." => Err(Error::invalid(
            path.display(),
            format!("the coordinates of the streamlines are in another file, `{name}`"),
            "rewrite the tractogram as one file, with MRtrix's tckconvert",
        )),
        _ => Err(damaged(path, format!("its header line `file: {value}` is not understood"))),
    }
}

/// Writes a `.tck` file batch by batch.
#[derive(Debug)]
struct TckWriter {
    file: StreamlineOutput,
    double: bool,
    streamlines: u64,
    /// Names of values of points and streamlines that the format cannot store.
    dropped: Vec<String>,
    bytes: Vec<u8>,
}

/// Maximum number of characters of the command line in a header.
const MAX_HISTORY_CHARACTERS: usize = 4000;

/// Position in the header of the first digit of the number of streamlines.
const COUNT_AT: usize = "mrtrix tracks\ndatatype: Float32LE\ncount: ".len();

/// Creates a header in which the number of streamlines is 0; the writer overwrites it at the end. Zeros pad
/// the header to a round number of bytes.
fn header(double: bool, history: &str) -> String {
    let datatype = if double { "Float64LE" } else { "Float32LE" };
    let mut text = format!("mrtrix tracks\ndatatype: {datatype}\ncount: {:012}\n", 0);
    if !history.is_empty() {
        // The command is written as one line, whatever it contains. Writing to a string cannot fail.
        let _ = writeln!(text, "command_history: {}", printable(history, MAX_HISTORY_CHARACTERS));
    }
    // The header needs space for the line with the position of the data, whose number has up to six digits,
    // and for the line `END`.
    let begin = (text.len() + "file: . 123456\nEND\n".len()).next_multiple_of(16);
    let _ = write!(text, "file: . {begin}\nEND\n");
    text.extend(std::iter::repeat_n('\0', begin - text.len()));
    text
}

/// Creates a `.tck` file. `history` of the options becomes the entry `command_history` of the header, if it is
/// not empty.
pub(crate) fn create(
    path: &Path,
    _: Option<&Grid>,
    options: &TractogramOptions,
) -> Result<Box<dyn TractogramOutput>> {
    if options.positions == PositionType::F16 {
        return Err(Error::usage(
            path.display(),
            ".tck has no half-precision positions",
            "choose float32, or write .trx",
        ));
    }
    let is_double = options.positions == PositionType::F64;
    Ok(Box::new(TckWriter::create(path, is_double, &options.history)?))
}

impl TckWriter {
    fn create(path: &Path, double: bool, history: &str) -> Result<Self> {
        let mut file = StreamlineOutput::create(path)?;
        file.begin(header(double, history).into_bytes())?;
        Ok(Self { file, double, streamlines: 0, dropped: Vec::new(), bytes: Vec::new() })
    }

    fn put(&mut self, point: Point) {
        for value in point {
            if self.double {
                self.bytes.extend_from_slice(&f64::from(value).to_le_bytes());
            } else {
                self.bytes.extend_from_slice(&value.to_le_bytes());
            }
        }
    }
}

impl TractogramOutput for TckWriter {
    fn finish(mut self: Box<Self>, groups: &StreamlineGroups) -> Result<()> {
        let mut dropped =
            [std::mem::take(&mut self.dropped), groups.members.keys().cloned().collect()].concat();
        dropped.dedup();
        if !dropped.is_empty() {
            tracing::warn!(
                "{}: a .tck stores only positions, so these data are not written: {} (write .trx to keep them)",
                self.file.path().display(),
                printable(&dropped.join(", "), 500)
            );
        }
        self.bytes.clear();
        self.put([f32::INFINITY; 3]);
        self.file.write(&self.bytes)?;
        let count = format!("{:012}", self.streamlines);
        self.file.finish(COUNT_AT, count.as_bytes())
    }
}

impl StreamlineSink for TckWriter {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        if self.streamlines == 0 && self.dropped.is_empty() {
            let names = batch.per_point().chain(batch.per_streamline()).map(|(name, _)| name.to_owned());
            self.dropped.extend(names);
        }
        for streamline in batch.iter() {
            self.bytes.clear();
            for &point in streamline {
                self.put(point);
            }
            self.put([f32::NAN; 3]);
            self.file.write(&self.bytes)?;
            self.streamlines += 1;
        }
        Ok(())
    }
}
