//! Writes tractograms, and converts tractogram files to other formats.

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

/// Writes a whole tractogram. A `.trx` file stores all values of points, streamlines and groups. A `.trk`
/// file stores values in single precision, with up to ten names for points and ten for streamlines; a name
/// has at most 20 bytes. A `.tck` file stores only positions. A warning lists the values that are not stored.
///
/// `.trk` and `.trx` require `grid`, the grid of the image to which the streamlines belong. Returns an error
/// if a coordinate of a point is not a number.
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

/// Copies a tractogram to another file, whose name selects the format. The streamlines and their values are
/// copied in batches. Only the groups of streamlines are completely in memory.
///
/// `grid` is the grid of the image to which the streamlines belong. If `grid` is `None`, the image that the
/// file `from` describes is used. If `from` is a `.trk` file without the position of its voxels, its
/// coordinates refer to the voxels of `grid`.
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

/// Writes streamlines with their values to a tractogram file of any format, batch by batch. Memory therefore
/// need not hold all streamlines.
///
/// The file appears under its name when [`finish`](Self::finish) returns. If the writer is dropped before
/// that, no file remains.
#[derive(Debug)]
pub struct TractogramWriter {
    path: PathBuf,
    positions: PositionType,
    streamlines: u64,
    /// True if writing a batch of streamlines has failed. The file must then not appear under its name.
    has_failed: bool,
    /// Names of values of points and streamlines that a `.tck` file cannot store.
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
    /// Creates a tractogram file. `grid` is the voxel grid of the image to which the streamlines belong;
    /// `.trk` and `.trx` files require it. Returns an error if the ending of the file name is unknown, or if
    /// the format cannot store positions in the requested number type.
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

    /// Completes the file and renames it to its final name.
    pub fn finish(self) -> Result<()> {
        self.finish_with_groups(&StreamlineGroups::default())
    }

    /// Completes the file and renames it to its final name. Groups of streamlines are written if the format
    /// can store them.
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

/// Returns an error with the number of the streamline if a coordinate of a point is not a number, because NaN
/// ends a streamline in a `.tck` file. Also returns an error if the stored number type cannot represent a
/// coordinate.
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
