//! Writing and converting tractograms.

use super::{Opened, TractogramFormat, TractogramOptions, read_tractogram_in};
use crate::batches::FARTHEST;
use crate::tck::TckWriter;
use crate::tractogram_types::{PositionType, Space};
use crate::trk::TrkWriter;
use crate::trx::TrxWriter;
use arcuate_core::{Column, Error, Grid, Result, StreamlineBatch, StreamlineSink, Tractogram, printable};
use std::path::{Path, PathBuf};

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
        check_positions(path, tractogram.as_batch(), 0, options.positions)?;
        return TrkWriter::write(path, tractogram, required(path, grid)?);
    }
    let mut writer = TractogramWriter::create(path, grid, options)?;
    writer.take(tractogram.as_batch())?;
    writer.finish_with(tractogram)
}

/// Copies a tractogram into another file, whose ending tells the format. Streamlines go through in batches where no
/// data beside them exist or none can be kept; otherwise the tractogram is held in memory once.
///
/// `grid` is the image that the streamlines belong to; without it, the one that `from` describes is taken. A `.trk` that does
/// not say where its voxels are lies in those of `grid`.
pub fn convert_tractogram(
    from: &Path,
    to: &Path,
    grid: Option<&Grid>,
    options: &TractogramOptions,
) -> Result<()> {
    let space = grid.map_or(Space::Unknown, Space::Stated);
    let opened = Opened::open_in(from, space)?;
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
    let file = read_tractogram_in(from, space)?;
    write_tractogram(to, &file.tractogram, grid, options)
}

fn warn_of_dropped(path: &Path, names: &[String]) {
    tracing::warn!(
        "{}: .tck holds positions alone; dropped: {} (write .trx to keep everything)",
        path.display(),
        printable(&names.join(", "), 500)
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
                FormatWriter::Tck(TckWriter::create(path, positions == PositionType::F64, &options.history)?)
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
        self.require_room_at_the_end(name)?;
        self.data.per_streamline.insert(name.to_owned(), column);
        Ok(())
    }

    /// Adds values at each point, like [`add_per_streamline`](Self::add_per_streamline): one row for each point that will
    /// have passed.
    pub fn add_per_point(&mut self, name: &str, column: Column) -> Result<()> {
        self.require_room_at_the_end(name)?;
        self.data.per_point.insert(name.to_owned(), column);
        Ok(())
    }

    fn require_room_at_the_end(&self, name: &str) -> Result<()> {
        match self.format {
            FormatWriter::Trx(_) => Ok(()),
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

impl StreamlineSink for TractogramWriter {
    fn take(&mut self, batch: StreamlineBatch<'_>) -> Result<()> {
        self.has_failed = true;
        check_positions(&self.path, batch, self.streamlines, self.positions)?;
        match &mut self.format {
            FormatWriter::Tck(writer) => writer.take(batch),
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
            "its format records the image that the streamlines belong to, and none is known",
            "give an image of that space with ‘reference’, or write .tck",
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
fn check_positions(path: &Path, batch: StreamlineBatch<'_>, before: u64, kind: PositionType) -> Result<()> {
    let fits = |value: f32| match kind {
        PositionType::F16 => half::f16::from_f32(value).is_finite(),
        PositionType::F32 | PositionType::F64 => value.abs() <= FARTHEST,
    };
    if batch.points().iter().flatten().all(|&value| fits(value)) {
        return Ok(());
    }
    for (n, streamline) in batch.iter().enumerate() {
        let number = before + n as u64;
        for value in streamline.iter().flatten() {
            if !value.is_finite() {
                let problem = format!("streamline {number} has a position that is not a number");
                return Err(Error::invalid(path.display(), problem, "remove this streamline before writing"));
            }
            if value.abs() > FARTHEST {
                let problem = format!("streamline {number} reaches {value:e} mm, where no scanner does");
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
