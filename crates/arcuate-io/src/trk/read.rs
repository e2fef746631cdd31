//! Reads the streamlines of a `.trk` file.

use super::NamedValues;
use super::header::Header;
use crate::batches::{BatchColumns, BatchData, Batches, Collector, Counts, damaged};
use crate::streamline_input::StreamlineInput;
use crate::tractogram_types::{DataDescription, DataOf, OpenTractogram, Space};
use arcuate_core::{Column, Columns, Grid, Result, Scalars, StreamlineSink, Tractogram};
use std::path::Path;

/// Number of bytes that are decoded at a time. If a point or a streamline has more bytes of values, all its
/// bytes are decoded.
const PART_BYTES: u64 = 1 << 18;

/// An open `.trk` file whose header has been parsed.
#[derive(Debug)]
struct TrkFile {
    /// The open file. The next byte to read is that of the first streamline.
    input: StreamlineInput,
    header: Header,
}

/// Collects the values of points or streamlines until the batch to which they belong is passed to the sink.
struct Values {
    scalars: Gathered,
    properties: Gathered,
}

/// The collected values of the requested names.
struct Gathered {
    named: Vec<NamedValues>,
    /// For each name of values in the file, the collected values. `None` if the caller does not want the
    /// values of this name.
    values: Vec<Option<Vec<f32>>>,
}

impl Gathered {
    fn new(named: &[NamedValues], is_wanted: impl Fn(&NamedValues) -> bool) -> Self {
        let values = named.iter().map(|named| is_wanted(named).then(Vec::new)).collect();
        Self { named: named.to_vec(), values }
    }

    /// Adds the numbers of one point or streamline to the collected values of their names.
    fn push(&mut self, bytes: &[u8], float: impl Fn(&[u8]) -> f32) {
        let mut bytes = bytes.chunks_exact(4);
        for (values, named) in self.values.iter_mut().zip(&self.named) {
            let row = bytes.by_ref().take(named.width);
            match values {
                Some(values) => values.extend(row.map(&float)),
                None => drop(row.count()),
            }
        }
    }

    /// Returns the collected values and removes them from this collection.
    fn take(&mut self) -> Result<Columns> {
        let gathered = self.values.iter_mut().zip(&self.named);
        let requested =
            gathered.filter_map(|(values, named)| Some((std::mem::take(values.as_mut()?), named)));
        let column = |(values, named): (Vec<f32>, &NamedValues)| {
            Ok((named.name.clone(), Column::new(named.width, Scalars::F32(values))?))
        };
        requested.map(column).collect()
    }
}

impl BatchData for Values {
    fn next(&mut self, _rows: Counts) -> Result<BatchColumns> {
        Ok(BatchColumns { per_point: self.scalars.take()?, per_streamline: self.properties.take()? })
    }
}

/// Opens a `.trk` file.
pub(crate) fn open(path: &Path, space: Space<'_>) -> Result<Box<dyn OpenTractogram>> {
    Ok(Box::new(TrkFile::open(path, space)?))
}

impl TrkFile {
    fn open(path: &Path, space: Space<'_>) -> Result<Self> {
        let mut input = StreamlineInput::open(path)?;
        let header = Header::read(&mut input, space)?;
        let opened = Self { input, header };
        let maximum = opened.input.most_left() / opened.streamline_bytes();
        if let Some(claimed) = opened.header.claimed
            && maximum < claimed
        {
            let problem = format!(
                "it ends early: its header counts {claimed} streamlines, at most {maximum} are there"
            );
            return Err(damaged(path, problem));
        }
        Ok(opened)
    }

    /// Returns the number of bytes that a streamline without points takes in the file.
    fn streamline_bytes(&self) -> u64 {
        4 + 4 * self.header.property_count() as u64
    }

    /// Returns the number of bytes that a point with its scalars takes in the file.
    fn point_bytes(&self) -> u64 {
        12 + 4 * self.header.scalar_count() as u64
    }

    /// Returns upper bounds of the numbers of streamlines and points, to allocate memory. They follow from
    /// the size of the file, and are exact if the header states the number of streamlines. For compressed
    /// files, whose size does not determine them, they are 0.
    fn capacity(&self) -> Counts {
        let Some(left) = self.input.left() else { return Counts::default() };
        let streamlines = self.header.claimed.unwrap_or(0);
        let points = left.saturating_sub(streamlines * self.streamline_bytes()) / self.point_bytes();
        Counts { streamlines, points }
    }

