//! Writes the streamlines of a `.trk` file.

use super::NamedValues;
use super::header::{COUNT_AT, encode, fits};
use crate::streamline_output::StreamlineOutput;
use crate::tractogram_types::{PositionType, TractogramOptions, TractogramOutput, required_grid};
use arcuate_core::{
    Affine, ColumnRows, Error, Grid, Point, Result, Scalars, StreamlineBatch, StreamlineGroups,
    StreamlineSink, printable,
};
use std::path::Path;

/// Writes a `.trk` file batch by batch.
#[derive(Debug)]
struct TrkWriter {
    file: StreamlineOutput,
    grid: Grid,
    from_ras_mm: Affine,
    streamlines: u64,
    /// The data that the file stores. The first batch determines them.
    data: Option<Chosen>,
    bytes: Vec<u8>,
}

/// The names of values of points (scalars) and streamlines (properties) that fit into the header, and the
/// names of those that do not.
#[derive(Debug, Default)]
struct Chosen {
    scalars: Vec<NamedValues>,
    properties: Vec<NamedValues>,
    dropped: Vec<String>,
}

impl Chosen {
    fn of(batch: StreamlineBatch<'_>) -> Self {
        let mut chosen = Self::default();
        let Self { scalars, properties, dropped } = &mut chosen;
        choose("per-point data", batch.per_point(), scalars, dropped);
        choose("per-streamline data", batch.per_streamline(), properties, dropped);
        chosen
    }
}

/// Creates a `.trk` file. The format requires the voxel grid of the image to which the streamlines belong, and
/// stores positions in single precision.
pub(crate) fn create(
    path: &Path,
    grid: Option<&Grid>,
    options: &TractogramOptions,
) -> Result<Box<dyn TractogramOutput>> {
    if options.positions != PositionType::F32 {
        let problem = format!(".trk has no {} positions", options.positions);
        return Err(Error::usage(path.display(), problem, "choose float32, or write .trx"));
    }
    Ok(Box::new(TrkWriter::create(path, required_grid(path, grid)?)?))
}

impl TrkWriter {
    fn create(path: &Path, grid: &Grid) -> Result<Self> {
        let (_, from_ras_mm) = encode(path, grid, &[], &[])?;
        let file = StreamlineOutput::create(path)?;
        Ok(Self { file, grid: *grid, from_ras_mm, streamlines: 0, data: None, bytes: Vec::new() })
    }

    /// Writes the header of the file, which contains the names of the values of points and streamlines.
    fn begin_file(&mut self, data: &Chosen) -> Result<()> {
        let path = self.file.path().to_owned();
        let (header, _) = encode(&path, &self.grid, &data.scalars, &data.properties)?;
        self.file.begin(header)
    }

    /// Returns the columns of values with these names from a batch of streamlines. Returns an error if the
    /// batch lacks one of these columns.
    fn columns<'a>(
        &self,
        what: &str,
        named: &[NamedValues],
        columns: impl Iterator<Item = (&'a str, ColumnRows<'a>)>,
    ) -> Result<Vec<ColumnRows<'a>>> {
        let found: Vec<ColumnRows<'a>> = columns
            .filter(|(name, rows)| named.iter().any(|n| n.name == *name && n.width == rows.column.width()))
            .map(|(_, rows)| rows)
            .collect();
        if found.len() != named.len() {
            let problem = format!(
                "some streamlines do not have the data columns per {what} that the earlier streamlines have"
            );
            return Err(Error::invalid(
                self.file.path().display(),
                problem,
                "give all streamlines the same data columns",
            ));
        }
        Ok(found)
    }

    fn begin(&mut self, points: u64) -> Result<()> {
        let count = i32::try_from(points).map_err(|_| {
            let problem = format!("streamline {} has too many points for .trk", self.streamlines);
            Error::usage(self.file.path().display(), problem, "write .tck or .trx")
        })?;
        self.bytes.clear();
        self.bytes.extend_from_slice(&count.to_le_bytes());
        Ok(())
    }

    fn point(&mut self, point: Point) {
        for value in self.from_ras_mm.apply(point.map(f64::from)) {
            self.bytes.extend_from_slice(&(value as f32).to_le_bytes());
        }
    }

    /// Writes the values of one point or streamline. `row` is its index in the batch.
    fn values(&mut self, columns: &[ColumnRows<'_>], row: usize) {
        for ColumnRows { column, rows } in columns {
            let row = rows.start + row;
            for place in row * column.width()..(row + 1) * column.width() {
                self.bytes.extend_from_slice(&single(column.values(), place).to_le_bytes());
            }
        }
    }

    fn end(&mut self) -> Result<()> {
        self.streamlines += 1;
        self.file.write(&self.bytes)
    }
}

