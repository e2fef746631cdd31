//! Writes tractograms, and converts them to other formats.

use super::{TractogramFormat, TractogramOptions, TractogramReader};
use crate::tck::TckWriter;
use crate::tractogram_types::{PositionType, Space};
use crate::trk::TrkWriter;
use crate::trx::TrxWriter;
use arcuate_core::{
    Error, FARTHEST_MM, Grid, Result, StreamlineBatch, StreamlineGroups, StreamlineSink, Tractogram,
    printable, problem_of_point,
};
use std::path::{Path, PathBuf};

/// Writes a whole tractogram. `.trx` stores all data. `.trk` stores values in single precision, with up to
/// ten names for points and ten for streamlines; a name has at most 20 bytes. `.tck` stores only positions. A
/// warning lists the data that are not stored.
///
/// `.trk` and `.trx` require `grid`, the grid of the image to which the streamlines belong. Returns an error
/// for positions that are not numbers.
pub fn write_tractogram(
    path: &Path,
    tractogram: &Tractogram,
    grid: Option<&Grid>,
    options: &TractogramOptions,
) -> Result<()> {
    tractogram.check().map_err(|e| e.about(path.display()))?;
    let mut writer = TractogramWriter::create(path, grid, options)?;
    writer.take(tractogram.as_batch())?;
    writer.finish_with_groups(&tractogram.groups)
}

/// Copies a tractogram to another file; the ending of its name selects the format. Streamlines are copied in
/// batches with their data. Only the groups are completely in memory.
///
/// `grid` is the grid of the image to which the streamlines belong. If it is `None`, the image that `from`
/// describes is used. If a `.trk` does not specify the position of its voxels, the voxels of `grid` are used.
pub fn convert_tractogram(
    from: &Path,
    to: &Path,
    grid: Option<&Grid>,
    options: &TractogramOptions,
) -> Result<()> {
    let space = grid.map_or(Space::Unknown, Space::Stated);
    let mut reader = TractogramReader::open_in(from, space)?;
    let own_grid = reader.grid();
    let mut writer = TractogramWriter::create(to, grid.or(own_grid.as_ref()), options)?;
    let groups = reader.read_groups()?;
    let data = reader.data();
    reader.stream_with(&data, &mut writer)?;
    writer.finish_with_groups(&groups)
}

/// Writes streamlines with their data to a file of any format, batch by batch. So memory need not hold all
/// streamlines.
///
/// The file appears under its name when [`finish`](Self::finish) returns. If the writer is dropped before, no
/// file remains.
#[derive(Debug)]
pub struct TractogramWriter {
    path: PathBuf,
    positions: PositionType,
    streamlines: u64,
    /// True if writing a batch has failed, so that the file must not appear as a result.
    has_failed: bool,
    /// Names of data that a `.tck` cannot store.
    dropped: Vec<String>,
    format: FormatWriter,
}

#[derive(Debug)]
enum FormatWriter {
    Tck(TckWriter),
    Trk(Box<TrkWriter>),
    Trx(Box<TrxWriter>),
}

impl TractogramWriter {
    /// Starts a file. `grid` is the grid of the image to which the streamlines belong; `.trk` and `.trx`
    /// require it. Returns an error for an unknown ending, and for a number type of positions that the format
    /// does not have.
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
                FormatWriter::Tck(TckWriter::create(path, positions == PositionType::F64, &options.history)?)
            }
            TractogramFormat::Trk => {
                require_single(path, positions)?;
                FormatWriter::Trk(Box::new(TrkWriter::create(path, required(path, grid)?)?))
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
            dropped: Vec::new(),
            format,
        })
    }

    /// Number of streamlines that have been written.
    pub fn streamlines(&self) -> u64 {
        self.streamlines
    }

    /// Completes the file and gives it its name.
    pub fn finish(self) -> Result<()> {
        self.finish_with_groups(&StreamlineGroups::default())
    }

    /// Completes the file and gives it its name. Groups of streamlines are written if the format supports
    /// them.
    pub fn finish_with_groups(self, groups: &StreamlineGroups) -> Result<()> {
        if self.has_failed {
            let problem = "some of its streamlines could not be written";
            return Err(Error::invalid(
                self.path.display(),
                problem,
                "see the error message before this one",
            ));
        }
        match self.format {
            FormatWriter::Tck(writer) => {
                let mut dropped = [self.dropped, groups.members.keys().cloned().collect()].concat();
                dropped.dedup();
                if !dropped.is_empty() {
                    tracing::warn!(
                        "{}: a .tck stores only positions, so these data are not written: {} (write .trx to \
                         keep them)",
                        self.path.display(),
                        printable(&dropped.join(", "), 500)
                    );
                }
                writer.finish()
            }
            FormatWriter::Trk(writer) => writer.finish(groups),
            FormatWriter::Trx(writer) => writer.finish(groups),
        }
    }
}

impl StreamlineSink for TractogramWriter {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.has_failed = true;
        check_positions(&self.path, batch, self.streamlines, self.positions)?;
        match &mut self.format {
            FormatWriter::Tck(writer) => {
                if self.streamlines == 0 && self.dropped.is_empty() {
                    let names =
                        batch.per_point().chain(batch.per_streamline()).map(|(name, _)| name.to_owned());
                    self.dropped.extend(names);
                }
                writer.take(batch)
            }
            FormatWriter::Trk(writer) => writer.take(batch),
            FormatWriter::Trx(writer) => writer.take(batch),
        }?;
        self.streamlines += batch.len() as u64;
        self.has_failed = false;
        Ok(())
    }
}

fn required<'a>(path: &Path, grid: Option<&'a Grid>) -> Result<&'a Grid> {
    grid.ok_or_else(|| {
        Error::usage(
            path.display(),
            "this tractogram format stores the image space of the streamlines, which is not known",
            "give an image in the space of the streamlines with ‘reference’, or write .tck",
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

/// Returns an error with the number of the streamline if a position is not a number, since NaN ends a
/// streamline in `.tck`. An error is also returned if a position does not fit into the stored number type.
fn check_positions(path: &Path, batch: StreamlineBatch<'_>, before: u64, kind: PositionType) -> Result<()> {
    let fits = |value: f32| kind != PositionType::F16 || half::f16::from_f32(value).is_finite();
    let possible = |value: f32| value.abs() <= FARTHEST_MM && fits(value);
    if batch.points().iter().flatten().all(|&value| possible(value)) {
        return Ok(());
    }
    for (n, streamline) in batch.iter().enumerate() {
        let number = before + n as u64;
        for point in streamline {
            if let Some(problem) = problem_of_point(point, number) {
                return Err(Error::invalid(path.display(), problem, "remove this streamline before writing"));
            }
            if let Some(value) = point.iter().find(|value| !fits(**value)) {
                let problem = format!(
                    "streamline {number} has the coordinate {value} mm, too large for half precision"
                );
                return Err(Error::invalid(path.display(), problem, "write positions as float32"));
            }
        }
    }
    Ok(())
}
