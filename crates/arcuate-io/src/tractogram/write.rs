//! Writes tractograms, and converts tractogram files to other formats.

use super::{TractogramReader, functions_of};
use crate::tractogram_types::{PositionType, Space, TractogramOptions, TractogramOutput};
use arcuate_core::{
    Error, FARTHEST_MM, Grid, Result, StreamlineBatch, StreamlineGroups, StreamlineSink, Tractogram,
    problem_of_point,
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
    output: Box<dyn TractogramOutput>,
}

impl TractogramWriter {
    /// Creates a tractogram file. `grid` is the voxel grid of the image to which the streamlines belong;
    /// `.trk` and `.trx` files require it. Returns an error if the ending of the file name is unknown, or if
    /// the format cannot store positions in the requested number type.
    pub fn create(path: &Path, grid: Option<&Grid>, options: &TractogramOptions) -> Result<Self> {
        let output = (functions_of(path)?.create)(path, grid, options)?;
        let positions = options.positions;
        Ok(Self { path: path.to_owned(), positions, streamlines: 0, has_failed: false, output })
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
        self.output.finish(groups)
    }
}

impl StreamlineSink for TractogramWriter {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.has_failed = true;
        check_positions(&self.path, batch, self.streamlines, self.positions)?;
        self.output.take(batch)?;
        self.streamlines += batch.len() as u64;
        self.has_failed = false;
        Ok(())
    }
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