impl TractogramOutput for TrkWriter {
    // A `.trk` file cannot store groups of streamlines. A warning lists the groups together with the other
    // values that are not stored.
    fn finish(mut self: Box<Self>, groups: &StreamlineGroups) -> Result<()> {
        let path = self.file.path().to_owned();
        let mut dropped = if let Some(data) = self.data.take() {
            data.dropped
        } else {
            self.begin_file(&Chosen::default())?;
            Vec::new()
        };
        dropped.extend(groups.members.keys().map(|name| format!("group `{name}`")));
        if !dropped.is_empty() {
            warn_of_dropped(&path, &dropped);
        }
        let count = i32::try_from(self.streamlines).map_err(|_| {
            let problem = format!("{} streamlines are more than a .trk file can have", self.streamlines);
            Error::usage(path.display(), problem, "write .tck or .trx")
        })?;
        self.file.finish(COUNT_AT, &count.to_le_bytes())
    }
}

impl StreamlineSink for TrkWriter {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        let data = if let Some(data) = self.data.take() {
            data
        } else {
            let data = Chosen::of(batch);
            self.begin_file(&data)?;
            data
        };
        let scalars = self.columns("point", &data.scalars, batch.per_point())?;
        let properties = self.columns("streamline", &data.properties, batch.per_streamline())?;
        let mut row = 0;
        for (n, streamline) in batch.iter().enumerate() {
            self.begin(streamline.len() as u64)?;
            for &point in streamline {
                self.point(point);
                self.values(&scalars, row);
                row += 1;
            }
            self.values(&properties, n);
            self.end()?;
        }
        self.data = Some(data);
        Ok(())
    }
}

/// Warns about values of points, streamlines or groups that a `.trk` file cannot store.
fn warn_of_dropped(path: &Path, names: &[String]) {
    tracing::warn!(
        "{}: a .trk cannot store {}, so these data are not written (write .trx to keep them)",
        path.display(),
        printable(&names.join(", "), 500)
    );
}

/// Chooses the columns of values that fit into the header. Adds the names of the other columns to `dropped`.
fn choose<'a>(
    what: &str,
    columns: impl Iterator<Item = (&'a str, ColumnRows<'a>)>,
    names: &mut Vec<NamedValues>,
    dropped: &mut Vec<String>,
) {
    for (name, rows) in columns {
        let named = NamedValues { name: name.to_owned(), width: rows.column.width() };
        if fits(&named, names) {
            names.push(named);
        } else {
            dropped.push(format!("{what} `{name}`"));
        }
    }
}

/// Returns one number in single precision.
fn single(scalars: &Scalars, place: usize) -> f32 {
    match scalars {
        Scalars::I8(v) => f32::from(v[place]),
        Scalars::U8(v) => f32::from(v[place]),
        Scalars::I16(v) => f32::from(v[place]),
        Scalars::U16(v) => f32::from(v[place]),
        Scalars::I32(v) => v[place] as f32,
        Scalars::U32(v) => v[place] as f32,
        Scalars::I64(v) => v[place] as f32,
        Scalars::U64(v) => v[place] as f32,
        Scalars::F16(v) => v[place].to_f32(),
        Scalars::F32(v) => v[place],
        Scalars::F64(v) => v[place] as f32,
    }
}