    fn decode(mut self, sink: &mut dyn StreamlineSink, values: Values) -> Result<Counts> {
        let path = self.input.path().to_owned();
        let path = path.as_path();
        for doubt in &self.header.doubts {
            tracing::warn!("{}: {doubt}", path.display());
        }
        let big_endian = self.header.big_endian;
        let (streamline_bytes, point_bytes) = (self.streamline_bytes(), self.point_bytes());
        let to_ras_mm = self.header.to_ras_mm;
        let claimed = self.header.claimed;
        let float = |bytes: &[u8]| {
            let four = [bytes[0], bytes[1], bytes[2], bytes[3]];
            if big_endian { f32::from_be_bytes(four) } else { f32::from_le_bytes(four) }
        };
        let mut batches = Batches::new(path, sink, values);
        let part_rows = (PART_BYTES / point_bytes).max(1);
        let mut buffer = vec![0; (part_rows * point_bytes).max(streamline_bytes) as usize];
        while claimed != Some(batches.streamlines()) {
            let number = batches.streamlines();
            let early = || damaged(path, format!("it ends early, in streamline {number}"));
            let mut count = [0; 4];
            match self.input.read_up_to(&mut count)? {
                0 => break,
                4 => {}
                _ => return Err(early()),
            }
            let points = if big_endian { i32::from_be_bytes(count) } else { i32::from_le_bytes(count) };
            let points = u64::try_from(points)
                .map_err(|_| damaged(path, format!("streamline {number} claims {points} points")))?;
            if points * point_bytes + (streamline_bytes - 4) > self.input.most_left() {
                return Err(early());
            }

            let mut rows = points;
            while rows > 0 {
                let part = &mut buffer[..(rows.min(part_rows) * point_bytes) as usize];
                if self.input.read_up_to(part)? < part.len() {
                    return Err(early());
                }
                for row in part.chunks_exact(point_bytes as usize) {
                    let stored = std::array::from_fn(|axis| f64::from(float(&row[4 * axis..])));
                    batches.point(to_ras_mm.apply(stored).map(|value| value as f32))?;
                    batches.data.scalars.push(&row[12..], float);
                }
                rows -= rows.min(part_rows);
            }
            let part = &mut buffer[..streamline_bytes as usize - 4];
            if self.input.read_up_to(part)? < part.len() {
                return Err(early());
            }
            batches.data.properties.push(part, float);
            batches.end_streamline()?;
        }
        let (counts, _) = batches.finish()?;
        match claimed {
            Some(claimed) if claimed > counts.streamlines => {
                let problem = format!(
                    "it ends early: its header counts {claimed} streamlines, {} are there",
                    counts.streamlines
                );
                Err(damaged(path, problem))
            }
            _ => {
                let left = self.input.finish()?;
                if left > 0 {
                    tracing::warn!(
                        "{}: {left} bytes after the last streamline of the file are ignored",
                        path.display()
                    );
                }
                Ok(counts)
            }
        }
    }
}

impl OpenTractogram for TrkFile {
    fn is_gzip(&self) -> bool {
        self.input.is_gzip()
    }

    fn grid(&self) -> Option<Grid> {
        self.header.grid
    }

    fn is_placed(&self) -> bool {
        self.header.is_placed
    }

    fn data(&self) -> Vec<DataDescription> {
        let describe = |of| {
            move |named: &NamedValues| DataDescription {
                of,
                name: named.name.clone(),
                width: named.width,
                kind: "float32",
            }
        };
        let of_points = self.header.scalars.iter().map(describe(DataOf::Point));
        of_points.chain(self.header.properties.iter().map(describe(DataOf::Streamline))).collect()
    }

    fn stream(
        self: Box<Self>,
        requested: &[DataDescription],
        sink: &mut dyn StreamlineSink,
    ) -> Result<Counts> {
        let is_wanted = |of: DataOf| {
            move |named: &NamedValues| requested.iter().any(|data| data.of == of && data.name == named.name)
        };
        let values = Values {
            scalars: Gathered::new(&self.header.scalars, is_wanted(DataOf::Point)),
            properties: Gathered::new(&self.header.properties, is_wanted(DataOf::Streamline)),
        };
        self.decode(sink, values)
    }

    fn read(self: Box<Self>) -> Result<Tractogram> {
        let (capacity, path) = (self.capacity(), self.input.path().to_owned());
        let mut collector = Collector::new(&path, capacity)?;
        let data = self.data();
        self.stream(&data, &mut collector)?;
        collector.into_tractogram()
    }
}
